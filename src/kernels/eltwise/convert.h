/* SPDX-License-Identifier: Apache-2.0 */
/* convert.h: how tiles get into float registers and out of them, one table an instruction set. */
#ifndef IG_KERNELS_ELTWISE_CONVERT_H
#define IG_KERNELS_ELTWISE_CONVERT_H

#include "kernels/kernel.h"

/* Element types of tiles; the order of the tables below. */
typedef enum ig_tile_type {
    IG_TILE_F32 = 0,
    IG_TILE_F16,
    IG_TILE_BF16,
    IG_TILE_BOOL,
    IG_TILE_U8,
    IG_TILE_S8,
    IG_TILE_U16,
    IG_TILE_S16,
    IG_TILE_I32,
    IG_TILE_I64,
    IG_N_TILE_TYPES
} ig_tile_type;

typedef struct ig_tile_convert {
    /* n elements to floats. Bool: 0 or 1. Integers beyond 2^24 round to nearest even. */
    void (*load[IG_N_TILE_TYPES])(float *dst, const void *src, int64_t n);
    /* n floats to elements. Integers round to nearest even and saturate; NaN gives 0 in 8 and 16
     * bits, the smallest value in 32 and 64. Bool: x != 0. */
    void (*store[IG_N_TILE_TYPES])(void *dst, const float *src, int64_t n);
    void (*splat)(float *dst, float x, int64_t n);
    /* dst[r][0…n) = src[r*stride …] (inner_stride 1) or n times src[r*stride] (inner_stride 0) */
    void (*rows)(float *dst, const float *src, int64_t stride, int64_t inner_stride, int64_t n_rows,
                 int64_t n);
} ig_tile_convert;

#endif
