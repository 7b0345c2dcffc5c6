/* SPDX-License-Identifier: Apache-2.0 */
/*
 * versus.h: engines side by side in one run. Each is a driver in a process of its own; their blocks
 * of runs alternate in random order while the others are stopped, so that a slow moment of the
 * machine hits all alike; ratios come from blocks that ran next to each other. Outputs are compared
 * with a reference before anything is timed.
 */
#ifndef IG_BENCH_VERSUS_H
#define IG_BENCH_VERSUS_H

#include "bench/compare.h"
#include "bench/report.h"

/* Errors beyond these are wrong answers, which have no speed. rms, relative to the reference. */
#define IG_VERSUS_MAX_ERROR 1e-2
#define IG_VERSUS_MAX_MIXED_ERROR 0.2 /* of other precisions, which the user has allowed */
#define IG_VERSUS_MIN_ROUNDS 12

typedef enum ig_contender_state {
    IG_CONTENDER_FINE = 0,
    IG_CONTENDER_MISSING, /* no such driver, or its engine is not installed */
    IG_CONTENDER_REFUSED, /* computes in another precision */
    IG_CONTENDER_WRONG,   /* its outputs are not those of the reference */
    IG_CONTENDER_FAILED   /* crashed, hung, talked nonsense, cannot run the model */
} ig_contender_state;
const char *ig_contender_state_name(ig_contender_state state);

typedef struct ig_contender {
    const char *name;     /* as it was asked for */
    char *const *command; /* NULL: no driver of that name */
    ig_driver driver;
    ig_contender_state state;
    char why[400];            /* it is not fine */
    bool is_other_precision;  /* than the first contender's */
    ig_difference difference; /* from the reference */
    double first_ns;
    ig_samples warm_up_ns, run_ns, block_ns; /* windows; every run (sorted); medians of blocks */
    size_t block_runs;
    ig_process_facts memory; /* at the end */
    size_t rss_begin_bytes;  /* after the warm-up */
    bool is_leaking;         /* grows with every round */
    double cpu_ns_per_run, idle_cpu_share;
    bool has_ratio;
    ig_estimate ratio; /* its time / the first contender's */
} ig_contender;

typedef struct ig_versus {
    ig_bench_plan plan;
    const char *model;
    int n_threads;
    bool allow_mixed;
    double timeout_s; /* for one answer */
    char *const *reference_command;
    const char *reference_name;
    const ig_driver_tensor *inputs;
    size_t n_inputs;
    const char *folder; /* for outputs; exists */
    bool (*is_cancelled)(void);
    ig_contender *contenders; /* the first is Ingot */
    size_t n;
    /* results */
    size_t n_rounds;
    int n_repeats;
    ig_noise_mark before, after;
    ig_str reasons;
} ig_versus;

/* Measure. Rivals that fail are told apart by their state; only the first contender's failure, or
 * the reference's, is a failure. */
ig_status ig_versus_measure(ig_versus *v, ig_arena *arena, ig_error *err) IG_MUST_USE;
void ig_versus_free(ig_versus *v, ig_alloc *alloc);

void ig_versus_put_json(const ig_versus *v, ig_str *out);
void ig_versus_put_csv(const ig_versus *v, ig_str *out);

#endif
