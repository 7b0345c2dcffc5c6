/* SPDX-License-Identifier: Apache-2.0 */
/* window.h: the taps of a window that lie inside the picture. */
#ifndef IG_KERNELS_WINDOW_H
#define IG_KERNELS_WINDOW_H

#include <stdint.h>

/* Taps [begin, end) of a window: tap j is at position first + j * dilation. */
typedef struct ig_window {
    int64_t begin, end, first;
} ig_window;

/* The window of output o along one dimension of n_in positions, cut to [low, n_in + high). */
static inline ig_window ig_window_at(int64_t o, int64_t n_in, int64_t kernel, int64_t stride,
                                     int64_t dilation, int64_t pad, int64_t low, int64_t high)
{
    ig_window w = { 0, kernel, o * stride - pad };
    const int64_t before = low - w.first, room = n_in + high - w.first;
    if (before > 0) w.begin = (before + dilation - 1) / dilation;
    if (room <= 0)
        w.end = 0;
    else if ((room + dilation - 1) / dilation < kernel)
        w.end = (room + dilation - 1) / dilation;
    if (w.begin > w.end) w.begin = w.end;
    return w;
}

#endif
