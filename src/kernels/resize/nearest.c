/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.c: rows of copied elements. Rows that come from the same input row are copied from each
 * other. */
#include <string.h>

#include "kernels/resize/resize.h"

/* First element of the input row that output row `row` comes from. */
static int64_t source_row(const ig_resize_params *p, int64_t row)
{
    int64_t at = 0;
    for (int i = p->n_axes - 2; i >= 0; i--) {
        const ig_resize_axis *a = &p->axes[i];
        at += a->index[row % a->out] * p->in_stride[i];
        row /= a->out;
    }
    /* rows are numbered from the outermost on: what is left is the outer index */
    const ig_resize_axis *first = &p->axes[0];
    return at + row * first->in * p->in_stride[0];
}

#define ROW_(T)                                                                                    \
    {                                                                                              \
        const T *from = x;                                                                         \
        T *to = y;                                                                                 \
        if (p->doubles)                                                                            \
            for (int64_t i = 0; i < a->in; i++) to[2 * i] = to[2 * i + 1] = from[i];               \
        else                                                                                       \
            for (int64_t o = 0; o < a->out; o++) to[o] = from[a->index[o]];                        \
        return;                                                                                    \
    }

static void copy_row(const ig_resize_params *p, const void *x, void *y)
{
    const ig_resize_axis *a = &p->axes[p->n_axes - 1];
    const size_t bytes = p->elem_bytes * (size_t)p->n_inner;
    switch (bytes) {
    case 1: ROW_(uint8_t)
    case 2: ROW_(uint16_t)
    case 4: ROW_(uint32_t)
    case 8: ROW_(uint64_t)
    default: break;
    }
    for (int64_t o = 0; o < a->out; o++)
        memcpy((uint8_t *)y + (size_t)o * bytes, (const uint8_t *)x + (size_t)a->index[o] * bytes,
               bytes);
}

void ig_k_resize_nearest(const void *params, void *const *operands, ig_part part)
{
    const ig_resize_params *p = params;
    const uint8_t *x = operands[0];
    uint8_t *y = operands[1];
    const size_t row_bytes = (size_t)p->y_row * p->elem_bytes;
    int64_t before = -1;
    for (int64_t row = part.begin; row < part.end; row++) {
        const int64_t from = source_row(p, row);
        uint8_t *to = y + (size_t)row * row_bytes;
        if (from == before)
            memcpy(to, to - row_bytes, row_bytes);
        else
            copy_row(p, x + (size_t)from * p->elem_bytes, to);
        before = from;
    }
}
