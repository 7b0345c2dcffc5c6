/* SPDX-License-Identifier: Apache-2.0 */
/* confusion.c: results class by class, and which are taken for which. */
#include <stdlib.h>

#include "cli/eval/detections.h"
#include "cli/eval/eval.h"

static int by_classes(const void *a, const void *b)
{
    const ig_confused *x = a, *y = b;
    if (x->truth != y->truth) return x->truth < y->truth ? -1 : 1;
    return x->said < y->said ? -1 : x->said > y->said;
}

static int by_count(const void *a, const void *b)
{
    const ig_confused *x = a, *y = b;
    if (x->n != y->n) return x->n > y->n ? -1 : 1;
    return by_classes(a, b);
}

/* Equal neighbours become one with their number; those of a class with itself are left out. */
static size_t merge_pairs(ig_confused *pairs, size_t n)
{
    size_t n_merged = 0;
    if (n) qsort(pairs, n, sizeof *pairs, by_classes);
    for (size_t i = 0; i < n; i++) {
        ig_confused *last = n_merged ? &pairs[n_merged - 1] : NULL;
        if (pairs[i].truth == pairs[i].said) continue;
        if (last && last->truth == pairs[i].truth && last->said == pairs[i].said)
            last->n++;
        else
            pairs[n_merged++] = pairs[i];
    }
    if (n_merged) qsort(pairs, n_merged, sizeof *pairs, by_count);
    return n_merged;
}

static double class_value(const ig_tally *t, const ig_class_row *row)
{
    if (t->metric->class_value) return t->metric->class_value(t, row->class_i);
    return (double)row->n_right / (double)row->n;
}

/* Rows of classes that occur, out of one for each class. */
static void keep_rows(const ig_tally *t, ig_class_row *all, size_t n, ig_confusion *out)
{
    out->rows = all;
    for (size_t k = 0; k < n; k++) {
        if (!all[k].n && !all[k].n_said) continue;
        all[k].class_i = (int32_t)k;
        all[k].value = class_value(t, &all[k]);
        out->rows[out->n_rows++] = all[k];
    }
}

static ig_status of_marks(const ig_tally *t, ig_arena *arena, ig_confusion *out, ig_error *err)
{
    int32_t most = 0;
    for (size_t i = 0; i < t->n; i++) {
        const ig_mark *m = &t->marks[i];
        if (m->truth_class > most) most = m->truth_class;
        if (m->said_class > most) most = m->said_class;
    }
    const size_t n_classes = (size_t)most + 1;
    ig_class_row *all = ig_arena_array(arena, n_classes, sizeof *all);
    out->pairs = ig_arena_array(arena, t->n + 1, sizeof *out->pairs);
    if (!all || !out->pairs) return IG_NOMEM(err, n_classes * sizeof *all);
    for (size_t i = 0; i < t->n; i++) {
        const ig_mark *m = &t->marks[i];
        all[m->truth_class].n++;
        all[m->truth_class].n_right += !m->is_wrong;
        if (m->said_class >= 0) all[m->said_class].n_said++;
        out->pairs[i] = (ig_confused){ m->truth_class, m->said_class, 1 };
    }
    out->n_pairs = merge_pairs(out->pairs, t->n);
    keep_rows(t, all, n_classes, out);
    return INGOT_OK;
}

/* Of detectors: labels of each class, and boxes of it that were found at the smallest overlap. */
static ig_status of_detections(const ig_tally *t, ig_arena *arena, ig_confusion *out, ig_error *err)
{
    const ig_detections *d = t->more;
    size_t cap = 0;
    for (size_t i = 0; d && i < d->n_wanted; i++) {
        const int32_t class_i = d->wanted[i].class_i;
        if (!out->n_rows || out->rows[out->n_rows - 1].class_i != class_i) {
            const ig_class_row row = { .class_i = class_i };
            if (!IG_ARENA_PUSH(arena, out->rows, out->n_rows, cap, row)) return IG_NOMEM(err, 0);
        }
        out->rows[out->n_rows - 1].n += (size_t)d->wanted[i].n;
    }
    for (size_t i = 0, k = 0; d && i < d->n_found && k < out->n_rows;) {
        const ig_found *f = &d->found[i];
        if (f->class_i > out->rows[k].class_i) {
            k++;
            continue;
        }
        if (f->class_i == out->rows[k].class_i) {
            out->rows[k].n_said++;
            out->rows[k].n_right += (f->right & 1) && !(f->ignored & 1);
        }
        i++;
    }
    for (size_t k = 0; k < out->n_rows; k++) out->rows[k].value = class_value(t, &out->rows[k]);
    return INGOT_OK;
}

ig_status ig_confusion_of(const ig_tally *t, ig_arena *arena, ig_confusion *out, ig_error *err)
{
    *out = (ig_confusion){ 0 };
    return t->metric->truth == IG_TRUTH_BOXES ? of_detections(t, arena, out, err)
                                              : of_marks(t, arena, out, err);
}
