/* SPDX-License-Identifier: Apache-2.0 */
/*
 * winograd.h: 3x3 convolutions of stride 1 with fewer multiplications (Winograd, Toom-Cook).
 *
 * The output is cut into tiles of 2x2 or 4x4 pixels: F(2x2,3x3) and F(4x4,3x3). A tile and the
 * (tile + 2)^2 input pixels that it sees are treated as polynomials, evaluated at as many points;
 * there a convolution is one product a point. So, over channels:
 *
 *     V = B^T d B    the input tile d, 4x4 or 6x6 pixels, at 16 or 36 points
 *     M = V U        at each point a matrix product, [tiles x C] by [C x M]; U = G g G^T is made
 *                    once from the weights g
 *     y = A^T M A    the output tile
 *
 * That is 16 products where a direct convolution of 2x2 pixels has 36, and 36 instead of 144.
 *
 * Data and epilogue are those of conv/conv.h: channels last, act(conv + bias + residual), the same
 * operands, scratch by threads. Results depend neither on the blocking nor on the split. Compared
 * with a direct convolution:
 *
 * - rounding: from 16 channels on, F(2x2) has 0.7 to 0.95 times the error of a direct float32 sum,
 *   F(4x4) 2.9 to 3.8 times (rms; the points 0, 1, -1, 1/2, -2 keep it so low);
 * - a NaN or an infinity in the input makes NaN of all outputs of the tiles that see it, not just
 * of the 3x3 pixels that do; so does one in the weights, in all outputs of its channel.
 */
#ifndef IG_KERNELS_WINOGRAD_H
#define IG_KERNELS_WINOGRAD_H

#include "kernels/conv/conv.h"

/* How to compute a convolution. */
typedef enum ig_conv_algorithm {
    IG_CONV_DIRECT = 0,
    IG_CONV_WINOGRAD2, /* F(2x2,3x3) */
    IG_CONV_WINOGRAD4, /* F(4x4,3x3) */
    IG_N_CONV_ALGORITHMS
} ig_conv_algorithm;

/* With fewer input channels the error of a direct sum is so small that Winograd's exceeds the
 * multiple that precision modes allow. */
enum { IG_WINOGRAD_MIN_CHANNELS = 16 };

/* Is this a convolution that a Winograd algorithm can compute: 2-D, 3x3, stride and dilation 1, one
 * group, constant weights? */
bool ig_winograd_fits(const ig_conv_shape *shape);

/* The algorithm that should be fastest for a shape, out of a set of bits 1 << ig_conv_algorithm;
 * direct where none of the set fits, and for fewer than IG_WINOGRAD_MIN_CHANNELS input channels. */
ig_conv_algorithm ig_winograd_choose(const ig_conv_shape *shape, ig_isa isa, unsigned set);

typedef struct ig_winograd_transforms ig_winograd_transforms; /* transform.h */

typedef struct ig_winograd_params {
    ig_conv_shape shape;
    const ig_gemm_kernel *kernel;
    const ig_winograd_transforms *transforms;
    int tile, points;             /* pixels along a side: of an output tile (2, 4), of its input */
    int64_t n_tiles_h, n_tiles_w; /* of a picture */
    int64_t n_tiles;              /* of the batch */
    int64_t tile_block, n_block;  /* tiles and output channels of an item */
    int64_t k_block;              /* depth of a pass of its products */
    int64_t n_tile_blocks, n_n_blocks;
    int64_t u_stride;          /* floats of packed weights from one point to the next */
    int64_t v_pitch, v_stride; /* transformed input: from tile to tile, from point to point */
    int64_t m_pitch, m_stride; /* products */
    size_t pointer_bytes, row_bytes, v_bytes, m_bytes, acc_bytes; /* scratch of a thread */
    int64_t n_work, grain;                                        /* for ig_team_run */
    size_t scratch_bytes_per_thread;
} ig_winograd_params;

/* The matrix kernel for the products of a shape, at most `isa`. Never NULL. */
const ig_gemm_kernel *ig_winograd_kernel(const ig_conv_shape *shape, ig_conv_algorithm algorithm,
                                         ig_isa isa);

/* Check a shape and fix the blocking. algorithm is not DIRECT. Fails with INGOT_ERR_SHAPE, also
 * where ig_winograd_fits is false. */
ig_status ig_winograd_plan(const ig_conv_shape *shape, ig_conv_algorithm algorithm,
                           const ig_gemm_kernel *kernel, ig_winograd_params *params,
                           ig_error *err) IG_MUST_USE;

/* Transformed weights U, [points^2][M/nr][C][nr]: bytes (a multiple of 64), and how they are made
 * from raw weights in shape.w_layout, into 64-byte aligned memory. */
size_t ig_winograd_packed_bytes(const ig_winograd_params *params);
void ig_winograd_pack_w(const ig_winograd_params *params, const float *src, float *dst);

/* The kernel. params: ig_winograd_params; operands as of ig_k_conv. */
void ig_k_winograd(const void *params, void *const *operands, ig_part part);

#endif
