/* SPDX-License-Identifier: Apache-2.0 */
/* recurrent.c: shapes, reference and lowering of LSTM, GRU and RNN. */
#include "ops/recurrent.h"

#include <math.h>
#include <string.h>

#define MAX_HIDDEN (1 << 28)

enum { IN_X, IN_W, IN_R, IN_B, IN_LENGTHS, IN_H, IN_C, IN_P, N_INPUTS };

/* ---- shapes ---- */

static ig_status check_dim(const ig_info *info, int axis, int64_t want, const char *what,
                           ig_error *err)
{
    if (!info || info->rank < 0) return INGOT_OK;
    if (info->rank <= axis)
        return ig_fail(err, INGOT_ERR_SHAPE, "%s has rank %d", what, info->rank);
    if (want >= 0 && ig_dim_is_const(info->dims[axis]) && info->dims[axis] != want)
        return ig_fail(err, INGOT_ERR_SHAPE, "%s has %lld elements along axis %d, expected %lld",
                       what, (long long)info->dims[axis], axis, (long long)want);
    return INGOT_OK;
}

static ig_status check_rank(const ig_info *info, int rank, const char *what, ig_error *err)
{
    if (info && info->rank >= 0 && info->rank != rank)
        return ig_fail(err, INGOT_ERR_SHAPE, "%s has rank %d, expected %d", what, info->rank, rank);
    return INGOT_OK;
}

static const ig_info *input(const ig_infer *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

/* hidden: -1 when unknown. */
static ig_status check_inputs(const ig_infer *c, const ig_recurrent_shape *s, int64_t hidden)
{
    static const char *const names[] = { "X",         "W",         "R", "B", "sequence_lens",
                                         "initial_h", "initial_c", "P" };
    static const int ranks[] = { 3, 3, 3, 2, 1, 3, 3, 2 };
    const int64_t gates = ig_recurrent_n_gates(s->kind);
    const int64_t width = hidden < 0 || hidden > MAX_HIDDEN ? -1 : gates * hidden;
    const ig_dim n_in = c->in[IN_X]->rank == 3 ? c->in[IN_X]->dims[2] : -1;
    for (int i = 0; i < N_INPUTS; i++) IG_TRY(check_rank(input(c, i), ranks[i], names[i], c->err));
    for (int i = IN_W; i < N_INPUTS; i++) {
        if (i == IN_LENGTHS) continue;
        const int axis = (i == IN_H || i == IN_C) && s->is_batch_first ? 1 : 0;
        IG_TRY(check_dim(input(c, i), axis, s->n_dirs, names[i], c->err));
    }
    IG_TRY(check_dim(input(c, IN_W), 1, width, "W", c->err));
    IG_TRY(check_dim(input(c, IN_W), 2, ig_dim_is_const(n_in) ? n_in : -1, "W", c->err));
    IG_TRY(check_dim(input(c, IN_R), 1, width, "R", c->err));
    IG_TRY(check_dim(input(c, IN_R), 2, hidden, "R", c->err));
    IG_TRY(check_dim(input(c, IN_B), 1, hidden < 0 ? -1 : 2 * width, "B", c->err));
    IG_TRY(check_dim(input(c, IN_H), 2, hidden, "initial_h", c->err));
    IG_TRY(check_dim(input(c, IN_C), 2, hidden, "initial_c", c->err));
    return check_dim(input(c, IN_P), 1, hidden < 0 ? -1 : 3 * hidden, "P", c->err);
}

ig_status ig_infer_recurrent(ig_infer *c, ig_recurrent_kind kind)
{
    const ig_info *x = c->in[IN_X], *r = c->in[IN_R];
    ig_recurrent_shape s;
    IG_TRY(ig_recurrent_read(c->node, kind, &s, c->err));
    ig_dim hidden = ig_attr_int(c->node, "hidden_size", -1);
    if (hidden > MAX_HIDDEN)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "hidden_size is %lld, at most %d is supported",
                       (long long)hidden, MAX_HIDDEN);
    if (hidden < 0 && r->rank == 3) hidden = r->dims[2];
    IG_TRY(check_inputs(c, &s, ig_dim_is_const(hidden) ? hidden : -1));
    if (x->rank < 0 || hidden == -1) return INGOT_OK;
    const ig_dim steps = x->dims[s.is_batch_first ? 1 : 0];
    const ig_dim batch = x->dims[s.is_batch_first ? 0 : 1];
    const int64_t n_batch = ig_dim_is_const(batch) ? batch : -1;
    IG_TRY(check_dim(input(c, IN_LENGTHS), 0, n_batch, "sequence_lens", c->err));
    IG_TRY(check_dim(input(c, IN_H), s.is_batch_first ? 0 : 1, n_batch, "initial_h", c->err));
    IG_TRY(check_dim(input(c, IN_C), s.is_batch_first ? 0 : 1, n_batch, "initial_c", c->err));
    const ig_dim y[2][4] = { { steps, s.n_dirs, batch, hidden },
                             { batch, steps, s.n_dirs, hidden } };
    const ig_dim state[2][3] = { { s.n_dirs, batch, hidden }, { batch, s.n_dirs, hidden } };
    ig_info_set_shape(&c->out[0], x->type.dtype, 4, y[s.is_batch_first]);
    for (int o = 1; o < c->n_out; o++)
        ig_info_set_shape(&c->out[o], x->type.dtype, 3, state[s.is_batch_first]);
    return INGOT_OK;
}

