/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team.h: a few threads that work on one range together.
 *
 * The caller is thread 0 and works too. Workers spin for a bounded time after a job, then sleep on
 * a futex. Nobody is pinned. A team runs one job at a time, called by one thread at a time.
 */
#ifndef IG_BASE_TEAM_H
#define IG_BASE_TEAM_H

#include "base/alloc.h"

typedef struct ig_team ig_team;

/* A piece of an iteration space [0, n), done by thread i_thread of the team. */
typedef struct ig_part {
    int64_t begin, end;
    int i_thread;
} ig_part;

typedef void (*ig_team_fn)(void *ctx, ig_part part);

/* n_threads 0: ig_cpu_n_usable(); clamped to [1, 256]. Threads start on the first job that needs
 * them. When the system refuses a thread the team works with fewer. */
ig_status ig_team_create(ig_alloc *alloc, int n_threads, ig_team **out, ig_error *err) IG_MUST_USE;
void ig_team_destroy(ig_team *team); /* accepts NULL */
int ig_team_n_threads(const ig_team *team);

/* Call fn over [0, n) in pieces of at least `grain` (>= 1; the last may be smaller) whose begins
 * are multiples of grain; returns when all are done. Which thread gets which piece is not defined;
 * every index is done exactly once. With one piece or one thread it is a plain call. team may be
 * NULL: one thread. */
void ig_team_run(ig_team *team, ig_team_fn fn, void *ctx, int64_t n, int64_t grain);

#endif
