/* SPDX-License-Identifier: Apache-2.0 */
/* mat_mul_integer_to_float.c: com.microsoft MatMulIntegerToFloat; inputs A, B, a_scale, b_scale,
 * a_zero, b_zero, bias. */
#include "ops/product_to_float.h"

#define IN_BIAS 6

static const int8_t inputs[IG_QP_N] = { 0, 1, -1, 4, 5, 2, 3, -1, -1 };

static ig_status infer(ig_infer *c) { return ig_ptf_infer(c, inputs, IN_BIAS, false); }
static ig_status ref(ig_call *c) { return ig_ptf_ref(c, inputs, IN_BIAS, false); }
static ig_status lower(ig_lower *l) { return ig_ptf_lower(l, inputs, IN_BIAS, false); }

static const char *const cases[] = {
    "u8[1,2]{3,4} u8[2,1]{5,6} f32[]{0.5} f32[1]{2} u8[]{1} u8[]{2} f32[1]{10} = f32[1,1]{28}",
    "u8[5,7] c:i8[7,33] f32[]{0.02} f32[33]{0.01} u8[]{3} c:i8[33]{0} f32[33]",
    "i8[2,5,7] i8[7,3] f32[]{0.02} f32[]{0.01}",
    "u8[2,3] u8[3,4] f32[]{1} f32[]{1} u8[]{0} u8[]{0} f32[3] ! the bias is not 4 float32 values",
    NULL,
};

const ig_op ig_op_mat_mul_integer_to_float = {
    .onnx = "MatMulIntegerToFloat",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 4, 7 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_UINT8) | IG_T(INGOT_INT8),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = ig_qp_matmul_flops,
    .cases = cases,
};
