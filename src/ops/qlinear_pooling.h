/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qlinear_pooling.h: average pools of 8-bit data, inputs X, x_scale, x_zero, y_scale, y_zero.
 *
 *     y = saturate(round((sum of the n pixels - n x_zero) x_scale / (count y_scale)) + y_zero)
 *
 * count is n, or with count_include_pad all taps, those that ceil_mode puts beyond the padding
 * included: what ONNX Runtime, whose operator this is, does. In float32, except for
 * the sum, which is exact.
 */
#ifndef IG_OPS_QLINEAR_POOLING_H
#define IG_OPS_QLINEAR_POOLING_H

#include "ops/pooling.h"
#include "ops/qlinear.h"

#define IG_QPOOL_CHANNEL_BLOCK 64

typedef struct ig_qpool_params {
    ig_pool_view view; /* channels last */
    bool count_include_pad;
    ingot_dtype dtype;
    int64_t n_channel_blocks;
} ig_qpool_params;

ig_status ig_qpool_infer(ig_infer *c, bool is_global);
ig_status ig_qpool_ref(ig_call *c, bool is_global);
ig_status ig_qpool_lower(ig_lower *l, bool is_global);

#endif
