/* SPDX-License-Identifier: Apache-2.0 */
/* padded_attention.c: see padded_attention.h. */
#include "ops/padded_attention.h"

#include <string.h>

/* ---- shapes ---- */

static bool same(ig_dim a, ig_dim b)
{
    return a == b || !ig_dim_is_const(a) || !ig_dim_is_const(b);
}

ig_status ig_padding_of(const ig_info *mask, const ig_dim full[4], ig_padding *kind, ig_error *err)
{
    *kind = IG_PADDING_NONE;
    if (!mask || mask->rank < 0) return INGOT_OK;
    const ig_dim *d = mask->dims, batch = full[0];
    if (mask->type.dtype != INGOT_INT32)
        return ig_fail(err, INGOT_ERR_SHAPE, "the padding mask is %s, not int32",
                       ingot_dtype_name(mask->type.dtype));
    if (mask->rank == 1) {
        /* 3 * batch + 2: the ends, then sums of lengths, which say nothing new */
        const bool is_known = ig_dim_is_const(d[0]) && ig_dim_is_const(batch);
        if (!is_known || d[0] == batch || (d[0] % 3 == 2 && d[0] / 3 == batch))
            *kind = IG_PADDING_ENDS;
        else if (d[0] / 2 == batch && d[0] % 2 == 0)
            *kind = IG_PADDING_RANGES;
    } else if (mask->rank == 2 && same(d[0], batch) && same(d[1], full[3])) {
        *kind = IG_PADDING_KEYS;
    } else if (mask->rank == 3 && same(d[0], batch) && same(d[1], full[2]) && same(d[2], full[3])) {
        *kind = IG_PADDING_PAIRS;
    }
    if (*kind) return INGOT_OK;
    char text[96];
    return ig_fail(err, INGOT_ERR_SHAPE, "the padding mask is %s, for no batch of queries and keys",
                   ig_shape_format(mask->type.dtype, mask->rank, d, text, sizeof text));
}

static bool has_own_mask(const ig_padded_shape *s) { return s->padding != IG_PADDING_NONE; }

void ig_padded_finish(ig_padded_shape *s)
{
    ig_attn_shape *a = &s->attn;
    const int64_t n_new = a->n_kv - s->n_past;
    const bool is_copied = s->has_bias && !s->is_kv_plain;
    a->q = s->has_bias ? ig_attn_dense(3, a->n_heads, a->n_q, a->d_k) : s->q;
    a->k = is_copied ? ig_attn_dense(3, a->n_kv_heads, n_new, a->d_k) : s->k;
    a->v = is_copied ? ig_attn_dense(3, a->n_kv_heads, n_new, a->d_v) : s->v;
    a->y = ig_attn_dense(3, a->n_heads, a->n_q, a->d_v);
    a->offset = s->n_past;
    a->left = a->right = -1;
    if (!has_own_mask(s) && !s->bias_batch) return;
    const bool by_row = s->bias_batch || s->padding == IG_PADDING_PAIRS;
    const int64_t dims[4] = { has_own_mask(s) ? a->n_batch : s->bias_batch,
                              s->bias_batch ? s->bias_heads : 1, by_row ? a->n_q : 1, a->n_kv };
    a->mask = ig_attn_mask_of(4, dims, a->n_kv, false);
}

/* ---- what comes before the attention ---- */

/* Floats of the copies: mask, queries, keys, values. */
static bool copy_floats(const ig_padded_shape *s, size_t n[4])
{
    const ig_attn_shape *a = &s->attn;
    const bool by_row = s->bias_batch || s->padding == IG_PADDING_PAIRS;
    const bool is_copied = s->has_bias && !s->is_kv_plain;
    const int64_t n_new = a->n_kv - s->n_past;
    const int64_t dims[4][4] = {
        { has_own_mask(s) ? a->n_batch : 0, s->bias_batch ? s->bias_heads : 1, by_row ? a->n_q : 1,
          a->n_kv },
        { s->has_bias ? a->n_batch : 0, a->n_q, a->n_heads, a->d_k },
        { is_copied ? a->n_batch : 0, n_new, a->n_kv_heads, a->d_k },
        { is_copied ? a->n_batch : 0, n_new, a->n_kv_heads, a->d_v },
    };
    for (int i = 0; i < 4; i++) {
        n[i] = 1;
        for (int d = 0; d < 4; d++)
            if (!ig_size_mul(n[i], (size_t)dims[i][d], &n[i]) || n[i] > SIZE_MAX / 64) return false;
        n[i] = ig_align_up(n[i], 16);
    }
    return true;
}

typedef struct preparation {
    const ig_padded_shape *s;
    const ig_padded_operands *o;
    float *mask, *q, *k, *v;
} preparation;

