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
    "f32[3,2]{-0.96,0.89,0.96,1.39,0.77,-0.05} coefficients=[-1.74,-1.34,-1.36,-0.35,-2.31,"
    "-0.19] intercepts=[0.5,-0.25,0.0] classlabels_strings=[\"a\",\"b\",\"c\"] "
    "post_transform=\"LOGISTIC\" -> 2 = str[3]{\"c\",\"b\",\"a\"} f32[3,3]{0.726671,0.677892,"
    "0.885796,0.0459571,0.114853,0.0771511,0.315874,0.217601,0.145642}",
    "f32[3,2]{-0.84,-0.3,0.36,0.26,-1.64,0.36} coefficients=[0.86,1.51,-0.65,0.61,-0.04,"
    "1.44] intercepts=[0.5,-0.25,0.0] classlabels_strings=[\"a\",\"b\",\"c\"] "
    "post_transform=\"SOFTMAX\" -> 2 = str[3]{\"b\",\"a\",\"b\"} f32[3,3]{0.221286,0.486801,"
    "0.291913,0.606863,0.131723,0.261414,0.130672,0.531176,0.338151}",
    "f32[3,2]{-0.86,-2.24,-0.08,1.46,-0.52,1.55} coefficients=[-0.12,-0.24,-0.16,0.22,-1.82,"
    "1.55] intercepts=[0.5,-0.25,0.0] classlabels_strings=[\"a\",\"b\",\"c\"] "
    "post_transform=\"SOFTMAX_ZERO\" -> 2 = str[3]{\"a\",\"c\",\"c\"} f32[3,3]{0.818369,"
    "0.142781,0.0388502,0.0876455,0.0812963,0.831058,0.0391862,0.0385565,0.922257}",
    "f32[3,2]{-2.47,-1.24,1.19,-0.82,-1.51,-1.34} coefficients=[1.56,-0.86] intercepts=[0.5] "
    "classlabels_ints=[4,2] post_transform=\"LOGISTIC\" -> 2 = i64[3]{4,2,4} f32[3,"
    "2]{0.907778,0.092222,0.0447193,0.955281,0.668897,0.331103}",
    "f64[3,2]{0.87,0.99,-0.93,-0.16,-1.13,0.07} coefficients=[0.0,-0.03] intercepts=[0.5] "
    "classlabels_strings=[\"n\",\"y\"] multi_class=1 -> 2 = str[3]{\"y\",\"y\",\"y\"} f32[3,"
    "2]{0.5297,0.4703,0.4952,0.5048,0.5021,0.4979}",
    "i64[2,2]{1,2,-3,1} coefficients=[-1.15,-1.2,2.12,0.03] intercepts=[0.5,0.25] "
    "classlabels_ints=[4,2] post_transform=\"SOFTMAX\" -> 2 = i64[2]{2,4} f32[2,"
    "2]{0.00415202,0.995848,0.999854,0.000146257}",
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
