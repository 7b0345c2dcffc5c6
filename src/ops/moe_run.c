/* SPDX-License-Identifier: Apache-2.0 */
/* moe_run.c: routing, and the experts one after the other. */
#include <math.h>
#include <string.h>

#include "ops/moe.h"

/* What a token was given to. */
typedef struct choice {
    int64_t token;
    float weight;
} choice;

typedef struct run {
    const ig_moe_shape *s;
    const float *x, *router, *mix;
    float *y;
    int64_t *first; /* [experts + 1]: an expert's choices */
    choice *choices;
    float *rows, *h, *gate, *out; /* of IG_MOE_ROWS tokens */
    ig_moe_product product;
    void *ctx;
    ig_team *team;
} run;

static bool reserve(size_t *at, size_t n, size_t each, size_t *end)
{
    size_t bytes;
    *at = *end;
    if (!ig_size_mul(n, each, &bytes) || bytes > SIZE_MAX / 8 || *end > SIZE_MAX / 4) return false;
    *end += ig_align_up(bytes, 64);
    return true;
}

typedef struct places {
    size_t first, choices, rows, h, gate, out, end;
} places;

static bool place(const ig_moe_shape *s, places *p)
{
    const size_t hidden = IG_MOE_ROWS * (size_t)s->n_hidden;
    size_t n_choices;
    *p = (places){ 0 };
    return ig_size_mul((size_t)s->n_tokens, (size_t)s->n_chosen, &n_choices) &&
           reserve(&p->first, (size_t)s->n_experts + 1, sizeof(int64_t), &p->end) &&
           reserve(&p->choices, n_choices, sizeof(choice), &p->end) &&
           reserve(&p->rows, hidden, sizeof(float), &p->end) &&
           reserve(&p->h, IG_MOE_ROWS * (size_t)s->matrix[0].n, sizeof(float), &p->end) &&
           reserve(&p->gate, IG_MOE_ROWS * (size_t)s->matrix[2].n, sizeof(float), &p->end) &&
           reserve(&p->out, hidden, sizeof(float), &p->end);
}

bool ig_moe_scratch_bytes(const ig_moe_shape *s, size_t *bytes)
{
    places p;
    const bool fits = place(s, &p);
    *bytes = p.end;
    return fits;
}

/* ---- routing ---- */

/* Does expert a come before b? Of equal numbers the lower index does; NaN is last. */
static bool is_before(const float *router, int64_t a, int64_t b)
{
    const float x = router[a], y = router[b];
    if (isnan(x) || isnan(y)) return isnan(x) == isnan(y) ? a < b : isnan(y);
    return x != y ? x > y : a < b;
}

/* The best expert after `last` (-1: of all). */
static int64_t next_best(const float *router, int64_t n, int64_t last)
{
    int64_t best = -1;
    for (int64_t e = 0; e < n; e++) {
        if (last >= 0 && !is_before(router, last, e)) continue;
        if (best < 0 || is_before(router, e, best)) best = e;
    }
    return best;
}

/* Sum of what the weights of a token are divided by. */
static float denominator(const run *r, int64_t token)
{
    const ig_moe_shape *s = r->s;
    const float *router = r->router + token * s->n_experts;
    const float *mix = r->mix ? r->mix + token * s->n_experts : NULL;
    if (mix && !s->normalises) return 1;
    const float max = router[next_best(router, s->n_experts, -1)];
    double sum = 0;
    int64_t e = -1;
    for (int64_t i = 0; i < (s->normalises ? s->n_chosen : s->n_experts); i++) {
        e = s->normalises ? next_best(router, s->n_experts, e) : i;
        sum += mix ? (double)mix[e] : exp((double)(router[e] - max));
    }
    return (float)sum;
}

/* Fill first and choices: those of an expert in the order of tokens. */
static void route(run *r)
{
    const ig_moe_shape *s = r->s;
    memset(r->first, 0, ((size_t)s->n_experts + 1) * sizeof *r->first);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t t = 0; t < s->n_tokens; t++) {
            const float *router = r->router + t * s->n_experts;
            const float sum = pass ? denominator(r, t) : 0;
            const float max = router[next_best(router, s->n_experts, -1)];
            int64_t e = -1;
            for (int64_t i = 0; i < s->n_chosen; i++) {
                e = next_best(router, s->n_experts, e);
                if (!pass) {
                    r->first[e + 1]++;
                    continue;
                }
                const float part = r->mix ? r->mix[t * s->n_experts + e] : expf(router[e] - max);
                r->choices[r->first[e]++] = (choice){ t, part / sum };
            }
        }
        if (!pass)
            for (int64_t e = 0; e < s->n_experts; e++) r->first[e + 1] += r->first[e];
    }
    /* each entry has moved to its end, the next one's begin */
    for (int64_t e = s->n_experts; e > 0; e--) r->first[e] = r->first[e - 1];
    r->first[0] = 0;
}

