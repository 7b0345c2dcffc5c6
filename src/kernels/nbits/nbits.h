/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nbits.h: Y = A * W + bias in float32, W in 2, 4 or 8 bits with a scale and a zero point for each
 * block of a column.
 *
 * Column n of W (N of them, K long) is ceil(K / block) blocks, one after the other, the lowest bits
 * of a byte first; the last block is full, what lies beyond K does not matter. Element k is
 * (q - zero) * scale of its block.
 *
 * W stays as it is. Few rows of A: each column is widened in registers and multiplied on the way.
 * More: some columns at a time are widened into scratch, and a product of kernels/gemm does the
 * rest.
 *
 * Operands of ig_k_nbits (NULL where absent):
 *     0 A [M, K]   1 W   2 scales [N, blocks]   3 zero points   4 bias [N]   5 Y [M, N]   6 scratch
 */
#ifndef IG_KERNELS_NBITS_NBITS_H
#define IG_KERNELS_NBITS_NBITS_H

#include "kernels/gemm/gemm.h"

#define IG_NBITS_FEW_ROWS 4

typedef enum ig_nbits_zero {
    IG_NBITS_ZERO_MIDDLE, /* 2^(bits - 1) everywhere: no operand */
    IG_NBITS_ZERO_PACKED, /* in as many bits as W, each column begins with a byte */
    IG_NBITS_ZERO_FLOAT   /* [N, blocks] */
} ig_nbits_zero;

typedef struct ig_nbits_shape {
    int64_t m, n, k;
    int64_t block; /* a power of two, 16 or more */
    int bits;      /* 2, 4 or 8 */
    ig_nbits_zero zero;
    bool has_bias;
} ig_nbits_shape;

/* Some columns of W, for the kernels of an instruction set. */
typedef struct ig_nbits_cols {
    const ig_nbits_shape *shape;
    const float *a;
    const uint8_t *w;
    const float *scales;
    const void *zeros;
    const float *bias;
    float *y;
    int64_t begin, end;
} ig_nbits_cols;

typedef struct ig_nbits_fns {
    /* Y of these columns; at most IG_NBITS_FEW_ROWS rows. */
    void (*dot)(const ig_nbits_cols *c);
    /* These columns, widened: dst[end - begin][K]. */
    void (*widen)(const ig_nbits_cols *c, float *dst);
} ig_nbits_fns;

typedef struct ig_nbits_params {
    ig_nbits_shape shape;
    const ig_nbits_fns *fns;
    int64_t n_block;           /* columns of a work item */
    ig_gemm_params full, rest; /* products of n_block columns, and of those left at the end */
    size_t wide_bytes;         /* of a thread's scratch: columns, then the product's own */
    int64_t n_work, grain;
    size_t scratch_bytes_per_thread;
} ig_nbits_params;

/* Bytes of a column of W, and of its packed zero points. */
int64_t ig_nbits_n_blocks(const ig_nbits_shape *shape);
int64_t ig_nbits_column_bytes(const ig_nbits_shape *shape);
int64_t ig_nbits_zero_bytes(const ig_nbits_shape *shape);

/* Fix the blocking. Fails with INGOT_ERR_SHAPE on sizes that overflow. */
ig_status ig_nbits_plan(const ig_nbits_shape *shape, ig_isa isa, ig_nbits_params *params,
                        ig_error *err) IG_MUST_USE;

/* The kernel. params: ig_nbits_params. */
void ig_k_nbits(const void *params, void *const *operands, ig_part part);

/* Number i of an array of `bits`-bit numbers. */
static inline int ig_nbits_get(const uint8_t *p, int64_t i, int bits)
{
    const int64_t per_byte = 8 / bits;
    return p[i / per_byte] >> (i % per_byte * bits) & ((1 << bits) - 1);
}

#endif
