/* SPDX-License-Identifier: Apache-2.0 */
/* life.h: one life of a model (opened, given a session, run, torn down) with memory that fails. */
#ifndef IG_TESTS_FAULT_LIFE_H
#define IG_TESTS_FAULT_LIFE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ingot.h"

/* An allocator that fails and counts. */
typedef struct counting {
    int64_t fail_at; /* number of the allocation that fails; 0: none */
    bool all_after;  /* so do all that follow */
    atomic_int_least64_t n_allocs, n_failed, n_blocks, bytes;
    atomic_int n_wrong; /* frees that name another size or purpose */
} counting;

typedef struct life {
    const char *path;
    const char *data; /* folder with the inputs (input_0.pb, …); NULL: they are made up */
    ingot_opt_level level;
    int n_threads;
    bool has_second;  /* the model accepts larger inputs */
    counting *memory; /* NULL: malloc */
    size_t max_memory_bytes;
} life;

enum { LIFE_OPEN, LIFE_SESSION, LIFE_FIRST_RUN, LIFE_SECOND_RUN, LIFE_ALL, LIFE_N_STAGES };
extern const char *const life_stage_names[LIFE_N_STAGES];

typedef struct outcome {
    ingot_status status;
    ingot_error err;
    int stage;              /* that failed */
    bool is_sound;          /* nothing is left of what failed, and the session worked again */
    uint64_t first, second; /* outputs of a run, and of one with larger free dimensions */
    size_t peak_bytes;
} outcome;

/* How many threads the system will still give; then it refuses. */
extern atomic_int life_threads_left;
#define LIFE_MANY_THREADS 1000000

/* Open, create, run, run with other shapes, and tear down. want: what a life without failures
 * gives, for the session to recover to;
 * NULL: it need not. */
outcome life_live(const life *l, const outcome *want);

#endif
