/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm.h: float32 matrix products, batched, with everything around them.
 *
 *     Y[b] = act(alpha * op(A[b]) * op(B[b]) + beta * C[b] + residual[b])
 *
 * op(A) is M x K, op(B) is K x N, C broadcasts to M x N. Rows of A and Y are contiguous in N or K
 * and have a pitch. B is either constant and packed ahead (ig_gemm_pack_b), or raw, and then the
 * kernel packs what it needs into scratch or, for few rows, reads it in place.
 *
 * Each element of A*B is one chain of fused multiply-adds in the order of k (raw B with few rows:
 * a fixed number of chains), so the result depends neither on the tile nor on how the iteration
 * space is split. NaN and infinity behave as in that chain; beta == 0 leaves C unread.
 *
 * How to use it: fill ig_gemm_shape (ig_gemm_shape_init gives plain defaults), ig_gemm_choose a
 * kernel, pack B if it is constant, ig_gemm_plan the parameters; then run ig_k_gemm over
 * [0, plan.n_work) with these operands:
 *
 *     0 A   1 B (raw, or packed)   2 C or NULL   3 residual or NULL   4 Y   5 scratch or NULL
 *
 * scratch is one block of plan.scratch_bytes_per_thread * (threads of the team), 64-byte aligned;
 * a part uses the slice of its part.i_thread. Contents need not survive a call. residual may be Y
 * itself with the same strides; apart from that, Y overlaps no input.
 */
#ifndef IG_KERNELS_GEMM_H
#define IG_KERNELS_GEMM_H

#include "kernels/kernel.h"

#define IG_GEMM_MAX_BATCH_DIMS 6

/* How C broadcasts to M x N. */
typedef enum ig_gemm_c {
    IG_GEMM_C_NONE = 0,
    IG_GEMM_C_SCALAR, /* one element */
    IG_GEMM_C_N,      /* N elements: a bias */
    IG_GEMM_C_M,      /* M elements, ldc apart (1 when dense) */
    IG_GEMM_C_MN      /* rows of N elements, ldc apart */
} ig_gemm_c;

/* Sizes and strides are in elements. Every size may be 0 (K == 0: the product is 0). */
typedef struct ig_gemm_shape {
    int64_t m, n, k;
    bool trans_a;                    /* A is stored K x M */
    bool trans_b;                    /* B is stored N x K; ignored when b_is_packed */
    int64_t lda, ldb, ldc, ldr, ldy; /* from one stored row to the next */
    bool b_is_packed; /* operand 1 is what ig_gemm_pack_b wrote, matrices one after another */
    int n_batch_dims; /* 0: one product */
    int64_t batch_dims[IG_GEMM_MAX_BATCH_DIMS]; /* outermost first */
    int64_t a_stride[IG_GEMM_MAX_BATCH_DIMS];   /* 0 broadcasts */
    int64_t b_stride[IG_GEMM_MAX_BATCH_DIMS];   /* packed: in matrices, not in elements */
    int64_t c_stride[IG_GEMM_MAX_BATCH_DIMS];
    int64_t r_stride[IG_GEMM_MAX_BATCH_DIMS];
    int64_t y_stride[IG_GEMM_MAX_BATCH_DIMS];
    ig_gemm_c c;
    bool has_residual;
    float alpha, beta;
    ig_epilogue epilogue;
} ig_gemm_shape;

/* m x k times k x n, dense rows, no batch, alpha = beta = 1, nothing else. */
void ig_gemm_shape_init(ig_gemm_shape *shape, int64_t m, int64_t n, int64_t k, bool trans_a,
                        bool trans_b);

/* One row of the kernel list: a register tile of mr x nr for one instruction set (igemm.h). */
typedef struct ig_gemm_kernel ig_gemm_kernel;

/* The kernel to use for a shape, at most `isa` (IG_ISA_PORTABLE or better; REF is taken as
 * PORTABLE). Uses m, n, k; m may be 0 when unknown. Never NULL. */
const ig_gemm_kernel *ig_gemm_choose(const ig_gemm_shape *shape, ig_isa isa);
/* By name ("ig_k_gemm_f32_6x16__avx2"), or NULL if there is none. Does not look at the CPU. */
const ig_gemm_kernel *ig_gemm_find(const char *name);
const char *ig_gemm_kernel_name(const ig_gemm_kernel *kernel);
ig_isa ig_gemm_kernel_isa(const ig_gemm_kernel *kernel);
/* Row i of the list, NULL past the end: for tests, benchmarks and tuning. */
const ig_gemm_kernel *ig_gemm_kernel_at(int i);

/* Bytes of one packed K x N matrix, a multiple of 64; false on overflow. */
bool ig_gemm_packed_bytes(const ig_gemm_kernel *kernel, int64_t k, int64_t n, size_t *bytes);
/* Pack one matrix into panels of nr columns, zero padded: dst[N/nr][K][nr], 64-byte aligned. src is
 * K x N with rows ldb apart, or N x K if trans. */
void ig_gemm_pack_b(const ig_gemm_kernel *kernel, const float *src, int64_t ldb, bool trans,
                    int64_t k, int64_t n, float *dst);

/* Everything ig_k_gemm needs; no pointers into memory that the caller owns, may be copied. */
typedef struct ig_gemm_params {
    ig_gemm_shape shape;
    const ig_gemm_kernel *kernel;
    int64_t n_batch, m_block, n_block, k_block; /* output tile of a work item; depth of one pass */
    int64_t n_m_blocks, n_n_blocks;
    int64_t packed_stride;               /* elements between packed matrices */
    bool is_few_rows;                    /* raw B is read in place */
    size_t rows_bytes, a_bytes, b_bytes; /* parts of a thread's scratch */
    int64_t n_work, grain;               /* for ig_team_run */
    size_t scratch_bytes_per_thread;
} ig_gemm_params;

/* Check a shape and fix the blocking. Fails with INGOT_ERR_SHAPE (negative sizes, pitches smaller
 * than rows, too many batch dimensions, sizes that overflow). */
ig_status ig_gemm_plan(const ig_gemm_shape *shape, const ig_gemm_kernel *kernel,
                       ig_gemm_params *params, ig_error *err) IG_MUST_USE;

/* The kernel. params: ig_gemm_params. */
void ig_k_gemm(const void *params, void *const *operands, ig_part part);

/* The same result by plain loops (double accumulator), for tests and INGOT_CPU=ref. params:
 * ig_gemm_params; B must be raw; part is over [0, n_work) where n_work counts rows of Y over all
 * batches (ig_gemm_ref_n_work). */
int64_t ig_gemm_ref_n_work(const ig_gemm_shape *shape);
void ig_k_gemm_ref(const void *params, void *const *operands, ig_part part);

#endif
