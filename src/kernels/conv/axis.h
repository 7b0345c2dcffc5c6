/* SPDX-License-Identifier: Apache-2.0 */
/*
 * axis.h: which input positions an output position sees along one dimension.
 *
 * A convolution is one phase: output q sees inputs q * stride + j * dilation - pad. A transposed
 * convolution with stride s is s phases: outputs r, r + s, r + 2s, … see the same taps of the
 * kernel at neighbouring inputs. Both are arithmetic progressions:
 *
 *     output  out_first + q * out_step          q < n_out
 *     tap     tap_first + j * tap_step          j < n_taps
 *     input   base_first + j * base_step + q * step    (may lie outside)
 */
#ifndef IG_KERNELS_CONV_AXIS_H
#define IG_KERNELS_CONV_AXIS_H

#include "kernels/conv/conv.h"

typedef struct ig_conv_axis {
    int64_t n_taps, tap_first, tap_step;
    int64_t base_first, base_step, step;
    int64_t n_out, out_first, out_step;
} ig_conv_axis;

/* Phases that have outputs: 1, or of a transposed convolution one for each residue of each stride.
 */
int64_t ig_conv_n_phases(const ig_conv_shape *shape);

/* Phase i_phase of [0, ig_conv_n_phases), all three dimensions. */
void ig_conv_axes(const ig_conv_shape *shape, int64_t i_phase, ig_conv_axis axes[3]);

#endif
