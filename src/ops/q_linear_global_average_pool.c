/* SPDX-License-Identifier: Apache-2.0 */
/* q_linear_global_average_pool.c: com.microsoft QLinearGlobalAveragePool; see qlinear_pooling.h. */
#include "ops/qlinear_pooling.h"

static ig_status infer(ig_infer *c) { return ig_qpool_infer(c, true); }
static ig_status ref(ig_call *c) { return ig_qpool_ref(c, true); }
static ig_status lower(ig_lower *l) { return ig_qpool_lower(l, true); }

static const char *const cases[] = {
    "u8[1,1,2,2]{10,20,30,40} f32[]{1} u8[]{10} f32[]{0.5} u8[]{1} = u8[1,1,1,1]{31}",
    "u8[2,70,8,7] f32[]{0.02} u8[]{100} f32[]{0.03} u8[]{7}",
    "i8[2,8,7,70] f32[]{0.02} i8[]{10} f32[]{0.03} i8[]{7} channels_last=1",
    "u8[1,3,0,2] f32[]{1} u8[]{10} f32[]{1} u8[]{7} channels_last=1",
    "u8[1,1,2,2] f32[2]{1} u8[]{0} f32[]{1} u8[]{0} ! not one float32 scale",
    NULL,
};

const ig_op ig_op_q_linear_global_average_pool = {
    .onnx = "QLinearGlobalAveragePool",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 4, 5 },
    .gaps = 1 << 2,
    .n_out = { 1, 1 },
    .types = IG_T_8_BIT,
    .flags = IG_CHANNELS_LAST,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
