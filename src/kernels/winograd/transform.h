/* SPDX-License-Identifier: Apache-2.0 */
/* transform.h: the transforms of one tile, a function an instruction set and size of tile. */
#ifndef IG_KERNELS_WINOGRAD_TRANSFORM_H
#define IG_KERNELS_WINOGRAD_TRANSFORM_H

#include "kernels/winograd/winograd.h"

enum { IG_WINOGRAD_MAX_TILE = 4, IG_WINOGRAD_MAX_POINTS = 6 }; /* along a side */

/* The end of an output tile: channels [col, col + n) of act(y + bias + residual). */
typedef struct ig_winograd_end {
    const float *bias; /* or NULL */
    ig_epilogue epilogue;
    float lo, hi; /* the activation, if it is a clamp */
    bool is_clamp;
} ig_winograd_end;

struct ig_winograd_transforms {
    /* V = B^T d B for n channels: pixels[points^2], row by row, to v + point * stride. */
    void (*input)(const float *const *pixels, int64_t n, float *v, int64_t stride);
    /* Y = A^T M A for n channels: from m + point * stride to channel `col` of y[tile^2], row by
     * row. residual[tile^2] or NULL; residual[i] may be y[i]. */
    void (*output)(const float *m, int64_t stride, int64_t n, float *const *y,
                   const float *const *residual, int64_t col, const ig_winograd_end *end);
    /* U = G g G^T for n output channels: g + i * g_stride is [3][3], elements tap_stride apart; to
     * u[i] + point * stride. In double, rounded once. */
    void (*weights)(const float *g, int64_t g_stride, int64_t tap_stride, int64_t n, float *u,
                    int64_t stride);
};

#endif
