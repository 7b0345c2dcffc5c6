/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h: float32 pooling over channels-last data.
 *
 * X is [N, D, H, W, C], Y is [N, OD, OH, OW, C]; pixels are `pitch` elements apart. Output sizes
 * are given (ceil_mode, auto_pad are the caller's). Only taps inside the picture are read.
 *
 *   max      the largest; a NaN in the window gives NaN (as NumPy's max). A window without a pixel
 *            gives -infinity.
 *   average  the sum in the order of the window, divided by the number of pixels in the window, or,
 *            with count_include_pad, by the number of taps inside the padded picture (pad before,
 *            pad_end behind), so taps that ceil_mode puts beyond that do not count. A window
 *            without a pixel gives 0.
 *
 * Global pooling is a kernel of the size of the picture without padding: ig_pool_shape_global. It
 * sums in the order of the pixels.
 *
 * Operands:  0 X   1 Y        (no scratch)
 */
#ifndef IG_KERNELS_POOL_H
#define IG_KERNELS_POOL_H

#include "kernels/kernel.h"

typedef enum ig_pool_op { IG_POOL_MAX = 0, IG_POOL_AVERAGE } ig_pool_op;

/* Arrays of three are depth, height, width; see conv.h. */
typedef struct ig_pool_shape {
    ig_pool_op op;
    bool count_include_pad;
    int64_t batch, channels, in[3], out[3];
    int64_t kernel[3], stride[3], dilation[3], pad[3], pad_end[3];
    int64_t x_pitch, y_pitch;
} ig_pool_shape;

typedef struct ig_pool_params {
    ig_pool_shape shape;
    const char *name;      /* "ig_k_pool_max_f32__avx2" */
    int64_t n_blocks;      /* channel blocks of a row: more than one for global pooling */
    int64_t n_work, grain; /* for ig_team_run */
} ig_pool_params;

/* Global pooling of [batch, d, h, w, channels], dense. */
void ig_pool_shape_global(ig_pool_shape *shape, ig_pool_op op, int64_t batch, int64_t d, int64_t h,
                          int64_t w, int64_t channels);

/* Check a shape and choose the kernel, at most `isa`. Fails with INGOT_ERR_SHAPE. */
ig_status ig_pool_plan(const ig_pool_shape *shape, ig_isa isa, ig_pool_params *params,
                       ig_kernel_fn *fn, ig_error *err) IG_MUST_USE;

/* Plain loops; the same iteration space. */
void ig_k_pool_ref(const void *params, void *const *operands, ig_part part);

#endif
