/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scenario.h: how a model is asked, and what came of it.
 *
 *   single    one session, the next run when the last is done
 *   multi     several such sessions at once
 *   server    requests arrive by chance (Poisson) whether or not the last is done; latency counts
 *             from the moment of arrival, so that waiting is part of it
 *   offline   all requests are there at the begin: the rate is what counts
 *   dynamic   inputs of many shapes; the first run of a shape apart from later ones
 *   cold      a fresh process each: cold.h
 */
#ifndef IG_BENCH_SCENARIO_H
#define IG_BENCH_SCENARIO_H

#include "bench/memory_trace.h"
#include "bench/noise.h"
#include "bench/process.h"
#include "bench/shapes.h"
#include "bench/stats.h"

#define IG_SCENARIO_NAMES "single|multi|server|offline|cold|dynamic"
typedef enum ig_scenario {
    IG_SCENARIO_SINGLE = 0,
    IG_SCENARIO_MULTI,
    IG_SCENARIO_SERVER,
    IG_SCENARIO_OFFLINE,
    IG_SCENARIO_COLD,
    IG_SCENARIO_DYNAMIC
} ig_scenario;
const char *ig_scenario_name(ig_scenario scenario);

/* A set of inputs for one run. */
typedef struct ig_feeds {
    const ingot_value *const *values;
    size_t n;
} ig_feeds;

typedef struct ig_bench_subject {
    ingot_model *model;
    ingot_session_options session; /* n_threads 0: shared out among the sessions */
    const ig_feeds *variants;      /* one, but for dynamic */
    size_t n_variants;
} ig_bench_subject;

typedef struct ig_bench_plan {
    ig_scenario scenario;
    double duration_s; /* measure at least this long, at most IG_BENCH_MAX_STRETCH times */
    size_t min_runs;   /* and at least so many runs */
    double stability;  /* and until the last three windows' medians lie within this share */
    int n_sessions;    /* 0: the scenario's default */
    double rate;       /* server: arrivals a second; 0: half of what is possible */
    uint64_t seed;
    int n_retries; /* after noise */
} ig_bench_plan;

#define IG_BENCH_MAX_STRETCH 4.0
#define IG_BENCH_N_WINDOWS 10
#define IG_BENCH_N_WARM_UP_WINDOWS 20 /* at most; each a twentieth of the duration */
#define IG_BENCH_MAX_SAMPLES 4000000

/* Medians of consecutive stretches of time. */
typedef struct ig_windows {
    double window_ns;
    uint64_t begin_ns;
    ig_samples current, medians;
} ig_windows;
void ig_windows_init(ig_windows *w, ig_alloc *alloc, double window_s);
void ig_windows_free(ig_windows *w);
/* A run of `ns` ended at `now_ns`. */
ig_status ig_windows_add(ig_windows *w, uint64_t now_ns, double ns, ig_error *err) IG_MUST_USE;
/* (largest - smallest) / smallest of the last three medians; infinite where there are fewer. */
double ig_windows_spread(const ig_windows *w);

typedef struct ig_bench_result {
    ig_bench_plan plan; /* with what was left open filled in */
    int n_threads;      /* of each session */
    double pack_ns, first_ns;
    ig_samples latency_ns;    /* sorted; dynamic: of shapes seen before */
    ig_samples first_seen_ns; /* dynamic alone, sorted */
    ig_shape_times shapes;    /* the same by shape; n 0 in other scenarios */
    ig_samples warm_up_ns;    /* the curve: windows' medians */
    ig_samples window_ns;     /* the same while measured; offline: times of one inference, in
                                 consecutive stretches of completions */
    double total_s, cpu_ns_per_run;
    double idle_cpu_share; /* CPU time burnt in the 200 ms after the last run, of one CPU */
    double spread;         /* of the last three windows */
    bool is_stable, is_overloaded;
    ig_process_facts memory, after_idle;
    ig_memory_trace memory_trace;
    ig_noise_mark before, after;
    int n_repeats;
    ig_str reasons; /* why it is invalid; empty: valid */
} ig_bench_result;

void ig_bench_result_init(ig_bench_result *r, ig_alloc *alloc);
void ig_bench_result_free(ig_bench_result *r);

/* Measure. Failures are the model's own; noise makes a result with reasons. */
ig_status ig_bench_measure(const ig_bench_subject *subject, const ig_bench_plan *plan,
                           ig_bench_result *r, ig_error *err) IG_MUST_USE;

/* ---- loops.c: one session at work ---- */

typedef struct ig_bench_loop ig_bench_loop;

typedef struct ig_bench_worker {
    ig_bench_loop *loop;
    ingot_session *session;
    uint64_t random;
    ig_samples latency_ns, first_seen_ns;
    ig_windows windows;
    ig_memory_trace *memory; /* of the first alone: who looks at it, between its runs */
    ig_status status;
    ig_error err;
} ig_bench_worker;

/* What the workers share. */
struct ig_bench_loop {
    const ig_bench_subject *subject;
    const ig_bench_plan *plan;
    uint64_t begin_ns;
    /* Open loops: when each request is due, from begin_ns on. */
    const double *due_ns;
    size_t n_due;
    ig_shape_times *shapes; /* dynamic alone: by variant */
    struct ig_bench_counters *counters;
};

/* Run workers[0] on this thread and the others on their own, until all have ended. */
ig_status ig_bench_loop_run(ig_bench_loop *loop, ig_bench_worker *workers, size_t n,
                            ig_alloc *alloc, ig_error *err) IG_MUST_USE;

#endif
