/* SPDX-License-Identifier: Apache-2.0 */
/* versus_part.h: what the files of a comparison share: places, turns, the verdict on a contender.
 */
#ifndef IG_BENCH_VERSUS_PART_H
#define IG_BENCH_VERSUS_PART_H

#include "bench/versus.h"

/* Its driver is stopped, `err` cleared; `why` NULL: the message of err. */
void ig_contender_give_up(ig_contender *c, ig_contender_state state, ig_error *err,
                          const char *why);
ig_driver_task ig_versus_task(const ig_versus *v);
static inline bool ig_versus_is_cancelled(const ig_versus *v)
{
    return v->is_cancelled && v->is_cancelled();
}
void ig_versus_progress(const ig_versus *v, double share);

/* versus_start.c: load all engines, compare their outputs with the reference's, warm up. Those that
 * fail are given up; only the first contender's failure is one. */
ig_status ig_versus_start(ig_versus *v, ig_arena *arena, ig_error *err) IG_MUST_USE;

/* versus_turns.c: rounds in which each contender that is fine has a turn. */
ig_status ig_versus_run_rounds(ig_versus *v, size_t *order, uint64_t *random,
                               ig_error *err) IG_MUST_USE;
/* The order of a round: a permutation of the contenders that are still fine. */
size_t ig_versus_shuffle(const ig_versus *v, size_t *order, uint64_t *random);
/* Runs of run_ns each that fit into a time, at least one. */
size_t ig_versus_runs_in(double ns, double run_ns);
#define IG_VERSUS_BLOCK_NS 50e6 /* of one engine's turn */

#endif