static void set_sizes(ig_recurrent_shape *s, const int64_t *x, int64_t hidden)
{
    s->n_steps = x[s->is_batch_first ? 1 : 0];
    s->n_batch = x[s->is_batch_first ? 0 : 1];
    s->n_in = x[2];
    s->n_hidden = hidden;
    for (int d = 0; d < s->n_dirs; d++) s->cell[d].n = hidden;
}

/* ---- reference ---- */

static double activate(const ig_gate_act *a, double x)
{
    const double alpha = (double)a->alpha, beta = (double)a->beta;
    switch (a->fn) {
    case IG_GATE_SIGMOID: return 1 / (1 + exp(-x));
    case IG_GATE_TANH: return tanh(x);
    case IG_GATE_RELU: return x < 0 ? 0 : x;
    case IG_GATE_AFFINE: return alpha * x + beta;
    case IG_GATE_LEAKY_RELU: return x < 0 ? alpha * x : x;
    case IG_GATE_THRESHOLDED_RELU: return x > alpha ? x : 0;
    case IG_GATE_SCALED_TANH: return alpha * tanh(beta * x);
    case IG_GATE_HARD_SIGMOID: return fmax(0, fmin(1, alpha * x + beta));
    case IG_GATE_ELU: return x < 0 ? alpha * expm1(x) : x;
    case IG_GATE_SOFTSIGN: return x / (1 + fabs(x));
    case IG_GATE_SOFTPLUS: return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
    default: return x;
    }
}

static double clipped(const ig_cell *cell, double x)
{
    const double clip = (double)cell->clip;
    return x > clip ? clip : x < -clip ? -clip : x;
}

typedef struct ref_cell {
    ig_call *c;
    const ig_recurrent_shape *s;
    int d;
    const double *x; /* this step's row */
    double *h, *cell, *reset, *gates;
} ref_cell;

static double at(const ref_cell *r, int i, int64_t index, double absent)
{
    const ig_tensor *t = i < r->c->n_in ? r->c->in[i] : NULL;
    return t ? ig_get_f64(t->dtype, t->data, index) : absent;
}

static double w_dot(const ref_cell *r, int64_t gate, int64_t j)
{
    const ig_recurrent_shape *s = r->s;
    const int64_t n_gates = ig_recurrent_n_gates(s->kind);
    const int64_t row = (r->d * n_gates + gate) * s->n_hidden + j;
    const int64_t bias = r->d * 2 * n_gates * s->n_hidden + gate * s->n_hidden + j;
    double sum = at(r, IN_B, bias, 0);
    for (int64_t k = 0; k < s->n_in; k++) sum += at(r, IN_W, row * s->n_in + k, 0) * r->x[k];
    return sum;
}

static double r_dot(const ref_cell *r, int64_t gate, int64_t j, const double *state)
{
    const ig_recurrent_shape *s = r->s;
    const int64_t n_gates = ig_recurrent_n_gates(s->kind);
    const int64_t row = (r->d * n_gates + gate) * s->n_hidden + j;
    const int64_t bias = (r->d * 2 + 1) * n_gates * s->n_hidden + gate * s->n_hidden + j;
    double sum = at(r, IN_B, bias, 0);
    for (int64_t k = 0; k < s->n_hidden; k++)
        sum += at(r, IN_R, row * s->n_hidden + k, 0) * state[k];
    return sum;
}

