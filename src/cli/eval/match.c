/* SPDX-License-Identifier: Apache-2.0 */
/* match.c: which found box is which labelled one, at ten overlaps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/eval/detections.h"

#define MAX_FOUND 100 /* of a class in an item, as COCO counts */

/* ---- order ---- */

static int by_class_and_score(const void *a, const void *b)
{
    const ig_box *x = a, *y = b;
    if (x->class_i != y->class_i) return x->class_i < y->class_i ? -1 : 1;
    if (x->is_ignored != y->is_ignored) return x->is_ignored ? 1 : -1;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return 0;
}

/* Merge sort, because equal scores keep the model's order; qsort may not. */
static ig_status sort_stably(ig_boxes *boxes, ig_alloc *alloc, ig_error *err)
{
    const size_t n = boxes->n, bytes = n * sizeof(ig_box);
    if (n < 2) return INGOT_OK;
    ig_box *room = ig_alloc_get(alloc, bytes, 0, INGOT_MEM_OTHER), *from = boxes->items, *to = room;
    if (!room) return IG_NOMEM(err, bytes);
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * run) {
            const size_t middle = begin + run < n ? begin + run : n;
            const size_t end = begin + 2 * run < n ? begin + 2 * run : n;
            for (size_t i = begin, k = middle, at = begin; at < end; at++) {
                const bool is_first =
                    k == end || (i < middle && by_class_and_score(&from[i], &from[k]) <= 0);
                to[at] = is_first ? from[i++] : from[k++];
            }
        }
        ig_box *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != boxes->items) memcpy(boxes->items, from, bytes);
    ig_alloc_put(alloc, room, bytes, INGOT_MEM_OTHER);
    return INGOT_OK;
}

/* ---- matching ---- */

/* Of what is found, where the label is a crowd: it may hold many. */
static double overlap(const ig_box *found, const ig_box *label)
{
    const double width = fmin(found->x2, label->x2) - fmax(found->x1, label->x1);
    const double height = fmin(found->y2, label->y2) - fmax(found->y1, label->y1);
    if (!(width > 0 && height > 0)) return 0;
    const double shared = width * height;
    const double area = (found->x2 - found->x1) * (found->y2 - found->y1);
    const double other = (label->x2 - label->x1) * (label->y2 - label->y1);
    return shared / (label->is_ignored ? area : area + other - shared);
}

/* The label that a found box takes at one overlap; SIZE_MAX: none. Ignored ones come last and are
 * taken where nothing else is; they are never used up. */
static size_t choose(const ig_box *found, const ig_box *labels, size_t n, const uint16_t *taken,
                     int bit, double least)
{
    size_t best = SIZE_MAX;
    double most = fmin(least, 1 - 1e-10);
    for (size_t g = 0; g < n; g++) {
        if (taken[g] >> bit & 1 && !labels[g].is_ignored) continue;
        if (best != SIZE_MAX && !labels[best].is_ignored && labels[g].is_ignored) break;
        const double share = overlap(found, &labels[g]);
        if (share < most) continue;
        most = share;
        best = g;
    }
    return best;
}

static void match_one(ig_found *out, const ig_box *found, const ig_box *labels, size_t n,
                      uint16_t *taken)
{
    for (int bit = 0; bit < IG_N_OVERLAPS; bit++) {
        const double least = 0.5 + bit * ((0.95 - 0.5) / (IG_N_OVERLAPS - 1));
        const size_t g = choose(found, labels, n, taken, bit, least);
        if (g == SIZE_MAX) continue;
        taken[g] |= (uint16_t)(1u << bit);
        out->right |= (uint16_t)(1u << bit);
        if (labels[g].is_ignored) out->ignored |= (uint16_t)(1u << bit);
    }
}

/* ---- lists ---- */

static bool grow(void **items, size_t n, size_t *cap, size_t bytes, ig_alloc *alloc)
{
    if (n < *cap) return true;
    const size_t wanted = *cap ? 2 * *cap : 256;
    void *more = ig_alloc_get(alloc, wanted * bytes, 0, INGOT_MEM_OTHER);
    if (!more) return false;
    if (n) memcpy(more, *items, n * bytes);
    if (*items) ig_alloc_put(alloc, *items, *cap * bytes, INGOT_MEM_OTHER);
    *items = more;
    *cap = wanted;
    return true;
}

static ig_status add_found(ig_detections *d, const ig_found *found, ig_alloc *alloc, ig_error *err)
{
    if (!grow((void **)&d->found, d->n_found, &d->cap_found, sizeof *d->found, alloc))
        return IG_NOMEM(err, 2 * d->cap_found * sizeof *d->found);
    d->found[d->n_found++] = *found;
    return INGOT_OK;
}

