/* SPDX-License-Identifier: Apache-2.0 */
/* bench_files.h: what `ingot bench` writes beside its text: --report and --junit. */
#ifndef IG_CLI_BENCH_FILES_H
#define IG_CLI_BENCH_FILES_H

#include "bench/junit.h"
#include "bench/page/page.h"
#include "cli/cli.h"

typedef struct ig_bench_files {
    ig_page page;
    ig_junit junit;
} ig_bench_files;

bool ig_bench_files_are_wanted(const ig_cli *cli);
/* Before anything is measured: are the flags right, and the folders there to be written to? */
ig_status ig_bench_files_check(ig_cli *cli) IG_MUST_USE;

void ig_bench_files_init(ig_bench_files *files, ig_alloc *alloc);
void ig_bench_files_deinit(ig_bench_files *files);
/* A measurement, whose results need not be kept. */
void ig_bench_files_add(ig_bench_files *files, const ig_view *view);
/* A model that could not be measured. */
void ig_bench_files_add_failure(ig_bench_files *files, const char *model, const char *why);
/* Those that are wanted. A file is whole, or as it was before. */
ig_status ig_bench_files_write(ig_cli *cli, const ig_bench_files *files) IG_MUST_USE;

#endif
