/* SPDX-License-Identifier: Apache-2.0 */
/* f1.c: harmonic mean of precision and recall: of the positive class of two, else the mean over the
 * classes that occur (macro). */
#include <math.h>
#include <string.h>

#include "cli/eval/metric.h"

/* For each class: right ones, labels and answers of it. */
typedef struct counts {
    int32_t n_classes;
    double *right, *labels, *answers;
} counts;

static ig_status judge(ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                       ig_mark *mark, ig_str *said, ig_error *err)
{
    ig_classified c;
    return ig_judge_class(t, answer, truth, &c, mark, said, err);
}

static size_t bytes_of(const counts *c) { return 3 * (size_t)c->n_classes * sizeof(double); }

static ig_status finish(ig_tally *t, ig_error *err)
{
    counts *c = t->more = ig_alloc_get(t->alloc, sizeof *c, 0, INGOT_MEM_OTHER);
    if (!c) return IG_NOMEM(err, sizeof *c);
    *c = (counts){ .n_classes = 2 };
    for (size_t i = 0; i < t->n; i++) {
        const ig_mark *m = &t->marks[i];
        if (m->truth_class >= c->n_classes) c->n_classes = m->truth_class + 1;
        if (m->said_class >= c->n_classes) c->n_classes = m->said_class + 1;
    }
    c->right = ig_alloc_get(t->alloc, bytes_of(c), 0, INGOT_MEM_OTHER);
    if (!c->right) return IG_NOMEM(err, bytes_of(c));
    c->labels = c->right + c->n_classes;
    c->answers = c->labels + c->n_classes;
    return INGOT_OK;
}

static void count(const ig_tally *t, const uint32_t *weights, const counts *c)
{
    memset(c->right, 0, bytes_of(c));
    for (size_t i = 0; i < t->n; i++) {
        const ig_mark *m = &t->marks[i];
        const double w = weights ? weights[i] : 1;
        if (!m->is_wrong) c->right[m->truth_class] += w;
        c->labels[m->truth_class] += w;
        if (m->said_class >= 0) c->answers[m->said_class] += w;
    }
}

/* NaN for a class that neither labels nor answers have. */
static double f1_of(const counts *c, int32_t k)
{
    return 2 * c->right[k] / (c->labels[k] + c->answers[k]);
}

static double value(const ig_tally *t, const uint32_t *weights)
{
    const counts *c = t->more;
    double sum = 0, n = 0;
    count(t, weights, c);
    if (c->n_classes == 2 && t->judging->n_classes <= 2) return f1_of(c, t->judging->positive);
    for (int32_t k = 0; k < c->n_classes; k++) {
        const double f1 = f1_of(c, k);
        if (isnan(f1)) continue;
        sum += f1;
        n++;
    }
    return sum / n;
}

static double class_value(const ig_tally *t, int32_t class_i)
{
    const counts *c = t->more;
    count(t, NULL, c);
    return class_i < c->n_classes ? f1_of(c, class_i) : NAN;
}

static void free_counts(ig_tally *t)
{
    counts *c = t->more;
    if (!c) return;
    if (c->right) ig_alloc_put(t->alloc, c->right, bytes_of(c), INGOT_MEM_OTHER);
    ig_alloc_put(t->alloc, c, sizeof *c, INGOT_MEM_OTHER);
}

const ig_metric ig_metric_f1 = {
    .name = "f1",
    .about = "F1 of the positive class of two, else the mean over classes (macro)",
    .unit = "",
    .judge = judge,
    .finish = finish,
    .value = value,
    .class_value = class_value,
    .free = free_counts,
};
