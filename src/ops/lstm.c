/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lstm.c: long short-term memory. With gates i, o, f, c = W x + R h + biases (+ peepholes):
 *     C = f(f)*C + f(i)*g(c)     H = f(o)*h(C)
 * After the end of a shorter sequence Y is 0 and the states are those of its last step.
 */
#include "ops/recurrent.h"

static ig_status infer(ig_infer *c) { return ig_infer_recurrent(c, IG_RECURRENT_LSTM); }
static ig_status ref(ig_call *c) { return ig_ref_recurrent(c, IG_RECURRENT_LSTM); }
static ig_status lower(ig_lower *l) { return ig_lower_recurrent(l, IG_RECURRENT_LSTM); }

static const char *const cases[] = {
    "f32[2,1,1]{1,2} f32[1,4,1]{0.5,-0.5,1,2} f32[1,4,1]{0.1,0.2,0.3,0.4} hidden_size=1 -> 3 = "
    "f32[2,1,1,1]{0.20277631,0.23625882} f32[1,1,1]{0.23625882} f32[1,1,1]{1.2668904}",
    "f32[5,3,4] c:f32[1,28,4] c:f32[1,28,7] hidden_size=7 -> 3",
    "f32[5,3,4] f32[2,28,4] f32[2,28,7] f32[2,56] _ f32[2,3,7] f32[2,3,7] f32[2,21] hidden_size=7 "
    "direction=\"bidirectional\" -> 3",
    "f32[5,3,4] c:f32[2,28,4] c:f32[2,28,7] c:f32[2,56] i32[3]{5,2,3} f32[2,3,7] f32[2,3,7] "
    "hidden_size=7 direction=\"bidirectional\" -> 3",
    "f32[5,3,4] c:f32[1,28,4] c:f32[1,28,7] hidden_size=7 direction=\"reverse\" clip=0.5 "
    "input_forget=1 -> 3",
    "f32[3,5,4] c:f32[1,36,4] c:f32[1,36,9] c:f32[1,72] _ f32[3,1,9] f32[3,1,9] hidden_size=9 "
    "layout=1 -> 3",
    "f32[4,1,8] c:f32[1,68,8] c:f32[1,68,17] hidden_size=17 "
    "activations=[\"HardSigmoid\",\"Softsign\",\"ScaledTanh\"] activation_alpha=[0.3,1.5] "
    "activation_beta=[0.4,0.7] -> 3",
    "f64[2,2,3] f64[1,8,3] f64[1,8,2] hidden_size=2 -> 2",
    "f32[2,1,3] f32[1,8,3] f32[1,8,2] hidden_size=2 activations=[\"Tanh\"] ! 1 activations, "
    "expected 3",
    "f32[2,1,3] f32[1,8,3] f32[1,9,2] hidden_size=2 ! R has 9 elements along axis 1, expected 8",
    NULL,
};

const ig_op ig_op_lstm = {
    .onnx = "LSTM",
    .since = { 1, 7, 14, 22 },
    .n_in = { 3, 8 },
    .same_type = 0xee,
    .n_out = { 0, 3 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
