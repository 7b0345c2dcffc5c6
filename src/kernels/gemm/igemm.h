/* SPDX-License-Identifier: Apache-2.0 */
/*
 * igemm.h: the matrix microkernel that products and convolutions share.
 *
 * It multiplies mr rows of A, each given as one pointer per tap, with packed panels of B: an
 * "indirect" product. A row of the product is the concatenation of n_taps runs of k floats, so a
 * plain product is the case of one tap, and a convolution has one tap per kernel position.
 */
#ifndef IG_KERNELS_GEMM_IGEMM_H
#define IG_KERNELS_GEMM_IGEMM_H

#include "kernels/gemm/gemm.h"

/* The end of a product, shared by all tiles of a call:
 *     y = act(alpha * sum + beta * (bias[n] | c_rows[m][n]) + residual[m][n]) */
typedef struct ig_igemm_end {
    float alpha, beta;
    ig_epilogue epilogue;
    float lo, hi;   /* none, ReLU and clip as one clamp */
    bool is_simple; /* alpha 1, beta 1, no c_rows, and such an activation: the fast path */
    int c_step;     /* 1: rows of C, 0: one element a row */
} ig_igemm_end;

/* Derive lo, hi and is_simple from the rest. */
void ig_igemm_end_init(ig_igemm_end *end, float alpha, float beta, bool has_c_rows,
                       const ig_epilogue *epilogue);

/* One tile. Columns are counted from `col`, a multiple of the panel width; y, c and residual are
 * rows of whole matrices to which `col` is added; bias too. */
typedef struct ig_igemm_tile {
    const float *const *a; /* a[tap * a_tap_stride + i], i < m */
    int64_t a_tap_stride;
    int64_t a_offset; /* floats, added to each row pointer */
    int64_t n_taps, k;
    const float *b;       /* first of n_panels panels: [n_taps * k][nr] */
    int64_t panel_stride; /* floats */
    int m, n;             /* rows (<= mr) and columns (<= n_panels * nr) that are stored */
    int n_panels;         /* > 1 only for m <= 2, see ig_igemm_n_panels */
    int64_t col;
    const float *acc_in; /* partial sums, rows acc_pitch apart, or NULL: start from 0 */
    float *acc_out;      /* store partial sums here, or NULL: finish into y */
    int64_t acc_pitch;   /* room for n rounded up to whole panels */
    float *const *y;
    const float *const *c, *const *residual; /* or NULL */
    const float *bias;                       /* or NULL */
    const ig_igemm_end *end;
} ig_igemm_tile;

typedef void (*ig_igemm_fn)(const ig_igemm_tile *tile);

/* Few rows (m <= IG_GEMM_FEW_ROWS) times raw B. */
#define IG_GEMM_FEW_ROWS 4
typedef struct ig_gemm_rows {
    const float *a[IG_GEMM_FEW_ROWS];
    int m;
    int64_t n, k;
    const float *b; /* trans: first of n rows of k; otherwise first of k rows of n */
    int64_t ldb;
    float *sums; /* [m][sums_pitch], scratch; then finished into y */
    int64_t sums_pitch;
    ig_igemm_tile end; /* col, y, c, residual, bias, end */
} ig_gemm_rows;

typedef void (*ig_gemm_rows_fn)(const ig_gemm_rows *rows);

struct ig_gemm_kernel {
    const char *name;
    ig_isa isa;
    int mr, nr;
    ig_igemm_fn tile;
    ig_gemm_rows_fn rows_n, rows_t; /* B as stored, B transposed */
};

/* Panels that one call should take for a block of m rows: enough independent sums to hide the
 * latency of an FMA. */
static inline int ig_igemm_n_panels(int64_t m) { return m == 1 ? 4 : m == 2 ? 2 : 1; }

/* A block of the output: m rows by columns [n_begin, n_end), any size. */
typedef struct ig_igemm_block {
    const ig_gemm_kernel *kernel;
    const float *const *a; /* a[tap * a_tap_stride + i] */
    int64_t a_tap_stride, n_taps, k, k_block;
    const float *b; /* the packed matrix: panels n_taps * k * nr apart */
    int64_t m, n_begin, n_end;
    int64_t b_first; /* column of the first panel at b: 0, or n_begin if only that part is packed */
    float *acc;      /* scratch of ig_igemm_acc_bytes, or NULL if one pass is enough */
    float *const *y;
    const float *const *c, *const *residual;
    const float *bias;
    const ig_igemm_end *end;
} ig_igemm_block;

/* Compute a block in passes over K of about k_block. */
void ig_igemm_run(const ig_igemm_block *block);

/* Depth of a pass so that a panel stays in the L1 cache; the whole depth when that is near. */
int64_t ig_igemm_k_block(const ig_gemm_kernel *kernel, int64_t n_taps, int64_t k);
/* Scratch for partial sums of blocks up to m_block x n_block: 0 when one pass is enough. */
size_t ig_igemm_acc_bytes(const ig_gemm_kernel *kernel, int64_t n_taps, int64_t k, int64_t k_block,
                          int64_t m_block, int64_t n_block);
/* Columns of a work item: whole panels, their share of B in half the L2 cache, and enough items. */
int64_t ig_igemm_n_block(const ig_gemm_kernel *kernel, int64_t depth, int64_t n, int64_t n_m_items);
/* Rows of a work item. */
int64_t ig_igemm_m_block(const ig_gemm_kernel *kernel, int64_t m);
/* Items a thread should take at once, from the multiply-adds of one item. */
int64_t ig_igemm_grain(int64_t n_fma_per_item);

#endif
