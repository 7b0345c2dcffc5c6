/* SPDX-License-Identifier: Apache-2.0 */
/* recurrent.c: the loop over time. */
#include "kernels/recurrent/recurrent.h"

#include <string.h>

enum { X, W, R, B, LENGTHS, H0, C0, P, Y, Y_H, Y_C, SCRATCH };

/* Multiply-adds of a step's product below which one thread does it as fast as several. */
#define SMALL_STEP (INT64_C(1) << 18)

/* One direction at work. */
typedef struct direction {
    const ig_recurrent_params *p;
    void *const *operands;
    ig_team *team; /* NULL: this thread alone, as i_thread */
    int i_thread, d;
    float *gates, *bias, *state, *cell, *reset;
    void *gemm_scratch;
    const float *w, *r, *r_last;
} direction;

static void run_part(void *ctx, ig_part part)
{
    void *const *job = ctx;
    ig_k_gemm(job[0], job + 1, part);
}

static void product(const direction *x, const ig_gemm_params *g, const float *a, const float *b,
                    const float *c, const float *residual, float *y)
{
    void *job[7] = { (void *)(uintptr_t)g, (void *)(uintptr_t)a,        (void *)(uintptr_t)b,
                     (void *)(uintptr_t)c, (void *)(uintptr_t)residual, y,
                     x->gemm_scratch };
    if (x->team && g->n_work > g->grain)
        ig_team_run(x->team, run_part, job, g->n_work, g->grain);
    else
        ig_k_gemm(g, job + 1, (ig_part){ 0, g->n_work, x->i_thread });
}

/* Packed matrices of all directions, then raw ones: where those of direction d are. */
static void find_weights(direction *x)
{
    const ig_recurrent_params *p = x->p;
    const ig_recurrent_shape *s = &p->shape;
    const int64_t h = s->n_hidden, n_gates = ig_recurrent_n_gates(s->kind);
    const uint8_t *w = x->operands[W], *r = x->operands[R];
    size_t w_bytes = (size_t)(n_gates * h * s->n_in) * sizeof(float);
    size_t r_bytes = (size_t)(n_gates * h * h) * sizeof(float);
    size_t last = (size_t)(2 * h * h) * sizeof(float);
    if (s->is_w_packed && ig_recurrent_packed_w_bytes(p, &w_bytes)) w_bytes /= (size_t)s->n_dirs;
    if (s->is_r_packed && ig_recurrent_packed_r_bytes(p, &r_bytes)) r_bytes /= (size_t)s->n_dirs;
    if (s->is_r_packed && s->kind == IG_RECURRENT_GRU &&
        !ig_gemm_packed_bytes(p->step_kernel, h, 2 * h, &last))
        return;
    x->w = (const float *)(w + (size_t)x->d * w_bytes);
    x->r = (const float *)(r + (size_t)x->d * r_bytes);
    x->r_last = (const float *)(r + (size_t)x->d * r_bytes + last);
}

/* bias of W plus bias of R; GRU with resets_after keeps R's bias of gate h apart, behind. */
static void add_biases(const direction *x)
{
    const ig_recurrent_shape *s = &x->p->shape;
    const int64_t h = s->n_hidden, n = ig_recurrent_n_gates(s->kind) * h;
    const float *b = x->operands[B];
    memset(x->bias, 0, (size_t)(2 * n) * sizeof(float));
    if (!b) return;
    b += x->d * 2 * n;
    const bool apart = s->kind == IG_RECURRENT_GRU && s->cell[0].resets_after;
    for (int64_t i = 0; i < n; i++) x->bias[i] = b[i] + (apart && i >= 2 * h ? 0 : b[n + i]);
    if (apart) memcpy(x->bias + n, b + n + 2 * h, (size_t)h * sizeof(float));
}

/* Row of X and of gates. */
static int64_t row_of(const ig_recurrent_shape *s, int64_t step, int64_t batch)
{
    return s->is_batch_first ? batch * s->n_steps + step : step * s->n_batch + batch;
}

/* Row of a state output or input. */
static int64_t state_row(const ig_recurrent_shape *s, int d, int64_t batch)
{
    return s->is_batch_first ? batch * s->n_dirs + d : d * s->n_batch + batch;
}

static float *y_row(const direction *x, int64_t step, int64_t batch)
{
    const ig_recurrent_shape *s = &x->p->shape;
    const int64_t row = s->is_batch_first ? (batch * s->n_steps + step) * s->n_dirs + x->d
                                          : (step * s->n_dirs + x->d) * s->n_batch + batch;
    return (float *)x->operands[Y] + row * s->n_hidden;
}

