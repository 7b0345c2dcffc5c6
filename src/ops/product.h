/* SPDX-License-Identifier: Apache-2.0 */
/* product.h: what MatMul, Gemm and their kin share: shapes of matrix products, lowering to
 * kernels/gemm. */
#ifndef IG_OPS_PRODUCT_H
#define IG_OPS_PRODUCT_H

#include "kernels/gemm/gemm.h"
#include "ops/op.h"

/* NumPy matmul of two shapes: batch dimensions broadcast, vectors lose their made-up dimension.
 * Ranks must be known. */
ig_status ig_matmul_shape(ig_infer *c, const ig_info *a, const ig_info *b,
                          ig_info *out) IG_MUST_USE;

/* A matmul with concrete shapes, as strides over a common batch. Vectors are seen as 1 x K and K
 * x 1. */
typedef struct ig_matmul_view {
    int64_t m, n, k;
    int n_batch_dims;
    int64_t batch_dims[IG_MAX_RANK], a_stride[IG_MAX_RANK], b_stride[IG_MAX_RANK]; /* in elements */
    int64_t n_batch;
} ig_matmul_view;
void ig_matmul_view_init(ig_matmul_view *v, int a_rank, const int64_t *a, int b_rank,
                         const int64_t *b);
/* Element offsets of A and B for batch i. */
void ig_matmul_offsets(const ig_matmul_view *v, int64_t i, int64_t *a, int64_t *b);

/* Choose a kernel for a shape whose operands are node inputs A 0, B 1, C 2, residual 3; packs B
 * when it is a constant. */
ig_status ig_lower_product(ig_lower *l, ig_gemm_shape *shape) IG_MUST_USE;

/* Gemm's functions: FusedGemm is the same but for the name of its activation, which
 * ig_node_epilogue knows. */
ig_status ig_gemm_infer(ig_infer *c);
ig_status ig_gemm_op_ref(ig_call *c);
ig_status ig_gemm_lower(ig_lower *l);
int64_t ig_gemm_flops(const ig_node *node, const ig_info *const *in, const ig_info *out);

#endif
