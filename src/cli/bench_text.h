/* SPDX-License-Identifier: Apache-2.0 */
/* bench_text.h: what `ingot bench` prints for people. */
#ifndef IG_CLI_BENCH_TEXT_H
#define IG_CLI_BENCH_TEXT_H

#include "bench/cold.h"
#include "cli/engine.h"

void ig_bench_text(const ig_engine *engine, const ig_bench_report *report, ig_str *out);
void ig_bench_text_cold(const char *model, const ig_cold_result *result, ig_str *out);
/* "INVALID: …", in bold; nothing where there are no reasons. */
void ig_bench_text_verdict(const ig_str *reasons, ig_str *out);

/* bench_diff.c: two reports, the operands after "diff". */
ig_status ig_cli_bench_diff(ig_cli *cli) IG_MUST_USE;
/* bench_driver.c: answer questions on standard input until it ends. */
ig_status ig_cli_bench_driver(ig_cli *cli) IG_MUST_USE;
/* bench_versus.c: this engine and those of --vs. */
ig_status ig_cli_bench_versus(ig_cli *cli, const char *path, const ig_bench_plan *plan) IG_MUST_USE;

#endif