static bool is_padding(const ig_padded_shape *s, const int32_t *m, int64_t b, int64_t i, int64_t j)
{
    const ig_attn_shape *a = &s->attn;
    switch (s->padding) {
    case IG_PADDING_ENDS: return j >= m[b];
    case IG_PADDING_RANGES: return j >= m[b] || j < m[a->n_batch + b];
    case IG_PADDING_KEYS: return m[b * a->n_kv + j] <= 0;
    case IG_PADDING_PAIRS: return m[(b * a->n_q + i) * a->n_kv + j] <= 0;
    default: return false;
    }
}

/* An index is a row of the mask. */
static void fill_mask(void *ctx, ig_part part)
{
    const preparation *x = ctx;
    const ig_padded_shape *s = x->s;
    const int64_t n = s->attn.n_kv, n_heads = s->bias_batch ? s->bias_heads : 1;
    const int64_t n_rows = s->bias_batch || s->padding == IG_PADDING_PAIRS ? s->attn.n_q : 1;
    for (int64_t r = part.begin; r < part.end; r++) {
        const int64_t i = r % n_rows, h = r / n_rows % n_heads, b = r / n_rows / n_heads;
        const int64_t of = ((s->bias_batch == 1 ? 0 : b) * n_heads + h) * s->attn.n_q + i;
        const float *bias = s->bias_batch ? x->o->attention_bias + of * n : NULL;
        for (int64_t j = 0; j < n; j++)
            x->mask[r * n + j] =
                (is_padding(s, x->o->padding, b, i, j) ? s->filter : 0) + (bias ? bias[j] : 0);
    }
}

static void add_bias(float *to, const float *from, const ig_attn_strides *at, const float *bias,
                     int64_t n_batch, int64_t n_rows, int64_t n_heads, int64_t d)
{
    for (int64_t r = 0; r < n_batch * n_rows; r++)
        for (int64_t h = 0; h < n_heads; h++) {
            const float *x = from + r / n_rows * at->batch + r % n_rows * at->row + h * at->head;
            for (int64_t e = 0; e < d; e++) *to++ = x[e] + bias[h * d + e];
        }
}

/* Copies in scratch take the place of operands; *mask is what the attention adds to its scores. */
static void prepare(const ig_padded_shape *s, ig_padded_operands *o, const float **mask,
                    float *scratch, const size_t n[4], ig_team *team)
{
    const ig_attn_shape *a = &s->attn;
    const int64_t n_new = a->n_kv - s->n_past, width = a->n_heads * a->d_k;
    preparation x = { .s = s, .o = o, .mask = scratch };
    x.q = scratch + n[0];
    x.k = x.q + n[1];
    x.v = x.k + n[2];
    *mask = o->attention_bias;
    if (has_own_mask(s)) {
        const int64_t n_rows = s->bias_batch || s->padding == IG_PADDING_PAIRS ? a->n_q : 1;
        const int64_t n_heads = s->bias_batch ? s->bias_heads : 1;
        ig_team_run(team, fill_mask, &x, a->n_batch * n_heads * n_rows, 16);
        *mask = x.mask;
    }
    o->k += s->k_at;
    o->v += s->v_at;
    if (!s->has_bias) return;
    add_bias(x.q, o->q, &s->q, o->bias, a->n_batch, a->n_q, a->n_heads, a->d_k);
    o->q = x.q;
    if (s->is_kv_plain) return;
    add_bias(x.k, o->k, &s->k, o->bias + width, a->n_batch, n_new, a->n_heads, a->d_k);
    add_bias(x.v, o->v, &s->v, o->bias + 2 * width, a->n_batch, n_new, a->n_heads, a->d_v);
    o->k = x.k;
    o->v = x.v;
}

/* ---- reference ---- */

static ig_status join(ig_call *c, const ig_padded_shape *s, const float *past, const float **fresh,
                      ig_attn_strides *at, int64_t d, float *present)
{
    const ig_attn_shape *a = &s->attn;
    const int64_t dims[4] = { a->n_batch, a->n_kv_heads, a->n_kv, d };
    if (!past && !present) return INGOT_OK;
    if (!present) {
        ig_tensor *t = NULL;
        IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_FLOAT, 4, dims, NULL, &t, c->err));
        present = t->data;
    }
    ig_attn_append(present, past, s->n_past, *fresh, at, a->n_kv - s->n_past, a->n_kv_heads, d,
                   sizeof(float), 0, ig_count(4, dims) ? a->n_batch * a->n_kv_heads : 0);
    *at = ig_attn_dense(4, a->n_kv_heads, a->n_kv, d);
    *fresh = present;
    return INGOT_OK;
}

