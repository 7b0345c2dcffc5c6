/* SPDX-License-Identifier: Apache-2.0 */
/* instance_normalization.c: normalises every channel of every picture by itself. */
#include "ops/channel_norm.h"

static ig_status infer(ig_infer *c) { return ig_infer_channel_norm(c, 0, false); }
static ig_status ref(ig_call *c) { return ig_ref_channel_norm(c, 0, false); }
static ig_status lower(ig_lower *l) { return ig_lower_channel_norm(l, 0, false); }

static const char *const cases[] = {
    "f32[1,2,1,3]{-1,0,1,2,3,4} f32[2]{1,1.5} f32[2]{0,1} = "
    "f32[1,2,1,3]{-1.2247357,0,1.2247357,-0.8371035,1,2.8371035}",
    "f32[2,3,4,5] c:f32[3] c:f32[3] epsilon=0.01",
    "f32[2,4,5,17] c:f32[17] c:f32[17] channels_last=1",
    "f32[2,3,19] f32[3] f32[3] @6",
    "f64[2,3,4] f64[3] f64[3]",
    "f16[1,3,4,2] f16[3] f16[3]",
    "f32[0,3,4] f32[3] f32[3]",
    "f32[2,3,4] f32[2] f32[3] ! scale must hold 3 elements",
    NULL,
};

const ig_op ig_op_instance_normalization = {
    .onnx = "InstanceNormalization",
    .since = { 1, 6, 22 },
    .n_in = { 3, 3 },
    .same_type = 0x6,
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .flags = IG_INPLACE,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .permute = ig_permute_channel_norm,
    .cases = cases,
};
