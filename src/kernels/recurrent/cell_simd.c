/* SPDX-License-Identifier: Apache-2.0 */
/* cell_simd.c: gates of recurrent cells, compiled once per instruction set. The usual activations
 * have loops of their own. */
#include "base/simd_math.h"
#include "kernels/recurrent/cell.h"

extern const ig_cell_fns IG_KERNEL(ig_cell_fns_f32);

static vf activate_any(const ig_gate_act *a, vf x)
{
    const vf alpha = vf_set1(a->alpha), beta = vf_set1(a->beta), zero = vf_zero();
    switch (a->fn) {
    case IG_GATE_SIGMOID: return vf_sigmoid(x);
    case IG_GATE_TANH: return vf_tanh(x);
    case IG_GATE_RELU: return vf_max(zero, x);
    case IG_GATE_AFFINE: return alpha * x + beta;
    case IG_GATE_LEAKY_RELU: return vf_select(x < zero, alpha * x, x);
    case IG_GATE_THRESHOLDED_RELU: return vf_select(x > alpha, x, zero);
    case IG_GATE_SCALED_TANH: return alpha * vf_tanh(beta * x);
    case IG_GATE_HARD_SIGMOID: return vf_max(zero, vf_min(vf_set1(1), alpha * x + beta));
    case IG_GATE_ELU: return vf_select(x < zero, alpha * vf_expm1(vf_min(zero, x)), x);
    case IG_GATE_SOFTSIGN: return x / (vf_abs(x) + 1.0f);
    case IG_GATE_SOFTPLUS: return vf_softplus(x);
    default: return x;
    }
}

/* usual: a constant; the function that every exporter writes */
IG_INLINE vf activate(const ig_gate_act *a, bool is_usual, ig_gate_fn usual, vf x)
{
    if (!is_usual) return activate_any(a, x);
    return usual == IG_GATE_SIGMOID ? vf_sigmoid(x) : vf_tanh(x);
}

IG_INLINE vf clipped(vf x, float clip) { return vf_max(vf_set1(-clip), vf_min(vf_set1(clip), x)); }

/* The first m lanes; whole vectors without masks. */
IG_INLINE vf load(const float *p, int m) { return m == IG_VF ? vf_load(p) : vf_load_n(p, m); }
IG_INLINE void store(float *p, vf v, int m)
{
    if (m == IG_VF)
        vf_store(p, v);
    else
        vf_store_n(p, v, m);
}

IG_INLINE void lstm_block(const ig_cell *cell, bool usual, const float *gates, const float *p,
                          float *c, float *h, int64_t i, int m)
{
    const int64_t n = cell->n;
    const ig_gate_act *f = &cell->act[0], *g = &cell->act[1], *out = &cell->act[2];
    const vf old = load(c + i, m);
    vf xi = load(gates + i, m), xo = load(gates + n + i, m), xf = load(gates + 2 * n + i, m);
    if (p) {
        xi += load(p + i, m) * old;
        xf += load(p + 2 * n + i, m) * old;
    }
    const vf in = activate(f, usual, IG_GATE_SIGMOID, clipped(xi, cell->clip));
    vf forget = 1.0f - in;
    if (!cell->couples_input_forget)
        forget = activate(f, usual, IG_GATE_SIGMOID, clipped(xf, cell->clip));
    const vf new =
        activate(g, usual, IG_GATE_TANH, clipped(load(gates + 3 * n + i, m), cell->clip));
    const vf state = forget * old + in * new;
    if (p) xo += load(p + n + i, m) * state;
    const vf o = activate(f, usual, IG_GATE_SIGMOID, clipped(xo, cell->clip));
    store(c + i, state, m);
    store(h + i, o * activate(out, usual, IG_GATE_TANH, state), m);
}

static void lstm(const ig_cell *cell, const float *gates, const float *peephole, float *c, float *h)
{
    const int64_t n = cell->n, whole = n - n % IG_VF;
    const bool usual = cell->act[0].fn == IG_GATE_SIGMOID && cell->act[1].fn == IG_GATE_TANH &&
                       cell->act[2].fn == IG_GATE_TANH;
    int64_t i = 0;
    if (usual)
        for (; i < whole; i += IG_VF) lstm_block(cell, true, gates, peephole, c, h, i, IG_VF);
    else
        for (; i < whole; i += IG_VF) lstm_block(cell, false, gates, peephole, c, h, i, IG_VF);
    if (i < n) lstm_block(cell, usual, gates, peephole, c, h, i, (int)(n - i));
}

IG_INLINE void reset_block(const ig_cell *cell, bool usual, float *gates, const float *h,
                           float *reset, int64_t i, int m)
{
    const int64_t n = cell->n;
    const ig_gate_act *f = &cell->act[0];
    const vf z = activate(f, usual, IG_GATE_SIGMOID, clipped(load(gates + i, m), cell->clip));
    const vf r = activate(f, usual, IG_GATE_SIGMOID, clipped(load(gates + n + i, m), cell->clip));
    store(gates + i, z, m);
    store(gates + n + i, r, m);
    if (!cell->resets_after) store(reset + i, r * load(h + i, m), m);
}

static void gru_reset(const ig_cell *cell, float *gates, const float *h, float *reset)
{
    const int64_t n = cell->n, whole = n - n % IG_VF;
    const bool usual = cell->act[0].fn == IG_GATE_SIGMOID;
    int64_t i = 0;
    if (usual)
        for (; i < whole; i += IG_VF) reset_block(cell, true, gates, h, reset, i, IG_VF);
    else
        for (; i < whole; i += IG_VF) reset_block(cell, false, gates, h, reset, i, IG_VF);
    if (i < n) reset_block(cell, usual, gates, h, reset, i, (int)(n - i));
}

IG_INLINE void gru_block(const ig_cell *cell, bool usual, const float *gates, const float *reset,
                         float *h, int64_t i, int m)
{
    const int64_t n = cell->n;
    const vf z = load(gates + i, m);
    vf x = load(gates + 2 * n + i, m);
    if (cell->resets_after) x += load(gates + n + i, m) * load(reset + i, m);
    const vf new = activate(&cell->act[1], usual, IG_GATE_TANH, clipped(x, cell->clip));
    store(h + i, (1.0f - z) * new + z *load(h + i, m), m);
}

static void gru(const ig_cell *cell, const float *gates, const float *reset, float *h)
{
    const int64_t n = cell->n, whole = n - n % IG_VF;
    const bool usual = cell->act[1].fn == IG_GATE_TANH;
    int64_t i = 0;
    if (usual)
        for (; i < whole; i += IG_VF) gru_block(cell, true, gates, reset, h, i, IG_VF);
    else
        for (; i < whole; i += IG_VF) gru_block(cell, false, gates, reset, h, i, IG_VF);
    if (i < n) gru_block(cell, usual, gates, reset, h, i, (int)(n - i));
}

static void rnn(const ig_cell *cell, const float *gates, float *h)
{
    const bool usual = cell->act[0].fn == IG_GATE_TANH;
    for (int64_t i = 0; i < cell->n; i += IG_VF) {
        const int m = cell->n - i < IG_VF ? (int)(cell->n - i) : IG_VF;
        const vf x = clipped(load(gates + i, m), cell->clip);
        store(h + i, activate(&cell->act[0], usual, IG_GATE_TANH, x), m);
    }
}

const ig_cell_fns IG_KERNEL(ig_cell_fns_f32) = { lstm, gru_reset, gru, rnn };
