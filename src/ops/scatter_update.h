/* SPDX-License-Identifier: Apache-2.0 */
/* scatter_update.h: what ScatterElements, Scatter and ScatterND share. */
#ifndef IG_OPS_SCATTER_UPDATE_H
#define IG_OPS_SCATTER_UPDATE_H

#include "ops/op.h"

typedef enum ig_scatter_op {
    IG_SCATTER_SET = 0,
    IG_SCATTER_ADD,
    IG_SCATTER_MUL,
    IG_SCATTER_MIN,
    IG_SCATTER_MAX
} ig_scatter_op;

/* The attribute `reduction` (opset 16; min and max since 18). */
ig_status ig_scatter_reduction(const ig_node *node, int opset, ig_scatter_op *out,
                               ig_error *err) IG_MUST_USE;

/* dst[i] = dst[i] op src[i] for n contiguous elements. Integers wrap; NaN wins in min and max.
 * INGOT_ERR_UNSUPPORTED for types that cannot be computed with (IG_SCATTER_SET takes any that has
 * whole bytes). */
ig_status ig_scatter_apply(ingot_dtype dtype, ig_scatter_op op, void *dst, const void *src,
                           int64_t n, ig_error *err) IG_MUST_USE;

/* Inference and reference of ScatterElements (and the old Scatter). */
ig_status ig_infer_scatter_elements(ig_infer *c);
ig_status ig_ref_scatter_elements(ig_call *c);

#endif
