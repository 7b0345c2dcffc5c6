/* SPDX-License-Identifier: Apache-2.0 */
/* bench_versus_text.h: cells and lines that the tables of one model and of several share. */
#ifndef IG_CLI_BENCH_VERSUS_TEXT_H
#define IG_CLI_BENCH_VERSUS_TEXT_H

#include "bench/versus.h"
#include "cli/table.h"

/* Cells: a time or "too few"; a ratio with its interval; a name with the precision where it is
 * another one. */
void ig_versus_text_quantile(const ig_samples *sorted, double share, ig_table *t);
void ig_versus_text_estimate(bool has_it, const ig_estimate *e, const char *otherwise, ig_table *t);
void ig_versus_text_name(const ig_contender *c, ig_table *t);

/* "NAME: ENGINE VERSION, PRECISION, settings {…}", without the end of the line */
void ig_versus_text_settings(const ig_contender *c, ig_str *out);
/* "NAME: failed: why", a line */
void ig_versus_text_state(const ig_contender *c, ig_str *out);
/* "2 streams of 1 thread, 12 shapes" */
void ig_versus_text_threads(const ig_versus *v, ig_str *out);
/* Lines: what the columns mean */
void ig_versus_text_legend(const ig_versus *v, ig_str *out);

#endif
