/* SPDX-License-Identifier: Apache-2.0 */
/* resize.c: checks, strides, choice of the kernel. */
#include "kernels/resize/resize.h"

#include "kernels/isa_table.h"

IG_ISA_DECLARE(void, ig_k_resize_f32, (const void *, void *const *, ig_part))
static const ig_kernel_fn weighted[IG_N_ISAS] = IG_ISA_TABLE(ig_k_resize_f32);

#define GRAIN_ELEMS 16384

static bool multiply(int64_t *product, int64_t factor)
{
    return factor >= 0 && !__builtin_mul_overflow(*product, factor, product) &&
           *product <= INT64_C(1) << 58;
}

static bool doubles(const ig_resize_axis *a)
{
    if (a->out != 2 * a->in) return false;
    for (int64_t o = 0; o < a->out; o++)
        if (a->index[o] != o / 2) return false;
    return true;
}

ig_status ig_resize_plan(ig_resize_params *p, ig_isa isa, ig_kernel_fn *fn, ig_error *err)
{
    const int last = p->n_axes - 1;
    int64_t x = p->n_inner, y = p->n_inner, rows = p->n_outer;
    bool fits = p->n_axes >= 1 && p->n_axes <= IG_RESIZE_MAX_AXES && p->n_outer >= 0;
    bool has_weights = false;
    for (int i = last; fits && i >= 0; i--) {
        const ig_resize_axis *a = &p->axes[i];
        fits = a->in >= 1 && a->in <= INT32_MAX && a->n_taps >= 1 && multiply(&y, a->out);
        p->in_stride[i] = x;
        fits = fits && multiply(&x, a->in);
        if (i == last) p->x_row = x, p->y_row = y;
        if (i != last) fits = fits && multiply(&rows, a->out);
        has_weights = has_weights || a->weight;
    }
    if (!fits || !multiply(&x, p->n_outer) || !multiply(&y, p->n_outer))
        return ig_fail(err, INGOT_ERR_SHAPE, "resize along %d axes: bad size", p->n_axes);
    if (has_weights && p->elem_bytes != sizeof(float))
        return ig_fail(err, INGOT_ERR_SHAPE, "resize of %zu-byte elements by weights",
                       p->elem_bytes);
    p->doubles = !has_weights && doubles(&p->axes[last]);
    p->n_work = p->y_row > 0 ? rows : 0;
    p->grain = 1 + GRAIN_ELEMS / (p->y_row + 1);
    /* a multiple of a cache line, so that threads do not share any */
    p->scratch_bytes_per_thread =
        has_weights ? ((size_t)p->x_row * sizeof(float) + 63) / 64 * 64 : 0;
    *fn = has_weights ? IG_ISA_PICK(weighted, isa) : ig_k_resize_nearest;
    return INGOT_OK;
}
