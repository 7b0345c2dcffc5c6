/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cold.h: the time from nothing to the first answer. Each sample is a process of its own; in turns
 * the files of the model are in the page cache, or not.
 */
#ifndef IG_BENCH_COLD_H
#define IG_BENCH_COLD_H

#include "bench/report.h"

#define IG_COLD_N_PHASES 6
/* "process", "map", "parse", "optimise", "pack", "first" */
extern const char *const ig_cold_phases[IG_COLD_N_PHASES];

typedef struct ig_cold_result {
    ig_samples warm_ns[IG_COLD_N_PHASES], cold_ns[IG_COLD_N_PHASES]; /* sorted */
    char why_no_cold[160]; /* why there are no samples of the one with an empty cache */
    ig_noise_mark before, after;
    const char *precision; /* set by the caller */
    ig_str reasons;
} ig_cold_result;

void ig_cold_result_init(ig_cold_result *r, ig_alloc *alloc);
void ig_cold_result_free(ig_cold_result *r);

/* `command` runs once and prints a line of JSON: {"map_ms": …, "first_ms": …, "files": […]}. */
ig_status ig_cold_measure(char *const *command, const ig_bench_plan *plan, ig_arena *arena,
                          ig_cold_result *r, ig_error *err) IG_MUST_USE;
void ig_cold_put_json(const char *model, const ig_cold_result *r, ig_str *out);
void ig_cold_put_csv(const char *model, const ig_cold_result *r, ig_str *out);

/* What such a command prints. */
void ig_cold_put_once(const ig_bench_report *report, ig_str *out);

#endif
