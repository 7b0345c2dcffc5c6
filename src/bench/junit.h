/* SPDX-License-Identifier: Apache-2.0 */
/* junit.h: measurements and comparisons as test cases, in the XML that CI systems read. */
#ifndef IG_BENCH_JUNIT_H
#define IG_BENCH_JUNIT_H

#include "bench/diff.h"
#include "bench/view.h"

typedef struct ig_junit {
    ig_str suites;
    size_t n_tests, n_failures, n_errors, n_skipped;
} ig_junit;

void ig_junit_init(ig_junit *junit, ig_alloc *alloc);
void ig_junit_deinit(ig_junit *junit);
/* A suite of one measurement, a case for each engine or series. Its time is the median in seconds.
 * Invalid, overloaded, wrong, refused: a failure. Failed: an error. Missing: skipped. */
void ig_junit_add(ig_junit *junit, const ig_view *view);
/* A model that could not be measured: an error. */
void ig_junit_add_failure(ig_junit *junit, const char *model, const char *why);
/* A suite of `bench diff`: what is slower beyond the gate fails. */
void ig_junit_add_diff(ig_junit *junit, const ig_diff_row *rows, size_t n, double gate);
void ig_junit_put(const ig_junit *junit, ig_str *out);

#endif
