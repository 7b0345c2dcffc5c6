/* SPDX-License-Identifier: Apache-2.0 */
/* diff.h: two reports of `ingot bench --json`, before and after, of one model or of several. */
#ifndef IG_BENCH_DIFF_H
#define IG_BENCH_DIFF_H

#include "base/json.h"
#include "bench/stats.h"

#define IG_DIFF_MIN_WINDOWS 6 /* fewer medians have no interval */

typedef enum ig_diff_verdict {
    IG_DIFF_SAME = 0, /* no difference is seen, or none beyond the gate */
    IG_DIFF_FASTER,   /* surely, and by more than the gate */
    IG_DIFF_SLOWER,   /* surely, and by more than the gate */
    IG_DIFF_UNSURE,   /* the interval holds the gate: measure longer */
    IG_DIFF_BROKEN,   /* of several models: it ran, and does not any more */
    IG_DIFF_SKIPPED   /* of several models: may not be compared; `why` tells */
} ig_diff_verdict;
const char *ig_diff_verdict_name(ig_diff_verdict verdict);

/* What is compared: an engine, a half of a cold start, first or later runs of shapes. */
typedef struct ig_diff_row {
    const char *model; /* its file's name in reports of several; else NULL */
    const char *name;
    bool is_rival; /* another engine, whose speed nobody here answers for */
    const char *why;
    double before_ms, after_ms; /* medians */
    ig_estimate ratio;          /* after / before */
    ig_diff_verdict verdict;
} ig_diff_row;

/* By the interval of the ratio alone: all of it beyond 1 + gate is slower, all of it below
 * 1 / (1 + gate) is faster. */
ig_diff_verdict ig_diff_judge(const ig_estimate *ratio, double gate);

/* diff_check.c: whether two reports of one model may be compared. */
ig_status ig_diff_check_pair(const ig_json *before, const ig_json *after,
                             ig_error *err) IG_MUST_USE;
const char *ig_diff_file_name(const char *path); /* what follows the last slash */

/* Rows are the arena's. Refused: invalid reports, and those of different models, precisions,
 * threads, scenarios or CPUs, of servers with different rates or too much to do. Among several
 * models such pairs are skipped; what is in one report alone is left out. */
ig_status ig_diff_reports(const ig_json *before, const ig_json *after, double gate, ig_arena *arena,
                          ig_diff_row **rows, size_t *n_rows, ig_error *err) IG_MUST_USE;

#endif
