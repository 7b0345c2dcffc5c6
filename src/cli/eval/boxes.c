/* SPDX-License-Identifier: Apache-2.0 */
/* boxes.c: boxes of answers and of labels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/eval/detections.h"

#define MAX_BOXES 1000000

ig_status ig_boxes_add(ig_boxes *b, const ig_box *box, ig_alloc *alloc, ig_error *err)
{
    if (b->n == b->cap) {
        const size_t cap = b->cap ? 2 * b->cap : 64;
        ig_box *items = ig_alloc_get(alloc, cap * sizeof *items, 0, INGOT_MEM_OTHER);
        if (!items) return IG_NOMEM(err, cap * sizeof *items);
        if (b->n) memcpy(items, b->items, b->n * sizeof *items);
        ig_boxes_free(&(ig_boxes){ b->items, 0, b->cap }, alloc);
        b->items = items;
        b->cap = cap;
    }
    b->items[b->n++] = *box;
    return INGOT_OK;
}

void ig_boxes_free(ig_boxes *b, ig_alloc *alloc)
{
    if (b->items) ig_alloc_put(alloc, b->items, b->cap * sizeof *b->items, INGOT_MEM_OTHER);
    *b = (ig_boxes){ 0 };
}

/* ---- answers ---- */

/* The outputs of a detector: boxes [n,4]; scores [n] or [n, classes]; classes [n] and how many of
 * the n count, where there are such. */
typedef struct detector {
    ig_part boxes, scores, classes, number;
    bool has_boxes, has_scores, has_classes, has_number;
} detector;

static bool has_word(const char *name, const char *word)
{
    for (; name && *name; name++)
        if (strncasecmp(name, word, strlen(word)) == 0) return true;
    return false;
}

/* By name; without telling names, boxes are what ends in a dimension of 4, then come scores and
 * classes. */
static void find_outputs(const ig_answer *a, detector *d)
{
    for (size_t k = 0; k < a->n_outputs; k++) {
        const char *name = a->names[k];
        ig_part p = { 0 };
        if (!ig_answer_part(a, k, &p) || (p.count && !p.is_numeric)) continue;
        const bool is_four = p.rank >= 2 && p.dims[p.rank - 1] == 4;
        const bool is_named = has_word(name, "score") || has_word(name, "class") ||
                              has_word(name, "label") || has_word(name, "num");
        if (!d->has_boxes && is_four && (!is_named || has_word(name, "box"))) {
            d->boxes = p;
            d->has_boxes = true;
        } else if (!d->has_number && has_word(name, "num") && p.count == 1) {
            d->number = p;
            d->has_number = true;
        } else if (!d->has_classes && (has_word(name, "class") || has_word(name, "label") ||
                                       (!is_named && d->has_scores))) {
            d->classes = p;
            d->has_classes = true;
        } else if (!d->has_scores) {
            d->scores = p;
            d->has_scores = true;
        }
    }
}

static ig_box read_box(const ig_part *p, int64_t i, int order)
{
    double v[4];
    for (int k = 0; k < 4; k++) v[k] = ig_part_element(p, 4 * i + k);
    switch (order) {
    case IG_BOX_YXYX: return (ig_box){ .x1 = v[1], .y1 = v[0], .x2 = v[3], .y2 = v[2] };
    case IG_BOX_XYWH:
        return (ig_box){ .x1 = v[0], .y1 = v[1], .x2 = v[0] + v[2], .y2 = v[1] + v[3] };
    case IG_BOX_CXCYWH:
        return (ig_box){ .x1 = v[0] - v[2] / 2,
                         .y1 = v[1] - v[3] / 2,
                         .x2 = v[0] + v[2] / 2,
                         .y2 = v[1] + v[3] / 2 };
    default: return (ig_box){ .x1 = v[0], .y1 = v[1], .x2 = v[2], .y2 = v[3] };
    }
}

/* A box once for each class that it has a score of. */
static ig_status add_classes(const detector *d, int64_t i, int64_t n_scores, ig_box *box,
                             ig_boxes *out, ig_alloc *alloc, ig_error *err)
{
    for (int64_t c = 0; c < n_scores; c++) {
        const double named = d->has_classes ? ig_part_element(&d->classes, i) : (double)c;
        box->score = ig_part_element(&d->scores, i * n_scores + c);
        if (!(named >= 0 && named < INT32_MAX) || isnan(box->score)) continue;
        box->class_i = (int32_t)named;
        IG_TRY(ig_boxes_add(out, box, alloc, err));
    }
    return INGOT_OK;
}

ig_status ig_boxes_of_answer(const ig_judging *j, const ig_answer *answer, ig_boxes *out,
                             ig_alloc *alloc, ig_error *err)
{
    detector d = { 0 };
    find_outputs(answer, &d);
    if (!d.has_boxes || !d.has_scores)
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "no output of boxes (n x 4) beside one of scores for each of %zu items%s",
                       answer->n, answer->n > 1 ? "; try --batch 1" : "");
    int64_t n = d.boxes.count / 4;
    const int64_t n_scores = n ? d.scores.count / n : 0;
    if (n > MAX_BOXES || n_scores * n != d.scores.count || (n && n_scores < 1) ||
        (d.has_classes && (d.classes.count != n || n_scores > 1)))
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "%lld boxes, %lld scores and %lld classes do not belong together",
                       (long long)n, (long long)d.scores.count, (long long)d.classes.count);
    const double number = d.has_number ? ig_part_element(&d.number, 0) : (double)n;
    if (number >= 0 && number < (double)n) n = (int64_t)number;
    for (int64_t i = 0; i < n; i++) {
        ig_box box = read_box(&d.boxes, i, j->box_order);
        IG_TRY(add_classes(&d, i, n_scores, &box, out, alloc, err));
    }
    return INGOT_OK;
}

/* ---- labels ---- */

/* "CLASS,x1,y1,x2,y2" or "…,1" for what is ignored, at *text, which moves behind it. */
static ig_status parse_box(const ig_judging *j, const char **text, ig_box *box, ig_error *err)
{
    char class_text[80];
    double v[5] = { 0 };
    const size_t n = strcspn(*text, ", ");
    const char *begin = *text, *p = begin + n;
    int k = 0;
    for (; k < 5 && *p == ','; k++) {
        char *end;
        v[k] = strtod(p + 1, &end);
        if (end == p + 1) break;
        p = end;
    }
    *text = p;
    if (n >= sizeof class_text || k < 4 || (*p && *p != ' ') || !(v[2] >= v[0] && v[3] >= v[1]))
        return ig_fail(err, INGOT_ERR_INVALID,
                       "'%.40s' is no box CLASS,x1,y1,x2,y2 with x1 <= x2 and y1 <= y2", begin);
    memcpy(class_text, begin, n);
    class_text[n] = '\0';
    *box = (ig_box){ .x1 = v[0], .y1 = v[1], .x2 = v[2], .y2 = v[3], .is_ignored = v[4] != 0 };
    return ig_class_of_label(j, class_text, 0, &box->class_i, err);
}

ig_status ig_boxes_of_label(const ig_judging *j, const char *text, ig_boxes *out, ig_alloc *alloc,
                            ig_error *err)
{
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        ig_box box;
        IG_TRY(parse_box(j, &text, &box, err));
        IG_TRY(ig_boxes_add(out, &box, alloc, err));
    }
    return INGOT_OK;
}
