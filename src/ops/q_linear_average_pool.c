/* SPDX-License-Identifier: Apache-2.0 */
/* q_linear_average_pool.c: com.microsoft QLinearAveragePool; see qlinear_pooling.h. */
#include "ops/qlinear_pooling.h"

static ig_status infer(ig_infer *c) { return ig_qpool_infer(c, false); }
static ig_status ref(ig_call *c) { return ig_qpool_ref(c, false); }
static ig_status lower(ig_lower *l) { return ig_qpool_lower(l, false); }

static const char *const cases[] = {
    "u8[1,1,2,2]{10,20,30,40} f32[]{1} u8[]{10} f32[]{0.5} u8[]{1} kernel_shape=[2,2] "
    "= u8[1,1,1,1]{31}",
    "u8[2,70,8,7] f32[]{0.02} u8[]{100} f32[]{0.03} u8[]{7} kernel_shape=[3,3] strides=[2,2] "
    "pads=[1,1,1,1] ceil_mode=1",
    "i8[2,8,7,70] f32[]{0.02} i8[]{10} f32[]{0.03} i8[]{7} kernel_shape=[3,2] strides=[2,1] "
    "pads=[1,0,1,1] count_include_pad=1 channels_last=1",
    "u8[2,9,5] f32[]{0.02} _ f32[]{0.03} kernel_shape=[4] channels_last=1",
    "u8[1,1,3]{10,20,40} f32[]{1} _ f32[]{1} kernel_shape=[2] strides=[2] ceil_mode=1 "
    "count_include_pad=1 = u8[1,1,2]{15,20}",
    "u8[1,1,3]{10,20,40} f32[]{1} _ f32[]{1} kernel_shape=[2] strides=[2] ceil_mode=1 "
    "= u8[1,1,2]{15,40}",
    "u8[1,1,2,2] f32[]{1} i8[]{0} f32[]{1} u8[]{0} kernel_shape=[2,2] ! zero point",
    NULL,
};

const ig_op ig_op_q_linear_average_pool = {
    .onnx = "QLinearAveragePool",
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
