/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rnn.c: simple recurrence, H = f(W x + R H + biases).
 */
#include "ops/recurrent.h"

static ig_status infer(ig_infer *c) { return ig_infer_recurrent(c, IG_RECURRENT_RNN); }
static ig_status ref(ig_call *c) { return ig_ref_recurrent(c, IG_RECURRENT_RNN); }
static ig_status lower(ig_lower *l) { return ig_lower_recurrent(l, IG_RECURRENT_RNN); }

static const char *const cases[] = {
    "f32[2,1,1]{1,2} f32[1,1,1]{0.5} f32[1,1,1]{-0.5} f32[1,2]{0.1,0.2} hidden_size=1 -> 2 = "
    "f32[2,1,1,1]{0.6640368,0.74781598} f32[1,1,1]{0.74781598}",
    "f32[5,3,4] c:f32[1,7,4] c:f32[1,7,7] hidden_size=7 -> 2",
    "f32[5,3,4] c:f32[2,7,4] c:f32[2,7,7] c:f32[2,14] i32[3]{0,5,2} f32[2,3,7] hidden_size=7 "
    "direction=\"bidirectional\" activations=[\"Relu\",\"Affine\"] activation_alpha=[0.5] "
    "activation_beta=[0.25] -> 2",
    "f32[3,5,4] c:f32[1,17,4] c:f32[1,17,17] _ _ f32[3,1,17] hidden_size=17 layout=1 -> 2",
    "f32[5,1,4] f32[1,9,4] f32[1,9,9] hidden_size=9 direction=\"reverse\" clip=1.0 "
    "activations=[\"Softplus\"] -> 2",
    NULL,
};

const ig_op ig_op_rnn = {
    .onnx = "RNN",
    .since = { 1, 7, 14, 22 },
    .n_in = { 3, 6 },
    .same_type = 0x2e,
    .n_out = { 0, 2 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