/* ---- experts ---- */

static float sigmoid(float x) { return 1 / (1 + expf(-x)); }

static float gelu(float x)
{
    return 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

static float gated(const ig_moe_shape *s, float g, float l)
{
    if (s->act == IG_MOE_GEGLU) return gelu(g) * l;
    const float limit = s->limit;
    if (g > limit && !s->clamps_after) g = limit;
    float a = g * sigmoid(s->alpha * g);
    if (a > limit && s->clamps_after) a = limit;
    return a * ((l > limit ? limit : l < -limit ? -limit : l) + s->beta);
}

static float activated(ig_moe_act act, float x)
{
    switch (act) {
    case IG_MOE_RELU: return x < 0 ? 0 : x;
    case IG_MOE_RELU2: return x < 0 ? 0 : x * x;
    case IG_MOE_GELU: return gelu(x);
    case IG_MOE_SILU: return x * sigmoid(x);
    default: return x;
    }
}

/* Row i of h becomes what W2 takes; it is written in place, before what is still to be read. */
static void activate(const run *r, int64_t i)
{
    const ig_moe_shape *s = r->s;
    const int64_t n = s->n_inter;
    const float *h = r->h + i * s->matrix[0].n, *gate = r->gate + i * n;
    float *to = r->h + i * n;
    const bool has_gate = s->matrix[2].n != 0;
    const bool is_gated = s->act == IG_MOE_SWIGLU || s->act == IG_MOE_GEGLU;
    for (int64_t k = 0; k < n; k++) {
        if (is_gated && has_gate)
            to[k] = gated(s, h[k], gate[k]);
        else if (is_gated)
            to[k] = s->is_interleaved ? gated(s, h[2 * k], h[2 * k + 1]) : gated(s, h[k], h[n + k]);
        else
            to[k] = activated(s->act, h[k]) * (has_gate ? gate[k] : 1.0f);
    }
}

/* `n` <= IG_MOE_ROWS choices of an expert. */
static void run_rows(const run *r, int64_t expert, const choice *c, int64_t n)
{
    const ig_moe_shape *s = r->s;
    const size_t bytes = (size_t)s->n_hidden * sizeof(float);
    for (int64_t i = 0; i < n; i++)
        memcpy(r->rows + i * s->n_hidden, r->x + c[i].token * s->n_hidden, bytes);
    r->product(r->ctx, 0, expert, r->rows, n, r->h, r->team);
    if (s->matrix[2].n) r->product(r->ctx, 2, expert, r->rows, n, r->gate, r->team);
    for (int64_t i = 0; i < n; i++) activate(r, i);
    r->product(r->ctx, 1, expert, r->h, n, r->out, r->team);
    for (int64_t i = 0; i < n; i++) {
        float *y = r->y + c[i].token * s->n_hidden;
        const float *out = r->out + i * s->n_hidden;
        for (int64_t k = 0; k < s->n_hidden; k++) y[k] += c[i].weight * out[k];
    }
}

void ig_moe_run(const ig_moe_shape *s, void *const *operands, void *scratch, ig_moe_product product,
                void *ctx, ig_team *team)
{
    places p;
    char *base = scratch;
    if (!place(s, &p)) return; /* whoever got the scratch has asked before */
    run r = { .s = s,
              .x = operands[IG_MOE_X],
              .router = operands[IG_MOE_ROUTER],
              .mix = operands[IG_MOE_MIX],
              .y = operands[IG_MOE_N_IN],
              .first = (int64_t *)(void *)(base + p.first),
              .choices = (choice *)(void *)(base + p.choices),
              .rows = (float *)(void *)(base + p.rows),
              .h = (float *)(void *)(base + p.h),
              .gate = (float *)(void *)(base + p.gate),
              .out = (float *)(void *)(base + p.out),
              .product = product,
              .ctx = ctx,
              .team = team };
    memset(r.y, 0, (size_t)(s->n_tokens * s->n_hidden) * sizeof *r.y);
    memset(base + p.rows, 0, p.end - p.rows);
    route(&r);
    for (int64_t e = 0; e < s->n_experts; e++)
        for (int64_t i = r.first[e]; i < r.first[e + 1]; i += IG_MOE_ROWS) {
            const int64_t left = r.first[e + 1] - i;
            run_rows(&r, e, r.choices + i, left < IG_MOE_ROWS ? left : IG_MOE_ROWS);
        }
}
