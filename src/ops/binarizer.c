/* SPDX-License-Identifier: Apache-2.0 */
/* binarizer.c: ai.onnx.ml Binarizer, 1 where x > threshold, else 0. */
#include "ops/ml_scores.h"

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    const int64_t n = ig_tensor_count(x);
    const double threshold = (double)ig_attr_float(c->node, "threshold", 0);
    IG_TRY(ig_call_output(c, 0, x->dtype, x->rank, x->dims));
    for (int64_t i = 0; c->out[0] && i < n; i++)
        ig_set_f64(x->dtype, c->out[0]->data, i,
                   ig_get_f64(x->dtype, x->data, i) > threshold ? 1 : 0);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[3]{0.5,1,2} threshold=1.0 = f32[3]{0,0,1}",
    "i64[2]{-1,1} = i64[2]{0,1}",
    "f32[2,2]{1,2,-1,5} threshold=1.5 = f32[2,2]{0,1,0,1}",
    NULL,
};

const ig_op ig_op_binarizer = {
    .onnx = "Binarizer",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_ML_INPUT,
    .infer = ig_infer_same,
    .ref = ref,
    .cases = cases,
};
