/* SPDX-License-Identifier: Apache-2.0 */
/* cell.h: what happens to the gates of one time step, for one row of the batch. */
#ifndef IG_KERNELS_RECURRENT_CELL_H
#define IG_KERNELS_RECURRENT_CELL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ig_gate_fn {
    IG_GATE_SIGMOID = 0,
    IG_GATE_TANH,
    IG_GATE_RELU,
    IG_GATE_AFFINE,           /* alpha*x + beta */
    IG_GATE_LEAKY_RELU,       /* x < 0 ? alpha*x : x */
    IG_GATE_THRESHOLDED_RELU, /* x > alpha ? x : 0 */
    IG_GATE_SCALED_TANH,      /* alpha*tanh(beta*x) */
    IG_GATE_HARD_SIGMOID,     /* max(0, min(1, alpha*x + beta)) */
    IG_GATE_ELU,              /* x < 0 ? alpha*(e^x - 1) : x */
    IG_GATE_SOFTSIGN,         /* x / (1 + |x|) */
    IG_GATE_SOFTPLUS,         /* log(1 + e^x) */
    IG_N_GATE_FNS
} ig_gate_fn;

typedef struct ig_gate_act {
    ig_gate_fn fn;
    float alpha, beta;
} ig_gate_act;

typedef struct ig_cell {
    int64_t n;                 /* hidden size */
    ig_gate_act act[3];        /* f, g, h of the definitions */
    float clip;                /* bounds what goes into f and g; infinity: not */
    bool couples_input_forget; /* LSTM: forget gate is 1 - input gate */
    bool resets_after;         /* GRU: linear_before_reset */
} ig_cell;

/* The vector functions of one instruction set. gates: n values a gate, gate after gate.
 *
 * lstm       gates i, o, f, c; peephole i, o, f or NULL; c: cell state, updated; h: written
 * gru_reset  gates z, r become f(z), f(r); unless resets_after, reset = r * h
 * gru        gates z, r as left by gru_reset, h; reset: with resets_after the product of R and the
 *            old state; h: updated
 * rnn        h = f(gates) */
typedef struct ig_cell_fns {
    void (*lstm)(const ig_cell *cell, const float *gates, const float *peephole, float *c,
                 float *h);
    void (*gru_reset)(const ig_cell *cell, float *gates, const float *h, float *reset);
    void (*gru)(const ig_cell *cell, const float *gates, const float *reset, float *h);
    void (*rnn)(const ig_cell *cell, const float *gates, float *h);
} ig_cell_fns;

#endif
