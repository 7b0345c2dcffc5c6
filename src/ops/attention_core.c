/* SPDX-License-Identifier: Apache-2.0 */
/* attention_core.c: geometry and reference of the attention family; see attention_core.h. */
#include "ops/attention_core.h"

#include <math.h>
#include <string.h>

/* ---- geometry ---- */

ig_attn_mask ig_attn_mask_of(int rank, const int64_t *dims, int64_t n_kv, bool may_be_short)
{
    int64_t strides[4] = { 0 }, step = 1;
    for (int d = rank - 1; d >= 0; d--) {
        const bool is_last = d == rank - 1;
        if (dims[d] != 1 || (is_last && may_be_short)) strides[4 - rank + d] = step;
        step = ig_attn_times(step, dims[d]);
    }
    ig_attn_mask m = { true, strides[0], strides[1], strides[2], strides[3], n_kv };
    if (m.col) m.n_cols = dims[rank - 1];
    return m;
}

ig_status ig_attn_check_mask(const ig_info *mask, const ig_dim full[4], bool may_be_short,
                             ig_error *err)
{
    static const char *const names[] = { "batch", "heads", "queries", "keys" };
    if (mask->rank < 0) return INGOT_OK;
    if (mask->rank < 1 || mask->rank > 4)
        return ig_fail(err, INGOT_ERR_SHAPE, "the mask has rank %d, not 1 to 4", mask->rank);
    for (int d = 0; d < mask->rank; d++) {
        const int at = 4 - mask->rank + d;
        const ig_dim have = mask->dims[d], want = full[at];
        if (have == want || have == 1 || !ig_dim_is_const(have) || !ig_dim_is_const(want)) continue;
        if (at == 3 && may_be_short && have < want) continue;
        return ig_fail(err, INGOT_ERR_SHAPE, "the mask has %lld %s, the scores have %lld",
                       (long long)have, names[at], (long long)want);
    }
    return INGOT_OK;
}

float ig_attn_scale(const ig_node *node, int64_t d)
{
    const bool is_zero_default = node->domain && !strcmp(node->domain, "com.microsoft");
    const float usual = d > 0 ? (float)(1 / sqrt((double)d)) : 1.0f;
    const float scale = ig_attr_float(node, "scale", usual);
    return is_zero_default && scale == 0 ? usual : scale;
}

double ig_attn_round(ingot_dtype dtype, double x)
{
    switch ((int)dtype) {
    case INGOT_FLOAT: return (double)(float)x;
    case INGOT_FLOAT16: return (double)ig_f16_to_f32(ig_f32_to_f16((float)x));
    case INGOT_BFLOAT16: return (double)ig_bf16_to_f32(ig_f32_to_bf16((float)x));
    default: return x;
    }
}

/* ---- reference ---- */

typedef struct ref_job {
    const ig_attn_ref *r;
    double *scratch;
    int64_t per_thread; /* doubles: keys, values, scores, bias, query */
} ref_job;

/* Rows of one head as doubles, dense. */
static void load_rows(ingot_dtype dtype, const void *data, int64_t at, int64_t row, int64_t n_rows,
                      int64_t d, double *dst)
{
    for (int64_t i = 0; i < n_rows; i++)
        for (int64_t e = 0; e < d; e++) *dst++ = ig_get_f64(dtype, data, at + i * row + e);
}

static double mask_at(const ig_attn_ref *r, int64_t b, int64_t h, int64_t i, int64_t j)
{
    const ig_attn_mask *m = &r->shape.mask;
    if (!m->is_present) return 0;
    const int64_t at = b * m->batch + h * m->head + i * m->row + j * m->col;
    if (r->mask_type == INGOT_BOOL) return ((const uint8_t *)r->mask)[at] ? 0 : -INFINITY;
    return ig_get_f64(r->mask_type, r->mask, at);
}

static void store_scores(const ig_attn_ref *r, ig_attn_scores kind, int64_t row, const double *s)
{
    if (!r->scores || r->scores_are != kind) return;
    for (int64_t j = 0; j < r->shape.n_kv; j++)
        ig_set_f64(r->scores->dtype, r->scores->data, row * r->shape.n_kv + j, s[j]);
}