/* One step of rows [batch, batch + n_rows). */
static void step(const direction *x, int64_t t, int64_t batch)
{
    const ig_recurrent_params *p = x->p;
    const ig_recurrent_shape *s = &p->shape;
    const ig_cell *cell = &s->cell[x->d];
    const int64_t h = s->n_hidden, width = ig_recurrent_n_gates(s->kind) * h;
    const int64_t pitch = s->is_batch_first ? s->n_steps * width : width;
    float *gates = x->gates + row_of(s, t, batch) * width;
    float *state = x->state + batch * h, *c = x->cell + batch * h, *reset = x->reset + batch * h;
    const float *peephole = x->operands[P];
    product(x, &p->step, state, x->r, NULL, gates, gates);
    if (s->kind == IG_RECURRENT_GRU) {
        for (int64_t i = 0; i < p->n_rows; i++)
            p->fns->gru_reset(cell, gates + i * pitch, state + i * h, reset + i * h);
        if (cell->resets_after)
            product(x, &p->last, state, x->r_last, x->bias + width, NULL, reset);
        else
            product(x, &p->last, reset, x->r_last, NULL, gates + 2 * h, gates + 2 * h);
    }
    for (int64_t i = 0; i < p->n_rows; i++) {
        float *row = gates + i * pitch, *to = state + i * h;
        if (s->kind == IG_RECURRENT_LSTM)
            p->fns->lstm(cell, row, peephole ? peephole + x->d * 3 * h : NULL, c + i * h, to);
        else if (s->kind == IG_RECURRENT_GRU)
            p->fns->gru(cell, row, reset + i * h, to);
        else
            p->fns->rnn(cell, row, to);
        if (x->operands[Y]) memcpy(y_row(x, t, batch + i), to, (size_t)h * sizeof(float));
    }
}

static void move_state(const direction *x, float *state, int operand, bool is_output)
{
    const ig_recurrent_shape *s = &x->p->shape;
    const size_t bytes = (size_t)s->n_hidden * sizeof(float);
    float *at = x->operands[operand];
    if (!at && !is_output) memset(state, 0, bytes * (size_t)s->n_batch);
    for (int64_t b = 0; at && b < s->n_batch; b++) {
        float *outside = at + state_row(s, x->d, b) * s->n_hidden;
        memcpy(is_output ? outside : state + b * s->n_hidden,
               is_output ? state + b * s->n_hidden : outside, bytes);
    }
}

static void run_direction(const direction *x)
{
    const ig_recurrent_params *p = x->p;
    const ig_recurrent_shape *s = &p->shape;
    const int32_t *lengths = s->has_lengths ? x->operands[LENGTHS] : NULL;
    move_state(x, x->state, H0, false);
    if (s->kind == IG_RECURRENT_LSTM) move_state(x, x->cell, C0, false);
    for (int64_t b = 0; b < s->n_batch; b += p->n_rows) {
        int64_t n = s->n_steps;
        if (lengths && lengths[b] < n) n = lengths[b] > 0 ? lengths[b] : 0;
        for (int64_t t = 0; t < n; t++) step(x, s->is_reverse[x->d] ? n - 1 - t : t, b);
        for (int64_t t = n; x->operands[Y] && t < s->n_steps; t++)
            memset(y_row(x, t, b), 0, (size_t)s->n_hidden * sizeof(float));
        if (n > 0) continue;
        /* no step, no state: not even the initial one */
        const size_t bytes = (size_t)(p->n_rows * s->n_hidden) * sizeof(float);
        memset(x->state + b * s->n_hidden, 0, bytes);
        memset(x->cell + b * s->n_hidden, 0, bytes);
    }
    move_state(x, x->state, Y_H, true);
    if (s->kind == IG_RECURRENT_LSTM) move_state(x, x->cell, Y_C, true);
}

static void run_directions(void *ctx, ig_part part)
{
    const direction *both = ctx;
    for (int64_t d = part.begin; d < part.end; d++) {
        direction x = both[d];
        x.team = NULL;
        x.i_thread = part.i_thread;
        run_direction(&x);
    }
}

void ig_k_recurrent(const void *params, void *const *operands, ig_team *team)
{
    const ig_recurrent_params *p = params;
    const ig_recurrent_shape *s = &p->shape;
    float *scratch = operands[SCRATCH];
    direction both[2];
    for (int d = 0; d < s->n_dirs; d++) {
        float *own = scratch + d * p->dir_elems;
        both[d] = (direction){ .p = p,
                               .operands = operands,
                               .team = team,
                               .d = d,
                               .gates = own + p->gates_at,
                               .bias = own + p->bias_at,
                               .state = own + p->state_at,
                               .cell = own + p->cell_at,
                               .reset = own + p->reset_at,
                               .gemm_scratch = scratch + p->gemm_at };
        find_weights(&both[d]);
        add_biases(&both[d]);
        product(&both[d], &p->input, operands[X], both[d].w, both[d].bias, NULL, both[d].gates);
    }
    const int64_t work = ig_recurrent_n_gates(s->kind) * s->n_hidden * s->n_hidden * p->n_rows;
    const bool side_by_side =
        s->n_dirs == 2 && team && (work < SMALL_STEP || ig_team_n_threads(team) == 2);
    if (side_by_side)
        ig_team_run(team, run_directions, both, 2, 1);
    else
        for (int d = 0; d < s->n_dirs; d++) run_direction(&both[d]);
}
