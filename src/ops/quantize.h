/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantize.h: what QuantizeLinear and DequantizeLinear share, in both domains.
 *
 * Scale and zero point are one for all, one for each index along `axis`, or (block_size > 0) one
 * for each block along it; then they have the input's rank.
 */
#ifndef IG_OPS_QUANTIZE_H
#define IG_OPS_QUANTIZE_H

#include "ops/op.h"

#define IG_T_QUANT_INTS                                                                            \
    (IG_T(INGOT_INT8) | IG_T(INGOT_UINT8) | IG_T(INGOT_INT16) | IG_T(INGOT_UINT16) |               \
     IG_T(INGOT_INT4) | IG_T(INGOT_UINT4) | IG_T(INGOT_INT2) | IG_T(INGOT_UINT2))
#define IG_T_FLOAT8                                                                                \
    (IG_T(INGOT_FLOAT8E4M3FN) | IG_T(INGOT_FLOAT8E4M3FNUZ) | IG_T(INGOT_FLOAT8E5M2) |              \
     IG_T(INGOT_FLOAT8E5M2FNUZ))
#define IG_T_QUANT (IG_T_QUANT_INTS | IG_T_FLOAT8 | IG_T(INGOT_FLOAT4E2M1))

/* The input as [outer, dim, inner] and its parameters as [1], [dim] or [outer, n_blocks, inner]. */
typedef struct ig_quant_layout {
    int64_t outer, dim, inner, block, n_blocks; /* block 0: no blocks */
    bool is_per_tensor;
} ig_quant_layout;

/* From concrete shapes; INGOT_ERR_SHAPE or INVALID where they do not fit. */
ig_status ig_quant_layout_of(const ig_node *node, int rank, const int64_t *dims, int scale_rank,
                             const int64_t *scale_dims, ig_quant_layout *layout,
                             ig_error *err) IG_MUST_USE;
/* Index of element i's scale and zero point. */
static inline int64_t ig_quant_param_of(const ig_quant_layout *q, int64_t i)
{
    const int64_t d = i / q->inner % q->dim;
    if (q->is_per_tensor) return 0;
    if (q->block == 0) return d;
    return (i / (q->inner * q->dim) * q->n_blocks + d / q->block) * q->inner + i % q->inner;
}

/* Inference of both: shapes checked where known, then out[0] with this type. */
ig_status ig_quant_infer(ig_infer *c, ingot_dtype out_dtype) IG_MUST_USE;
/* Lower to one instruction of input, scale and, if the node has it, zero point (else params[0] is
 * 0 and the third source is the scale). */
ig_status ig_quant_lower(ig_lower *l, const ig_prim *prim) IG_MUST_USE;
bool ig_quant_permute(ig_graph *g, ig_node *node, const int *perm, int rank);

/* DynamicQuantizeLinear's kernel (NULL: none at this level): one work item. Operands: X float32,
 * Y uint8, its scale, its zero point. */
typedef struct ig_dynamic_quantize_params {
    int64_t n;
} ig_dynamic_quantize_params;
ig_kernel_fn ig_dynamic_quantize_kernel(ig_isa isa);

/* The two operators; quantize_linear.c and dequantize_linear.c. */
ig_status ig_quantize_infer(ig_infer *c);
ig_status ig_quantize_ref(ig_call *c);
ig_status ig_quantize_lower(ig_lower *l);
ig_status ig_dequantize_infer(ig_infer *c);
ig_status ig_dequantize_ref(ig_call *c);
ig_status ig_dequantize_lower(ig_lower *l);

#endif
