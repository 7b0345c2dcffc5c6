/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.h: an engine in a process of its own, asked in lines of JSON (docs/drivers.md). Failures
 * say what it did: it crashed, gave no answer in time, answered with garbage, or refused.
 */
#ifndef IG_BENCH_DRIVER_H
#define IG_BENCH_DRIVER_H

#include "base/json.h"
#include "bench/child.h"
#include "bench/stats.h"

#define IG_DRIVER_PROTOCOL 1

/* A tensor in a file of plain elements. */
typedef struct ig_driver_tensor {
    const char *name, *file;
    ingot_dtype dtype;
    int rank;
    int64_t dims[INGOT_MAX_RANK];
} ig_driver_tensor;

/* The inputs of a run. */
typedef struct ig_driver_inputs {
    const ig_driver_tensor *tensors;
    size_t n;
} ig_driver_inputs;

/* What is to be loaded, and for what. */
typedef struct ig_driver_task {
    const char *model;
    int n_threads; /* of one inference */
    int n_streams; /* inferences at once that will be asked for: 1, or more for ig_driver_offline */
    bool is_dynamic; /* inputs of other shapes will follow */
} ig_driver_task;

typedef struct ig_driver {
    const char *name; /* as the user calls it */
    ig_child child;
    ig_arena *arena;  /* of answers that are kept */
    ig_arena scratch; /* of those that are not */
    double timeout_s;
    /* What it says of itself; never NULL after hello and load. */
    const char *engine, *version, *precision;
    bool has_feed;           /* it takes new inputs without loading again */
    const char *install;     /* how to get what it lacks, or NULL */
    const ig_json *settings; /* an object, or NULL */
    double load_ns;
} ig_driver;

/* The file of the driver `name` ("onnxruntime", or a path) in the arena: looked for in the folders
 * of the environment's INGOT_DRIVERS, and beside the program. NULL when there is none. */
char *ig_driver_find(const char *name, ig_arena *arena);

/* Start it and say hello. `driver` may be stopped after a failure, too. is_cancelled (may be NULL)
 * is asked while an answer is waited for. */
ig_status ig_driver_start(ig_driver *driver, const char *name, char *const *command,
                          double timeout_s, bool (*is_cancelled)(void), ig_arena *arena,
                          ig_error *err) IG_MUST_USE;
ig_status ig_driver_load(ig_driver *driver, const ig_driver_task *task,
                         const ig_driver_inputs *inputs, ig_error *err) IG_MUST_USE;
/* Other inputs for the runs from now on. */
ig_status ig_driver_feed(ig_driver *driver, const ig_driver_inputs *inputs,
                         ig_error *err) IG_MUST_USE;
/* Run n_runs times; the time of each run is appended, in nanoseconds. */
ig_status ig_driver_run(ig_driver *driver, size_t n_runs, ig_samples *ns,
                        ig_error *err) IG_MUST_USE;
/* Run n_runs times, all there at the begin, with the streams of the task; *ns for all together. */
ig_status ig_driver_offline(ig_driver *driver, size_t n_runs, double *ns,
                            ig_error *err) IG_MUST_USE;
/* Have the outputs of the last run written into `folder`; what is said of them is the arena's. */
ig_status ig_driver_outputs(ig_driver *driver, const char *folder, ig_arena *arena,
                            ig_driver_tensor **outputs, size_t *n_outputs,
                            ig_error *err) IG_MUST_USE;
/* The settings as an object of strings, numbers and booleans. */
void ig_driver_put_settings(const ig_driver *driver, ig_json_writer *w);
/* Stop it from using CPUs while others are measured, or let it go on. */
void ig_driver_pause(ig_driver *driver, bool is_paused);
void ig_driver_stop(ig_driver *driver); /* accepts a zeroed one */

#endif
