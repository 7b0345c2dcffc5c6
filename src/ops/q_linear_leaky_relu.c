/* SPDX-License-Identifier: Apache-2.0 */
/* q_linear_leaky_relu.c: com.microsoft QLinearLeakyRelu, x, or alpha x where x < 0 on 8-bit data.
 */
#include "ops/qlinear.h"

static float leaky_relu(const ig_node *node, float x)
{
    return x < 0 ? x * ig_attr_float(node, "alpha", 0.01f) : x;
}

static ig_status ref(ig_call *c) { return ig_qlinear_unary_ref(c, leaky_relu); }
static ig_status lower(ig_lower *l) { return ig_qlinear_unary_lower(l, leaky_relu); }

static const char *const cases[] = {
    "u8[3]{128,0,138} f32[]{1} u8[]{128} f32[]{1} u8[]{100} alpha=0.5 = u8[3]{100,36,110}",
    "i8[3,5,700] c:f32[]{0.05} c:i8[]{3} c:f32[]{0.02} c:i8[]{-9}",
    "u8[2,9] c:f32[]{0.05} _ c:f32[]{0.02}",
    "u8[0] f32[]{1} u8[]{0} f32[]{1} u8[]{0}",
    "u8[2] f32[]{1} i8[]{0} f32[]{1} u8[]{0} ! zero point of the tensor's type",
    NULL,
};

const ig_op ig_op_q_linear_leaky_relu = {
    .onnx = "QLinearLeakyRelu",
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
