/* SPDX-License-Identifier: Apache-2.0 */
/* linear_model.h: what LinearClassifier and LinearRegressor share. */
#ifndef IG_OPS_LINEAR_MODEL_H
#define IG_OPS_LINEAR_MODEL_H

#include "ops/ml_scores.h"

typedef struct ig_linear_model {
    int64_t n_rows, n_features, n_scores;
    const float *coefficients; /* [n_scores, n_features] */
    const float *intercepts;   /* [n_scores] or NULL */
    ig_post_transform post;
} ig_linear_model;

/* The attributes, against the shape of input 0. n_scores: rows of coefficients; may_be_one: two
 * classes may have a single row. */
ig_status ig_linear_model_read(const ig_call *c, int64_t n_scores, bool may_be_one,
                               ig_linear_model *m) IG_MUST_USE;
/* Scores of row i, before the transform. */
void ig_linear_model_row(const ig_linear_model *m, const ig_tensor *x, int64_t i, double *scores);

#endif
