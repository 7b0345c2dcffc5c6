/* SPDX-License-Identifier: Apache-2.0 */
/* linear_model.c: see linear_model.h. */
#include "ops/linear_model.h"

ig_status ig_linear_model_read(const ig_call *c, int64_t n_scores, bool may_be_one,
                               ig_linear_model *m)
{
    const ig_tensor *x = c->in[0];
    size_t n, n_intercepts;
    *m = (ig_linear_model){ .n_scores = n_scores };
    m->coefficients = ig_attr_floats(c->node, "coefficients", &n);
    m->intercepts = ig_attr_floats(c->node, "intercepts", &n_intercepts);
    ig_ml_rows(x->rank, x->dims, &m->n_rows, &m->n_features);
    if (may_be_one && n_scores == 2 && (int64_t)n == m->n_features) m->n_scores = 1;
    if (m->n_features < 1 || (int64_t)n % m->n_features ||
        (int64_t)n / m->n_features != m->n_scores)
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "coefficients has %zu entries for %lld features and %lld scores", n,
                       (long long)m->n_features, (long long)n_scores);
    if (n_intercepts && (int64_t)n_intercepts != m->n_scores)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "intercepts has %zu entries for %lld scores",
                       n_intercepts, (long long)m->n_scores);
    return ig_post_transform_read(c->node, &m->post, c->err);
}

void ig_linear_model_row(const ig_linear_model *m, const ig_tensor *x, int64_t i, double *scores)
{
    for (int64_t k = 0; k < m->n_scores; k++) {
        double sum = m->intercepts ? (double)m->intercepts[k] : 0;
        for (int64_t j = 0; j < m->n_features; j++)
            sum += ig_get_f64(x->dtype, x->data, i * m->n_features + j) *
                   (double)m->coefficients[k * m->n_features + j];
        scores[k] = sum;
    }
}
