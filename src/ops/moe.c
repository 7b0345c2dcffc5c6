/* SPDX-License-Identifier: Apache-2.0 */
/* moe.c: com.microsoft MoE, see moe.h. */
#include "ops/moe.h"

/* X, router, none; weights, scales, bias, zero points of three matrices. */
static const ig_moe_inputs inputs = { 0, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6, -1, 7, -1 };

static ig_status infer(ig_infer *c) { return ig_moe_infer(c, inputs, false); }
static ig_status ref(ig_call *c) { return ig_moe_ref(c, inputs, false); }
static ig_status lower(ig_lower *l) { return ig_moe_lower(l, inputs, false); }

static const char *const cases[] = {
    /* expert 1 doubles, and has all the weight */
    "f32[1,2]{1,-2} f32[1,2]{0,5} f32[2,2,2]{1,0,0,1,2,0,0,2} _ f32[2,2,2]{1,0,0,1,1,0,0,1} "
    "activation_type=\"identity\" normalize_routing_weights=1 = f32[1,2]{2,-4}",
    "f32[5,8] f32[5,4] c:f32[4,6,8] c:f32[4,6] c:f32[4,8,6] c:f32[4,8] k=2",
    "f32[2,40,8] f32[80,4] c:f32[4,6,8] c:f32[4,6] c:f32[4,8,6] c:f32[4,8] k=2 "
    "activation_type=\"gelu\" normalize_routing_weights=1",
    "f32[5,8] f32[5,4] f32[4,6,8] _ f32[4,8,6] activation_type=\"silu\" k=4",
    "f32[5,8] f32[5,4] c:f32[4,12,8] c:f32[4,12] c:f32[4,8,6] c:f32[4,8] k=2 "
    "activation_type=\"swiglu\" swiglu_fusion=1 activation_alpha=1.702 activation_beta=1.0 "
    "swiglu_limit=0.7",
    "f32[5,8] f32[5,4] c:f32[4,12,8] c:f32[4,12] c:f32[4,8,6] c:f32[4,8] k=2 "
    "activation_type=\"geglu\" swiglu_fusion=2",
    "f32[5,8] f32[5,4] c:f32[4,6,8] c:f32[4,6] c:f32[4,8,6] c:f32[4,8] c:f32[4,6,8] c:f32[4,6] "
    "activation_type=\"swiglu\" k=2",
    "f32[5,8] f32[5,4] c:f32[4,6,8] _ c:f32[4,8,6] _ c:f32[4,6,8] activation_type=\"silu\"",
    "f16[5,8] f16[5,4] c:f16[4,6,8] c:f16[4,6] c:f16[4,8,6] c:f16[4,8] k=2",
    "f32[0,8] f32[0,4] c:f32[4,6,8] _ c:f32[4,8,6]",
    "f32[5,8] f32[5,4] f32[4,6,7] _ f32[4,8,6] ! weights of matrix 1 are float32[4,6,7]",
    "f32[5,8] f32[5,4] f32[4,6,8] f32[4,5] f32[4,8,6] ! biases of matrix 1 are float32[4,5]",
    "f32[5,8] f32[5,4] f32[4,6,8] _ f32[4,8,5] ! weights of matrix 2 are float32[4,8,5]",
    "f32[5,8] f32[6,4] f32[4,6,8] _ f32[4,8,6] ! router_probs is float32[6,4]; there are 5 tokens",
    "f32[5,8] f32[5,4] f32[4,6,8] _ f32[4,8,6] k=5 ! k is 5 of 4 experts",
    "f32[5,8] f32[5,4] f32[4,6,8] _ f32[4,8,6] activation_type=\"foo\" ! activation_type is none",
    "f32[5,8] f32[5,4] f32[4,6,8] _ f32[4,8,6] activation_type=\"swiglu\" ! the third matrix is "
    "missing",
    "f32[5,8] f32[5,4] f32[4,6,8] _ f32[4,8,6] use_sparse_mixer=1 ! use_sparse_mixer",
    NULL,
};

const ig_op ig_op_moe = {
    .onnx = "MoE",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 5, 8 },
    .gaps = 1 << 3,
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
