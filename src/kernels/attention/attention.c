/* SPDX-License-Identifier: Apache-2.0 */
/* attention.c: joining, packing, and blocks of queries; see attention.h. */
#include "kernels/attention/attention.h"

#include <string.h>

#include "kernels/gemm/igemm.h"

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

void ig_attn_append(void *dst, const void *past, int64_t n_past, const void *fresh,
                    const ig_attn_strides *at, int64_t n_new, int64_t n_heads, int64_t d,
                    size_t element_bytes, int64_t begin, int64_t end)
{
    const size_t row = (size_t)d * element_bytes, old = (size_t)n_past * row;
    if (row == 0 || n_past + n_new == 0) return;
    for (int64_t head = begin; head < end; head++) {
        const int64_t b = head / n_heads, h = head % n_heads;
        const uint8_t *from =
            (const uint8_t *)fresh + (size_t)(b * at->batch + h * at->head) * element_bytes;
        uint8_t *to = (uint8_t *)dst + (size_t)head * (old + (size_t)n_new * row);
        if (old) memcpy(to, (const uint8_t *)past + (size_t)head * old, old);
        to += old;
        for (int64_t i = 0; i < n_new; i++, to += row)
            memcpy(to, from + (size_t)(i * at->row) * element_bytes, row);
    }
}

/* One run of the kernel. */
typedef struct attention {
    const ig_attn_params *p;
    void *const *operands;
    const float *k, *v; /* where the rows are read, and how */
    ig_attn_strides k_at, v_at;
    float *pack_k, *pack_v;
    char *threads;
} attention;

/* Valid keys of a sample, and the position of its first query. */
static int64_t valid_keys(const attention *a, int64_t b, int64_t *offset)
{
    const ig_attn_shape *s = &a->p->shape;
    const int64_t *lengths = a->operands[IG_ATTN_LENGTHS];
    *offset = s->offset;
    if (a->p->options.lengths == IG_ATTN_LENGTHS_NONE || !lengths) return s->n_kv;
    const int64_t n = max64(0, min64(lengths[b], s->n_kv));
    *offset = n - s->n_q;
    return n;
}

/* ---- past and fresh rows become one block ---- */

static void join_heads(void *ctx, ig_part part)
{
    const attention *a = ctx;
    const ig_attn_params *p = a->p;
    const ig_attn_shape *s = &p->shape;
    const int64_t n_past = p->options.n_past, n_new = s->n_kv - n_past;
    if (p->joins_k)
        ig_attn_append((float *)(uintptr_t)a->k, a->operands[IG_ATTN_PAST_K], n_past,
                       a->operands[IG_ATTN_K], &s->k, n_new, s->n_kv_heads, s->d_k, sizeof(float),
                       part.begin, part.end);
    if (p->joins_v)
        ig_attn_append((float *)(uintptr_t)a->v, a->operands[IG_ATTN_PAST_V], n_past,
                       a->operands[IG_ATTN_V], &s->v, n_new, s->n_kv_heads, s->d_v, sizeof(float),
                       part.begin, part.end);
}

/* ---- packing: an index is a piece of a head ---- */

/* Rows [n, n_rows) of packed values become zeros: what lies there may be no number. */
static void clear_rows(float *panels, int64_t n_panels, int64_t n_rows, int64_t n, int64_t nr)
{
    for (int64_t i = 0; i < n_panels; i++)
        memset(panels + (i * n_rows + n) * nr, 0, (size_t)((n_rows - n) * nr) * sizeof(float));
}

static void pack_pieces(void *ctx, ig_part part)
{
    const attention *a = ctx;
    const ig_attn_params *p = a->p;
    const ig_attn_shape *s = &p->shape;
    for (int64_t i = part.begin; i < part.end; i++) {
        const int64_t head = i / p->n_steps, at = i % p->n_steps * p->step;
        const int64_t b = head / s->n_kv_heads, g = head % s->n_kv_heads;
        const int64_t n = min64(p->step, s->n_kv - at), k_nr = p->k_kernel->nr;
        const int64_t v_nr = p->v_kernel->nr;
        int64_t offset;
        const int64_t valid = max64(0, min64(n, valid_keys(a, b, &offset) - at));
        const float *k = a->k + b * a->k_at.batch + g * a->k_at.head + at * a->k_at.row;
        const float *v = a->v + b * a->v_at.batch + g * a->v_at.head + at * a->v_at.row;
        float *to_k = a->pack_k + head * p->k_head + at * s->d_k;
        float *to_v = a->pack_v + head * p->v_head + at * p->v_columns;
        if (valid < n)
            memset(to_k, 0, (size_t)((n + k_nr - 1) / k_nr * k_nr * s->d_k) * sizeof(float));
        ig_gemm_pack_b(p->k_kernel, k, a->k_at.row, true, s->d_k, valid, to_k);
        ig_gemm_pack_b(p->v_kernel, v, a->v_at.row, false, n, s->d_v, to_v);
        if (valid < n) clear_rows(to_v, p->v_columns / v_nr, n, valid, v_nr);
    }
}

