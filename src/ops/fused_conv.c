/* SPDX-License-Identifier: Apache-2.0 */
/* fused_conv.c: com.microsoft FusedConv, Conv with a residual as input 3 and a named activation. */
#include "ops/activation.h"
#include "ops/convolution.h"

static ig_status infer(ig_infer *c)
{
    ig_epilogue ep;
    if (!ig_node_activation(c->node, &ep))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "the attribute activation is not known");
    return ig_conv_infer(c, 0, 1, 2, c->in[0]->type.dtype);
}

static const char *const cases[] = {
    "f32[1,1,2,2]{1,-2,3,-4} f32[1,1,1,1]{2} activation=\"Relu\" = f32[1,1,2,2]{2,0,6,0}",
    "f32[2,3,7,5] c:f32[4,3,3,3] c:f32[4] pads=[1,1,1,1] activation=\"LeakyRelu\" "
    "activation_params=[0.1]",
    "f32[2,3,7,5] c:f32[4,3,3,3] c:f32[4] f32[2,4,5,3] activation=\"Clip\" "
    "activation_params=[0.0,6.0]",
    "f32[1,1,2,2] f32[1,1,1,1] activation=\"Foo\" ! activation is not known",
    "f32[1,1,2,2] f32[1,1,1,1] _ f32[1,1,2,1] activation=\"Relu\" ! another shape than the output",
    NULL,
};

const ig_op ig_op_fused_conv = {
    .onnx = "FusedConv",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 4 },
    .same_type = 0xe,
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT),
    .flags = IG_CHANNELS_LAST,
    .residual_input = 3,
    .infer = infer,
    .ref = ig_conv_ref,
    .lower = ig_conv_lower,
    .flops = ig_conv_flops,
    .cases = cases,
};
