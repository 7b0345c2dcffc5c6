/* SPDX-License-Identifier: Apache-2.0 */
/* auc.c: area under the ROC curve: how often a positive item has a higher score than a negative
 * one, ties counting half. A mark's a is the score, b whether the item is positive. */
#include <math.h>
#include <stdlib.h>

#include "cli/eval/metric.h"

static ig_status judge(ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                       ig_mark *mark, ig_str *said, ig_error *err)
{
    const ig_judging *j = t->judging;
    int32_t class_i = 0;
    double score = 0;
    IG_TRY(ig_positive_score(j, answer, &score, err));
    IG_TRY(ig_class_of_label(j, truth->text, 2, &class_i, err));
    if (isnan(score)) return ig_fail(err, INGOT_ERR_INVALID, "auc: the score is not a number");
    *mark = (ig_mark){ .a = score, .b = class_i == j->positive, .truth_class = class_i };
    /* Probabilities are cut at one half; what is wrong is a matter of that alone. */
    mark->said_class = (score >= (j->positive ? 0.5 : -0.5)) == (j->positive == 1);
    mark->said = (uint64_t)mark->said_class;
    mark->is_wrong = mark->said_class != class_i;
    ig_str_printf(said, "%.6g", score);
    return INGOT_OK;
}

/* The order of marks by score. */
typedef struct by_score {
    double score;
    size_t i;
} by_score;

static int compare(const void *a, const void *b)
{
    const by_score *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? -1 : 1;
    return x->i < y->i ? -1 : x->i > y->i;
}

static ig_status finish(ig_tally *t, ig_error *err)
{
    by_score *order = ig_alloc_get(t->alloc, t->n * sizeof *order, 0, INGOT_MEM_OTHER);
    if (!order) return IG_NOMEM(err, t->n * sizeof *order);
    for (size_t i = 0; i < t->n; i++) order[i] = (by_score){ t->marks[i].a, i };
    if (t->n) qsort(order, t->n, sizeof *order, compare);
    t->more = order;
    return INGOT_OK;
}

static double value(const ig_tally *t, const uint32_t *weights)
{
    const by_score *order = t->more;
    double area = 0, negatives = 0, positives = 0;
    for (size_t i = 0; i < t->n;) {
        double tied_positives = 0, tied_negatives = 0;
        const double score = order[i].score;
        for (; i < t->n && order[i].score == score; i++) {
            const double w = weights ? weights[order[i].i] : 1;
            if (t->marks[order[i].i].b != 0)
                tied_positives += w;
            else
                tied_negatives += w;
        }
        area += tied_positives * (negatives + tied_negatives / 2);
        negatives += tied_negatives;
        positives += tied_positives;
    }
    return area / (positives * negatives);
}

static void free_order(ig_tally *t)
{
    if (t->more) ig_alloc_put(t->alloc, t->more, t->n * sizeof(by_score), INGOT_MEM_OTHER);
}

const ig_metric ig_metric_auc = {
    .name = "auc",
    .about = "area under the ROC curve of two classes",
    .unit = "",
    .judge = judge,
    .finish = finish,
    .value = value,
    .free = free_order,
};
