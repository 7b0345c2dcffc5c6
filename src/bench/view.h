/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.h: a measurement as a page, or a list of test cases, shows it: one form for every scenario,
 * with rivals and without. It borrows from the results, which must outlive it; texts of its own are
 * the arena's.
 */
#ifndef IG_BENCH_VIEW_H
#define IG_BENCH_VIEW_H

#include "bench/cold.h"
#include "bench/facts.h"
#include "bench/versus.h"

#define IG_VIEW_MAX_PARTS IG_COLD_N_PHASES

/* Something that was timed: an engine, or a part of a scenario ("shape first seen"). */
typedef struct ig_view_series {
    const char *name;                    /* not to be trusted */
    const char *label;                   /* a precision that is not Ingot's, or NULL */
    const ig_samples *sorted_ns;         /* every time */
    const ig_samples *warm_up_ns;        /* medians of windows, or NULL */
    const ig_samples *window_ns;         /* the same while measured, or of rounds; or NULL */
    double parts_ns[IG_VIEW_MAX_PARTS];  /* medians of the parts of a cold start */
    const ig_memory_trace *memory_trace; /* or NULL */
    double first_ns;                     /* NaN: unknown */
    const ig_contender *contender;       /* an engine among rivals, or NULL */
} ig_view_series;

typedef struct ig_view {
    const char *model, *scenario;
    const char *const *part_names; /* of a cold start, one after the other */
    size_t n_parts;                /* 0: no cold start */
    ig_view_series *series;        /* the first is Ingot's */
    size_t n_series;
    const ig_str *reasons; /* why it is invalid; empty: valid */
    bool is_overloaded;
    const ig_noise_mark *before, *after;
    int n_repeats;
    int n_threads;                     /* of an inference; 0: not told */
    int n_running;                     /* threads at once, as the noise guard counts them */
    double warm_up_window_s, window_s; /* window_s 0: windows are rounds */
    const char *reference_name;        /* what outputs were compared with, or NULL */
    const ig_roofline *roofline;       /* or NULL */
    const char *note;                  /* why something is absent, or NULL */
    ig_facts results, settings;
} ig_view;

ig_status ig_view_of_bench(const ig_bench_report *report, ig_arena *arena, ig_view *out,
                           ig_error *err) IG_MUST_USE;
ig_status ig_view_of_cold(const char *model, const ig_bench_plan *plan, const ig_cold_result *r,
                          ig_arena *arena, ig_view *out, ig_error *err) IG_MUST_USE;
/* roofline: Ingot's, or NULL. */
ig_status ig_view_of_versus(const ig_versus *v, const ig_roofline *roofline, ig_arena *arena,
                            ig_view *out, ig_error *err) IG_MUST_USE;

/* Is it an engine that has times? */
bool ig_view_is_timed(const ig_view_series *series);

/* Three or four digits and a unit: "7.321 ms", "41.2 µs", "38.9 MB". "?" where it is NaN. */
const char *ig_view_time(double ns, char buf[32]);
const char *ig_view_bytes(double bytes, char buf[32]);
/* A quantile and its interval, "7.321 ms (7.30 to 7.35)", or what is missing: "not enough samples:
 * 30 of 36". */
const char *ig_view_quantile(const ig_samples *sorted_ns, double share, char buf[96]);

#endif
