/* SPDX-License-Identifier: Apache-2.0 */
/* conv_integer.c: Conv on 8-bit operands, int32 result. */
#include "ops/integer_product.h"

static const int8_t inputs[IG_QP_N] = { 0, 1, -1, 2, 3, -1, -1, -1, -1 };

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
    "u8[1,1,3,3]{2,3,4,5,6,7,8,9,10} u8[1,1,2,2]{1} u8[]{1} = i32[1,1,2,2]{12,16,24,28}",
    "u8[1,1,3,3]{2,3,4,5,6,7,8,9,10} u8[1,1,2,2]{1} u8[]{1} pads=[1,1,1,1] "
    "= i32[1,1,4,4]{1,3,5,3,5,12,16,9,11,24,28,15,7,15,17,9}",
    "i8[2,3,7,5] c:i8[4,3,3,3] i8[]{5} c:i8[4]{1,2,3,4} strides=[2,2] pads=[1,1,1,1]",
    "u8[2,7,5,3] c:i8[4,3,3,3] u8[]{5} channels_last=1 strides=[2,2] pads=[1,1,1,1]",
    "u8[2,7,5,3] u8[4,3,3,3] channels_last=1 auto_pad=\"SAME_UPPER\"",
    "u8[1,2,3,3] u8[1,1,2,2] ! weights take 1 channels",
    NULL,
};

const ig_op ig_op_conv_integer = {
    .onnx = "ConvInteger",
    .since = { 10 },
    .n_in = { 2, 4 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_UINT8) | IG_T(INGOT_INT8),
    .flags = IG_CHANNELS_LAST,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = ig_qp_conv_flops,
    .cases = cases,
};
