/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recurrent.h: LSTM, GRU and simple recurrent layers in float32.
 *
 * The products of W and all time steps are one matrix product; then, step by step, the product of
 * R and the state is added in place and the cell's functions make the new state. The kernel drives
 * the team itself: there is a barrier after every step's product. Two directions run side by side
 * where a step is too small for several threads.
 *
 * Gates and biases are in ONNX's order (LSTM i, o, f, c; GRU z, r, h).
 *
 * Operands (NULL where absent):
 *     0 X   1 W   2 R   3 B   4 sequence lengths (int32)   5 initial h   6 initial c   7 P
 *     8 Y   9 Y_h   10 Y_c   11 scratch
 */
#ifndef IG_KERNELS_RECURRENT_RECURRENT_H
#define IG_KERNELS_RECURRENT_RECURRENT_H

#include "kernels/gemm/gemm.h"
#include "kernels/recurrent/cell.h"

typedef enum ig_recurrent_kind {
    IG_RECURRENT_RNN,
    IG_RECURRENT_GRU,
    IG_RECURRENT_LSTM
} ig_recurrent_kind;

static inline int64_t ig_recurrent_n_gates(ig_recurrent_kind kind)
{
    return kind == IG_RECURRENT_LSTM ? 4 : kind == IG_RECURRENT_GRU ? 3 : 1;
}

typedef struct ig_recurrent_shape {
    ig_recurrent_kind kind;
    int64_t n_steps, n_batch, n_in, n_hidden;
    int n_dirs;
    bool is_reverse[2];  /* by direction */
    bool is_batch_first; /* X [batch, steps, in], Y [batch, steps, dirs, hidden], states [batch,
                            dirs, hidden]; else X [steps, batch, in], Y [steps, dirs, batch, hidden]
                            … */
    bool has_lengths;
    bool is_w_packed, is_r_packed;
    ig_cell cell[2]; /* by direction */
} ig_recurrent_shape;

typedef struct ig_recurrent_params {
    ig_recurrent_shape shape;
    const ig_gemm_kernel *input_kernel, *step_kernel;
    ig_gemm_params input; /* X W^T + bias */
    ig_gemm_params step;  /* += h R^T; GRU: of z and r only */
    ig_gemm_params last;  /* GRU: of gate h */
    const ig_cell_fns *fns;
    int64_t n_rows; /* rows of the batch that take steps together */
    /* elements of scratch */
    int64_t gates_at, bias_at, state_at, cell_at, reset_at, dir_elems, gemm_at;
    size_t gemm_bytes_per_thread, scratch_bytes;
} ig_recurrent_params;

/* Check a shape, plan its products for a team of n_threads. Fails with INGOT_ERR_SHAPE. */
ig_status ig_recurrent_plan(const ig_recurrent_shape *shape, ig_isa isa, int n_threads,
                            ig_recurrent_params *params, ig_error *err) IG_MUST_USE;

/* Packed forms of W [dirs, gates*hidden, in] and R [dirs, gates*hidden, hidden] for these params;
 * false on overflow. */
bool ig_recurrent_packed_w_bytes(const ig_recurrent_params *params, size_t *bytes);
bool ig_recurrent_packed_r_bytes(const ig_recurrent_params *params, size_t *bytes);
void ig_recurrent_pack_w(const ig_recurrent_params *params, const float *w, void *dst);
void ig_recurrent_pack_r(const ig_recurrent_params *params, const float *r, void *dst);

/* The kernel. params: ig_recurrent_params. */
void ig_k_recurrent(const void *params, void *const *operands, ig_team *team);

#endif
