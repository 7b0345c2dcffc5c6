/* SPDX-License-Identifier: Apache-2.0 */
/*
 * q_gemm.c: com.microsoft QGemm: (A - a_zero) (B - b_zero) + C in int32, either one transposed,
 * times alpha a_scale b_scale; float32, or 8 bits where the output has a scale.
 */
#include "ops/integer_product.h"
#include "ops/qlinear.h"
#include "ops/strided.h"

enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, C, Y_SCALE, Y_ZERO };

static bool has(int n_in, int i, const void *p) { return i < n_in && p; }

static ig_status check_columns(const ig_infer *c, int i, ig_dim columns)
{
    const ig_info *info = c->in[i];
    const ig_dim n = info->rank < 0 ? 1 : ig_info_count(c->dims, info);
    if (n == 1 || n == columns || !ig_dim_is_const(n) || !ig_dim_is_const(columns)) return INGOT_OK;
    return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d has %lld elements for %lld columns", i,
                   (long long)n, (long long)columns);
}

static ig_status check_bias(ig_infer *c, const ig_info *out)
{
    if (!has(c->n_in, C, c->in[C])) return INGOT_OK;
    const ig_info *const both[] = { out, c->in[C] };
    ig_infer two = *c;
    ig_info sum = *out;
    two.in = both;
    two.n_in = 2;
    if (c->in[C]->type.dtype != INGOT_INT32 && c->in[C]->type.dtype != INGOT_UNDEFINED)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "C has element type %s",
                       ingot_dtype_name(c->in[C]->type.dtype));
    IG_TRY(ig_broadcast_shapes(&two, 2, &sum));
    bool fits = sum.rank <= 2;
    for (int d = 0; fits && d < sum.rank; d++)
        fits = sum.dims[d] == out->dims[d] || !ig_dim_is_const(sum.dims[d]) ||
               !ig_dim_is_const(out->dims[d]);
    return fits ? INGOT_OK
                : ig_fail(c->err, INGOT_ERR_SHAPE, "C does not broadcast to the output's shape");
}

static ig_status infer(ig_infer *c)
{
    const ig_info *a = c->in[A], *b = c->in[B];
    const bool is_quantized = has(c->n_in, Y_SCALE, c->in[Y_SCALE]);
    const bool has_zero = has(c->n_in, Y_ZERO, c->in[Y_ZERO]);
    ig_dim k;
    IG_TRY(ig_infer_tensors(c, B_ZERO + 1));
    c->out[0].type.dtype = !is_quantized ? INGOT_FLOAT
                           : has_zero    ? c->in[Y_ZERO]->type.dtype
                                         : INGOT_UINT8;
    if (b->type.dtype != INGOT_UNDEFINED && !(IG_T(b->type.dtype) & IG_T_8_BIT))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "B has element type %s",
                       ingot_dtype_name(b->type.dtype));
    if (is_quantized && has_zero && !(IG_T(c->out[0].type.dtype) & IG_T_8_BIT))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "y_zero_point has element type %s",
                       ingot_dtype_name(c->out[0].type.dtype));
    IG_TRY(ig_qparam_infer(c, A_SCALE, A_ZERO, a->type.dtype));
    if (is_quantized) IG_TRY(ig_qparam_infer(c, Y_SCALE, Y_ZERO, c->out[0].type.dtype));
    if (a->rank < 0 || b->rank < 0) return INGOT_OK;
    if (a->rank != 2 || b->rank != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "A has rank %d and B %d, they must be matrices",
                       a->rank, b->rank);
    const int ta = ig_attr_int(c->node, "transA", 0) != 0;
    const int tb = ig_attr_int(c->node, "transB", 0) != 0;
    const ig_dim dims[2] = { a->dims[ta], b->dims[!tb] };
    IG_TRY(ig_dim_unify(a->dims[!ta], b->dims[tb], "inner dimensions", &k, c->err));
    ig_info_set_shape(&c->out[0], c->out[0].type.dtype, 2, dims);
    IG_TRY(check_columns(c, B_SCALE, dims[1]));
    IG_TRY(check_columns(c, B_ZERO, dims[1]));
    return check_bias(c, &c->out[0]);
}

static int64_t get8(const ig_tensor *t, int64_t i)
{
    return t->dtype == INGOT_INT8 ? ((const int8_t *)t->data)[i] : ((const uint8_t *)t->data)[i];
}

/* Element i of one, or of one for each column. */
static int64_t column_of(const ig_tensor *t, int64_t column)
{
    return ig_tensor_count(t) == 1 ? 0 : column;
}

