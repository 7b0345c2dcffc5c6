/* SPDX-License-Identifier: Apache-2.0 */
/* diff.h: two reports of `ingot bench --json`, before and after. */
#ifndef IG_BENCH_DIFF_H
#define IG_BENCH_DIFF_H

#include "base/json.h"
#include "bench/stats.h"

#define IG_DIFF_MIN_WINDOWS 6 /* fewer medians have no interval */

typedef enum ig_diff_verdict {
    IG_DIFF_SAME = 0, /* no difference is seen, or none beyond the gate */
    IG_DIFF_FASTER,   /* surely, and by more than the gate */
    IG_DIFF_SLOWER,   /* surely, and by more than the gate */
    IG_DIFF_UNSURE    /* the interval holds the gate: measure longer */
} ig_diff_verdict;
const char *ig_diff_verdict_name(ig_diff_verdict verdict);

/* What is compared: an engine, or a half of a cold start. */
typedef struct ig_diff_row {
    const char *name;
    double before_ms, after_ms; /* medians */
    ig_estimate ratio;          /* after / before */
    ig_diff_verdict verdict;
} ig_diff_row;

/* By the interval of the ratio alone: all of it beyond 1 + gate is slower, all of it below
 * 1 / (1 + gate) is faster. */
ig_diff_verdict ig_diff_judge(const ig_estimate *ratio, double gate);

/* Rows are the arena's. Refused: invalid reports, and those of different models, precisions,
 * threads, scenarios or CPUs. */
ig_status ig_diff_reports(const ig_json *before, const ig_json *after, double gate, ig_arena *arena,
                          ig_diff_row **rows, size_t *n_rows, ig_error *err) IG_MUST_USE;

#endif
