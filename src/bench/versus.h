/* SPDX-License-Identifier: Apache-2.0 */
/*
 * versus.h: engines side by side in one run. Each is a driver in a process of its own; their turns
 * alternate in random order while the others are stopped, so that a slow moment of the machine hits
 * all alike; ratios come from turns that were next to each other. Outputs are compared with a
 * reference before anything is timed. What a turn is depends on the scenario:
 *
 *   single    a block of runs, one after the other
 *   offline   a block of runs that are all there at the begin, in several streams
 *   dynamic   a run each of some shapes, the same ones for all engines
 *   cold      a fresh process: load, and the first run
 */
#ifndef IG_BENCH_VERSUS_H
#define IG_BENCH_VERSUS_H

#include "bench/compare.h"
#include "bench/report.h"

/* Errors beyond these are wrong answers, which have no speed. rms, relative to the reference. */
#define IG_VERSUS_MAX_ERROR 1e-2
#define IG_VERSUS_MAX_MIXED_ERROR 0.2 /* of other precisions, which the user has allowed */
#define IG_VERSUS_MIN_ROUNDS 12

/* Why this scenario compares no engines; NULL: it does. */
const char *ig_versus_refusal(ig_scenario scenario);

/* The parts of a cold start. */
typedef enum ig_cold_part {
    IG_COLD_PART_START = 0,
    IG_COLD_PART_LOAD,
    IG_COLD_PART_FIRST
} ig_cold_part;
#define IG_COLD_N_PARTS 3
extern const char *const ig_cold_part_names[IG_COLD_N_PARTS]; /* "start", "load", "first" */

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
    /* Windows; every run (sorted); what turns took by inference. Cold: load and first run. */
    ig_samples warm_up_ns, run_ns, block_ns;
    ig_samples cold_ns[IG_COLD_N_PARTS]; /* cold alone (sorted) */
    ig_shape_times shapes;               /* dynamic alone */
    size_t block_runs, n_runs;           /* of a turn; of all turns */
    ig_process_facts memory;             /* at the end */
    size_t rss_begin_bytes;              /* after the warm-up; 0: processes do not last */
    bool is_leaking;                     /* grows with every round */
    ig_memory_trace memory_trace;        /* empty for cold: processes do not last */
    double cpu_ns_per_run, idle_cpu_share;
    bool has_ratio, has_first_ratio;
    ig_estimate ratio;       /* its time / the first contender's */
    ig_estimate first_ratio; /* dynamic: the same of first runs of a shape */
} ig_contender;

typedef struct ig_versus {
    ig_bench_plan plan;
    const char *model;
    int n_threads, n_streams; /* of one inference; at once (offline, else 1) */
    bool allow_mixed;
    double timeout_s; /* for one answer */
    char *const *reference_command;
    const char *reference_name;
    const ig_driver_inputs *variants; /* one, but for dynamic */
    size_t n_variants;
    const char *const *vary; /* what the user called them */
    size_t n_vary;
    const char *folder; /* for outputs; exists */
    bool (*is_cancelled)(void);
    void (*on_progress)(void *ctx, double share); /* may be NULL */
    void *progress_ctx;
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

double ig_versus_quantile_ms(const ig_samples *sorted_ns, double share); /* NaN: too few */
/* Inferences a second; NaN for cold starts. */
double ig_versus_rate(const ig_contender *contender);

/* The report as an object of `w`; as CSV, a line of names and one for each engine. */
void ig_versus_put_json(const ig_versus *v, ig_json_writer *w);
void ig_versus_put_csv_names(ig_str *out);
void ig_versus_put_csv(const ig_versus *v, ig_str *out);
/* Lines of the same names: a model that Ingot cannot run; a mean over n models (NULL: of none). */
void ig_versus_put_csv_failure(const char *model, const char *why, ig_str *out);
void ig_versus_put_csv_mean(const char *engine, size_t n_models, const ig_estimate *ratio,
                            ig_str *out);

#endif