/* Capped scores become probabilities. bias -infinity hides a key whatever its score, so that an
 * infinite product cannot leak through it as NaN. */
static void softmax_row(const ig_attn_ref *r, int64_t h, double *s, const double *bias)
{
    const int64_t n = r->shape.n_kv;
    double max = r->sink ? r->sink[h] : -INFINITY, sum = 0;
    for (int64_t j = 0; j < n; j++) {
        s[j] = bias[j] == -INFINITY ? -INFINITY : ig_attn_round(r->round_type, s[j] + bias[j]);
        if (s[j] > max || isnan(s[j])) max = s[j];
    }
    if (r->sink) sum = exp(r->sink[h] - max);
    for (int64_t j = 0; j < n; j++) {
        s[j] = s[j] == -INFINITY ? 0 : exp(s[j] - max);
        sum += s[j];
    }
    for (int64_t j = 0; j < n; j++) s[j] = sum == 0 ? 0 : ig_attn_round(r->round_type, s[j] / sum);
}

static void query_row(const ig_attn_ref *r, int64_t b, int64_t h, int64_t i, const double *keys,
                      const double *values, double *s, double *bias, double *q)
{
    const ig_attn_shape *p = &r->shape;
    const int64_t row = (b * p->n_heads + h) * p->n_q + i, n = p->n_kv;
    const double cap = (double)p->softcap;
    int64_t lo, hi;
    ig_attn_visible(p, i, r->offset ? r->offset[b] : p->offset, r->n_valid ? r->n_valid[b] : n, &lo,
                    &hi);
    load_rows(r->q_type, r->q, b * p->q.batch + h * p->q.head + i * p->q.row, 0, 1, p->d_k, q);
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        bias[j] = j >= lo && j < hi ? mask_at(r, b, h, i, j) : -INFINITY;
        if (bias[j] != -INFINITY || r->scores)
            for (int64_t e = 0; e < p->d_k; e++) sum += q[e] * keys[j * p->d_k + e];
        s[j] = sum * (double)p->scale;
    }
    store_scores(r, IG_ATTN_SCORES_RAW, row, s);
    for (int64_t j = 0; j < n && p->softcap > 0; j++) s[j] = cap * tanh(s[j] / cap);
    store_scores(r, IG_ATTN_SCORES_CAPPED, row, s);
    if (r->scores && r->scores_are == IG_ATTN_SCORES_MASKED)
        for (int64_t j = 0; j < n; j++)
            ig_set_f64(r->scores->dtype, r->scores->data, row * n + j, s[j] + bias[j]);
    softmax_row(r, h, s, bias);
    store_scores(r, IG_ATTN_SCORES_SOFTMAX, row, s);
    for (int64_t e = 0; e < p->d_v && r->y; e++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            if (bias[j] != -INFINITY) sum += s[j] * values[j * p->d_v + e];
        ig_set_f64(r->y_type, r->y, b * p->y.batch + h * p->y.head + i * p->y.row + e, sum);
    }
}

/* An index is one head of keys and values, with the query heads that read it. */
static void ref_heads(void *ctx, ig_part part)
{
    const ref_job *j = ctx;
    const ig_attn_ref *r = j->r;
    const ig_attn_shape *p = &r->shape;
    const int64_t group = p->n_heads / p->n_kv_heads;
    double *keys = j->scratch + part.i_thread * j->per_thread;
    double *values = keys + p->n_kv * p->d_k, *s = values + p->n_kv * p->d_v;
    double *bias = s + p->n_kv, *q = bias + p->n_kv;
    for (int64_t at = part.begin; at < part.end; at++) {
        const int64_t b = at / p->n_kv_heads, g = at % p->n_kv_heads;
        load_rows(r->k_type, r->k, b * p->k.batch + g * p->k.head, p->k.row, p->n_kv, p->d_k, keys);
        load_rows(r->v_type, r->v, b * p->v.batch + g * p->v.head, p->v.row, p->n_kv, p->d_v,
                  values);
        for (int64_t h = g * group; h < (g + 1) * group; h++)
            for (int64_t i = 0; i < p->n_q; i++) query_row(r, b, h, i, keys, values, s, bias, q);
    }
}

