/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quant.h: integer convolutions and matrix products on 8-bit operands, exact in int32.
 *
 *     acc[p, o] = bias[o] + sum over taps, c of (x - x_zero) * (w - w_zero[o])
 *     Y = acc                                                                    (int32 output)
 *     Y = saturate(round_half_even(float(acc) * (x_scale * w_scale[o] / y_scale)) + y_zero)
 *
 * x and w are uint8 or int8 in any combination. Both become int16 minus their zero point (weights
 * when they are packed, activations in a block of rows in scratch), and pairs are multiplied and
 * added by vi_madd16, so nothing saturates; sums wrap as int32 does. Padding has the value x_zero.
 * The float steps are done in float32 in the order written, which is also ONNX Runtime's.
 *
 * Data is channels-last: X [N, D, H, W, C] with pixels x_pitch elements apart, Y [N, OD, OH, OW,
 * M]. A matrix product is a convolution by one tap: ig_qmatmul_shape_init.
 *
 * Operands of the kernel (zero points and scales are operands as they stand in the model, so
 * constant or not makes no difference):
 *
 *     0 X   1 W (packed, or raw)   2 bias int32 [M] or NULL
 *     3 x_zero [1] or NULL (0)     4 w_zero [1], [M] or NULL (0); only read when W is raw
 *     5 x_scale [1]   6 w_scale [1] or [M]   7 y_scale [1]   8 y_zero [1] or NULL    (5-8 NULL for
 *                                                                                     int32 output)
 *     9 Y   10 scratch
 *
 * scratch is one block of params.scratch_bytes_per_thread * (threads of the team), 64-byte aligned;
 * a part uses the slice of its part.i_thread. Y overlaps no input.
 */
#ifndef IG_KERNELS_QUANT_H
#define IG_KERNELS_QUANT_H

#include "kernels/kernel.h"

#define IG_QCONV_MAX_BATCH_DIMS 6

/* How raw weights are stored (O = output channels, I = input channels of a group). */
typedef enum ig_qconv_w_layout {
    IG_QCONV_W_ONNX = 0, /* [O, I, kD, kH, kW] */
    IG_QCONV_W_OHWI,     /* [O, kD, kH, kW, I] */
    IG_QCONV_W_KN        /* [I, O] with rows ldw apart: the B of a matrix product */
} ig_qconv_w_layout;

/* Arrays of three are depth, height, width. Output sizes are given, not computed. */
typedef struct ig_qconv_shape {
    int64_t batch, in[3], out[3];
    int64_t c_in, c_out, groups; /* both divisible by groups */
    int64_t kernel[3], stride[3], dilation[3];
    int64_t pad[3]; /* before the first pixel; what is behind the last follows from `out` */
    int64_t x_pitch, y_pitch;
    ingot_dtype x_dtype, w_dtype; /* INGOT_UINT8, INGOT_INT8 */
    ingot_dtype y_dtype;          /* those, or INGOT_INT32 */
    bool is_w_zero_per_channel, is_w_scale_per_channel;
    bool w_is_packed;
    ig_qconv_w_layout w_layout;
    int64_t ldw;
    /* Matrix products only: a batch of them, outermost first; strides in elements (packed w: in
     * matrices), 0 broadcasts. Zero points and scales are shared by the batch. */
    int n_batch_dims;
    int64_t batch_dims[IG_QCONV_MAX_BATCH_DIMS], x_stride[IG_QCONV_MAX_BATCH_DIMS],
        w_stride[IG_QCONV_MAX_BATCH_DIMS], y_stride[IG_QCONV_MAX_BATCH_DIMS];
} ig_qconv_shape;

/* All sizes, strides, dilations 1; uint8 in, int8 weights, uint8 out; pitches 0: the dense ones. */
void ig_qconv_shape_init(ig_qconv_shape *shape);
/* Y[m, n] = A[m, k] B[k, n], dense. */
void ig_qmatmul_shape_init(ig_qconv_shape *shape, int64_t m, int64_t n, int64_t k);

/* One row of the kernel list (kernels.inc). */
typedef struct ig_qgemm_kernel ig_qgemm_kernel;

typedef struct ig_qconv_params {
    ig_qconv_shape shape; /* pitches filled in */
    const ig_qgemm_kernel *kernel;
    bool is_depthwise;        /* one input and output channel a group: no matrix product */
    int64_t k, k_pairs;       /* depth of the product of one group; pairs, rounded up */
    int64_t m_rows, m_block;  /* output pixels of all pictures; of a work item */
    int64_t n_group, n_block; /* output channels of a group; of a work item */
    int64_t n_m_blocks, n_n_blocks, n_matrices;
    int64_t packed_group_elems;           /* int16 elements of one packed group */
    size_t a_bytes, w_bytes, scale_bytes; /* parts of a thread's scratch */
    int64_t n_work, grain;                /* for ig_team_run */
    size_t scratch_bytes_per_thread;
} ig_qconv_params;

/* Check a shape, choose the kernel (at most `isa`; REF is taken as PORTABLE), fix the blocking.
 * Fails with INGOT_ERR_SHAPE or INGOT_ERR_UNSUPPORTED. */
ig_status ig_qconv_plan(const ig_qconv_shape *shape, ig_isa isa, ig_qconv_params *params,
                        ig_kernel_fn *fn, ig_error *err) IG_MUST_USE;
/* "ig_k_qgemm_i8_6x16__avx2" */
const char *ig_qconv_kernel_name(const ig_qconv_params *params);

/* Bytes of one packed weight tensor (for a batch of matrices: of one matrix), a multiple of 64. */
size_t ig_qconv_packed_bytes(const ig_qconv_params *params);
/* Pack constant weights (their zero point as in operand 4) into 64-byte aligned memory. */
void ig_qconv_pack_w(const ig_qconv_params *params, const void *src, const void *w_zero, void *dst);

/* The kernel. params: ig_qconv_params. */
void ig_k_qconv(const void *params, void *const *operands, ig_part part);

/* Plain loops; raw weights. part is over output pixels of all pictures or matrices
 * (ig_qconv_ref_n_work). No scratch. */
int64_t ig_qconv_ref_n_work(const ig_qconv_shape *shape);
void ig_k_qconv_ref(const void *params, void *const *operands, ig_part part);

#endif
