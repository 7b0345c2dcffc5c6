/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resize.h: resampling along some axes of a dense tensor: copies of the nearest element, or
 * weighted sums of a few (linear, cubic, antialiased: only the tables differ).
 *
 * The tensor is [n_outer, axes[0].in, …, axes[n_axes - 1].in, n_inner]. A work item is one row of
 * the output: all of the last axis and n_inner. In channels-last pictures n_inner is the channels
 * and everything is runs of contiguous elements.
 *
 * Operands:  0 X   1 Y   2 scratch, or NULL      (nearest: no scratch)
 */
#ifndef IG_KERNELS_RESIZE_H
#define IG_KERNELS_RESIZE_H

#include "kernels/kernel.h"

#define IG_RESIZE_MAX_AXES 4

/* Where an output index comes from: out * n_taps entries, tap by tap (tap t of output o is at
 * t * out + o). */
typedef struct ig_resize_axis {
    int64_t in, out;
    int n_taps;
    const int32_t *index; /* in [0, in) */
    const float *weight;  /* NULL: one tap of weight 1 */
} ig_resize_axis;

/* The tables are borrowed: they live as long as the params. */
typedef struct ig_resize_params {
    size_t elem_bytes; /* weighted: 4 (float) */
    int64_t n_outer, n_inner;
    int n_axes; /* >= 1 */
    ig_resize_axis axes[IG_RESIZE_MAX_AXES];
    bool doubles; /* nearest: output 2i and 2i+1 of the last axis are input i */
    int64_t in_stride[IG_RESIZE_MAX_AXES]; /* elements, of all axes but the last */
    int64_t x_row, y_row;                  /* elements of an input and an output row */
    int64_t n_work, grain;
    size_t scratch_bytes_per_thread;
} ig_resize_params;

/* Complete params from elem_bytes, n_outer, n_inner, n_axes and axes, and choose the kernel:
 * weighted if any axis has weights. IG_ISA_REF is taken as IG_ISA_PORTABLE. Fails with
 * INGOT_ERR_SHAPE. */
ig_status ig_resize_plan(ig_resize_params *params, ig_isa isa, ig_kernel_fn *fn,
                         ig_error *err) IG_MUST_USE;

/* Elements of 1, 2, 4, 8 or 16 bytes, whatever they mean. */
void ig_k_resize_nearest(const void *params, void *const *operands, ig_part part);

#endif
