/* SPDX-License-Identifier: Apache-2.0 */
/* average_precision.c: the area under precision over recall, as COCO samples it. */
#include <math.h>

#include "cli/eval/detections.h"

#define N_RECALLS 101

/* Found boxes [begin, end) are of one class. How many points the curve gets: one for each box that
 * is not ignored and that is drawn. */
static size_t draw_curve(const ig_detections *d, size_t begin, size_t end, int bit, double n_wanted,
                         const uint32_t *weights)
{
    double *recalls = d->curve, *precisions = d->curve + d->n_found + 1;
    double right = 0, wrong = 0;
    size_t n = 0;
    for (size_t i = begin; i < end; i++) {
        const ig_found *f = &d->found[i];
        const double w = weights ? weights[f->item] : 1;
        if (w == 0 || f->ignored >> bit & 1) continue;
        if (f->right >> bit & 1)
            right += w;
        else
            wrong += w;
        recalls[n] = right / n_wanted;
        precisions[n++] = right / (right + wrong);
    }
    return n;
}

/* Mean over recalls 0, 0.01, … 1 of the best precision at that recall or beyond; 0 where it is
 * never reached. Walked from the end. */
static double sample_curve(const ig_detections *d, size_t n)
{
    const double *recalls = d->curve, *precisions = d->curve + d->n_found + 1;
    double best = 0, sum = 0;
    int r = N_RECALLS - 1;
    while (r >= 0 && (n == 0 || (r == N_RECALLS - 1 ? 1 : r * 0.01) > recalls[n - 1])) r--;
    for (size_t i = n; i-- > 0;) {
        best = fmax(best, precisions[i]);
        const double before = i ? recalls[i - 1] : -1;
        for (; r >= 0 && (r == N_RECALLS - 1 ? 1 : r * 0.01) > before; r--) sum += best;
    }
    return sum / N_RECALLS;
}

/* Labels of the class at *at, which moves to the next class. */
static double count_wanted(const ig_detections *d, size_t *at, const uint32_t *weights)
{
    const int32_t class_i = d->wanted[*at].class_i;
    double n = 0;
    for (; *at < d->n_wanted && d->wanted[*at].class_i == class_i; ++*at)
        n += d->wanted[*at].n * (weights ? weights[d->wanted[*at].item] : 1);
    return n;
}

double ig_average_precision(const ig_detections *d, int n_overlaps, int32_t class_i,
                            const uint32_t *weights)
{
    double sum = 0;
    size_t n_classes = 0, begin = 0;
    for (size_t at = 0; at < d->n_wanted;) {
        const int32_t here = d->wanted[at].class_i;
        const double n_wanted = count_wanted(d, &at, weights);
        while (begin < d->n_found && d->found[begin].class_i < here) begin++;
        size_t end = begin;
        while (end < d->n_found && d->found[end].class_i == here) end++;
        if (n_wanted > 0 && (class_i < 0 || class_i == here)) {
            for (int bit = 0; bit < n_overlaps; bit++)
                sum += sample_curve(d, draw_curve(d, begin, end, bit, n_wanted, weights));
            n_classes++;
        }
        begin = end;
    }
    return n_classes ? sum / ((double)n_classes * n_overlaps) : NAN;
}
