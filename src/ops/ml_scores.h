/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ml_scores.h: what the classifiers and regressors of ai.onnx.ml share: post_transform, class
 * labels, and the scores of two classes of which only one has any.
 */
#ifndef IG_OPS_ML_SCORES_H
#define IG_OPS_ML_SCORES_H

#include "ops/op.h"

typedef enum ig_post_transform {
    IG_POST_NONE = 0,
    IG_POST_SOFTMAX,
    IG_POST_LOGISTIC,
    IG_POST_SOFTMAX_ZERO, /* softmax that leaves zeros out of the sum */
    IG_POST_PROBIT
} ig_post_transform;

/* The attribute post_transform; INGOT_ERR_INVALID for a name that is not known. */
ig_status ig_post_transform_read(const ig_node *node, ig_post_transform *out,
                                 ig_error *err) IG_MUST_USE;
/* In place. */
void ig_post_transform_apply(ig_post_transform transform, double *scores, int64_t n);
double ig_logistic(double x);

/* One score s of the positive class becomes two: LOGISTIC: of -s and of s; PROBIT: in scores[0],
 * and 0; otherwise 1 - s and s if it is a probability, else -s and s. */
void ig_two_class_scores(ig_post_transform transform, bool is_probability, double scores[2]);

/* Class labels: strings or integers; attributes of these names (the operators differ in them). */
typedef struct ig_labels {
    int64_t n;
    const int64_t *ints;         /* NULL: strings, or none: 0, 1, 2 … */
    const ingot_string *strings; /* NULL: ints */
} ig_labels;
void ig_labels_read(const ig_node *node, const char *ints, const char *strings, ig_labels *l);
static inline ingot_dtype ig_labels_dtype(const ig_labels *l)
{
    return l->strings ? INGOT_STRING : INGOT_INT64;
}
/* Element i of a label tensor becomes label k. */
void ig_labels_put(const ig_labels *l, void *data, int64_t i, int64_t k);

/* Input 0 as rows of n_features: [N, C], or a vector, which is one row. Outputs: labels [N] and
 * scores [N, E]; regressors: scores alone (labels NULL). */
ig_status ig_ml_infer(ig_infer *c, const ig_labels *labels, int64_t n_scores);
void ig_ml_rows(int rank, const int64_t *dims, int64_t *n_rows, int64_t *n_features);

#define IG_T_ML_INPUT                                                                              \
    (IG_T(INGOT_FLOAT) | IG_T(INGOT_DOUBLE) | IG_T(INGOT_INT64) | IG_T(INGOT_INT32))

#endif
