/* SPDX-License-Identifier: Apache-2.0 */
/* class_loss.c: minus the score of the wanted class, weighed; mean divides by the sum of weights.
 */
#include "ops/class_loss.h"

#include <math.h>

#include "ops/strided.h"

static bool is_reduced(const ig_node *node)
{
    return !ig_attr_is(node, "reduction", "none", false);
}

ig_status ig_infer_class_loss(ig_infer *c)
{
    const ig_info *x = c->in[0], *t = c->in[1];
    ig_dim dims[IG_MAX_RANK];
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(ig_infer_is_int(c, 1, "target"));
    if (!ig_attr_is(c->node, "reduction", "none", true) &&
        !ig_attr_is(c->node, "reduction", "mean", true) &&
        !ig_attr_is(c->node, "reduction", "sum", true))
        return ig_fail(c->err, INGOT_ERR_INVALID, "reduction is none of none, mean, sum");
    if (x->rank < 0 || t->rank < 0) return INGOT_OK;
    if (x->rank < 2 || t->rank != x->rank - 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "scores have rank %d, targets %d", x->rank,
                       t->rank);
    for (int d = 0; d < t->rank; d++)
        IG_TRY(ig_dim_unify(x->dims[d ? d + 1 : 0], t->dims[d], "scores and targets", &dims[d],
                            c->err));
    ig_info_set_shape(&c->out[0], x->type.dtype, is_reduced(c->node) ? 0 : t->rank, dims);
    if (c->n_out > 1) ig_info_set_shape(&c->out[1], x->type.dtype, x->rank, x->dims);
    return INGOT_OK;
}

/* log of the sum of e^x over the classes of a pixel */
static double log_sum(const ig_tensor *x, int64_t first, int64_t step)
{
    double max = -INFINITY, sum = 0;
    for (int64_t k = 0; k < x->dims[1]; k++)
        max = fmax(max, ig_get_f64(x->dtype, x->data, first + k * step));
    if (!isfinite(max)) return max;
    for (int64_t k = 0; k < x->dims[1]; k++)
        sum += exp(ig_get_f64(x->dtype, x->data, first + k * step) - max);
    return max + log(sum);
}

ig_status ig_ref_class_loss(ig_call *c, bool takes_softmax)
{
    const ig_tensor *x = c->in[0], *target = c->in[1], *w = c->n_in > 2 ? c->in[2] : NULL;
    const ig_attr *ignore = ig_node_attr(c->node, "ignore_index");
    IG_TRY(ig_call_ready(c));
    const int64_t n_classes = x->dims[1], n_pixels = ig_count(x->rank - 2, x->dims + 2);
    const int64_t n = x->dims[0] * n_pixels;
    double loss = 0, weights = 0;
    if (w && ig_tensor_count(w) != n_classes)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "weights must hold %lld elements",
                       (long long)n_classes);
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = i / n_pixels * n_classes * n_pixels + i % n_pixels;
        const int64_t wanted = ig_get_i64(target->dtype, target->data, i);
        const bool is_ignored = ignore && ignore->kind == IG_ATTR_INT && wanted == ignore->i;
        const double log_total = takes_softmax ? log_sum(x, first, n_pixels) : 0;
        for (int64_t k = 0; c->n_out > 1 && c->out[1] && k < n_classes; k++)
            ig_set_f64(x->dtype, c->out[1]->data, first + k * n_pixels,
                       ig_get_f64(x->dtype, x->data, first + k * n_pixels) - log_total);
        if (!is_ignored && (wanted < 0 || wanted >= n_classes))
            return ig_fail(c->err, INGOT_ERR_INVALID, "target %lld is none of %lld classes",
                           (long long)wanted, (long long)n_classes);
        const double weight = is_ignored ? 0 : w ? ig_get_f64(w->dtype, w->data, wanted) : 1;
        const double own =
            is_ignored
                ? 0
                : -weight * (ig_get_f64(x->dtype, x->data, first + wanted * n_pixels) - log_total);
        loss += own;
        weights += weight;
        if (!is_reduced(c->node)) ig_set_f64(x->dtype, c->out[0]->data, i, own);
    }
    if (is_reduced(c->node))
        ig_set_f64(x->dtype, c->out[0]->data, 0,
                   ig_attr_is(c->node, "reduction", "sum", false) ? loss : loss / weights);
    return INGOT_OK;
}
