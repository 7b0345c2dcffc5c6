/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.h: times of the shapes of scenario dynamic: the first run of each apart from later ones.
 */
#ifndef IG_BENCH_SHAPES_H
#define IG_BENCH_SHAPES_H

#include "base/json.h"
#include "bench/stats.h"

typedef struct ig_shape_times {
    ig_alloc *alloc;
    size_t n;
    double *first_ns; /* NaN: has not run yet */
    ig_samples *again_ns;
} ig_shape_times;

ig_status ig_shape_times_init(ig_shape_times *t, ig_alloc *alloc, size_t n,
                              ig_error *err) IG_MUST_USE;
void ig_shape_times_free(ig_shape_times *t); /* accepts a zeroed one */
static inline bool ig_shape_is_new(const ig_shape_times *t, size_t shape)
{
    return t->first_ns[shape] != t->first_ns[shape];
}
ig_status ig_shape_times_add(ig_shape_times *t, size_t shape, double ns, ig_error *err) IG_MUST_USE;
/* "shapes": [{"first_ms": …, "again_ms": …}, …] in the order of the shapes, medians; null: none. */
void ig_shape_times_put_json(const ig_shape_times *t, ig_json_writer *w);

#endif
