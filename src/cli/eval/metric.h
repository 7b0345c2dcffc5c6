/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metric.h: what makes a number out of answers and labels.
 *
 * A metric looks at one item at a time and leaves two numbers about it, `a` and `b`, in a tally;
 * its value is a function of all of them, each counted as often as a weight says. That is all that
 * intervals (eval/interval.h) need to know: they draw weights.
 */
#ifndef IG_CLI_EVAL_METRIC_H
#define IG_CLI_EVAL_METRIC_H

#include "cli/part.h"

/* Outputs of a run on n items, of which this is item i. */
typedef struct ig_answer {
    size_t n_outputs;
    const char *const *names; /* NULL entries: unnamed, found by place */
    const ingot_value *const *values;
    size_t i, n;
} ig_answer;

/* The item's share of output k. False where that is no tensor, or has no equal share for each item
 * along its first dimension. A map per item (ZipMap's) becomes the tensor of its values. */
bool ig_answer_part(const ig_answer *answer, size_t k, ig_part *part);

/* What is right, as the data set has it. */
typedef struct ig_item_truth {
    const char *text; /* class, words or boxes; NULL: none */
    bool has_expected;
    ig_answer expected; /* stored outputs */
} ig_item_truth;

typedef enum ig_truth_kind {
    IG_TRUTH_CLASS = 0, /* number or name */
    IG_TRUTH_TEXT,
    IG_TRUTH_ARRAYS,
    IG_TRUTH_BOXES
} ig_truth_kind;

typedef enum ig_box_order { IG_BOX_XYXY = 0, IG_BOX_YXYX, IG_BOX_XYWH, IG_BOX_CXCYWH } ig_box_order;

/* What all metrics of an evaluation go by. */
typedef struct ig_judging {
    ig_names labels, keys;
    bool has_keys;
    int shift, positive, box_order;
    const char *output; /* NULL: the first that fits */
    double peak;        /* 0: by the element type */
    int64_t n_classes;  /* of the model; 0: not known yet */
} ig_judging;

/* What became of one item. */
typedef struct ig_mark {
    double a, b;
    uint64_t said;                   /* equal for equal answers */
    int32_t truth_class, said_class; /* -1: none */
    bool is_wrong;
} ig_mark;

typedef struct ig_metric ig_metric;

/* Marks of one metric and engine. */
typedef struct ig_tally {
    const ig_metric *metric;
    ig_judging *judging;
    ig_alloc *alloc;
    ig_mark *marks;
    size_t n, cap;
    void *more; /* the metric's own */
} ig_tally;

struct ig_metric {
    const char *name, *about;
    ig_truth_kind truth;
    bool is_share;        /* a is 1 for right, else 0, and the value is the share of right ones */
    bool is_percent;      /* shown as such */
    bool has_no_interval; /* an extreme: resampling says nothing of it */
    const char *unit;     /* "" where there is none */
    /* Look at one item; `said` gets the answer in words. The tally's n is the item's number. Fails
     * with INGOT_ERR_INVALID where the label is wrong, INGOT_ERR_SHAPE where outputs are. */
    ig_status (*judge)(ig_tally *tally, const ig_answer *answer, const ig_item_truth *truth,
                       ig_mark *mark, ig_str *said, ig_error *err);
    /* After the last item, before the first value; may be NULL. */
    ig_status (*finish)(ig_tally *tally, ig_error *err);
    /* Item i counts weights[i] times; NULL: once each. NaN where it is not defined. */
    double (*value)(const ig_tally *tally, const uint32_t *weights);
    /* How many steps one value takes; NULL: one an item. */
    size_t (*n_steps)(const ig_tally *tally);
    /* The value of one class alone; NULL where that is the share of right answers. */
    double (*class_value)(const ig_tally *tally, int32_t class_i);
    void (*free)(ig_tally *tally); /* of `more`; may be NULL */
};

/* ---- metrics.c ---- */

extern const ig_metric *const ig_metric_table[]; /* the list, in the order of help texts */
extern const size_t ig_n_metrics;
const ig_metric *ig_metric_find(const char *name, size_t n); /* NULL: none */

/* Append a mark. */
ig_status ig_tally_add(ig_tally *tally, const ig_mark *mark, ig_error *err) IG_MUST_USE;
void ig_tally_free(ig_tally *tally); /* accepts a zeroed one */

/* The value of most metrics: sums of the marks' a and b over all items. */
void ig_tally_sum(const ig_tally *tally, const uint32_t *weights, double *a, double *b);
double ig_tally_ratio(const ig_tally *tally, const uint32_t *weights); /* sum of a / sum of b */

/* ---- labels.c ---- */

/* The class that a label's text means, shifted: a number, or a name of the labels. Fails where it
 * is none of the n_classes (0: any) of the model. */
ig_status ig_class_of_label(const ig_judging *judging, const char *text, int64_t n_classes,
                            int32_t *out, ig_error *err) IG_MUST_USE;
/* The class's name, else its number. */
void ig_put_class(const ig_judging *judging, int64_t class_i, ig_str *out);

/* What a classifier says of an item. */
typedef struct ig_classified {
    ig_part scores;    /* count 0: it gives labels alone */
    int32_t best;      /* -1: a label that is no class */
    int64_t n_classes; /* 0: not known */
} ig_classified;

/* Scores: the largest is the class; one score alone: class 1 from 0.5 on. Labels (integers or
 * strings): as they are. */
ig_status ig_classify(const ig_judging *judging, const ig_answer *answer, ig_classified *out,
                      ig_error *err) IG_MUST_USE;
/* Both, with the parts of the mark that are about classes. */
ig_status ig_judge_class(const ig_tally *tally, const ig_answer *answer, const ig_item_truth *truth,
                         ig_classified *out, ig_mark *mark, ig_str *said,
                         ig_error *err) IG_MUST_USE;
/* Of two classes, how sure the answer is of the positive one. */
ig_status ig_positive_score(const ig_judging *judging, const ig_answer *answer, double *score,
                            ig_error *err) IG_MUST_USE;

/* ---- arrays.c: answers against stored outputs ---- */

typedef struct ig_array_sums {
    double n, error_sq, max_error; /* NaN or infinity on one side alone: infinite */
    double dot, answer_sq, truth_sq;
    bool is_bytes; /* all elements are uint8 */
    uint64_t hash; /* of the answer */
} ig_array_sums;

ig_status ig_compare_to_expected(const ig_judging *judging, const ig_answer *answer,
                                 const ig_item_truth *truth, ig_array_sums *out,
                                 ig_error *err) IG_MUST_USE;

/* ---- edits.c: answers in words ---- */

/* The fewest insertions, deletions and replacements that make text of truth, counted in words or in
 * characters; *n is how many truth has. */
ig_status ig_judge_text(const ig_tally *tally, const ig_answer *answer, const ig_item_truth *truth,
                        bool is_by_word, ig_mark *mark, ig_str *said, ig_error *err) IG_MUST_USE;

#endif
