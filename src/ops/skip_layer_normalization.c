/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skip_layer_normalization.c: com.microsoft SkipLayerNormalization: layer normalisation of
 * x + skip + bias; see skip_norm.h.
 */
#include "ops/skip_norm.h"

static ig_status ref(ig_call *c) { return ig_skip_norm_ref(c, false); }
static ig_status lower(ig_lower *l) { return ig_skip_norm_lower(l, false); }

static const char *const cases[] = {
    "f32[1,1,2]{1,2} f32[1,1,2]{0,1} f32[2]{1} epsilon=0.00001 = f32[1,1,2]{-0.999995,0.999995}",
    "f32[2,3,16] f32[2,3,16] f32[16] f32[16] f32[16] -> 4",
    "f32[2,3,16] f32[1,3,16] f32[16] f32[16]",
    "f32[2,3,16] f32[3,16] f32[16]",
    "f32[2,3,16] f32[2,3,15] f32[16] ! skip does not broadcast to the input",
    NULL,
};

const ig_op ig_op_skip_layer_normalization = {
    .onnx = "SkipLayerNormalization",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 3, 5 },
    .n_out = { 1, 4 },
    .types = IG_T_FLOATS,
    .infer = ig_skip_norm_infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