/* ---- blocks ---- */

typedef struct block {
    int64_t b, h, i; /* sample; head and query of the first row */
    int64_t m;       /* rows */
    int64_t lo, hi;  /* keys that any of them sees */
    int64_t offset, n_valid;
} block;

static block block_at(const attention *a, int64_t index)
{
    const ig_attn_params *p = a->p;
    const ig_attn_shape *s = &p->shape;
    const int64_t group = s->n_heads / s->n_kv_heads;
    const int64_t first = index % p->n_blocks * p->block, head = index / p->n_blocks;
    const int64_t n_heads = p->rows_are_heads ? s->n_kv_heads : s->n_heads;
    block x = { .b = head / n_heads, .h = head % n_heads, .i = first };
    x.m = min64(p->block, (p->rows_are_heads ? group : s->n_q) - first);
    if (p->rows_are_heads) x.h = x.h * group + first, x.i = 0;
    x.n_valid = valid_keys(a, x.b, &x.offset);
    /* both bounds grow with the query */
    int64_t unused;
    ig_attn_visible(s, x.i, x.offset, x.n_valid, &x.lo, &unused);
    ig_attn_visible(s, x.i + (p->rows_are_heads ? 0 : x.m - 1), x.offset, x.n_valid, &unused,
                    &x.hi);
    if (x.hi < x.lo) x.hi = x.lo;
    return x;
}

/* scores [m, hi - lo] become probabilities. */
static void softmax_rows(const attention *a, const block *x, float *scores)
{
    const ig_attn_params *p = a->p;
    const ig_attn_mask *mask = &p->shape.mask;
    ig_attn_row row = { .n = x->hi - x->lo,
                        .is_mask_bool = p->options.is_mask_bool,
                        .mask_step = mask->col != 0,
                        .softcap = p->shape.softcap };
    for (int64_t r = 0; r < x->m; r++) {
        const int64_t h = x->h + (p->rows_are_heads ? r : 0);
        const int64_t i = x->i + (p->rows_are_heads ? 0 : r);
        const int64_t at = x->b * mask->batch + h * mask->head + i * mask->row + x->lo * mask->col;
        ig_attn_visible(&p->shape, i, x->offset, x->n_valid, &row.lo, &row.hi);
        row.lo = max64(0, min64(row.lo - x->lo, row.n));
        row.hi = max64(row.lo, min64(row.hi - x->lo, row.n));
        row.s = scores + r * row.n;
        if (mask->is_present)
            row.mask = (const char *)a->operands[IG_ATTN_MASK] +
                       at * (p->options.is_mask_bool ? 1 : (int64_t)sizeof(float));
        p->row(&row);
    }
}

static void multiply(const ig_gemm_params *g, const float *a, const float *b, float *y,
                     void *scratch)
{
    void *const operands[] = { (void *)(uintptr_t)a, (void *)(uintptr_t)b, NULL, y, y, scratch };
    ig_k_gemm(g, operands, (ig_part){ 0, g->n_work, 0 });
}

static void weigh_values(const attention *a, const block *x, const float *scores, float *y,
                         void *scratch)
{
    const ig_attn_params *p = a->p;
    const ig_attn_shape *s = &p->shape;
    const int64_t g = x->h / (s->n_heads / s->n_kv_heads), pitch = x->hi - x->lo;
    ig_gemm_params product;
    ig_error err = { 0 };
    if (!p->is_packed) {
        const float *v = a->v + x->b * a->v_at.batch + g * a->v_at.head + x->lo * a->v_at.row;
        if (!ig_attn_plan_values(p, x->m, pitch, pitch, false, &product, &err))
            multiply(&product, scores, v, y, scratch);
        return;
    }
    const float *v = a->pack_v + (x->b * s->n_kv_heads + g) * p->v_head;
    for (int64_t at = x->lo; at < x->hi; at += p->step) {
        const int64_t n = min64(p->step, s->n_kv - at);
        if (ig_attn_plan_values(p, x->m, n, pitch, at > x->lo, &product, &err)) return;
        multiply(&product, scores + (at - x->lo), v + at * p->v_columns, y, scratch);
    }
}

