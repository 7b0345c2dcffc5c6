/* SPDX-License-Identifier: Apache-2.0 */
/* eval.h: an evaluation: a data set, metrics, Ingot and perhaps rivals that answer the same items.
 */
#ifndef IG_CLI_EVAL_EVAL_H
#define IG_CLI_EVAL_EVAL_H

#include "bench/versus.h"
#include "cli/eval/dataset.h"
#include "cli/eval/interval.h"

#define IG_MAX_EVAL_METRICS 8
#define IG_MAX_EVAL_ENGINES 16

/* Who answers. The first of an evaluation is Ingot, in this process; the others are drivers. */
typedef struct ig_eval_engine {
    const char *name;
    ig_tally tallies[IG_MAX_EVAL_METRICS];
    double run_ns;  /* of all runs */
    size_t n_items; /* that were run */
    /* rivals */
    char *command[2]; /* NULL: no driver of that name */
    ig_driver driver;
    bool is_loaded;
    ig_contender_state state;
    char why[400];    /* it is not fine */
    ig_arena scratch; /* of one batch */
    struct ig_eval_output {
        ig_file file;
        ingot_value *value;
    } * outputs;
    size_t n_outputs;
} ig_eval_engine;

typedef struct ig_evaluation {
    ig_cli *cli;
    ig_engine engine;
    ig_card card;
    ig_judging judging;
    ig_dataset data;
    const ig_metric *metrics[IG_MAX_EVAL_METRICS];
    size_t n_metrics;
    ig_eval_engine *engines;
    size_t n_engines;
    const char *folder; /* for files that drivers read; NULL: there are none */
    const char *model;  /* its path, as drivers can find it */
    int n_threads;
    size_t n_judged;
    ig_str wrong; /* for --save-errors */
    ig_progress progress;
} ig_evaluation;

/* ---- rivals.c ---- */

/* Find and start the drivers of --vs; those that fail are told apart by their state. */
ig_status ig_rivals_start(ig_evaluation *ev) IG_MUST_USE;
/* The engine's feeds as files, for all of them. */
ig_status ig_rivals_write_inputs(ig_evaluation *ev, const ig_driver_tensor **inputs,
                                 size_t *n) IG_MUST_USE;
/* Have one answer; its failure is its state. n: items that are judged. */
void ig_rival_run(ig_evaluation *ev, ig_eval_engine *rival, const ig_driver_tensor *inputs,
                  size_t n_inputs, ig_answer *answer);
/* No longer take part. why NULL: what the command's error says, which is forgotten. */
void ig_rival_give_up(ig_evaluation *ev, ig_eval_engine *rival, ig_contender_state state,
                      const char *why);
void ig_rivals_stop(ig_evaluation *ev);

/* ---- confusion.c ---- */

typedef struct ig_class_row {
    int32_t class_i;
    size_t n, n_right, n_said; /* items of it, right ones, items that are said to be of it */
    double value;              /* of the metric on this class */
} ig_class_row;

typedef struct ig_confused {
    int32_t truth, said;
    size_t n;
} ig_confused;

typedef struct ig_confusion {
    ig_class_row *rows; /* classes that occur, in their order */
    ig_confused *pairs; /* of different classes, most frequent first */
    size_t n_rows, n_pairs;
} ig_confusion;

/* What a tally says class by class; memory is the arena's. */
ig_status ig_confusion_of(const ig_tally *tally, ig_arena *arena, ig_confusion *out,
                          ig_error *err) IG_MUST_USE;

/* ---- report.c, report_json.c ---- */

/* What is reported of one engine and metric. */
typedef struct ig_eval_row {
    ig_figure figure;
    bool is_paired;
    ig_pairing paired; /* against Ingot */
} ig_eval_row;

/* Figures of all engines that are fine: engines x metrics. */
ig_status ig_eval_figures(ig_evaluation *ev, ig_eval_row **rows) IG_MUST_USE;
void ig_eval_put_text(ig_evaluation *ev, const ig_eval_row *rows, const ig_confusion *confusion,
                      ig_str *out);
void ig_eval_put_json(ig_evaluation *ev, const ig_eval_row *rows, const ig_confusion *confusion,
                      ig_str *out);

#endif
