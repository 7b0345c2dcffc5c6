/* SPDX-License-Identifier: Apache-2.0 */
/* q_linear_add.c: com.microsoft QLinearAdd, C = quantize(real(A) + real(B)) with NumPy's
 * broadcasting. */
#include "ops/qlinear.h"

IG_PRIM_DECLARE(add)
static const ig_prim add = IG_PRIM_TABLE(add, 2);

static ig_status ref(ig_call *c) { return ig_qlinear_binary_ref(c, false); }
static ig_status lower(ig_lower *l) { return ig_qlinear_binary_lower(l, &add); }

static const char *const cases[] = {
    "u8[3]{10,20,255} f32[]{0.5} u8[]{10} u8[3]{1,2,3} f32[]{1} u8[]{1} f32[]{0.25} u8[]{100} "
    "= u8[3]{100,124,255}",
    "i8[2,3,5] f32[1]{0.02} i8[1]{3} i8[3,1] f32[1]{0.01} i8[1]{-4} f32[1]{0.03} i8[1]{7}",
    "u8[2,33] f32[]{0.02} _ u8[33] f32[]{0.01} u8[]{130} f32[]{0.03}",
    "u8[0] f32[]{1} u8[]{0} u8[1] f32[]{1} u8[]{0} f32[]{1} u8[]{0}",
    "u8[2] f32[]{1} u8[]{0} i8[2] f32[]{1} i8[]{0} f32[]{1} u8[]{0} ! differ in element type",
    "u8[2] f32[2]{1} u8[]{0} u8[2] f32[]{1} u8[]{0} f32[]{1} u8[]{0} ! not one float32 scale",
    NULL,
};

const ig_op ig_op_q_linear_add = {
    .onnx = "QLinearAdd",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 7, 8 },
    .gaps = 1 << 2 | 1 << 5,
    .n_out = { 1, 1 },
    .types = IG_T_8_BIT,
    .flags = IG_ELEMENTWISE | IG_INPLACE,
    .infer = ig_qlinear_binary_infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
