/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv.h: float32 convolutions over channels-last data as implicit matrix products.
 *
 * X is [N, D, H, W, C] and Y is [N, OD, OH, OW, M]: pixels of C (M) contiguous channels, `pitch`
 * elements apart (>= C), dense otherwise. 1-D and 2-D convolutions set the unused leading
 * dimensions to 1. No im2col copy is made: the matrix kernel of gemm/igemm.h reads pixels through
 * row pointers, and padding through a row of zeros. Padding is zeros in the sense of ONNX: a NaN
 * weight times padding is NaN here, as it is in a padded copy.
 *
 *     Y = act(conv(X, W) + bias + residual)
 *
 * Operands of ig_k_conv (convolution and transposed convolution):
 *
 *     0 X   1 W (packed, or raw)   2 bias [M] or NULL   3 residual or NULL   4 Y   5 scratch
 *
 * scratch is one block of scratch_bytes_per_thread * (threads of the team), 64-byte aligned; a part
 * uses the slice of its part.i_thread. residual has Y's shape with its own pitch and may be Y
 * itself (same pitch); apart from that, Y overlaps no input.
 */
#ifndef IG_KERNELS_CONV_H
#define IG_KERNELS_CONV_H

#include "kernels/gemm/gemm.h"

/* How raw weights are stored. O = output channels M, I = input channels per group. For transposed
 * convolutions ONNX stores [C, M/group, kD, kH, kW]: IG_CONV_W_ONNX means that then. */
typedef enum ig_conv_w_layout {
    IG_CONV_W_ONNX = 0, /* [M, C/group, kD, kH, kW] */
    IG_CONV_W_OHWI      /* [M, kD, kH, kW, C/group]; not for transposed convolutions */
} ig_conv_w_layout;

/* Arrays of three are depth, height, width. Output sizes are given, not computed: auto_pad and
 * output_padding are resolved by the caller. */
typedef struct ig_conv_shape {
    bool is_transposed;
    int64_t batch, in[3], out[3];
    int64_t c_in, c_out, groups; /* both divisible by groups */
    int64_t kernel[3], stride[3], dilation[3];
    int64_t pad[3]; /* before the first pixel; what is behind the last follows from `out` */
    int64_t x_pitch, y_pitch, r_pitch; /* r_pitch: of the residual */
    bool has_bias, has_residual;
    bool w_is_packed; /* constant weights, packed ahead; otherwise each thread packs into scratch */
    ig_conv_w_layout w_layout; /* of the raw weights */
    ig_epilogue epilogue;
} ig_conv_shape;

/* batch 1, all sizes 1, dense pitches must still be set by the caller. */
void ig_conv_shape_init(ig_conv_shape *shape);

typedef struct ig_conv_params {
    ig_conv_shape shape;
    const ig_gemm_kernel *kernel;
    int64_t k_taps, k_per_tap; /* of the implicit product; a run of kW*C may count as one tap */
    bool is_merged;            /* such runs are used */
    int64_t n_phases;          /* 1; transposed: about the product of strides */
    int64_t m_rows, m_block, n_block, k_block;
    int64_t n_m_blocks, n_n_blocks;
    int64_t group_stride; /* elements of packed weights from one group to the next */
    size_t table_bytes, edge_bytes, zero_bytes, acc_bytes, packed_bytes; /* scratch of a thread */
    int64_t n_work, grain;                                               /* for ig_team_run */
    size_t scratch_bytes_per_thread;
} ig_conv_params;

/* The kernel row for a shape, at most `isa`. Never NULL. */
const ig_gemm_kernel *ig_conv_choose(const ig_conv_shape *shape, ig_isa isa);

/* Can this shape be computed, without an overflow on the way? If not: INGOT_ERR_SHAPE. */
ig_status ig_conv_check(const ig_conv_shape *shape, ig_error *err) IG_MUST_USE;

/* Check a shape and fix the blocking. Fails with INGOT_ERR_SHAPE. */
ig_status ig_conv_plan(const ig_conv_shape *shape, const ig_gemm_kernel *kernel,
                       ig_conv_params *params, ig_error *err) IG_MUST_USE;

/* params->packed weights: bytes (a multiple of 64) and the packing itself, from raw weights in
 * shape.w_layout into 64-byte aligned memory. */
size_t ig_conv_packed_bytes(const ig_conv_params *params);
void ig_conv_pack_w(const ig_conv_params *params, const float *src, float *dst);

/* The kernel. params: ig_conv_params. */
void ig_k_conv(const void *params, void *const *operands, ig_part part);

/* Plain loops, double accumulator; raw weights. part is over output pixels: batch*OD*OH*OW.
 * params: ig_conv_params, of which only the shape is used. Operand 5 is not used. */
int64_t ig_conv_ref_n_work(const ig_conv_shape *shape);
void ig_k_conv_ref(const void *params, void *const *operands, ig_part part);

#endif
