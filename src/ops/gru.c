/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gru.c: gated recurrent unit. With gates z and r:
 *     h~ = g(W x + R (r*H) + biases), or, linear_before_reset, g(W x + r * (R H + Rb) + Wb)
 *     H = (1 - z)*h~ + z*H
 */
#include "ops/recurrent.h"

static ig_status infer(ig_infer *c) { return ig_infer_recurrent(c, IG_RECURRENT_GRU); }
static ig_status ref(ig_call *c) { return ig_ref_recurrent(c, IG_RECURRENT_GRU); }
static ig_status lower(ig_lower *l) { return ig_lower_recurrent(l, IG_RECURRENT_GRU); }

static const char *const cases[] = {
    "f32[2,1,1]{1,2} f32[1,3,1]{0.5,-0.5,1} f32[1,3,1]{0.1,0.2,0.3} hidden_size=1 -> 2 = "
    "f32[2,1,1,1]{0.2875328,0.46611106} f32[1,1,1]{0.46611106}",
    "f32[5,3,4] c:f32[1,21,4] c:f32[1,21,7] hidden_size=7 -> 2",
    "f32[5,3,4] c:f32[1,21,4] c:f32[1,21,7] c:f32[1,42] _ f32[1,3,7] hidden_size=7 "
    "linear_before_reset=1 -> 2",
    "f32[5,3,4] f32[2,21,4] f32[2,21,7] f32[2,42] i32[3]{1,5,4} f32[2,3,7] hidden_size=7 "
    "direction=\"bidirectional\" linear_before_reset=1 -> 2",
    "f32[5,3,4] c:f32[2,21,4] c:f32[2,21,7] c:f32[2,42] _ f32[2,3,7] hidden_size=7 "
    "direction=\"bidirectional\" clip=0.3 -> 2",
    "f32[3,5,4] c:f32[1,27,4] c:f32[1,27,9] c:f32[1,54] _ f32[3,1,9] hidden_size=9 layout=1 -> 2",
    "f32[5,1,4] c:f32[1,27,4] c:f32[1,27,9] hidden_size=9 direction=\"reverse\" "
    "activations=[\"Elu\",\"LeakyRelu\"] activation_alpha=[0.5,0.1] clip=1.0 -> 2",
    "f64[2,2,3] f64[1,6,3] f64[1,6,2] hidden_size=2 -> 1",
    "f32[2,1,3] f32[1,6,3] f32[1,6,2] hidden_size=2 direction=\"up\" ! direction is none of",
    NULL,
};

const ig_op ig_op_gru = {
    .onnx = "GRU",
    .since = { 1, 3, 7, 14, 22 },
    .n_in = { 3, 6 },
    .same_type = 0x2e,
    .n_out = { 0, 2 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