/* The exact sum for row i, column j, in int32 as it wraps. */
static int32_t sum_of(const ig_call *c, int64_t i, int64_t j, int64_t n_inner)
{
    const ig_tensor *a = c->in[A], *b = c->in[B],
                    *bias = has(c->n_in, C, c->in[C]) ? c->in[C] : NULL;
    const bool ta = ig_attr_int(c->node, "transA", 0) != 0;
    const bool tb = ig_attr_int(c->node, "transB", 0) != 0;
    const int64_t a_zero = get8(c->in[A_ZERO], 0);
    const int64_t b_zero = get8(c->in[B_ZERO], column_of(c->in[B_ZERO], j));
    uint64_t sum = 0;
    for (int64_t k = 0; k < n_inner; k++)
        sum += (uint64_t)((get8(a, ta ? k * a->dims[1] + i : i * a->dims[1] + k) - a_zero) *
                          (get8(b, tb ? j * b->dims[1] + k : k * b->dims[1] + j) - b_zero));
    if (bias) {
        const int64_t columns = bias->rank ? bias->dims[bias->rank - 1] : 1;
        const int64_t rows = bias->rank > 1 ? bias->dims[bias->rank - 2] : 1;
        const int64_t at = (rows == 1 ? 0 : i * columns) + (columns == 1 ? 0 : j);
        sum += (uint64_t)(int64_t)((const int32_t *)bias->data)[at];
    }
    return (int32_t)(uint32_t)sum;
}

static ig_status ref(ig_call *c)
{
    ig_tensor *y = c->out[0];
    ig_qparam qa, qy = { 1, 0 };
    const bool is_quantized = has(c->n_in, Y_SCALE, c->in[Y_SCALE]);
    const float alpha = ig_attr_float(c->node, "alpha", 1);
    IG_TRY(ig_call_ready(c));
    IG_TRY(ig_qparam_of_call(c, A_SCALE, A_ZERO, c->in[A]->dtype, &qa));
    if (is_quantized) IG_TRY(ig_qparam_of_call(c, Y_SCALE, Y_ZERO, y->dtype, &qy));
    const ig_tensor *b_scale = c->in[B_SCALE];
    const bool ta = ig_attr_int(c->node, "transA", 0) != 0;
    const int64_t n_inner = c->in[A]->dims[ta ? 0 : 1];
    if (b_scale->dtype != INGOT_FLOAT || c->in[B_ZERO]->dtype != c->in[B]->dtype)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED,
                       "b_scale must be float32 and b_zero_point of the type of B");
    for (int64_t i = 0; i < y->dims[0]; i++)
        for (int64_t j = 0; j < y->dims[1]; j++) {
            const float sb = ((const float *)b_scale->data)[column_of(b_scale, j)];
            const float scale = alpha * qa.scale * sb;
            const float sum = (float)sum_of(c, i, j, n_inner);
            const int64_t at = i * y->dims[1] + j;
            if (is_quantized)
                ((uint8_t *)y->data)[at] = ig_q_store(y->dtype, &qy, sum * (scale / qy.scale));
            else
                ((float *)y->data)[at] = sum * scale;
        }
    return INGOT_OK;
}

/* ---- lowering ---- */

static const int8_t roles[IG_QP_N] = { A, B, C, A_ZERO, B_ZERO, A_SCALE, B_SCALE, Y_SCALE, Y_ZERO };

/* The kernels round to 8 bits, and take one element of C for each column. */
static bool has_kernel(const ig_lower *l)
{
    const bool has_bias = has(l->n_in, C, l->in[C]);
    if (!has(l->n_in, Y_SCALE, l->in[Y_SCALE]) || ig_attr_float(l->node, "alpha", 1) != 1 ||
        ig_attr_int(l->node, "transA", 0) || l->in[B_SCALE]->type.dtype != INGOT_FLOAT)
        return false;
    for (int i = 0; i < l->n_in; i++)
        if (l->in[i] && !ig_info_is_static(l->in[i], NULL)) return false;
    if (!has_bias) return true;
    const ig_info *bias = l->in[C];
    return bias->rank > 0 && bias->dims[bias->rank - 1] == l->out[0].dims[1] &&
           (bias->rank == 1 || bias->dims[0] == 1);
}

