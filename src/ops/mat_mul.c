/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mat_mul.c: Y = act(A @ B + bias + residual), NumPy's matmul.
 *
 * Passes may add a bias vector of N as input 2, a residual of Y's shape as input 3, and the
 * activation as ep_… attributes.
 */
#include "kernels/act.h"
#include "ops/product.h"

enum { IN_A, IN_B, IN_BIAS, IN_RESIDUAL };

static ig_status infer(ig_infer *c)
{
    const ig_info *b = c->in[IN_B], *bias = c->n_in > IN_BIAS ? c->in[IN_BIAS] : NULL;
    if (c->in[IN_A]->rank < 0 || b->rank < 0) return INGOT_OK;
    const ig_dim n = b->rank >= 2 ? b->dims[b->rank - 1] : 1;
    if (bias && bias->rank >= 0 && (bias->rank != 1 || ig_dims_differ(bias->dims[0], n)))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "the bias is not a vector of one value a column");
    return ig_matmul_shape(c, c->in[IN_A], b, &c->out[0]);
}

typedef struct ref_job {
    ig_matmul_view v;
    ingot_dtype dtype;
    const void *a, *b;
    void *y;
} ref_job;

/* Rows of the output over all batches. Floating-point sums are taken in double, integer sums wrap.
 */
static void ref_rows(void *ctx, ig_part part)
{
    const ref_job *j = ctx;
    const ig_matmul_view *v = &j->v;
    for (int64_t row = part.begin; row < part.end; row++) {
        int64_t a0, b0;
        ig_matmul_offsets(v, row / v->m, &a0, &b0);
        a0 += row % v->m * v->k;
#define ROW_(T, S)                                                                                 \
    for (int64_t n = 0; n < v->n; n++) {                                                           \
        S sum = 0;                                                                                 \
        for (int64_t k = 0; k < v->k; k++)                                                         \
            sum += (S)((const T *)j->a)[a0 + k] * (S)((const T *)j->b)[b0 + k * v->n + n];         \
        ((T *)j->y)[row * v->n + n] = (T)sum;                                                      \
    }                                                                                              \
    break;
        switch ((int)j->dtype) {
        case INGOT_FLOAT: ROW_(float, double)
        case INGOT_DOUBLE: ROW_(double, double)
        case INGOT_INT32: ROW_(int32_t, uint32_t)
        case INGOT_UINT32: ROW_(uint32_t, uint32_t)
        case INGOT_INT64: ROW_(int64_t, uint64_t)
        case INGOT_UINT64: ROW_(uint64_t, uint64_t)
        default: break;
        }
#undef ROW_
    }
}

static double get(const ig_tensor *t, int64_t i)
{
    return t->dtype == INGOT_FLOAT ? (double)((const float *)t->data)[i]
                                   : ((const double *)t->data)[i];
}

/* Bias, residual, activation. */
static void finish(ig_call *c, int64_t n)
{
    const ig_tensor *bias = c->n_in > IN_BIAS ? c->in[IN_BIAS] : NULL;
    const ig_tensor *residual = c->n_in > IN_RESIDUAL ? c->in[IN_RESIDUAL] : NULL;
    const ig_epilogue ep = ig_node_epilogue(c->node);
    ig_tensor *y = c->out[0];
    if (!bias && !residual && ep.act == IG_ACT_NONE) return;
    const int64_t count = ig_tensor_count(y);
    for (int64_t i = 0; i < count; i++) {
        double x = get(y, i);
        if (bias) x += get(bias, i % n);
        if (residual) x += get(residual, i);
        x = ig_act_ref(&ep, x);
        if (y->dtype == INGOT_FLOAT)
            ((float *)y->data)[i] = (float)x;
        else
            ((double *)y->data)[i] = x;
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *a = c->in[IN_A], *b = c->in[IN_B];
    ref_job job = { .dtype = a->dtype, .a = a->data, .b = b->data, .y = c->out[0]->data };
    const ig_dtype_set ok = IG_T(INGOT_FLOAT) | IG_T(INGOT_DOUBLE) | IG_T(INGOT_INT32) |
                            IG_T(INGOT_UINT32) | IG_T(INGOT_INT64) | IG_T(INGOT_UINT64);
    if (a->dtype != b->dtype || !(IG_T(a->dtype) & ok))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "cannot multiply %s by %s",
                       ingot_dtype_name(a->dtype), ingot_dtype_name(b->dtype));
    ig_matmul_view_init(&job.v, a->rank, a->dims, b->rank, b->dims);
    if (ig_tensor_count(c->out[0]) == 0) return INGOT_OK;
    ig_team_run(c->team, ref_rows, &job, job.v.n_batch * job.v.m, 1);
    finish(c, job.v.n);
    return INGOT_OK;
}

