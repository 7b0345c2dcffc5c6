/* SPDX-License-Identifier: Apache-2.0 */
/* nhwc_fused_conv.c: com.microsoft NhwcFusedConv, FusedConv with channels last in X, residual and
 * Y. */
#include "ops/convolution.h"
#include "ops/same.h"

IG_SAME_WITH(fused_conv, "channels_last", 1)

static const char *const cases[] = {
    "f32[1,2,2,1]{1,-2,3,-4} f32[1,1,1,1]{2} activation=\"Relu\" = f32[1,2,2,1]{2,0,6,0}",
    "f32[2,7,5,3] c:f32[4,3,3,3] c:f32[4] f32[2,5,3,4] activation=\"Clip\" "
    "activation_params=[0.0,6.0]",
    "f32[2,7,5,3] c:f32[4,3,3,3] _ f32[2,5,3,4]",
    "f16[1,4,5,2] f16[3,2,3,3] f16[3] activation=\"LeakyRelu\" activation_params=[0.1]",
    "f32[1,2,2,1] f32[1,1,1,1] activation=\"Foo\" ! activation is not known",
    "f32[1,2,2,1] f32[1,1,1,1] _ f32[1,2,1,1] ! another shape than the output",
    NULL,
};

const ig_op ig_op_nhwc_fused_conv = {
    .onnx = "NhwcFusedConv",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 4 },
    .same_type = 0xe,
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16),
    .residual_input = 3,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = ig_conv_flops,
    .cases = cases,
};
