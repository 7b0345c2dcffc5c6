/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fused_mat_mul.c: com.microsoft FusedMatMul, Y = alpha * op(A) @ op(B). transA and transB swap the
 * last two dimensions (a vector stays as it is); transBatchA and transBatchB first move dimension
 * rank-2 in front of the batch: [m, batch…, k] is batch of [m, k].
 */
#include "ops/product.h"
#include "ops/strided.h"

/* perm of an operand: dimension d of the product's operand is dimension perm[d] of the input. */
static void operand_perm(const ig_node *node, bool is_a, int rank, int perm[IG_MAX_RANK])
{
    for (int d = 0; d < rank; d++) perm[d] = d;
    if (rank < 2) return;
    if (ig_attr_int(node, is_a ? "transBatchA" : "transBatchB", 0)) {
        for (int d = 0; d < rank - 2; d++) perm[d] = d + 1;
        perm[rank - 2] = 0;
    }
    if (ig_attr_int(node, is_a ? "transA" : "transB", 0)) {
        const int last = perm[rank - 1];
        perm[rank - 1] = perm[rank - 2];
        perm[rank - 2] = last;
    }
}

static void permuted(const int *perm, int rank, const int64_t *from, int64_t *to)
{
    for (int d = 0; d < rank; d++) to[d] = from[perm[d]];
}

static ig_status infer(ig_infer *c)
{
    ig_info a = *c->in[0], b = *c->in[1];
    int perm[IG_MAX_RANK];
    if (a.rank < 0 || b.rank < 0) return INGOT_OK;
    operand_perm(c->node, true, a.rank, perm);
    permuted(perm, a.rank, c->in[0]->dims, a.dims);
    operand_perm(c->node, false, b.rank, perm);
    permuted(perm, b.rank, c->in[1]->dims, b.dims);
    return ig_matmul_shape(c, &a, &b, &c->out[0]);
}

/* A copy in the order of the product. */
static ig_status permute_copy(ig_call *c, bool is_a, const ig_tensor *x, ig_tensor **out)
{
    int64_t dims[IG_MAX_RANK], strides[IG_MAX_RANK], from[IG_MAX_RANK], to[IG_MAX_RANK];
    int perm[IG_MAX_RANK];
    operand_perm(c->node, is_a, x->rank, perm);
    permuted(perm, x->rank, x->dims, dims);
    ig_row_major(x->rank, x->dims, strides);
    permuted(perm, x->rank, strides, from);
    ig_row_major(x->rank, dims, to);
    IG_TRY(ig_tensor_in_arena(c->scratch, x->dtype, x->rank, dims, NULL, out, c->err));
    ig_copy_box(ig_dtype_size(x->dtype), x->rank, dims, (*out)->data, to, x->data, from);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const double alpha = (double)ig_attr_float(c->node, "alpha", 1);
    ig_tensor *a = NULL, *b = NULL, *y = c->out[0];
    ig_matmul_view v;
    if (c->in[0]->dtype != c->in[1]->dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "A and B differ in element type");
    if (!y) return INGOT_OK;
    IG_TRY(permute_copy(c, true, c->in[0], &a));
    IG_TRY(permute_copy(c, false, c->in[1], &b));
    ig_matmul_view_init(&v, a->rank, a->dims, b->rank, b->dims);
    for (int64_t row = 0; row < v.n_batch * v.m; row++) {
        int64_t at_a, at_b;
        ig_matmul_offsets(&v, row / v.m, &at_a, &at_b);
        at_a += row % v.m * v.k;
        for (int64_t n = 0; n < v.n; n++) {
            double sum = 0;
            for (int64_t k = 0; k < v.k; k++)
                sum += ig_get_f64(a->dtype, a->data, at_a + k) *
                       ig_get_f64(b->dtype, b->data, at_b + k * v.n + n);
            ig_set_f64(y->dtype, y->data, row * v.n + n, alpha * sum);
        }
    }
    return INGOT_OK;
}

/* The kernel transposes matrices, not batches. */
static ig_status lower(ig_lower *l)
{
    int64_t a[IG_MAX_RANK], b[IG_MAX_RANK], pa[IG_MAX_RANK], pb[IG_MAX_RANK];
    int perm[IG_MAX_RANK];
    const int ra = l->in[0]->rank, rb = l->in[1]->rank;
    ig_matmul_view v;
    ig_gemm_shape s;
    if (ig_attr_int(l->node, "transBatchA", 0) || ig_attr_int(l->node, "transBatchB", 0))
        return INGOT_OK;
    if (l->in[0]->type.dtype != INGOT_FLOAT || l->in[1]->type.dtype != INGOT_FLOAT ||
        !ig_info_is_static(l->in[0], a) || !ig_info_is_static(l->in[1], b))
        return INGOT_OK;
    operand_perm(l->node, true, ra, perm);
    permuted(perm, ra, a, pa);
    operand_perm(l->node, false, rb, perm);
    permuted(perm, rb, b, pb);
    ig_matmul_view_init(&v, ra, pa, rb, pb);
    if (v.n_batch_dims > IG_GEMM_MAX_BATCH_DIMS) return INGOT_OK;
    ig_gemm_shape_init(&s, v.m, v.n, v.k, ra > 1 && ig_attr_int(l->node, "transA", 0),
                       rb > 1 && ig_attr_int(l->node, "transB", 0));
    s.alpha = ig_attr_float(l->node, "alpha", 1);
    s.n_batch_dims = v.n_batch_dims;
    int64_t y_step = v.m * v.n;
    for (int d = v.n_batch_dims - 1; d >= 0; d--) {
        s.batch_dims[d] = v.batch_dims[d];
        s.a_stride[d] = v.a_stride[d];
        s.b_stride[d] = v.b_stride[d];
        s.y_stride[d] = s.r_stride[d] = y_step;
        y_step *= v.batch_dims[d];
    }
    return ig_lower_product(l, &s);
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} f32[2,2]{5,6,7,8} alpha=2.0 = f32[2,2]{38,44,86,100}",
    "f32[7,5] f32[9,7] transA=1 transB=1",
    "f32[2,3,7,5] c:f32[2,3,9,5] transB=1 alpha=0.125",
    "f32[4,2,3,7] f32[2,3,7,5] transBatchA=1",
    "f32[2,3] f32[4,2] ! inner dimensions are 3 and 4",
    NULL,
};

const ig_op ig_op_fused_mat_mul = {
    .onnx = "FusedMatMul",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 2 },
    .same_type = 0x2,
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
