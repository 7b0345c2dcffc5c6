/* SPDX-License-Identifier: Apache-2.0 */
/* named_dims.h: where one name stands for dimensions of several inputs, they must agree. */
#ifndef IG_API_NAMED_DIMS_H
#define IG_API_NAMED_DIMS_H

#include "import/onnx/onnx.h"

/* Dimension `dim` of input `input` has the name that dimension first_dim of first_input has, which
 * is the first with it. */
typedef struct ig_named_dim {
    uint32_t input, first_input;
    uint8_t dim, first_dim;
} ig_named_dim;

typedef struct ig_named_dims {
    ig_arena arena;
    ig_named_dim *items;
    size_t n, cap;
} ig_named_dims;

/* Finds the names that inputs have in common. */
ig_status ig_named_dims_init(ig_named_dims *names, ig_alloc *alloc, const ig_onnx_model *onnx,
                             ig_error *err) IG_MUST_USE;
void ig_named_dims_deinit(ig_named_dims *names); /* accepts a zeroed one */
/* INGOT_ERR_SHAPE where tensors of the ranks that the model declares do not agree. */
ig_status ig_named_dims_check(const ig_named_dims *names, const ig_onnx_model *onnx,
                              const ig_tensor *const *inputs, ig_error *err) IG_MUST_USE;

#endif
