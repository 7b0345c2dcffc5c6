/* SPDX-License-Identifier: Apache-2.0 */
/* detections.h: boxes that a model found, matched with those that are there, and their precision.
 */
#ifndef IG_CLI_EVAL_DETECTIONS_H
#define IG_CLI_EVAL_DETECTIONS_H

#include "cli/eval/metric.h"

#define IG_N_OVERLAPS 10 /* 0.50, 0.55, … 0.95 of intersection over union */

typedef struct ig_box {
    double x1, y1, x2, y2, score;
    int32_t class_i;
    bool is_ignored; /* of labels: a crowd; finding it is neither right nor wrong */
} ig_box;

typedef struct ig_boxes {
    ig_box *items;
    size_t n, cap;
} ig_boxes;

ig_status ig_boxes_add(ig_boxes *boxes, const ig_box *box, ig_alloc *alloc,
                       ig_error *err) IG_MUST_USE;
void ig_boxes_free(ig_boxes *boxes, ig_alloc *alloc);

/* boxes.c: of an answer, by its outputs' names and shapes; of a label's text. */
ig_status ig_boxes_of_answer(const ig_judging *judging, const ig_answer *answer, ig_boxes *out,
                             ig_alloc *alloc, ig_error *err) IG_MUST_USE;
ig_status ig_boxes_of_label(const ig_judging *judging, const char *text, ig_boxes *out,
                            ig_alloc *alloc, ig_error *err) IG_MUST_USE;

/* A found box after matching: one bit an overlap. */
typedef struct ig_found {
    double score;
    int32_t class_i;
    uint32_t item;
    uint16_t right, ignored;
} ig_found;

/* Labels of one class in one item, without ignored ones. */
typedef struct ig_wanted {
    int32_t class_i;
    uint32_t item;
    double n;
} ig_wanted;

/* All of a tally. */
typedef struct ig_detections {
    ig_found *found;
    ig_wanted *wanted;
    size_t n_found, cap_found, n_wanted, cap_wanted;
    double *curve; /* room for precision and recall of n_found boxes */
} ig_detections;

/* match.c: the way of COCO: found boxes in the order of their scores, at most 100 of a class, each
 * take the free label that they overlap most. Both lists are sorted by it. */
ig_status ig_detections_match(ig_detections *d, uint32_t item, ig_boxes *found, ig_boxes *labels,
                              ig_alloc *alloc, ig_error *err) IG_MUST_USE;
/* Sort all by class and score; nothing is added afterwards. */
ig_status ig_detections_finish(ig_detections *d, ig_alloc *alloc, ig_error *err) IG_MUST_USE;
void ig_detections_free(ig_detections *d, ig_alloc *alloc);

/* average_precision.c: mean over overlaps [0, n_overlaps) and classes that have labels (class_i -1:
 * all) of the precision at 101 recalls. NaN where no class has labels. */
double ig_average_precision(const ig_detections *d, int n_overlaps, int32_t class_i,
                            const uint32_t *weights);

#endif