ig_status ig_padded_ref(ig_call *c, const ig_padded_shape *s, const ig_padded_operands *operands)
{
    const ig_attn_shape *a = &s->attn;
    ig_padded_operands o = *operands;
    size_t n[4], bytes = 0;
    const float *mask = NULL;
    if (!copy_floats(s, n) || !ig_size_mul(n[0] + n[1] + n[2] + n[3] + 1, sizeof(float), &bytes))
        return IG_NOMEM(c->err, SIZE_MAX);
    /* Where nothing is stored, loops over the other sizes would have no bound. */
    const int64_t y[] = { a->n_batch, a->n_heads, a->n_q, a->d_v };
    const int64_t kv[] = { a->n_batch, a->n_heads, a->n_kv, o.present_k ? a->d_k + a->d_v : 0 };
    if (ig_count(4, y) == 0 && ig_count(4, kv) == 0) return INGOT_OK;
    float *scratch = ig_arena_get(c->scratch, bytes);
    if (!scratch) return IG_NOMEM(c->err, bytes);
    prepare(s, &o, &mask, scratch, n, c->team);
    ig_attn_ref r = { .shape = s->attn,
                      .q_type = INGOT_FLOAT,
                      .k_type = INGOT_FLOAT,
                      .v_type = INGOT_FLOAT,
                      .y_type = INGOT_FLOAT,
                      .mask_type = INGOT_FLOAT,
                      .round_type = INGOT_DOUBLE,
                      .mask = mask,
                      .y = o.y };
    IG_TRY(join(c, s, o.past_k, &o.k, &r.shape.k, a->d_k, o.present_k));
    IG_TRY(join(c, s, o.past_v, &o.v, &r.shape.v, a->d_v, o.present_v));
    r.q = o.q;
    r.k = o.k;
    r.v = o.v;
    return ig_attn_run_ref(c, &r);
}

/* ---- the fast form ---- */

ig_status ig_padded_plan(const ig_padded_shape *s, bool has_present, ig_isa isa, int n_threads,
                         ig_padded_params *p, ig_error *err)
{
    const ig_attn_options options = { .n_past = s->n_past,
                                      .has_present_k = has_present,
                                      .has_present_v = has_present };
    size_t n[4];
    *p = (ig_padded_params){ .shape = *s };
    IG_TRY(ig_attn_plan(&s->attn, &options, isa, n_threads, &p->attn, err));
    if (!copy_floats(s, n))
        return ig_fail(err, INGOT_ERR_SHAPE, "attention of %lld queries and %lld keys is too large",
                       (long long)s->attn.n_q, (long long)s->attn.n_kv);
    p->attn_at = (n[0] + n[1] + n[2] + n[3]) * sizeof(float);
    p->scratch_bytes = p->attn_at + p->attn.scratch_bytes;
    return INGOT_OK;
}

void ig_padded_run(const ig_padded_params *p, const ig_padded_operands *operands, void *scratch,
                   ig_team *team)
{
    ig_padded_operands o = *operands;
    const float *mask = NULL;
    size_t n[4];
    if (!copy_floats(&p->shape, n)) return; /* was planned */
    prepare(&p->shape, &o, &mask, scratch, n, team);
    void *all[IG_ATTN_SCRATCH + 1] = {
        [IG_ATTN_Q] = (void *)(uintptr_t)o.q,
        [IG_ATTN_K] = (void *)(uintptr_t)o.k,
        [IG_ATTN_V] = (void *)(uintptr_t)o.v,
        [IG_ATTN_MASK] = (void *)(uintptr_t)mask,
        [IG_ATTN_PAST_K] = (void *)(uintptr_t)o.past_k,
        [IG_ATTN_PAST_V] = (void *)(uintptr_t)o.past_v,
        [IG_ATTN_Y] = o.y,
        [IG_ATTN_PRESENT_K] = o.present_k,
        [IG_ATTN_PRESENT_V] = o.present_v,
        [IG_ATTN_SCRATCH] = (char *)scratch + p->attn_at,
    };
    ig_k_attention_f32(&p->attn, all, team);
}

bool ig_padded_is_fast(const ig_padded_shape *s)
{
    const ig_attn_shape *a = &s->attn;
    const int64_t sizes[] = { a->n_batch, a->n_heads, a->n_q, a->n_kv, a->d_k, a->d_v };
    for (size_t i = 0; i < IG_COUNT(sizes); i++)
        if (sizes[i] < 1 || sizes[i] > INT32_MAX) return false;
    return true;
}

ig_status ig_padded_lower(ig_lower *l, const ig_padded_shape *s, bool has_present,
                          ig_team_kernel_fn kernel)
{
    if (!ig_padded_is_fast(s)) return INGOT_OK;
    ig_padded_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_padded_plan(s, has_present, l->isa, l->n_threads, p, l->err));
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_attention_f32__%s", ig_isa_name(l->isa));
    if (!l->kernel_name) return IG_NOMEM(l->err, 64);
    l->team_kernel = kernel;
    l->params = p;
    l->n_operand_in = 8;
    l->n_operand_out = 3;
    l->scratch_bytes = p->scratch_bytes;
    return INGOT_OK;
}