static void step_lstm(ref_cell *r)
{
    const ig_recurrent_shape *s = r->s;
    const ig_cell *cell = &s->cell[r->d];
    const int64_t n = s->n_hidden, p = r->d * 3 * n;
    for (int64_t g = 0; g < 4; g++)
        for (int64_t j = 0; j < n; j++) r->gates[g * n + j] = w_dot(r, g, j) + r_dot(r, g, j, r->h);
    for (int64_t j = 0; j < n; j++) {
        const double old = r->cell[j];
        const double xi = r->gates[j] + at(r, IN_P, p + j, 0) * old;
        const double xf = r->gates[2 * n + j] + at(r, IN_P, p + 2 * n + j, 0) * old;
        const double i = activate(&cell->act[0], clipped(cell, xi));
        const double f =
            cell->couples_input_forget ? 1 - i : activate(&cell->act[0], clipped(cell, xf));
        const double c = activate(&cell->act[1], clipped(cell, r->gates[3 * n + j]));
        r->cell[j] = f * old + i * c;
        const double xo = r->gates[n + j] + at(r, IN_P, p + n + j, 0) * r->cell[j];
        r->h[j] = activate(&cell->act[0], clipped(cell, xo)) * activate(&cell->act[2], r->cell[j]);
    }
}

static void step_gru(ref_cell *r)
{
    const ig_recurrent_shape *s = r->s;
    const ig_cell *cell = &s->cell[r->d];
    const int64_t n = s->n_hidden;
    double *z = r->gates, *reset = r->gates + n, *h = r->gates + 2 * n;
    for (int64_t j = 0; j < n; j++) {
        z[j] = activate(&cell->act[0], clipped(cell, w_dot(r, 0, j) + r_dot(r, 0, j, r->h)));
        reset[j] = activate(&cell->act[0], clipped(cell, w_dot(r, 1, j) + r_dot(r, 1, j, r->h)));
        r->reset[j] = reset[j] * r->h[j];
    }
    for (int64_t j = 0; j < n; j++) {
        const double x = w_dot(r, 2, j) + (cell->resets_after ? reset[j] * r_dot(r, 2, j, r->h)
                                                              : r_dot(r, 2, j, r->reset));
        h[j] = activate(&cell->act[1], clipped(cell, x));
    }
    for (int64_t j = 0; j < n; j++) r->h[j] = (1 - z[j]) * h[j] + z[j] * r->h[j];
}

static void step_rnn(ref_cell *r)
{
    const int64_t n = r->s->n_hidden;
    const ig_cell *cell = &r->s->cell[r->d];
    for (int64_t j = 0; j < n; j++) r->gates[j] = w_dot(r, 0, j) + r_dot(r, 0, j, r->h);
    for (int64_t j = 0; j < n; j++) r->h[j] = activate(&cell->act[0], clipped(cell, r->gates[j]));
}

static void put_row(ig_call *c, int o, int64_t row, const double *v, int64_t n)
{
    if (o >= c->n_out || !c->out[o]) return;
    for (int64_t j = 0; j < n; j++)
        ig_set_f64(c->out[o]->dtype, c->out[o]->data, row * n + j, v ? v[j] : 0);
}

/* One sequence in one direction. */
static ig_status run_sequence(ref_cell *r, int64_t b, double *x)
{
    const ig_recurrent_shape *s = r->s;
    const int64_t n = s->n_hidden;
    const int64_t state = s->is_batch_first ? b * s->n_dirs + r->d : r->d * s->n_batch + b;
    const double given = at(r, IN_LENGTHS, b, (double)s->n_steps);
    if (!(given >= 0) || given > (double)s->n_steps)
        return ig_fail(r->c->err, INGOT_ERR_INVALID, "sequence %lld has length %g, not 0 to %lld",
                       (long long)b, given, (long long)s->n_steps);
    const int64_t length = (int64_t)given;
    for (int64_t j = 0; j < n; j++) {
        r->h[j] = at(r, IN_H, state * n + j, 0);
        r->cell[j] = at(r, IN_C, state * n + j, 0);
    }
    for (int64_t t = 0; t < s->n_steps; t++) {
        const bool is_step = t < length;
        const int64_t step = is_step && s->is_reverse[r->d] ? length - 1 - t : t;
        const int64_t row = s->is_batch_first ? b * s->n_steps + step : step * s->n_batch + b;
        const int64_t y = s->is_batch_first ? (b * s->n_steps + step) * s->n_dirs + r->d
                                            : (step * s->n_dirs + r->d) * s->n_batch + b;
        for (int64_t k = 0; k < s->n_in; k++) x[k] = at(r, IN_X, row * s->n_in + k, 0);
        if (is_step && s->kind == IG_RECURRENT_LSTM) step_lstm(r);
        if (is_step && s->kind == IG_RECURRENT_GRU) step_gru(r);
        if (is_step && s->kind == IG_RECURRENT_RNN) step_rnn(r);
        put_row(r->c, 0, y, is_step ? r->h : NULL, n);
    }
    put_row(r->c, 1, state, length ? r->h : NULL, n);
    if (s->kind == IG_RECURRENT_LSTM) put_row(r->c, 2, state, length ? r->cell : NULL, n);
    return INGOT_OK;
}