ig_status ig_attn_run_ref(ig_call *c, const ig_attn_ref *r)
{
    const ig_attn_shape *p = &r->shape;
    const size_t n_threads = c->team ? (size_t)ig_team_n_threads(c->team) : 1;
    const int64_t y[4] = { p->n_batch, p->n_heads, p->n_q, p->d_v };
    size_t n = 0, bytes = 0;
    /* Where nothing is stored, the other sizes may be anything: no loops over them. */
    if ((!r->y || ig_count(4, y) == 0) && (!r->scores || ig_tensor_count(r->scores) == 0))
        return INGOT_OK;
    if (!ig_size_mul((size_t)p->n_kv, (size_t)(p->d_k + p->d_v + 2), &n) ||
        !ig_size_add(n, (size_t)p->d_k, &n) || !ig_size_mul(n, n_threads, &bytes))
        return IG_NOMEM(c->err, SIZE_MAX);
    ref_job job = { .r = r, .per_thread = (int64_t)n };
    job.scratch = ig_arena_array(c->scratch, bytes + 1, sizeof *job.scratch);
    if (!job.scratch) return IG_NOMEM(c->err, bytes * sizeof *job.scratch);
    ig_team_run(c->team, ref_heads, &job, p->n_batch * p->n_kv_heads, 1);
    return INGOT_OK;
}

/* ---- lowering ---- */

static bool is_static_of(const ig_info *info, ingot_dtype dtype)
{
    int64_t dims[IG_MAX_RANK];
    return !info || (info->type.dtype == dtype && ig_info_is_static(info, dims));
}

ig_status ig_attn_lower(ig_lower *l, const ig_attn_shape *s)
{
    const ig_info *in[IG_ATTN_N_INPUTS] = { 0 };
    for (int i = 0; i < l->n_in && i < IG_ATTN_N_INPUTS; i++) in[i] = l->in[i];
    const int64_t sizes[] = { s->n_batch, s->n_heads, s->n_q, s->n_kv, s->d_k, s->d_v };
    for (size_t i = 0; i < IG_COUNT(sizes); i++)
        if (sizes[i] < 1 || sizes[i] > INT32_MAX) return INGOT_OK;
    const bool is_bool = in[IG_ATTN_MASK] && in[IG_ATTN_MASK]->type.dtype == INGOT_BOOL;
    for (int i = 0; i < IG_ATTN_LENGTHS; i++)
        if (!is_static_of(in[i], i == IG_ATTN_MASK && is_bool ? INGOT_BOOL : INGOT_FLOAT))
            return INGOT_OK;
    if (!is_static_of(in[IG_ATTN_LENGTHS], INGOT_INT64)) return INGOT_OK;
    const ig_attn_options options = {
        .lengths = in[IG_ATTN_LENGTHS] ? IG_ATTN_LENGTHS_I64 : IG_ATTN_LENGTHS_NONE,
        .is_mask_bool = is_bool,
        .n_past = in[IG_ATTN_PAST_K] ? in[IG_ATTN_PAST_K]->dims[2] : 0,
        .has_present_k = l->n_out > 1 && l->out[1].rank >= 0,
        .has_present_v = l->n_out > 2 && l->out[2].rank >= 0
    };
    ig_attn_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_attn_plan(s, &options, l->isa, l->n_threads, p, l->err));
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_attention_f32__%s", ig_isa_name(l->isa));
    if (!l->kernel_name) return IG_NOMEM(l->err, 64);
    l->team_kernel = ig_k_attention_f32;
    l->params = p;
    l->n_operand_in = IG_ATTN_N_INPUTS;
    l->n_operand_out = IG_ATTN_N_OUTPUTS;
    l->scratch_bytes = p->scratch_bytes;
    return INGOT_OK;
}
