/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depthwise.h: float32 depthwise convolutions over channels-last data (groups == input channels).
 *
 * X is [N, D, H, W, C], Y is [N, OD, OH, OW, C*multiplier]; pixels are `pitch` elements apart.
 * Output channel o reads input channel o / multiplier. Sums start at the bias and run over the taps
 * inside the picture in the order of the kernel; padding is left out rather than multiplied by
 * zero.
 *
 *     Y = act(conv(X, W) + bias + residual)
 *
 * Operands:  0 X   1 W (packed)   2 bias or NULL   3 residual or NULL   4 Y        (no scratch)
 *
 * W packed is [kD*kH*kW][C*multiplier]. residual may be Y itself (same pitch); Y overlaps no other
 * input.
 */
#ifndef IG_KERNELS_DEPTHWISE_H
#define IG_KERNELS_DEPTHWISE_H

#include "kernels/kernel.h"

/* Arrays of three are depth, height, width; see conv.h. */
typedef struct ig_depthwise_shape {
    int64_t batch, in[3], out[3];
    int64_t channels, multiplier; /* of the input; output channels per input channel */
    int64_t kernel[3], stride[3], dilation[3], pad[3];
    int64_t x_pitch, y_pitch, r_pitch;
    bool has_bias, has_residual;
    ig_epilogue epilogue;
} ig_depthwise_shape;

typedef struct ig_depthwise_params {
    ig_depthwise_shape shape;
    const char *name;      /* of the kernel, "ig_k_depthwise_f32_3x3__avx2" */
    int64_t n_work, grain; /* for ig_team_run: rows of the output */
} ig_depthwise_params;

/* Check a shape and choose the kernel, at most `isa`. Fails with INGOT_ERR_SHAPE. */
ig_status ig_depthwise_plan(const ig_depthwise_shape *shape, ig_isa isa,
                            ig_depthwise_params *params, ig_kernel_fn *fn,
                            ig_error *err) IG_MUST_USE;

/* From ONNX [C*multiplier, 1, kD, kH, kW]: kD*kH*kW*C*multiplier floats. Also for weights that are
 * not constant (a step before the convolution). */
void ig_depthwise_pack_w(const ig_depthwise_shape *shape, const float *src, float *dst);

/* Plain loops, double accumulator, packed W; the same iteration space. */
void ig_k_depthwise_ref(const void *params, void *const *operands, ig_part part);

#endif
