/* SPDX-License-Identifier: Apache-2.0 */
/* softmax_cross_entropy_loss.c: minus the logarithm of the softmax at the wanted class. */
#include "ops/class_loss.h"

static ig_status ref(ig_call *c) { return ig_ref_class_loss(c, true); }

static const char *const cases[] = {
    "f32[1,2]{0,0} i64[1]{1} -> 2 = f32[]{0.6931472} f32[1,2]{-0.6931472,-0.6931472}",
    "f32[3,5] i64[3]{0,4,2} f32[5]{1,2,3,4,5} -> 2",
    "f32[3,5] i64[3]{0,4,2} ignore_index=4",
    "f32[2,3,4] i64[2,4]{1} reduction=\"none\"",
    "f32[2,3,4,2] i32[2,4,2]{2} reduction=\"sum\" -> 2",
    "f32[1,2] i64[1]{-1} ! target -1 is none of 2 classes",
    NULL,
};

const ig_op ig_op_softmax_cross_entropy_loss = {
    .onnx = "SoftmaxCrossEntropyLoss",
    .since = { 12, 13 },
    .n_in = { 2, 3 },
    .n_out = { 1, 2 },
    .types = IG_T_FLOATS,
    .infer = ig_infer_class_loss,
    .ref = ref,
    .cases = cases,
};
