/* SPDX-License-Identifier: Apache-2.0 */
/* dynamic_quantize_mat_mul.c: com.microsoft DynamicQuantizeMatMul; inputs A (float32, quantized on
 * the way in), B, b_scale, b_zero, bias. */
#include "ops/product_to_float.h"

#define IN_BIAS 4

static const int8_t inputs[IG_QP_N] = { 0, 1, -1, -1, 3, -1, 2, -1, -1 };

static ig_status infer(ig_infer *c) { return ig_ptf_infer(c, inputs, IN_BIAS, true); }
static ig_status ref(ig_call *c) { return ig_ptf_ref(c, inputs, IN_BIAS, true); }
static ig_status lower(ig_lower *l) { return ig_ptf_lower(l, inputs, IN_BIAS, true); }

static const char *const cases[] = {
    "f32[1,2]{0,255} u8[2,1]{5,6} f32[]{0.5} u8[]{2} f32[1]{10} = f32[1,1]{520}",
    "f32[5,7] c:i8[7,33] f32[33]{0.01} c:i8[33]{0} f32[33]",
    "f32[2,5,7] i8[7,3] f32[]{0.01}",
    "f32[2,3] u8[4,3] f32[]{1} ! inner dimensions",
    NULL,
};

const ig_op ig_op_dynamic_quantize_mat_mul = {
    .onnx = "DynamicQuantizeMatMul",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 3, 5 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = ig_qp_matmul_flops,
    .cases = cases,
};
