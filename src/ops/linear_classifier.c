/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear_classifier.c: ai.onnx.ml LinearClassifier: scores x coefficients^T + intercepts; one row
 * of coefficients and two labels: a positive score stands for the second.
 */
#include "ops/linear_model.h"

static ig_status infer(ig_infer *c)
{
    ig_labels labels;
    ig_labels_read(c->node, "classlabels_ints", "classlabels_strings", &labels);
    if (labels.n < 1) return ig_fail(c->err, INGOT_ERR_INVALID, "there are no class labels");
    return ig_ml_infer(c, &labels, labels.n);
}

static ig_status ref(ig_call *c)
{
    ig_linear_model m;
    ig_labels labels;
    int64_t dims[2];
    ig_labels_read(c->node, "classlabels_ints", "classlabels_strings", &labels);
    IG_TRY(ig_linear_model_read(c, labels.n, true, &m));
    const bool is_binary = labels.n == 2 && m.n_scores == 1;
    dims[0] = m.n_rows, dims[1] = labels.n;
    IG_TRY(ig_call_output(c, 0, ig_labels_dtype(&labels), 1, dims));
    IG_TRY(ig_call_output(c, 1, INGOT_FLOAT, 2, dims));
    double *s = ig_arena_array(c->scratch, (size_t)labels.n + 1, sizeof *s);
    if (!s) return IG_NOMEM(c->err, (size_t)labels.n * sizeof *s);
    for (int64_t i = 0; i < m.n_rows; i++) {
        int64_t best = 0;
        ig_linear_model_row(&m, c->in[0], i, s);
        for (int64_t k = 1; k < m.n_scores; k++) best = s[k] > s[best] ? k : best;
        if (is_binary) {
            best = s[0] > 0;
            ig_two_class_scores(m.post, true, s);
        } else {
            ig_post_transform_apply(m.post, s, m.n_scores);
        }
        if (c->out[0]) ig_labels_put(&labels, c->out[0]->data, i, best);
        for (int64_t k = 0; c->out[1] && k < labels.n; k++)
            ((float *)c->out[1]->data)[i * labels.n + k] = (float)s[k];
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,2]{1,0,0,1} coefficients=[1.0,0.0,0.0,2.0] intercepts=[0.0,0.0] classlabels_ints=[5,6] "
    "-> 2 = i64[2]{5,6} f32[2,2]{1,0,0,2}",
    "f32[2,3] coefficients=[1.0,2.0] intercepts=[0.0] classlabels_ints=[5,6] ! coefficients has 2",
    NULL,
};

const ig_op ig_op_linear_classifier = {
    .onnx = "LinearClassifier",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 2, 2 },
    .types = IG_T_ML_INPUT,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
