/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm.c: Y = act(alpha * op(A) * op(B) + beta * C + residual); C broadcasts to M x N.
 *
 * Passes may add a residual of Y's shape as input 3, and the activation as ep_… attributes.
 */
#include <math.h>

#include "kernels/act.h"
#include "ops/product.h"

enum { IN_A, IN_B, IN_C, IN_RESIDUAL };

ig_status ig_gemm_infer(ig_infer *c)
{
    const ig_info *a = c->in[IN_A], *b = c->in[IN_B];
    const bool ta = ig_attr_int(c->node, "transA", 0) != 0,
               tb = ig_attr_int(c->node, "transB", 0) != 0;
    if (a->rank < 0 || b->rank < 0) return INGOT_OK;
    if (a->rank != 2 || b->rank != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "inputs have ranks %d and %d, Gemm takes matrices",
                       a->rank, b->rank);
    const ig_dim ka = a->dims[ta ? 0 : 1], kb = b->dims[tb ? 1 : 0];
    const ig_dim dims[2] = { a->dims[ta ? 1 : 0], b->dims[tb ? 0 : 1] };
    if (ka != kb && ig_dim_is_const(ka) && ig_dim_is_const(kb))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "inner dimensions are %lld and %lld", (long long)ka,
                       (long long)kb);
    ig_info_set_shape(&c->out[0], a->type.dtype, 2, dims);
    const ig_info *bias = c->n_in > IN_C ? c->in[IN_C] : NULL;
    for (int d = 0; bias && d < bias->rank; d++) {
        const int at = 2 - bias->rank + d;
        const bool fits =
            at >= 0 && (bias->dims[d] == 1 || bias->dims[d] == dims[at] ||
                        !ig_dim_is_const(bias->dims[d]) || !ig_dim_is_const(dims[at]));
        if (!fits) return ig_fail(c->err, INGOT_ERR_SHAPE, "C does not broadcast to the product");
    }
    return INGOT_OK;
}

static double get(const ig_tensor *t, int64_t i) { return ig_get_f64(t->dtype, t->data, i); }

/* Operands and the distances of their elements along the product's rows m, columns n and k. */
typedef struct product {
    const ig_tensor *a, *b, *bias;
    int64_t m_n, n_n, k_n, a_m, a_k, b_k, b_n, c_m, c_n;
} product;

static product read_product(const ig_call *c)
{
    const ig_tensor *a = c->in[IN_A], *bias = c->n_in > IN_C ? c->in[IN_C] : NULL;
    const bool ta = ig_attr_int(c->node, "transA", 0) != 0,
               tb = ig_attr_int(c->node, "transB", 0) != 0;
    product p = { .a = a, .b = c->in[IN_B], .bias = bias };
    p.m_n = c->out[0]->dims[0], p.n_n = c->out[0]->dims[1], p.k_n = a->dims[ta ? 0 : 1];
    p.a_m = ta ? 1 : p.k_n, p.a_k = ta ? p.m_n : 1;
    p.b_k = tb ? 1 : p.n_n, p.b_n = tb ? p.k_n : 1;
    p.c_n = bias && bias->rank >= 1 && bias->dims[bias->rank - 1] != 1;
    p.c_m = bias && bias->rank == 2 && bias->dims[0] != 1 ? bias->dims[1] : 0;
    return p;
}

static void ref_whole(const product *p, uint64_t alpha, uint64_t beta, const ig_tensor *y)
{
    const ingot_dtype t = y->dtype;
    for (int64_t m = 0; m < p->m_n; m++)
        for (int64_t n = 0; n < p->n_n; n++) {
            uint64_t sum = 0;
            for (int64_t k = 0; k < p->k_n; k++)
                sum += (uint64_t)ig_get_i64(t, p->a->data, m * p->a_m + k * p->a_k) *
                       (uint64_t)ig_get_i64(t, p->b->data, k * p->b_k + n * p->b_n);
            sum *= alpha;
            if (p->bias)
                sum += beta * (uint64_t)ig_get_i64(t, p->bias->data, m * p->c_m + n * p->c_n);
            ig_set_i64(t, y->data, m * p->n_n + n, (int64_t)sum);
        }
}

#define DOT(T)                                                                                     \
    for (int64_t k = 0; k < p->k_n; k++)                                                           \
    sum += (double)((const T *)p->a->data)[m * p->a_m + k * p->a_k] *                              \
           (double)((const T *)p->b->data)[k * p->b_k + n * p->b_n]

static double dot(const product *p, int64_t m, int64_t n)
{
    double sum = 0;
    if (p->a->dtype == INGOT_FLOAT) {
        DOT(float);
    } else if (p->a->dtype == INGOT_DOUBLE) {
        DOT(double);
    } else {
        for (int64_t k = 0; k < p->k_n; k++)
            sum += get(p->a, m * p->a_m + k * p->a_k) * get(p->b, k * p->b_k + n * p->b_n);
    }
    return sum;
}

static void ref_real(const product *p, double alpha, double beta, const ig_tensor *residual,
                     const ig_epilogue *ep, const ig_tensor *y)
{
    for (int64_t m = 0; m < p->m_n; m++)
        for (int64_t n = 0; n < p->n_n; n++) {
            double sum = alpha * dot(p, m, n);
            if (p->bias && beta != 0) sum += beta * get(p->bias, m * p->c_m + n * p->c_n);
            if (residual) sum += get(residual, m * p->n_n + n);
            ig_set_f64(y->dtype, y->data, m * p->n_n + n, ig_act_ref(ep, sum));
        }
}

static bool is_whole(float x) { return x == floorf(x) && fabsf(x) < 0x1p62f; }

