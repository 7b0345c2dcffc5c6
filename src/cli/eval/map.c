/* SPDX-License-Identifier: Apache-2.0 */
/* map.c: mean average precision of detectors, the way of COCO: map at overlaps of 0.50 to 0.95,
 * map50 at 0.50. */
#include <math.h>

#include "base/map.h"
#include "cli/eval/detections.h"

#define SURE_SCORE 0.5 /* a false box below this makes no item wrong */

/* The marks' a and b are labels found at 0.50, and labels. */
static void put_mark(const ig_detections *d, size_t n_found, size_t n_wanted, ig_mark *mark)
{
    size_t n_false = 0;
    for (size_t i = n_found; i < d->n_found; i++) {
        mark->a += (d->found[i].right & 1) && !(d->found[i].ignored & 1);
        n_false += !(d->found[i].right & 1) && d->found[i].score >= SURE_SCORE;
    }
    for (size_t i = n_wanted; i < d->n_wanted; i++) mark->b += d->wanted[i].n;
    mark->is_wrong = mark->a < mark->b || n_false;
}

/* What is surely there: classes and places, rounded so that noise of the last digits is no other
 * answer. */
static uint64_t hash_boxes(const ig_boxes *found, size_t *n_sure)
{
    uint64_t hash = 0;
    *n_sure = 0;
    for (size_t i = 0; i < found->n; i++) {
        const ig_box *b = &found->items[i];
        if (!(b->score >= SURE_SCORE)) continue;
        const float words[] = { (float)b->class_i, rintf((float)b->x1 * 16),
                                rintf((float)b->y1 * 16), rintf((float)b->x2 * 16),
                                rintf((float)b->y2 * 16) };
        hash = ig_hash(words, sizeof words, hash);
        ++*n_sure;
    }
    return hash;
}

static ig_status judge(ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                       ig_mark *mark, ig_str *said, ig_error *err)
{
    ig_boxes found = { 0 }, labels = { 0 };
    if (!t->more) {
        t->more = ig_alloc_get(t->alloc, sizeof(ig_detections), 0, INGOT_MEM_OTHER);
        if (!t->more) return IG_NOMEM(err, sizeof(ig_detections));
        *(ig_detections *)t->more = (ig_detections){ 0 };
    }
    ig_detections *d = t->more;
    const size_t n_found = d->n_found, n_wanted = d->n_wanted;
    size_t n_sure = 0;
    *mark = (ig_mark){ .truth_class = -1, .said_class = -1 };
    ig_status status = ig_boxes_of_label(t->judging, truth->text, &labels, t->alloc, err);
    if (!status) status = ig_boxes_of_answer(t->judging, answer, &found, t->alloc, err);
    if (!status && t->n >= UINT32_MAX) status = ig_fail(err, INGOT_ERR_LIMIT, "too many items");
    if (!status) status = ig_detections_match(d, (uint32_t)t->n, &found, &labels, t->alloc, err);
    if (!status) {
        put_mark(d, n_found, n_wanted, mark);
        mark->said = hash_boxes(&found, &n_sure);
        ig_str_printf(said, "%.0f of %.0f found, %zu boxes from %.1f on", mark->a, mark->b, n_sure,
                      SURE_SCORE);
    }
    ig_boxes_free(&found, t->alloc);
    ig_boxes_free(&labels, t->alloc);
    return status;
}

static ig_status finish(ig_tally *t, ig_error *err)
{
    return t->more ? ig_detections_finish(t->more, t->alloc, err) : INGOT_OK;
}

static double value(const ig_tally *t, const uint32_t *weights)
{
    return t->more ? ig_average_precision(t->more, IG_N_OVERLAPS, -1, weights) : NAN;
}

static double class_value(const ig_tally *t, int32_t class_i)
{
    return t->more ? ig_average_precision(t->more, IG_N_OVERLAPS, class_i, NULL) : NAN;
}

static size_t n_steps(const ig_tally *t)
{
    const ig_detections *d = t->more;
    return d ? IG_N_OVERLAPS * d->n_found + d->n_wanted : 0;
}

static double value50(const ig_tally *t, const uint32_t *weights)
{
    return t->more ? ig_average_precision(t->more, 1, -1, weights) : NAN;
}

static double class_value50(const ig_tally *t, int32_t class_i)
{
    return t->more ? ig_average_precision(t->more, 1, class_i, NULL) : NAN;
}

static void free_detections(ig_tally *t)
{
    if (!t->more) return;
    ig_detections_free(t->more, t->alloc);
    ig_alloc_put(t->alloc, t->more, sizeof(ig_detections), INGOT_MEM_OTHER);
}

const ig_metric ig_metric_map = {
    .name = "map",
    .about = "mean average precision of boxes, overlaps of 0.50 to 0.95 (COCO)",
    .truth = IG_TRUTH_BOXES,
    .unit = "",
    .judge = judge,
    .finish = finish,
    .value = value,
    .n_steps = n_steps,
    .class_value = class_value,
    .free = free_detections,
};
const ig_metric ig_metric_map50 = {
    .name = "map50",
    .about = "the same at an overlap of 0.50",
    .truth = IG_TRUTH_BOXES,
    .unit = "",
    .judge = judge,
    .finish = finish,
    .value = value50,
    .n_steps = n_steps,
    .class_value = class_value50,
    .free = free_detections,
};
