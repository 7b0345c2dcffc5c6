/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c: the list of metrics, and their tallies. */
#include <string.h>

#include "cli/eval/metric.h"

#define METRICS(X)                                                                                 \
    X(top1)                                                                                        \
    X(top5) X(accuracy) X(f1) X(auc) X(map) X(map50) X(wer) X(cer) X(cosine) X(psnr) X(rms) X(max)

#define DECLARE(name) extern const ig_metric ig_metric_##name;
METRICS(DECLARE)

#define ROW(name) &ig_metric_##name,
const ig_metric *const ig_metric_table[] = { METRICS(ROW) };
const size_t ig_n_metrics = IG_COUNT(ig_metric_table);

const ig_metric *ig_metric_find(const char *name, size_t n)
{
    for (size_t i = 0; i < ig_n_metrics; i++)
        if (strlen(ig_metric_table[i]->name) == n &&
            strncmp(ig_metric_table[i]->name, name, n) == 0)
            return ig_metric_table[i];
    return NULL;
}

ig_status ig_tally_add(ig_tally *t, const ig_mark *mark, ig_error *err)
{
    if (t->n == t->cap) {
        const size_t cap = t->cap ? 2 * t->cap : 256;
        ig_mark *marks = ig_alloc_get(t->alloc, cap * sizeof *marks, 0, INGOT_MEM_OTHER);
        if (!marks) return IG_NOMEM(err, cap * sizeof *marks);
        if (t->n) memcpy(marks, t->marks, t->n * sizeof *marks);
        ig_alloc_put(t->alloc, t->marks, t->cap * sizeof *marks, INGOT_MEM_OTHER);
        t->marks = marks;
        t->cap = cap;
    }
    t->marks[t->n++] = *mark;
    return INGOT_OK;
}

void ig_tally_free(ig_tally *t)
{
    if (t->metric && t->metric->free) t->metric->free(t);
    if (t->marks) ig_alloc_put(t->alloc, t->marks, t->cap * sizeof *t->marks, INGOT_MEM_OTHER);
    *t = (ig_tally){ 0 };
}

void ig_tally_sum(const ig_tally *t, const uint32_t *weights, double *a, double *b)
{
    *a = *b = 0;
    for (size_t i = 0; i < t->n; i++) {
        const double w = weights ? weights[i] : 1;
        if (w == 0) continue; /* an infinite number that is not drawn */
        *a += w * t->marks[i].a;
        *b += w * t->marks[i].b;
    }
}

double ig_tally_ratio(const ig_tally *t, const uint32_t *weights)
{
    double a, b;
    ig_tally_sum(t, weights, &a, &b);
    return a / b;
}
