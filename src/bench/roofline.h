/* SPDX-License-Identifier: Apache-2.0 */
/* roofline.h: what this machine can do at most, measured, and what share of it each step reaches.
 */
#ifndef IG_BENCH_ROOFLINE_H
#define IG_BENCH_ROOFLINE_H

#include "base/arena.h"
#include "bench/scenario.h"

typedef struct ig_roofline_step {
    ingot_step_info info;
    double ns;    /* of one run */
    double share; /* of what the roofline allows for its arithmetic and bytes; NaN where unknown */
    bool is_memory_bound;
} ig_roofline_step;

typedef struct ig_roofline {
    /* A second, of all threads together; bytes are read, from memory and from the second cache. */
    double gflops, gbytes, cached_gbytes;
    size_t cache_bytes;      /* what the last cache may hold from one run to the next */
    ig_roofline_step *steps; /* the arena's; their strings the session's */
    size_t n_steps;
    double total_ns, share; /* of the whole model: the least time / the time */
} ig_roofline;

/* Bytes read a second by n_threads that go over so many bytes again and again, in 1e9. 0: out of
 * memory. */
double ig_roofline_bandwidth(int n_threads, size_t bytes, ig_alloc *alloc);
/* What share of the possible a step reached that took ns: arithmetic or bytes, whichever takes
 * longer at the machine's best. Bytes that the caches may hold are charged at their rate. */
double ig_roofline_share(const ig_roofline *roof, double flops, double bytes, double ns,
                         bool *is_memory_bound);
/* Measure the machine, then some runs of the session. */
ig_status ig_roofline_measure(ingot_session *session, const ig_feeds *feeds, ig_arena *arena,
                              ig_roofline *out, ig_error *err) IG_MUST_USE;

#endif
