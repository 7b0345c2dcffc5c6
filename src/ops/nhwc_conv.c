/* SPDX-License-Identifier: Apache-2.0 */
/* nhwc_conv.c: com.microsoft NhwcConv, Conv with channels last in X and Y. */
#include "ops/convolution.h"
#include "ops/same.h"

IG_SAME_WITH(conv, "channels_last", 1)

static const char *const cases[] = {
    "f32[1,3,3,1]{1,2,3,4,5,6,7,8,9} f32[1,1,2,2]{1,0,0,1} = f32[1,2,2,1]{6,8,12,14}",
    "f32[2,7,5,3] c:f32[4,3,3,3] c:f32[4] strides=[2,2] pads=[1,1,1,1]",
    "f32[1,6,6,8] c:f32[8,1,3,3] c:f32[8] group=8 pads=[1,1,1,1]",
    "f32[2,11,3] f32[4,3,5] f32[4] auto_pad=\"SAME_UPPER\"",
    "f16[1,4,5,2] f16[3,2,3,3]",
    "f32[0,7,5,3] f32[4,3,3,3]",
    "f32[1,4,4,3] f32[2,4,1,1] ! weights take 4 channels",
    NULL,
};

const ig_op ig_op_nhwc_conv = {
    .onnx = "NhwcConv",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 3 },
    .same_type = 0xe,
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = ig_conv_flops,
    .cases = cases,
};