ig_status ig_gemm_op_ref(ig_call *c)
{
    const ig_tensor *residual = c->n_in > IN_RESIDUAL ? c->in[IN_RESIDUAL] : NULL;
    const float alpha = ig_attr_float(c->node, "alpha", 1),
                beta = ig_attr_float(c->node, "beta", 1);
    const ig_epilogue ep = ig_node_epilogue(c->node);
    const product p = read_product(c);
    /* Integers wrap, unless a factor is a fraction: then the real number is truncated. */
    if ((IG_T(p.a->dtype) & IG_T_INTS) && is_whole(alpha) && is_whole(beta) &&
        ep.act == IG_ACT_NONE && !residual)
        ref_whole(&p, (uint64_t)(int64_t)alpha, (uint64_t)(int64_t)beta, c->out[0]);
    else
        ref_real(&p, (double)alpha, (double)beta, residual, &ep, c->out[0]);
    return INGOT_OK;
}

static ig_gemm_c broadcast_of(const ig_info *c, int64_t m, int64_t n)
{
    int64_t d[IG_MAX_RANK];
    if (!c) return IG_GEMM_C_NONE;
    if (!ig_info_is_static(c, d) || ig_count(c->rank, d) == 1) return IG_GEMM_C_SCALAR;
    if (c->rank == 1 || d[0] == 1) return IG_GEMM_C_N;
    return d[1] == 1 && n != 1 ? IG_GEMM_C_M : m == 1 ? IG_GEMM_C_N : IG_GEMM_C_MN;
}

ig_status ig_gemm_lower(ig_lower *l)
{
    int64_t a[IG_MAX_RANK], y[IG_MAX_RANK];
    ig_gemm_shape s;
    const bool ta = ig_attr_int(l->node, "transA", 0) != 0,
               tb = ig_attr_int(l->node, "transB", 0) != 0;
    if (l->in[IN_A]->type.dtype != INGOT_FLOAT) return INGOT_OK;
    if (!ig_info_is_static(l->in[IN_A], a) || !ig_info_is_static(&l->out[0], y)) return INGOT_OK;
    ig_gemm_shape_init(&s, y[0], y[1], a[ta ? 0 : 1], ta, tb);
    const ig_info *bias = l->n_in > IN_C ? l->in[IN_C] : NULL;
    s.c = broadcast_of(bias, y[0], y[1]);
    s.ldc = s.c == IG_GEMM_C_M ? 1 : y[1];
    s.alpha = ig_attr_float(l->node, "alpha", 1);
    s.beta = ig_attr_float(l->node, "beta", 1);
    s.has_residual = l->n_in > IN_RESIDUAL && l->in[IN_RESIDUAL];
    s.epilogue = ig_node_epilogue(l->node);
    return ig_lower_product(l, &s);
}

int64_t ig_gemm_flops(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    int64_t y[IG_MAX_RANK];
    if (!ig_info_is_static(&out[0], y) || in[IN_A]->rank != 2) return 0;
    const ig_dim k = in[IN_A]->dims[ig_attr_int(node, "transA", 0) ? 0 : 1];
    return ig_dim_is_const(k) ? 2 * k * y[0] * y[1] : 0;
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} f32[2,2]{5,6,7,8} f32[2]{1,-1} = f32[2,2]{20,21,44,49}",
    "f32[2,3]{1,2,3,4,5,6} f32[2,3]{1,0,1,0,1,0} transB=1 = f32[2,2]{4,2,10,5}",
    "f32[5,7] c:f32[7,9] c:f32[9] alpha=0.5 beta=2.0",
    "f32[7,5] c:f32[9,7] c:f32[5,1] transA=1 transB=1",
    "f32[3,4] f32[4,6] f32[3,6]",
    "f32[3,4] f32[4,6] f32[]",
    "f32[1,16] c:f32[40,16] c:f32[40] transB=1 ep_act=1",
    "f32[3,4] f32[4,5] _ f32[3,5]",
    "f32[0,4] f32[4,5] f32[5] = f32[0,5]{}",
    "f64[2,3] f64[3,2] f64[2]",
    "i32[1,2]{65536,3} i32[2,1]{65536,5} i32[1]{-1} = i32[1,1]{14}",
    "i32[1,2]{65536,3} i32[2,1]{65536,5} i32[1]{4} alpha=2.0 beta=-1.0 @9 = i32[1,1]{26}",
    "u64[1,1]{6148914691236517206} u64[1,1]{3} = u64[1,1]{2}",
    "i32[1,1]{65536} i32[1,1]{65536} alpha=0.75 = i32[1,1]{2147483647}",
    "u32[1,1]{3} u32[1,1]{5} u32[1]{40} beta=-0.5 = u32[1,1]{0}",
    "i32[1,2]{3,4} i32[2,1]{5,6} = i32[1,1]{39}",
    "f32[2,3] f32[4,2] ! inner dimensions are 3 and 4",
    "f32[2,3] i8[3,2] ! element types float32 and int8",
    "f32[2,3] f32[3,2] f64[2] ! element types float32 and float64",
    NULL,
};

const ig_op ig_op_gemm = {
    .onnx = "Gemm",
    .since = { 1, 6, 7, 9, 11, 13 },
    .n_in = { 2, 4 },
    .same_type = 0xe,
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS | IG_T(INGOT_INT32) | IG_T(INGOT_INT64) | IG_T(INGOT_UINT32) |
             IG_T(INGOT_UINT64),
    .flags = IG_EPILOGUE,
    .residual_input = IN_RESIDUAL,
    .infer = ig_gemm_infer,
    .ref = ig_gemm_op_ref,
    .lower = ig_gemm_lower,
    .flops = ig_gemm_flops,
    .cases = cases,
};
