/* SPDX-License-Identifier: Apache-2.0 */
/* q_linear_conv.c: Conv on 8-bit operands, result rounded to 8 bits. */
#include "ops/integer_product.h"

static const int8_t inputs[IG_QP_N] = { 0, 3, 8, 2, 5, 1, 4, 6, 7 };

static ig_status infer(ig_infer *c)
{
    const ig_info *w = c->in[inputs[IG_QP_W]];
    c->out[0].type.dtype = ig_qp_result_type(c, inputs);
    IG_TRY(ig_conv_infer(c, inputs[IG_QP_X], inputs[IG_QP_W], inputs[IG_QP_BIAS],
                         c->out[0].type.dtype));
    if (w->rank < 1) return INGOT_OK;
    return ig_qp_infer_check(c, inputs, 0, w->dims[0]);
}
static ig_status ref(ig_call *c) { return ig_qp_conv_ref(c, inputs); }
static ig_status lower(ig_lower *l) { return ig_qp_conv_lower(l, inputs); }

static const char *const cases[] = {
    "u8[1,1,2,2]{1,2,3,4} f32[]{1} u8[]{1} u8[1,1,1,1]{3} f32[1]{0.5} u8[1]{1} f32[]{0.5} u8[]{10} "
    "= u8[1,1,2,2]{10,12,14,16}",
    "u8[1,1,2,2]{1,2,3,4} f32[]{1} u8[]{0} i8[2,1,1,1]{1,-1} f32[2]{1,2} i8[2]{0} f32[]{1} i8[]{0} "
    "i32[2]{1,0} = i8[1,2,2,2]{2,3,4,5,-2,-4,-6,-8}",
    "u8[2,3,7,5] f32[]{0.02} u8[]{128} c:i8[4,3,3,3] c:f32[4]{0.01,0.02,0.03,0.04} c:i8[4]{0} "
    "f32[]{0.05} u8[]{100} c:i32[4] strides=[2,2] pads=[1,1,1,1]",
    "i8[1,7,6,4] f32[]{0.02} i8[]{3} c:u8[6,2,3,3] c:f32[1]{0.01} c:u8[1]{120} f32[]{0.05} "
    "i8[]{-7} "
    "channels_last=1 group=2 pads=[1,1,1,1]",
    "u8[1,7,6,8] f32[]{0.02} u8[]{3} c:i8[8,1,3,3] c:f32[8]{0.01} c:i8[8]{0} f32[]{0.05} u8[]{9} "
    "c:i32[8] channels_last=1 group=8 pads=[1,1,1,1] strides=[2,1]",
    "u8[2,9,3] f32[]{0.02} u8[]{3} i8[5,3,4] f32[]{0.01} i8[]{2} f32[]{0.05} u8[]{9} "
    "channels_last=1",
    "u8[1,1,3,3] f32[2]{1} u8[]{0} u8[1,1,1,1] f32[]{1} u8[]{0} f32[]{1} u8[]{0} ! scale",
    "u8[1,1,3,3] f32[]{1} i8[]{0} u8[1,1,1,1] f32[]{1} u8[]{0} f32[]{1} u8[]{0} ! zero point",
    NULL,
};

const ig_op ig_op_q_linear_conv = {
    .onnx = "QLinearConv",
    .since = { 10 },
    .n_in = { 8, 9 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_UINT8) | IG_T(INGOT_INT8),
    .flags = IG_CHANNELS_LAST,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = ig_qp_conv_flops,
    .cases = cases,
};
