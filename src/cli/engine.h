/* SPDX-License-Identifier: Apache-2.0 */
/* engine.h: a model, a session, and the values that are fed to it. */
#ifndef IG_CLI_ENGINE_H
#define IG_CLI_ENGINE_H

#include "cli/cli.h"
#include "cli/load.h"

typedef struct ig_engine {
    const char *path;
    ingot_model *model;
    ingot_session *session; /* NULL until ig_engine_start */
    uint64_t load_ns;       /* of opening the model and making the session */
    /* One a model input: */
    size_t n_inputs;
    ingot_io_info *inputs;
    ig_shape *shapes;          /* from the model and --shape */
    ig_loaded *loaded;         /* values read or made up */
    const ingot_value **feeds; /* what runs get; NULL: the model's default */
} ig_engine;

/* Open a model as the flags say. */
ig_status ig_engine_open(ig_cli *cli, const char *path, ig_engine *engine) IG_MUST_USE;
ig_status ig_engine_start(ig_cli *cli, ig_engine *engine) IG_MUST_USE;
/* A session of the caller's own, with the same options. */
ig_status ig_engine_session(ig_cli *cli, ig_engine *engine, ingot_session **out) IG_MUST_USE;
void ig_engine_close(ig_engine *engine); /* accepts a zeroed one */

/* Run, cancelled by signals; error lines name the model's file. */
ig_status ig_engine_run(ig_cli *cli, ig_engine *engine) IG_MUST_USE;

/* Read one file (or number) for input i. */
ig_status ig_engine_feed(ig_cli *cli, ig_engine *engine, size_t i, const char *path) IG_MUST_USE;
/* Give all inputs that the archive has arrays for; a single array goes to the first input that has
 * nothing yet. *npz stays open as long as the feeds. */
ig_status ig_engine_feed_npz(ig_cli *cli, ig_engine *engine, const char *path,
                             ig_npz *npz) IG_MUST_USE;
/* "NAME=REST" with NAME an input: its index and REST; false otherwise. */
bool ig_engine_split(const ig_engine *engine, const char *text, size_t *i, const char **rest);
/* All --input flags. */
ig_status ig_engine_feed_flags(ig_cli *cli, ig_engine *engine) IG_MUST_USE;
/* Take the values of archives away again, before they are closed. */
void ig_engine_unfeed_npz(ig_engine *engine);
/* Make up every input that has neither value nor default, but for input `except` (-1: none). */
ig_status ig_engine_make_up(ig_cli *cli, ig_engine *engine, int except) IG_MUST_USE;

/* ---- fill.c ---- */

/* A value for this input: random of the seed, or every element `*number`. Free dimensions are 1. */
ig_status ig_value_make_up(const ingot_io_info *input, const ig_shape *shape, uint64_t seed,
                           const double *number, ingot_value **out, ig_error *err) IG_MUST_USE;

/* "float32[N,3,224,224]" */
void ig_describe_io(const ingot_io_info *info, ig_str *out);
void ig_describe_value(const ingot_value *value, ig_str *out);

#endif
