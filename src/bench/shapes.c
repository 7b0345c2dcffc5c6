/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.c: times by shape. */
#include "bench/shapes.h"

#include <math.h>
#include <string.h>

ig_status ig_shape_times_init(ig_shape_times *t, ig_alloc *alloc, size_t n, ig_error *err)
{
    *t = (ig_shape_times){ .alloc = alloc, .n = n };
    t->first_ns = ig_alloc_get(alloc, n * sizeof *t->first_ns, 0, INGOT_MEM_OTHER);
    t->again_ns = ig_alloc_get(alloc, n * sizeof *t->again_ns, 0, INGOT_MEM_OTHER);
    for (size_t i = 0; t->first_ns && i < n; i++) t->first_ns[i] = NAN;
    for (size_t i = 0; t->again_ns && i < n; i++) t->again_ns[i] = (ig_samples){ .alloc = alloc };
    return t->first_ns && t->again_ns ? INGOT_OK : IG_NOMEM(err, n * sizeof *t->again_ns);
}

void ig_shape_times_free(ig_shape_times *t)
{
    for (size_t i = 0; t->again_ns && i < t->n; i++) ig_samples_free(&t->again_ns[i]);
    if (t->again_ns)
        ig_alloc_put(t->alloc, t->again_ns, t->n * sizeof *t->again_ns, INGOT_MEM_OTHER);
    if (t->first_ns)
        ig_alloc_put(t->alloc, t->first_ns, t->n * sizeof *t->first_ns, INGOT_MEM_OTHER);
    *t = (ig_shape_times){ 0 };
}

ig_status ig_shape_times_add(ig_shape_times *t, size_t shape, double ns, ig_error *err)
{
    if (!ig_shape_is_new(t, shape)) return ig_samples_add(&t->again_ns[shape], ns, err);
    t->first_ns[shape] = ns;
    return INGOT_OK;
}

void ig_shape_times_put_json(const ig_shape_times *t, ig_json_writer *w)
{
    ig_json_key(w, "shapes");
    ig_json_open(w, '[');
    for (size_t i = 0; i < t->n; i++) {
        ig_samples *again = &t->again_ns[i];
        ig_json_open(w, '{');
        ig_json_key(w, "first_ms");
        ig_json_number(w, t->first_ns[i] * 1e-6);
        ig_json_key(w, "again_ms");
        ig_json_number(w, ig_median(again->v, again->n) * 1e-6);
        ig_json_close(w, '}');
    }
    ig_json_close(w, ']');
}
