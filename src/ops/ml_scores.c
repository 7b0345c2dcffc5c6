/* SPDX-License-Identifier: Apache-2.0 */
/* ml_scores.c: see ml_scores.h. */
#include "ops/ml_scores.h"

#include <math.h>

#define ZERO_SCORE 1e-7 /* SOFTMAX_ZERO: scores up to this size are zeros */

ig_status ig_post_transform_read(const ig_node *node, ig_post_transform *out, ig_error *err)
{
    static const char *const names[] = { [IG_POST_NONE] = "NONE",
                                         [IG_POST_SOFTMAX] = "SOFTMAX",
                                         [IG_POST_LOGISTIC] = "LOGISTIC",
                                         [IG_POST_SOFTMAX_ZERO] = "SOFTMAX_ZERO",
                                         [IG_POST_PROBIT] = "PROBIT" };
    for (size_t i = 0; i < IG_COUNT(names); i++)
        if (ig_attr_is(node, "post_transform", names[i], i == IG_POST_NONE)) {
            *out = (ig_post_transform)i;
            return INGOT_OK;
        }
    return ig_fail(err, INGOT_ERR_INVALID,
                   "post_transform is none of NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT");
}

double ig_logistic(double x)
{
    const double v = 1 / (1 + exp(-fabs(x)));
    return x < 0 ? 1 - v : v;
}

/* The quantile of the normal distribution, by Winitzki's approximation of the inverse error
 * function (a = 0.147), as runtimes of these operators compute it. */
static double probit(double p)
{
    const double x = 2 * p - 1, log_term = log((1 - x) * (1 + x));
    const double v = 2 / (3.14159265358979323846 * 0.147) + 0.5 * log_term;
    const double inverse = sqrt(sqrt(v * v - log_term / 0.147) - v);
    return 1.41421356237309504880 * (x < 0 ? -inverse : inverse);
}

static void softmax(double *s, int64_t n, bool leaves_zeros)
{
    double max = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) max = s[i] > max ? s[i] : max;
    for (int64_t i = 0; i < n; i++) {
        if (leaves_zeros && fabs(s[i]) <= ZERO_SCORE) {
            s[i] *= exp(-max);
        } else {
            s[i] = exp(s[i] - max);
            sum += s[i];
        }
    }
    for (int64_t i = 0; sum != 0 && i < n; i++) s[i] /= sum;
}

void ig_post_transform_apply(ig_post_transform transform, double *scores, int64_t n)
{
    switch (transform) {
    case IG_POST_SOFTMAX: softmax(scores, n, false); break;
    case IG_POST_SOFTMAX_ZERO: softmax(scores, n, true); break;
    case IG_POST_LOGISTIC:
        for (int64_t i = 0; i < n; i++) scores[i] = ig_logistic(scores[i]);
        break;
    case IG_POST_PROBIT:
        for (int64_t i = 0; i < n; i++) scores[i] = probit(scores[i]);
        break;
    case IG_POST_NONE: break;
    }
}

void ig_two_class_scores(ig_post_transform transform, bool is_probability, double scores[2])
{
    const double s = scores[0];
    if (transform == IG_POST_PROBIT) {
        scores[0] = probit(s);
        scores[1] = 0;
    } else if (transform == IG_POST_LOGISTIC) {
        scores[0] = ig_logistic(-s);
        scores[1] = ig_logistic(s);
    } else if (is_probability) {
        scores[0] = 1 - s;
        scores[1] = s;
    } else {
        scores[0] = -s;
        scores[1] = s;
    }
}

void ig_labels_read(const ig_node *node, const char *ints, const char *strings, ig_labels *l)
{
    const ig_attr *s = ig_node_attr(node, strings);
    size_t n = 0;
    *l = (ig_labels){ 0 };
    if (s && s->kind == IG_ATTR_STRINGS && s->n > 0) {
        l->n = (int64_t)s->n;
        l->strings = s->strings;
        return;
    }
    l->ints = ig_attr_ints(node, ints, &n);
    l->n = (int64_t)n;
}

void ig_labels_put(const ig_labels *l, void *data, int64_t i, int64_t k)
{
    if (l->strings)
        ((ingot_string *)data)[i] = l->strings[k];
    else
        ((int64_t *)data)[i] = l->ints ? l->ints[k] : k;
}

void ig_ml_rows(int rank, const int64_t *dims, int64_t *n_rows, int64_t *n_features)
{
    *n_rows = rank > 1 ? dims[0] : 1;
    *n_features = rank > 1 ? ig_count(rank - 1, dims + 1) : rank == 1 ? dims[0] : 1;
}

ig_status ig_ml_infer(ig_infer *c, const ig_labels *labels, int64_t n_scores)
{
    const ig_info *x = c->in[0];
    ig_info *scores = &c->out[labels ? 1 : 0];
    if (x->rank == 0 || x->rank > 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input has rank %d, rows of features are wanted",
                       x->rank);
    const ig_dim dims[2] = { x->rank < 0    ? ig_dim_born(c->dims)
                             : x->rank == 2 ? x->dims[0]
                                            : 1,
                             n_scores };
    if (labels) ig_info_set_shape(&c->out[0], ig_labels_dtype(labels), 1, dims);
    if (!labels || c->n_out > 1) ig_info_set_shape(scores, INGOT_FLOAT, 2, dims);
    return INGOT_OK;
}
