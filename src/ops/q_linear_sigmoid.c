/* SPDX-License-Identifier: Apache-2.0 */
/* q_linear_sigmoid.c: com.microsoft QLinearSigmoid, 1 / (1 + e^-x) on 8-bit data. */
#include "ops/qlinear.h"

static float sigmoid(const ig_node *node, float x)
{
    (void)node;
    return 1 / (1 + expf(-x));
}

static ig_status ref(ig_call *c) { return ig_qlinear_unary_ref(c, sigmoid); }
static ig_status lower(ig_lower *l) { return ig_qlinear_unary_lower(l, sigmoid); }

static const char *const cases[] = {
    "u8[3]{128,0,255} f32[]{0.1} u8[]{128} f32[]{0.00390625} u8[]{0} = u8[3]{128,0,255}",
    "i8[3,5,700] c:f32[]{0.05} c:i8[]{3} c:f32[]{0.02} c:i8[]{-9}",
    "u8[2,9] c:f32[]{0.05} _ c:f32[]{0.02}",
    "u8[0] f32[]{1} u8[]{0} f32[]{1} u8[]{0}",
    "u8[2] f32[]{1} i8[]{0} f32[]{1} u8[]{0} ! zero point of the tensor's type",
    NULL,
};

const ig_op ig_op_q_linear_sigmoid = {
    .onnx = "QLinearSigmoid",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 4, 5 },
    .gaps = 1 << 2,
    .n_out = { 1, 1 },
    .types = IG_T_8_BIT,
    .flags = IG_ELEMENTWISE | IG_INPLACE,
    .infer = ig_qlinear_unary_infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
