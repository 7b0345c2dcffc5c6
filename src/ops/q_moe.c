/* SPDX-License-Identifier: Apache-2.0 */
/* q_moe.c: com.microsoft QMoE, see moe.h: weights of 2, 4 or 8 bits, the lowest bits of a byte
 * first, with a scale and a zero point for each row or each block of a row. */
#include "ops/moe.h"

static const ig_moe_inputs inputs = { 0, 1, 14, 2, 3, 4, 11, 5, 6, 7, 12, 8, 9, 10, 13 };

static ig_status infer(ig_infer *c) { return ig_moe_infer(c, inputs, true); }
static ig_status ref(ig_call *c) { return ig_moe_ref(c, inputs, true); }
static ig_status lower(ig_lower *l) { return ig_moe_lower(l, inputs, true); }

#define SWIGLU                                                                                     \
    " activation_type=\"swiglu\" swiglu_fusion=1 activation_alpha=1.702 activation_beta=1.0 "      \
    "swiglu_limit=7.0 normalize_routing_weights=1"

static const char *const cases[] = {
    /* 9 - 8 on the diagonal of W1, twice that on W2's */
    "f32[1,2]{3,-2} f32[1,1]{0} u8[1,2,1]{137,152} f32[1,2]{1} _ u8[1,2,1]{138,168} f32[1,2]{1} "
    "activation_type=\"identity\" normalize_routing_weights=1 = f32[1,2]{6,-4}",
    "f32[5,32] f32[5,4] c:u8[4,128,16] c:f32[4,128]{0.02} c:f32[4,128] c:u8[4,32,32] "
    "c:f32[4,32]{0.03} c:f32[4,32] k=2" SWIGLU,
    "f32[5,32] f32[5,4] c:u8[4,128,16] c:f32[4,128,2]{0.02} c:f32[4,128] c:u8[4,32,32] "
    "c:f32[4,32,4]{0.03} c:f32[4,32] _ _ _ c:u8[4,128,1] c:u8[4,32,2] block_size=16 k=2" SWIGLU,
    "f32[70,32] f32[70,4] c:u8[4,128,32] c:f32[4,128,2]{0.001} c:f32[4,128] c:u8[4,32,64] "
    "c:f32[4,32,4]{0.002} c:f32[4,32] _ _ _ c:u8[4,128,2] c:u8[4,32,4] block_size=16 "
    "expert_weight_bits=8 k=2" SWIGLU,
    "f32[5,32] f32[5,4] u8[4,64,16] f32[4,64]{0.02} _ u8[4,32,32] f32[4,32]{0.03} _ _ _ _ "
    "u8[4,32] u8[4,16] k=2 activation_type=\"silu\" normalize_routing_weights=1",
    "f32[5,32] f32[5,4] u8[4,64,8] f32[4,64]{0.1} _ u8[4,32,16] f32[4,32]{0.1} "
    "expert_weight_bits=2 k=2 normalize_routing_weights=1",
    "f32[5,32] f32[5,4] u8[4,64,16] f32[4,64]{0.02} _ u8[4,32,32] f32[4,32]{0.03} _ _ _ _ _ _ _ "
    "f32[5,4]{0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,0.5,0.4,0.3,0.2,0.1,1,2,3,4,5} k=2",
    /* without normalize_routing_weights: a part of the softmax over all experts */
    "f32[2,32] f32[2,4] u8[4,64,16] f32[4,64]{0.02} _ u8[4,32,32] f32[4,32]{0.03} k=2",
    "f32[5,32] f32[5,4] u8[4,64,16] f32[4,64]{0.02} _ u8[4,32,32] f32[4,32]{0.03} _ "
    "u8[4,64,16] f32[4,64]{0.02} k=2 activation_type=\"swiglu\"",
    "f16[5,32] f16[5,4] u8[4,64,16] f16[4,64]{0.02} _ u8[4,32,32] f16[4,32]{0.03} k=2 "
    "normalize_routing_weights=1",
    "f32[0,32] f32[0,4] u8[4,64,16] f32[4,64] _ u8[4,32,32] f32[4,32] k=2",
    "f32[5,32] f32[5,4] u8[4,64,15] f32[4,64] _ u8[4,32,32] f32[4,32] ! weights of matrix 1 are "
    "uint8[4,64,15]",
    "f32[5,32] f32[5,4] u8[4,64,16] f32[4,64,1] _ u8[4,32,32] f32[4,32] ! scales of matrix 1 are "
    "float32[4,64,1]",
    "f32[5,32] f32[5,4] u8[4,64,16] f32[4,64] _ u8[4,32,32] f32[4,32] _ _ _ _ u8[4,33] ! zero "
    "points of matrix 1 are uint8[4,33]",
    "f32[5,32] f32[5,4] u8[4,64,16] f32[4,64] _ u8[4,32,32] f32[4,32] expert_weight_bits=3 ! have "
    "3 bits",
    "f32[5,32] f32[5,4] u8[4,64,16] f32[4,64] _ u8[4,32,32] f32[4,32] quant_type=\"fp8\" ! "
    "quant_type is not int",
    "f32[5,32] f32[5,4] u8[4,64,16] f32[4,64] _ u8[4,32,32] f32[4,32] block_size=24 ! block_size "
    "is 24",
    NULL,
};

const ig_op ig_op_q_moe = {
    .onnx = "QMoE",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 6, 21 },
    .gaps = 1 << 4,
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
