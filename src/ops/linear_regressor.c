/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear_regressor.c: ai.onnx.ml LinearRegressor, y = x coefficients^T + intercepts, then
 * post_transform.
 */
#include "ops/linear_model.h"

static ig_status infer(ig_infer *c)
{
    const int64_t n = ig_attr_int(c->node, "targets", 1);
    if (n < 1) return ig_fail(c->err, INGOT_ERR_INVALID, "targets is %lld", (long long)n);
    return ig_ml_infer(c, NULL, n);
}

static ig_status ref(ig_call *c)
{
    ig_linear_model m;
    int64_t dims[2];
    IG_TRY(ig_linear_model_read(c, ig_attr_int(c->node, "targets", 1), false, &m));
    dims[0] = m.n_rows, dims[1] = m.n_scores;
    IG_TRY(ig_call_output(c, 0, INGOT_FLOAT, 2, dims));
    double *scores = ig_arena_array(c->scratch, (size_t)m.n_scores, sizeof *scores);
    if (!scores) return IG_NOMEM(c->err, (size_t)m.n_scores * sizeof *scores);
    for (int64_t i = 0; c->out[0] && i < m.n_rows; i++) {
        ig_linear_model_row(&m, c->in[0], i, scores);
        /* A single target is transformed by PROBIT only, as in ONNX Runtime. */
        if (m.n_scores > 1 || m.post == IG_POST_PROBIT)
            ig_post_transform_apply(m.post, scores, m.n_scores);
        for (int64_t k = 0; k < m.n_scores; k++)
            ((float *)c->out[0]->data)[i * m.n_scores + k] = (float)scores[k];
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} coefficients=[1.0,10.0] intercepts=[0.5] = f32[2,1]{21.5,43.5}",
    "f32[2,3] coefficients=[1.0,2.0,3.0,4.0,5.0,6.0] targets=2",
    "f32[2,3] coefficients=[1.0,2.0] ! coefficients has 2 entries",
    "f32[2,2]{0.05,-0.74,1.09,-0.33} coefficients=[0.64,2.54,0.79,-0.11] intercepts=[0.1,"
    "0.2] targets=2 post_transform=\"LOGISTIC\" = f32[2,2]{0.14835,0.579544,0.489851,"
    "0.749773}",
    "f32[2,2]{0.63,0.19,1.37,-0.55} coefficients=[1.76,-0.34,-0.35,-0.42] intercepts=[0.1,"
    "0.2] targets=2 post_transform=\"SOFTMAX\" = f32[2,2]{0.776346,0.223654,0.939727,"
    "0.0602733}",
    "f32[2,2]{1.57,0.55,-0.63,-2.06} coefficients=[0.29,1.94,-0.24,0.53] intercepts=[0.1,"
    "0.2] targets=2 post_transform=\"SOFTMAX_ZERO\" = f32[2,2]{0.818705,0.181295,0.0342738,"
    "0.965726}",
    "f32[2,2]{1.26,-0.48,1.82,0.52} coefficients=[2.39,0.43] intercepts=[0.1] "
    "post_transform=\"LOGISTIC\" = f32[2,1]{2.905,4.6734}",
    NULL,
};

const ig_op ig_op_linear_regressor = {
    .onnx = "LinearRegressor",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_ML_INPUT,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
