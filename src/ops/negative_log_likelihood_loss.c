/* SPDX-License-Identifier: Apache-2.0 */
/* negative_log_likelihood_loss.c: minus the log-probability of the wanted class. */
#include "ops/class_loss.h"

static ig_status ref(ig_call *c) { return ig_ref_class_loss(c, false); }

static const char *const cases[] = {
    "f32[2,2]{1,2,3,5} i64[2]{0,1} = f32[]{-3}",
    "f32[2,2]{1,2,3,5} i64[2]{0,1} f32[2]{1,3} = f32[]{-4}",
    "f32[2,2]{1,2,3,5} i64[2]{0,1} f32[2]{1,3} reduction=\"sum\" = f32[]{-16}",
    "f32[2,2]{1,2,3,5} i64[2]{0,-7} ignore_index=-7 = f32[]{-1}",
    "f32[2,3,4,2] i32[2,4,2]{1} f32[3] reduction=\"none\"",
    "f32[2,2] i64[2]{0,2} ! target 2 is none of 2 classes",
    "f32[2,2] i64[3] ! scores and targets",
    NULL,
};

const ig_op ig_op_negative_log_likelihood_loss = {
    .onnx = "NegativeLogLikelihoodLoss",
    .since = { 12, 13, 22 },
    .n_in = { 2, 3 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = ig_infer_class_loss,
    .ref = ref,
    .cases = cases,
};
