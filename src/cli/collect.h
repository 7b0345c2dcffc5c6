/* SPDX-License-Identifier: Apache-2.0 */
/* collect.h: outputs of one or more runs, joined along their first dimension and written to files.
 */
#ifndef IG_CLI_COLLECT_H
#define IG_CLI_COLLECT_H

#include "cli/engine.h"

typedef enum ig_out_kind { IG_OUT_NONE = 0, IG_OUT_NPZ, IG_OUT_NPY, IG_OUT_FOLDER } ig_out_kind;

typedef struct ig_collect {
    ig_out_kind kind;
    const char *path;
    size_t n, n_runs;
    ingot_io_info *infos;
    struct ig_collected {
        ingot_value *first; /* of the only run so far */
        ig_str bytes;       /* of several runs */
        int64_t dims[INGOT_MAX_RANK];
    } * outputs;
} ig_collect;

/* Look at --out; a usage error when it names no kind of file. */
ig_status ig_collect_init(ig_cli *cli, const ig_engine *engine, ig_collect *collect) IG_MUST_USE;
/* Keep the outputs of the session's last run. */
ig_status ig_collect_add(ig_cli *cli, ig_collect *collect, const ig_engine *engine) IG_MUST_USE;
/* Write them; nothing is left behind on failure. */
ig_status ig_collect_write(ig_cli *cli, ig_collect *collect) IG_MUST_USE;
void ig_collect_free(ig_collect *collect); /* accepts a zeroed one */

#endif
