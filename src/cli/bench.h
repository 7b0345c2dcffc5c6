/* SPDX-License-Identifier: Apache-2.0 */
/* bench.h: the parts of `ingot bench`. */
#ifndef IG_CLI_BENCH_H
#define IG_CLI_BENCH_H

#include "bench/scenario.h"
#include "cli/bench_files.h"
#include "cli/engine.h"

/* bench_diff.c: two reports, the operands after "diff". */
ig_status ig_cli_bench_diff(ig_cli *cli) IG_MUST_USE;
/* bench_driver.c: answer questions on standard input until it ends. */
ig_status ig_cli_bench_driver(ig_cli *cli) IG_MUST_USE;
/* bench_versus.c: this engine and those of --vs on these models. */
ig_status ig_cli_bench_versus(ig_cli *cli, const ig_text_list *models, const ig_bench_plan *plan,
                              ig_bench_files *files) IG_MUST_USE;

/* bench.c: a roofline in a session of its own, which must not disturb what is measured. */
ig_status ig_bench_roofline(ig_cli *cli, ig_engine *engine, const ig_feeds *feeds,
                            ig_roofline *roof) IG_MUST_USE;

/* bench_vary.c: the inputs of the flags, made up where they are not given: a set for every
 * combination of --vary's sizes, else one. Sets are the arena's, what they hold is to be freed
 * before the engine is closed. */
ig_status ig_bench_make_variants(ig_cli *cli, ig_engine *engine, ig_feeds **variants,
                                 size_t *n) IG_MUST_USE;
void ig_bench_free_variants(const ig_engine *engine, const ig_feeds *variants, size_t n);

#endif