ig_status ig_ref_recurrent(ig_call *c, ig_recurrent_kind kind)
{
    ig_recurrent_shape s;
    IG_TRY(ig_recurrent_read(c->node, kind, &s, c->err));
    set_sizes(&s, c->in[IN_X]->dims, c->in[IN_R]->dims[2]);
    ref_cell r = { .c = c, .s = &s };
    r.h = ig_arena_array(c->scratch, (size_t)s.n_hidden, 8 * sizeof *r.h);
    double *x = ig_arena_array(c->scratch, (size_t)s.n_in, sizeof *x);
    if (!r.h || !x) return IG_NOMEM(c->err, (size_t)(s.n_hidden * 8 + s.n_in) * sizeof *x);
    r.cell = r.h + s.n_hidden;
    r.reset = r.cell + s.n_hidden;
    r.gates = r.reset + s.n_hidden;
    r.x = x;
    for (r.d = 0; r.d < s.n_dirs; r.d++)
        for (int64_t b = 0; b < s.n_batch; b++) IG_TRY(run_sequence(&r, b, x));
    return INGOT_OK;
}

/* ---- lowering ---- */

static void pack_w(const void *ctx, const ig_tensor *src, void *dst)
{
    ig_recurrent_pack_w(ctx, src->data, dst);
}

static void pack_r(const void *ctx, const ig_tensor *src, void *dst)
{
    ig_recurrent_pack_r(ctx, src->data, dst);
}

static uint64_t pack_key(const ig_gemm_kernel *kernel, ig_recurrent_kind kind)
{
    const char *name = ig_gemm_kernel_name(kernel);
    return ig_hash(name, strlen(name), 0x5ec0 + (uint64_t)kind);
}

/* Operands that the kernel reads as float32 of known shape. */
static bool are_floats(const ig_lower *l)
{
    int64_t dims[IG_MAX_RANK];
    for (int i = 0; i < l->n_in; i++) {
        if (i == IN_LENGTHS || !l->in[i]) continue;
        if (l->in[i]->type.dtype != INGOT_FLOAT || !ig_info_is_static(l->in[i], dims)) return false;
    }
    return true;
}

ig_status ig_lower_recurrent(ig_lower *l, ig_recurrent_kind kind)
{
    ig_recurrent_shape s;
    int64_t x[IG_MAX_RANK], r[IG_MAX_RANK];
    size_t bytes = 0;
    IG_TRY(ig_recurrent_read(l->node, kind, &s, l->err));
    if (!are_floats(l) || !ig_info_is_static(l->in[IN_X], x) || !ig_info_is_static(l->in[IN_R], r))
        return INGOT_OK;
    set_sizes(&s, x, r[2]);
    s.has_lengths = l->n_in > IN_LENGTHS && l->in[IN_LENGTHS];
    if (s.has_lengths && l->in[IN_LENGTHS]->type.dtype != INGOT_INT32) return INGOT_OK;
    if (s.n_batch == 0 || s.n_in == 0 || s.n_hidden == 0) return INGOT_OK;
    s.is_w_packed = l->in[IN_W]->data != NULL;
    s.is_r_packed = l->in[IN_R]->data != NULL;
    ig_recurrent_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_recurrent_plan(&s, l->isa, l->n_threads, p, l->err));
    if (s.is_w_packed) {
        if (!ig_recurrent_packed_w_bytes(p, &bytes)) return INGOT_OK;
        IG_TRY(ig_lower_pack(l, IN_W, pack_key(p->input_kernel, kind), bytes, pack_w, p));
    }
    if (s.is_r_packed) {
        if (!ig_recurrent_packed_r_bytes(p, &bytes)) return INGOT_OK;
        IG_TRY(ig_lower_pack(l, IN_R, pack_key(p->step_kernel, kind), bytes, pack_r, p));
    }
    static const char *const names[] = {
        [IG_RECURRENT_RNN] = "rnn", [IG_RECURRENT_GRU] = "gru", [IG_RECURRENT_LSTM] = "lstm"
    };
    l->kernel_name =
        ig_arena_printf(l->arena, "ig_k_recurrent_%s_f32__%s", names[kind], ig_isa_name(l->isa));
    l->team_kernel = ig_k_recurrent;
    l->params = p;
    l->n_operand_in = N_INPUTS;
    l->n_operand_out = 3;
    l->scratch_bytes = p->scratch_bytes;
    l->flops = 2 * s.n_steps * s.n_batch * s.n_dirs * ig_recurrent_n_gates(kind) * s.n_hidden *
               (s.n_in + s.n_hidden);
    return INGOT_OK;
}