static ig_status add_wanted(ig_detections *d, uint32_t item, const ig_box *labels, size_t n,
                            ig_alloc *alloc, ig_error *err)
{
    ig_wanted wanted = { .item = item };
    for (size_t g = 0; g < n; g++) wanted.n += !labels[g].is_ignored;
    if (wanted.n == 0) return INGOT_OK;
    wanted.class_i = labels[0].class_i;
    if (!grow((void **)&d->wanted, d->n_wanted, &d->cap_wanted, sizeof *d->wanted, alloc))
        return IG_NOMEM(err, 2 * d->cap_wanted * sizeof *d->wanted);
    d->wanted[d->n_wanted++] = wanted;
    return INGOT_OK;
}

/* Boxes [*i, result) of a sorted list are of class_i. */
static size_t class_end(const ig_boxes *boxes, size_t i, int32_t class_i)
{
    while (i < boxes->n && boxes->items[i].class_i == class_i) i++;
    return i;
}

ig_status ig_detections_match(ig_detections *d, uint32_t item, ig_boxes *found, ig_boxes *labels,
                              ig_alloc *alloc, ig_error *err)
{
    IG_TRY(sort_stably(found, alloc, err));
    IG_TRY(sort_stably(labels, alloc, err));
    const size_t bytes = (labels->n + 1) * sizeof(uint16_t);
    uint16_t *taken = ig_alloc_get(alloc, bytes, 0, INGOT_MEM_OTHER);
    if (!taken) return IG_NOMEM(err, bytes);
    memset(taken, 0, bytes);
    ig_status status = INGOT_OK;
    for (size_t i = 0, g = 0; !status && (i < found->n || g < labels->n);) {
        const bool is_label =
            i == found->n || (g < labels->n && labels->items[g].class_i < found->items[i].class_i);
        const int32_t class_i = is_label ? labels->items[g].class_i : found->items[i].class_i;
        const size_t end_i = class_end(found, i, class_i), end_g = class_end(labels, g, class_i);
        for (size_t k = i; !status && k < end_i && k < i + MAX_FOUND; k++) {
            ig_found one = { found->items[k].score, class_i, item, 0, 0 };
            match_one(&one, &found->items[k], labels->items + g, end_g - g, taken + g);
            status = add_found(d, &one, alloc, err);
        }
        if (!status) status = add_wanted(d, item, labels->items + g, end_g - g, alloc, err);
        i = end_i;
        g = end_g;
    }
    ig_alloc_put(alloc, taken, bytes, INGOT_MEM_OTHER);
    return status;
}

/* ---- all items ---- */

/* Equal scores in the order of items; within one they were sorted before, and stay so since their
 * places in memory decide. */
static int found_order(const void *a, const void *b)
{
    const ig_found *x = *(const ig_found *const *)a, *y = *(const ig_found *const *)b;
    if (x->class_i != y->class_i) return x->class_i < y->class_i ? -1 : 1;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int wanted_order(const void *a, const void *b)
{
    const ig_wanted *x = a, *y = b;
    if (x->class_i != y->class_i) return x->class_i < y->class_i ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

ig_status ig_detections_finish(ig_detections *d, ig_alloc *alloc, ig_error *err)
{
    const size_t n = d->n_found, order_bytes = (n + 1) * sizeof(ig_found *);
    const size_t curve_bytes = 2 * (n + 1) * sizeof *d->curve;
    const ig_found **order = ig_alloc_get(alloc, order_bytes, 0, INGOT_MEM_OTHER);
    ig_found *sorted = ig_alloc_get(alloc, (n + 1) * sizeof *sorted, 0, INGOT_MEM_OTHER);
    d->curve = ig_alloc_get(alloc, curve_bytes, 0, INGOT_MEM_OTHER);
    const bool is_ok = order && sorted && d->curve;
    if (is_ok) {
        for (size_t i = 0; i < n; i++) order[i] = &d->found[i];
        if (n) qsort(order, n, sizeof *order, found_order);
        for (size_t i = 0; i < n; i++) sorted[i] = *order[i];
        if (d->n_wanted) qsort(d->wanted, d->n_wanted, sizeof *d->wanted, wanted_order);
        if (d->found)
            ig_alloc_put(alloc, d->found, d->cap_found * sizeof *d->found, INGOT_MEM_OTHER);
        d->found = sorted;
        d->cap_found = n + 1;
    } else if (sorted) {
        ig_alloc_put(alloc, sorted, (n + 1) * sizeof *sorted, INGOT_MEM_OTHER);
    }
    if (order) ig_alloc_put(alloc, order, order_bytes, INGOT_MEM_OTHER);
    return is_ok ? INGOT_OK : IG_NOMEM(err, curve_bytes);
}

void ig_detections_free(ig_detections *d, ig_alloc *alloc)
{
    const size_t curve_bytes = 2 * (d->n_found + 1) * sizeof *d->curve;
    if (d->found) ig_alloc_put(alloc, d->found, d->cap_found * sizeof *d->found, INGOT_MEM_OTHER);
    if (d->wanted)
        ig_alloc_put(alloc, d->wanted, d->cap_wanted * sizeof *d->wanted, INGOT_MEM_OTHER);
    if (d->curve) ig_alloc_put(alloc, d->curve, curve_bytes, INGOT_MEM_OTHER);
    *d = (ig_detections){ 0 };
}
