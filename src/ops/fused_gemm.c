/* SPDX-License-Identifier: Apache-2.0 */
/* fused_gemm.c: com.microsoft FusedGemm, Gemm with a named activation. */
#include "ops/activation.h"
#include "ops/product.h"

static ig_status infer(ig_infer *c)
{
    ig_epilogue ep;
    if (!ig_node_activation(c->node, &ep))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "the attribute activation is not known");
    return ig_gemm_infer(c);
}

static const char *const cases[] = {
    "f32[1,2]{1,2} f32[2,2]{3,-4,5,-6} f32[2]{1,-1} activation=\"Relu\" = f32[1,2]{14,0}",
    "f32[5,7] c:f32[9,7] c:f32[9] transB=1 activation=\"LeakyRelu\" activation_alpha=0.2",
    "f32[2,3] f32[3,2] activation=\"Foo\" ! activation is not known",
    NULL,
};

const ig_op ig_op_fused_gemm = {
    .onnx = "FusedGemm",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 3 },
    .same_type = 0x6,
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT),
    .infer = infer,
    .ref = ig_gemm_op_ref,
    .lower = ig_gemm_lower,
    .flops = ig_gemm_flops,
    .cases = cases,
};
