/* SPDX-License-Identifier: Apache-2.0 */
/* bench_text.h: what `ingot bench` prints for people. */
#ifndef IG_CLI_BENCH_TEXT_H
#define IG_CLI_BENCH_TEXT_H

#include "bench/cold.h"
#include "bench/suite.h"
#include "cli/engine.h"

void ig_bench_text(const ig_engine *engine, const ig_bench_report *report, ig_str *out);
void ig_bench_text_cold(const char *model, const ig_cold_result *result, ig_str *out);
/* "INVALID: …", in bold; nothing where there are no reasons. */
void ig_bench_text_verdict(const ig_str *reasons, ig_str *out);

/* bench_versus_text.c, bench_suite_text.c: engines side by side on one model; on several. */
void ig_bench_text_versus(ig_cli *cli, const ig_versus *versus, ig_str *out);
void ig_bench_text_suite(ig_cli *cli, const ig_suite *suite, ig_str *out);

#endif