/* Batches of A against one B are one tall product. */
static void fold_batch(ig_matmul_view *v)
{
    for (int d = 0; d < v->n_batch_dims; d++)
        if (v->b_stride[d] != 0 || (v->a_stride[d] == 0 && v->batch_dims[d] != 1)) return;
    v->m *= v->n_batch;
    v->n_batch_dims = 0;
    v->n_batch = 1;
}

static ig_status lower(ig_lower *l)
{
    int64_t a[IG_MAX_RANK], b[IG_MAX_RANK];
    ig_matmul_view v;
    ig_gemm_shape s;
    const bool has_bias = l->n_in > IN_BIAS && l->in[IN_BIAS];
    if (l->in[IN_A]->type.dtype != INGOT_FLOAT || l->in[IN_B]->type.dtype != INGOT_FLOAT)
        return INGOT_OK;
    if (!ig_info_is_static(l->in[IN_A], a) || !ig_info_is_static(l->in[IN_B], b)) return INGOT_OK;
    ig_matmul_view_init(&v, l->in[IN_A]->rank, a, l->in[IN_B]->rank, b);
    fold_batch(&v);
    if (v.n_batch_dims > IG_GEMM_MAX_BATCH_DIMS) return INGOT_OK;
    ig_gemm_shape_init(&s, v.m, v.n, v.k, false, false);
    s.n_batch_dims = v.n_batch_dims;
    int64_t y_step = v.m * v.n;
    for (int d = v.n_batch_dims - 1; d >= 0; d--) {
        s.batch_dims[d] = v.batch_dims[d];
        s.a_stride[d] = v.a_stride[d];
        s.b_stride[d] = v.b_stride[d];
        s.y_stride[d] = s.r_stride[d] = y_step;
        y_step *= v.batch_dims[d];
    }
    s.c = has_bias ? IG_GEMM_C_N : IG_GEMM_C_NONE;
    s.has_residual = l->n_in > IN_RESIDUAL && l->in[IN_RESIDUAL];
    s.epilogue = ig_node_epilogue(l->node);
    return ig_lower_product(l, &s);
}

static int64_t flops(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    int64_t y[IG_MAX_RANK];
    (void)node;
    if (!ig_info_is_static(&out[0], y) || in[IN_A]->rank < 1) return 0;
    const ig_dim k = in[IN_A]->dims[in[IN_A]->rank - 1];
    return ig_dim_is_const(k) ? 2 * k * ig_count(out[0].rank, y) : 0;
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} f32[2,2]{5,6,7,8} = f32[2,2]{19,22,43,50}",
    "f32[3]{1,2,3} f32[3]{4,5,6} = f32[]{32}",
    "f32[3] f32[3,4]",
    "f32[2,5,3] f32[3]",
    "f32[2,3,4,5] f32[5,6]",
    "f32[2,3,4,5] c:f32[5,17]",
    "f32[2,1,4,5] f32[3,5,6]",
    "f32[3,4,5] c:f32[3,5,6]",
    "f32[1,7] c:f32[7,33] c:f32[33] f32[1,33] ep_act=1",
    "f32[4,0] f32[0,3] = f32[4,3]{0}",
    "i32[2,2]{1,2,3,4} i32[2,1]{5,6} = i32[2,1]{17,39}",
    "f64[2,3] f64[3,2]",
    "f16[2,3] f16[3,2]",
    "f32[2,3] f32[4,2] ! inner dimensions are 3 and 4",
    "f32[2,3] f32[3,4] f32[3] ! bias is not a vector of one value a column",
    "f32[2,3] f32[3] f32[2] ! bias is not a vector of one value a column",
    "f32[2,3] f32[3,4] _ f32[1,4] ! another shape than the output",
    "f32[2,3] i8[3,4] ! element types float32 and int8",
    "f32[] f32[4,2] ! input 0 is a scalar",
    NULL,
};

const ig_op ig_op_mat_mul = {
    .onnx = "MatMul",
    .since = { 1, 9, 13 },
    .n_in = { 2, 4 },
    .same_type = 0xe,
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS | IG_T(INGOT_INT32) | IG_T(INGOT_INT64) | IG_T(INGOT_UINT32) |
             IG_T(INGOT_UINT64),
    .flags = IG_EPILOGUE,
    .bias_input = IN_BIAS,
    .residual_input = IN_RESIDUAL,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = flops,
    .cases = cases,
};