static ig_status lower(ig_lower *l)
{
    ig_qconv_params *p = NULL;
    ig_qconv_shape s;
    if (!has_kernel(l)) return INGOT_OK;
    const int64_t m = l->out[0].dims[0], n = l->out[0].dims[1], k = l->in[A]->dims[1];
    if (m < 1 || n < 1 || k < 1) return INGOT_OK;
    ig_qmatmul_shape_init(&s, m, n, k);
    if (ig_attr_int(l->node, "transB", 0)) s.w_layout = IG_QCONV_W_ONNX; /* [n, k] */
    s.y_dtype = l->out[0].type.dtype;
    IG_TRY(ig_qp_plan(l, roles, &s, &p, &l->kernel));
    l->kernel_name = ig_qconv_kernel_name(p);
    l->params = p;
    l->n_operand_in = IG_QP_N;
    l->operand_inputs = roles;
    l->n_work = p->n_work;
    l->grain = p->grain;
    l->scratch_bytes = p->scratch_bytes_per_thread * (size_t)l->n_threads;
    return INGOT_OK;
}

static int64_t flops(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    const int t = ig_attr_int(node, "transA", 0) != 0;
    const double n =
        2.0 * (double)in[A]->dims[!t] * (double)out[0].dims[0] * (double)out[0].dims[1];
    return n < 9e18 ? (int64_t)n : INT64_MAX;
}

static const char *const cases[] = {
    "u8[2,2]{1,2,3,4} f32[]{0.5} u8[]{0} u8[2,2]{5,6,7,8} f32[]{2} u8[]{1} = f32[2,2]{16,19,36,43}",
    "u8[2,2]{1,2,3,4} f32[]{0.5} u8[]{0} u8[2,2]{5,6,7,8} f32[]{2} u8[]{1} i32[2]{10,-20} f32[]{2} "
    "u8[]{3} = u8[2,2]{16,3,26,15}",
    "u8[5,7] f32[]{0.02} u8[]{99} c:u8[7,4] c:f32[]{0.01} c:u8[]{120} c:i32[4] f32[]{0.03} u8[]{9}",
    "i8[5,7] f32[]{0.02} i8[]{-9} c:i8[4,7] c:f32[4]{0.01,0.02,0.015,0.03} c:i8[4]{0,1,-2,3} "
    "c:i32[1,4] f32[]{0.05} i8[]{-4} transB=1 alpha=0.5",
    "u8[7,5] f32[]{0.02} u8[]{99} u8[4,7] f32[]{0.01} u8[]{120} transA=1 transB=1",
    "u8[33,70] f32[]{0.02} u8[]{99} c:i8[70,37] c:f32[]{0.01} c:i8[]{1} c:i32[37] f32[]{0.3} "
    "u8[]{9}",
    "i8[33,70] f32[]{0.02} i8[]{9} c:i8[37,70] c:f32[]{0.01} c:i8[]{1} _ f32[]{0.3} i8[]{9} "
    "transB=1",
    "u8[9,70] f32[]{0.02} u8[]{9} u8[37,70] f32[]{0.01} u8[]{1} i32[9,37] f32[]{0.3} u8[]{9} "
    "transB=1",
    "u8[9,70] f32[]{0.02} u8[]{9} u8[37,70] f32[]{0.01} u8[]{1} i32[1,37] f32[]{0.3} u8[]{9} "
    "transB=1",
    "u8[0,7] f32[]{0.02} u8[]{99} u8[7,3] f32[]{0.01} u8[]{120}",
    "u8[2,0] f32[]{0.02} u8[]{99} u8[0,3] f32[]{0.01} u8[]{120}",
    "u8[5,7] f32[]{0.02} u8[]{99} u8[6,4] f32[]{0.01} u8[]{120} ! inner dimensions",
    "u8[5,7] f32[]{0.02} u8[]{99} u8[7,4] f32[3]{0.01} u8[]{120} ! input 4 has 3 elements for 4",
    "u8[5,7] f32[]{0.02} u8[]{99} u8[7,4] f32[]{0.01} u8[]{120} i32[3] ! do not broadcast",
    "u8[5,7] f32[]{0.02} u8[]{99} u8[7,4] f32[]{0.01} u8[]{120} i32[2,5,4] ! C does not broadcast",
    "u8[5,7,1] f32[]{0.02} u8[]{99} u8[7,4] f32[]{0.01} u8[]{120} ! must be matrices",
    NULL,
};

const ig_op ig_op_q_gemm = {
    .onnx = "QGemm",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 6, 9 },
    .n_out = { 1, 1 },
    .types = IG_T_8_BIT,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = flops,
    .cases = cases,
};
