/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dataset.h: items with what is right about them, in batches, from a list of files (list.c), from
 * folders (folders.c) or from an archive of arrays (rows.c). Nothing is held but the batch.
 */
#ifndef IG_CLI_EVAL_DATASET_H
#define IG_CLI_EVAL_DATASET_H

#include "cli/eval/metric.h"
#include "cli/picture_batch.h"

#define IG_MAX_BATCH 4096 /* rows a run; what --batch allows, and what a model may fix */

typedef struct ig_eval_item {
    const char *name;  /* as the data set calls it */
    const char *place; /* where it stands, for errors: "labels.tsv: line 7" */
    ig_item_truth truth;
} ig_eval_item;

typedef struct ig_dataset ig_dataset;
struct ig_dataset {
    ig_cli *cli;
    ig_engine *engine;   /* whose feeds are set for each batch */
    const ig_card *card; /* with the flags in it */
    ig_truth_kind truth;
    const char *path;
    size_t n_expected; /* items, for the progress line */
    size_t n_batch;    /* items a batch at most, where the model takes any number */
    /* The batch: */
    ig_eval_item *items;
    size_t n, n_fed;  /* items; rows that are fed, more where the model wants a fixed number */
    size_t n_taken;   /* items so far, those that were left out included */
    ig_arena scratch; /* what items point to */
    /* What was left out, with --keep-going: */
    const char **failures;
    size_t n_failures, cap_failures;
    /* of the kind: */
    ig_status (*next)(ig_dataset *);
    void (*release)(ig_dataset *); /* of the batch's inputs */
    void (*close)(ig_dataset *);
    void *more;
};

/* Fill in cli, engine (with the feeds of --input), card and truth; the rest zeroed. */
ig_status ig_dataset_open(ig_dataset *d, const char *path) IG_MUST_USE;
/* The next batch, n 0 at the end. The batch before is forgotten. */
ig_status ig_dataset_next(ig_dataset *d) IG_MUST_USE;
void ig_dataset_close(ig_dataset *d); /* accepts a zeroed one */

/* An item failed with cli->err: with --keep-going that is noted down and OK returned. */
ig_status ig_dataset_leave_out(ig_dataset *d, const char *place, ig_status status) IG_MUST_USE;

/* ---- of the kinds ---- */

ig_status ig_list_open(ig_dataset *d) IG_MUST_USE;   /* d->path is a file of lines */
ig_status ig_folder_open(ig_dataset *d) IG_MUST_USE; /* d->path is a folder */
ig_status ig_rows_open(ig_dataset *d) IG_MUST_USE;   /* d->path is a .npz */
/* A list in memory, whose text is the arena's; names are relative to `base`, a path that ends in a
 * slash, or "". is_folder: errors name files, not lines. */
ig_status ig_list_open_text(ig_dataset *d, const char *text, size_t bytes, const char *base,
                            bool is_folder) IG_MUST_USE;
/* May item number n_taken still be read? False at --limit. */
bool ig_dataset_wants_more(const ig_dataset *d);

#endif