static void clear_output(const attention *a, const block *x, float *y)
{
    const ig_attn_shape *s = &a->p->shape;
    const int64_t step = a->p->rows_are_heads ? s->y.head : s->y.row;
    for (int64_t r = 0; r < x->m; r++) memset(y + r * step, 0, (size_t)s->d_v * sizeof(float));
}

static void attend_blocks(void *ctx, ig_part part)
{
    const attention *a = ctx;
    const ig_attn_params *p = a->p;
    const ig_attn_shape *s = &p->shape;
    char *slice = a->threads + p->thread_bytes * (size_t)part.i_thread;
    float *scores = (float *)(void *)slice;
    for (int64_t index = part.begin; index < part.end; index++) {
        block x = block_at(a, index);
        const int64_t g = x.h / (s->n_heads / s->n_kv_heads);
        const float *q = (const float *)a->operands[IG_ATTN_Q] + x.b * s->q.batch +
                         x.h * s->q.head + x.i * s->q.row;
        float *y =
            (float *)a->operands[IG_ATTN_Y] + x.b * s->y.batch + x.h * s->y.head + x.i * s->y.row;
        if (x.hi <= x.lo) {
            clear_output(a, &x, y);
            continue;
        }
        const float *k = a->k + x.b * a->k_at.batch + g * a->k_at.head + x.lo * a->k_at.row;
        if (p->is_packed) { /* whole pieces: their panels are whole, and of few sizes */
            x.lo = x.lo / p->step * p->step;
            x.hi = min64((x.hi + p->step - 1) / p->step * p->step, s->n_kv);
            k = a->pack_k + (x.b * s->n_kv_heads + g) * p->k_head + x.lo * s->d_k;
        }
        ig_gemm_params product;
        ig_error err = { 0 };
        if (ig_attn_plan_scores(p, x.m, x.hi - x.lo, &product, &err)) continue; /* was planned */
        multiply(&product, q, k, scores, slice + p->gemm_at);
        softmax_rows(a, &x, scores);
        weigh_values(a, &x, scores, y, slice + p->gemm_at);
    }
}

void ig_k_attention_f32(const void *params, void *const *operands, ig_team *team)
{
    const ig_attn_params *p = params;
    const ig_attn_shape *s = &p->shape;
    char *scratch = operands[IG_ATTN_SCRATCH];
    attention a = { .p = p,
                    .operands = operands,
                    .k = operands[IG_ATTN_K],
                    .v = operands[IG_ATTN_V],
                    .k_at = s->k,
                    .v_at = s->v,
                    .pack_k = (float *)(void *)(scratch + p->pack_k_at),
                    .pack_v = (float *)(void *)(scratch + p->pack_v_at),
                    .threads = scratch + p->threads_at };
    const int64_t heads = s->n_batch * s->n_kv_heads;
    if (p->joins_k) {
        a.k = p->options.has_present_k ? operands[IG_ATTN_PRESENT_K]
                                       : (void *)(scratch + p->join_k_at);
        a.k_at = ig_attn_dense(4, s->n_kv_heads, s->n_kv, s->d_k);
    }
    if (p->joins_v) {
        a.v = p->options.has_present_v ? operands[IG_ATTN_PRESENT_V]
                                       : (void *)(scratch + p->join_v_at);
        a.v_at = ig_attn_dense(4, s->n_kv_heads, s->n_kv, s->d_v);
    }
    if (p->joins_k || p->joins_v) ig_team_run(team, join_heads, &a, heads, 1);
    if (p->is_packed) ig_team_run(team, pack_pieces, &a, heads * p->n_steps, 1);
    const int64_t n_heads = p->rows_are_heads ? s->n_kv_heads : s->n_heads;
    ig_team_run(team, attend_blocks, &a, s->n_batch * n_heads * p->n_blocks, p->grain);
}
