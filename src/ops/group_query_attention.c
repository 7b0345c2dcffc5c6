/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group_query_attention.c: com.microsoft GroupQueryAttention: causal attention over a cache of keys
 * and values [batch, kv heads, rows, d].
 *
 * Of sample b, T = seqlens_k[b] + 1 rows of the cache are in use after this step. The last
 * Q = min(rows of the query, T) of them are new: the first Q rows of key and value, which come
 * behind the T - Q rows of the past. Queries and new keys may be rotated by their positions first
 * (rotary.h). Query rows beyond Q are padding; they give zeros or numbers without meaning. The
 * cache that goes out has max(rows of the past, total_sequence_length) rows; those beyond T keep
 * what the past holds there, else zeros.
 */
#include <string.h>

#include "ops/rotary.h"

enum {
    IN_Q,
    IN_K,
    IN_V,
    IN_PAST_K,
    IN_PAST_V,
    IN_LENGTHS,
    IN_TOTAL,
    IN_COS,
    IN_SIN,
    IN_POSITIONS,
    IN_ATTENTION_BIAS,
    IN_SINK,
    IN_K_SCALE
};
enum { OUT_Y, OUT_K, OUT_V, OUT_SCORES };

#define MAX_HEADS (1 << 20)

static bool differ(ig_dim a, ig_dim b)
{
    return a != b && ig_dim_is_const(a) && ig_dim_is_const(b);
}

static const ig_info *input(const ig_infer *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

static ig_status wrong(ig_infer *c, const char *what, const ig_info *x)
{
    char text[128];
    return ig_fail(c->err, INGOT_ERR_SHAPE, "%s is %s, which does not fit the others", what,
                   ig_shape_format(x->type.dtype, x->rank, x->dims, text, sizeof text));
}

static ig_status refuse_unsupported(ig_infer *c)
{
    for (int i = IN_K_SCALE; i < c->n_in; i++)
        if (c->in[i])
            return ig_fail(c->err, INGOT_ERR_UNSUPPORTED,
                           "input %d (scales of the cache, weights of norms, query_seqlens) is not "
                           "supported",
                           i);
    if (ig_attr_int(c->node, "sliding_window_cache", 0))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "sliding_window_cache is not supported");
    if (!ig_attr_int(c->node, "causal", 1))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "causal=0 is not supported");
    if (c->n_out > OUT_SCORES && c->node->outputs[OUT_SCORES] != IG_NONE)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "the output output_qk is not supported");
    return INGOT_OK;
}

typedef struct gqa_dims {
    int64_t n_heads, n_kv_heads;
    ig_dim batch, n_q, d, n_past, n_rows; /* n_rows: of the cache that goes out */
} gqa_dims;

static ig_status check_types(ig_infer *c)
{
    const ingot_dtype type = c->in[IN_Q]->type.dtype;
    for (int i = 0; i < c->n_in; i++) {
        const ingot_dtype want = i == IN_LENGTHS || i == IN_TOTAL ? INGOT_INT32
                                 : i == IN_POSITIONS              ? INGOT_INT64
                                                                  : type;
        if (c->in[i] && c->in[i]->type.dtype != want)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d is %s, not %s", i,
                           ingot_dtype_name(c->in[i]->type.dtype), ingot_dtype_name(want));
    }
    return INGOT_OK;
}

static ig_status read_heads(ig_infer *c, gqa_dims *g)
{
    const ig_info *q = c->in[IN_Q], *k = input(c, IN_K), *v = input(c, IN_V);
    const int64_t packed = k ? g->n_heads : g->n_heads + 2 * g->n_kv_heads;
    if (q->rank != 3) return wrong(c, "query", q);
    g->batch = q->dims[0];
    g->n_q = q->dims[1];
    g->d = ig_dim_floor_div(c->dims, q->dims[2], packed);
    if (ig_dim_is_const(q->dims[2]) && q->dims[2] % packed) return wrong(c, "query", q);
    if (!k != !v) return ig_fail(c->err, INGOT_ERR_INVALID, "key and value come together");
    if (!k) return INGOT_OK;
    const ig_dim width = ig_dim_mul(c->dims, g->n_kv_heads, g->d);
    const ig_info *both[2] = { k, v };
    for (int i = 0; i < 2; i++) {
        const ig_info *x = both[i];
        if (x->rank >= 0 && (x->rank != 3 || differ(x->dims[0], g->batch) ||
                             differ(x->dims[1], g->n_q) || differ(x->dims[2], width)))
            return wrong(c, i ? "value" : "key", x);
    }
    return INGOT_OK;
}

/* The number of rows follows from the value of total_sequence_length, when that is known. */
static ig_status read_cache(ig_infer *c, gqa_dims *g)
{
    const ig_info *k = input(c, IN_PAST_K), *v = input(c, IN_PAST_V), *total = c->in[IN_TOTAL];
    ig_dim rows = 0;
    int n = 0;
    g->n_past = 0;
    if (!k != !v)
        return ig_fail(c->err, INGOT_ERR_INVALID, "past_key and past_value come together");
    const ig_info *both[2] = { k, v };
    for (int i = 0; i < 2 && k; i++) {
        const ig_info *x = both[i];
        if (x->rank >= 0 && (x->rank != 4 || differ(x->dims[0], g->batch) ||
                             differ(x->dims[1], g->n_kv_heads) || differ(x->dims[3], g->d)))
            return wrong(c, i ? "past_value" : "past_key", x);
    }
    if (k && k->rank == 4 && v->rank == 4 && differ(k->dims[2], v->dims[2]))
        return wrong(c, "past_value", v);
    if (k) g->n_past = k->rank == 4 ? k->dims[2] : ig_dim_born(c->dims);
    if (total->rank >= 0 && differ(ig_info_count(c->dims, total), 1))
        return wrong(c, "total_sequence_length", total);
    if (!ig_infer_ints(c, IN_TOTAL, &rows, 1, &n) || n != 1)
        g->n_rows = ig_dim_born(c->dims);
    else if (ig_dim_is_const(rows) && rows < 0)
        return ig_fail(c->err, INGOT_ERR_INVALID, "total_sequence_length is %lld", (long long)rows);
    else
        g->n_rows = ig_dim_max(c->dims, g->n_past, rows);
    return INGOT_OK;
}

static ig_status check_rotary(ig_infer *c, const gqa_dims *g)
{
    const ig_info *cos = input(c, IN_COS), *sin = input(c, IN_SIN), *p = input(c, IN_POSITIONS);
    if (!ig_attr_int(c->node, "do_rotary", 0)) return INGOT_OK;
    if (!cos || !sin)
        return ig_fail(c->err, INGOT_ERR_INVALID, "do_rotary needs cos_cache and sin_cache");
    if (cos->rank >= 0 && (cos->rank != 2 || (ig_dim_is_const(cos->dims[1]) &&
                                              ig_dim_is_const(g->d) && cos->dims[1] > g->d / 2)))
        return wrong(c, "cos_cache", cos);
    if (cos->rank == 2 && sin->rank >= 0 &&
        (sin->rank != 2 || differ(cos->dims[0], sin->dims[0]) ||
         differ(cos->dims[1], sin->dims[1])))
        return wrong(c, "sin_cache", sin);
    if (p && p->rank >= 0 &&
        (p->rank != 2 || differ(p->dims[0], g->batch) || differ(p->dims[1], g->n_q)))
        return wrong(c, "position_ids", p);
    return INGOT_OK;
}

static ig_status check_others(ig_infer *c, const gqa_dims *g)
{
    const ig_info *lengths = c->in[IN_LENGTHS], *bias = input(c, IN_ATTENTION_BIAS);
    const ig_info *sink = input(c, IN_SINK);
    if (lengths->rank >= 0 && differ(ig_info_count(c->dims, lengths), g->batch))
        return wrong(c, "seqlens_k", lengths);
    if (sink && sink->rank >= 0 && (sink->rank != 1 || differ(sink->dims[0], g->n_heads)))
        return wrong(c, "head_sink", sink);
    if (!bias || bias->rank < 0) return INGOT_OK;
    const ig_dim full[4] = { g->batch, g->n_heads, g->n_q, g->n_rows };
    return bias->rank == 4 ? ig_attn_check_mask(bias, full, true, c->err)
                           : wrong(c, "attention_bias", bias);
}

static ig_status infer(ig_infer *c)
{
    const ig_info *q = c->in[IN_Q];
    gqa_dims g = { .n_heads = ig_attr_int(c->node, "num_heads", 0),
                   .n_kv_heads = ig_attr_int(c->node, "kv_num_heads", 0) };
    IG_TRY(refuse_unsupported(c));
    if (!c->in[IN_LENGTHS] || !c->in[IN_TOTAL])
        return ig_fail(c->err, INGOT_ERR_INVALID, "seqlens_k or total_sequence_length is missing");
    IG_TRY(check_types(c));
    if (g.n_kv_heads < 1 || g.n_heads < 1 || g.n_heads > MAX_HEADS || g.n_heads % g.n_kv_heads)
        return ig_fail(c->err, INGOT_ERR_INVALID,
                       "num_heads %lld is no multiple of kv_num_heads %lld", (long long)g.n_heads,
                       (long long)g.n_kv_heads);
    if (q->rank < 0) return INGOT_OK;
    IG_TRY(read_heads(c, &g));
    IG_TRY(read_cache(c, &g));
    IG_TRY(check_rotary(c, &g));
    IG_TRY(check_others(c, &g));
    const ig_dim y[3] = { g.batch, g.n_q, ig_dim_mul(c->dims, g.n_heads, g.d) };
    const ig_dim cache[4] = { g.batch, g.n_kv_heads, g.n_rows, g.d };
    ig_info_set_shape(&c->out[OUT_Y], q->type.dtype, 3, y);
    for (int o = OUT_K; o <= OUT_V && o < c->n_out; o++)
        ig_info_set_shape(&c->out[o], q->type.dtype, 4, cache);
    return INGOT_OK;
}

/* ---- reference ---- */

typedef struct gqa {
    ig_call *c;
    ig_attn_shape s;                   /* n_kv: rows of the cache that goes out */
    int64_t n_past;                    /* rows of the past */
    int64_t *before, *used, *position; /* [batch] T - Q, T; [batch, queries] */
    const float *q, *k, *v;            /* fresh, strides in s */
} gqa;

static const ig_tensor *tensor(const ig_call *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

static ig_status read_shape(ig_call *c, gqa *g)
{
    const ig_tensor *q = c->in[IN_Q], *k = tensor(c, IN_K), *past = tensor(c, IN_PAST_K);
    const ig_tensor *bias = tensor(c, IN_ATTENTION_BIAS);
    ig_attn_shape *s = &g->s;
    const int64_t total = ((const int32_t *)c->in[IN_TOTAL]->data)[0];
    const int64_t window = ig_attr_int(c->node, "local_window_size", -1);
    if (total < 0)
        return ig_fail(c->err, INGOT_ERR_INVALID, "total_sequence_length is %lld",
                       (long long)total);
    *s =
        (ig_attn_shape){ .n_batch = q->dims[0], .n_q = q->dims[1], .is_causal = true, .right = -1 };
    s->n_heads = ig_attr_int(c->node, "num_heads", 1);
    s->n_kv_heads = ig_attr_int(c->node, "kv_num_heads", 1);
    s->left = window > 0 ? window - 1 : -1; /* a window counts the query's own position */
    s->softcap = ig_attr_float(c->node, "softcap", 0);
    g->n_past = past ? past->dims[2] : 0;
    s->n_kv = total > g->n_past ? total : g->n_past;
    const int64_t n = k ? s->n_heads : s->n_heads + 2 * s->n_kv_heads;
    s->d_k = s->d_v = q->dims[2] / n;
    s->scale = ig_attn_scale(c->node, s->d_k);
    s->q = ig_attn_dense(3, n, s->n_q, s->d_k);
    s->k = s->v = k ? ig_attn_dense(3, s->n_kv_heads, s->n_q, s->d_k) : s->q;
    s->y = ig_attn_dense(3, s->n_heads, s->n_q, s->d_k);
    if (bias) s->mask = ig_attn_mask_of(4, bias->dims, s->n_kv, true);
    g->q = q->data;
    g->k = k ? k->data : g->q + s->n_heads * s->d_k;
    g->v = k ? c->in[IN_V]->data : g->k + s->n_kv_heads * s->d_k;
    return INGOT_OK;
}

static ig_status read_lengths(gqa *g)
{
    const ig_attn_shape *s = &g->s;
    const int32_t *last = g->c->in[IN_LENGTHS]->data;
    for (int64_t b = 0; b < s->n_batch; b++) {
        g->used[b] = (int64_t)last[b] + 1;
        g->before[b] = g->used[b] > s->n_q ? g->used[b] - s->n_q : 0;
        if (g->used[b] < 1 || g->used[b] > s->n_kv || g->before[b] > g->n_past)
            return ig_fail(g->c->err, INGOT_ERR_INVALID,
                           "seqlens_k of sample %lld is %lld, which does not fit %lld rows of the "
                           "past, %lld new ones and %lld in all",
                           (long long)b, (long long)last[b], (long long)g->n_past,
                           (long long)s->n_q, (long long)s->n_kv);
    }
    return INGOT_OK;
}

/* Positions of the rows; those of padding are 0. */
static ig_status read_positions(gqa *g, int64_t n_angles)
{
    const ig_tensor *given = tensor(g->c, IN_POSITIONS);
    for (int64_t r = 0; r < g->s.n_batch * g->s.n_q; r++) {
        const int64_t b = r / g->s.n_q, i = r % g->s.n_q;
        const bool is_row = g->before[b] + i < g->used[b];
        const int64_t at = given ? ((const int64_t *)given->data)[r] : g->before[b] + i;
        g->position[r] = is_row ? at : 0;
        if (g->position[r] < 0 || g->position[r] >= n_angles)
            return ig_fail(g->c->err, INGOT_ERR_INVALID, "position %lld is out of range for %lld",
                           (long long)at, (long long)n_angles);
    }
    return INGOT_OK;
}

/* *x [batch, rows, heads, d] turned, in scratch. */
static ig_status rotate(gqa *g, const float **x, ig_attn_strides *at, int64_t n_heads)
{
    const ig_tensor *cos = tensor(g->c, IN_COS), *sin = tensor(g->c, IN_SIN);
    const int64_t dims[4] = { g->s.n_batch, g->s.n_q, n_heads, g->s.d_k };
    ig_rotary_shape s = { .n_batch = g->s.n_batch,
                          .n_heads = n_heads,
                          .n_rows = g->s.n_q,
                          .d = g->s.d_k,
                          .n_rotary = 2 * cos->dims[1],
                          .is_interleaved = ig_attr_int(g->c->node, "rotary_interleaved", 0) != 0,
                          .x = *at,
                          .y = ig_attn_dense(3, n_heads, g->s.n_q, g->s.d_k) };
    ig_tensor *t = NULL;
    IG_TRY(ig_tensor_in_arena(g->c->scratch, INGOT_FLOAT, 4, dims, NULL, &t, g->c->err));
    ig_rotary_run(&s, INGOT_FLOAT, *x, cos->dtype, cos->data, sin->data, g->position, t->data);
    *x = t->data;
    *at = s.y;
    return INGOT_OK;
}

/* The cache that goes out, in the output if it is wanted. */
static ig_status fill_cache(gqa *g, int i_past, int o, const float *fresh,
                            const ig_attn_strides *at, const float **cache)
{
    const ig_attn_shape *s = &g->s;
    const ig_tensor *past = tensor(g->c, i_past);
    ig_tensor *t = o < g->c->n_out ? g->c->out[o] : NULL;
    const int64_t dims[4] = { s->n_batch, s->n_kv_heads, s->n_kv, s->d_k };
    const size_t row = (size_t)s->d_k * sizeof(float), head = (size_t)s->n_kv * row;
    if (!t) IG_TRY(ig_tensor_in_arena(g->c->scratch, INGOT_FLOAT, 4, dims, NULL, &t, g->c->err));
    *cache = t->data;
    for (int64_t x = 0; x < s->n_batch * s->n_kv_heads && head > 0; x++) {
        const int64_t b = x / s->n_kv_heads, h = x % s->n_kv_heads;
        float *to = (float *)t->data + x * s->n_kv * s->d_k;
        memset(to, 0, head);
        if (g->n_past)
            memcpy(to, (const float *)past->data + x * g->n_past * s->d_k, (size_t)g->n_past * row);
        const int64_t n = min64(s->n_q, g->used[b] - g->before[b]);
        for (int64_t i = 0; i < n; i++)
            memcpy(to + (g->before[b] + i) * s->d_k,
                   fresh + b * at->batch + h * at->head + i * at->row, row);
    }
    return INGOT_OK;
}

static ig_status read_sinks(gqa *g, const double **out)
{
    const ig_tensor *sink = tensor(g->c, IN_SINK);
    *out = NULL;
    if (!sink && !ig_attr_int(g->c->node, "smooth_softmax", 0)) return INGOT_OK;
    double *v = ig_arena_array(g->c->scratch, (size_t)g->s.n_heads, sizeof *v);
    if (!v) return IG_NOMEM(g->c->err, (size_t)g->s.n_heads * sizeof *v);
    for (int64_t h = 0; h < g->s.n_heads; h++)
        v[h] = sink ? ig_get_f64(sink->dtype, sink->data, h) : 0;
    *out = v;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    gqa g = { .c = c };
    const ig_tensor *bias = tensor(c, IN_ATTENTION_BIAS);
    ig_attn_ref r = { .q_type = INGOT_FLOAT,
                      .k_type = INGOT_FLOAT,
                      .v_type = INGOT_FLOAT,
                      .y_type = INGOT_FLOAT,
                      .mask_type = INGOT_FLOAT,
                      .round_type = INGOT_DOUBLE };
    IG_TRY(read_shape(c, &g));
    const ig_attn_shape *s = &g.s;
    const int64_t y[3] = { s->n_batch, s->n_q, s->n_heads * s->d_k };
    const int64_t cache[4] = { s->n_batch, s->n_kv_heads, s->n_kv, s->d_k };
    IG_TRY(ig_call_output(c, OUT_Y, INGOT_FLOAT, 3, y));
    for (int o = OUT_K; o <= OUT_V; o++) IG_TRY(ig_call_output(c, o, INGOT_FLOAT, 4, cache));
    if (s->d_k == 0 || s->n_batch == 0)
        return INGOT_OK; /* nothing is stored, and sizes may be huge */
    const size_t n_rows = (size_t)(s->n_batch * s->n_q);
    g.used = ig_arena_array(c->scratch, (size_t)s->n_batch, sizeof *g.used);
    g.before = ig_arena_array(c->scratch, (size_t)s->n_batch, sizeof *g.before);
    g.position = ig_arena_array(c->scratch, n_rows + 1, sizeof *g.position);
    if (!g.used || !g.before || !g.position) return IG_NOMEM(c->err, n_rows * sizeof *g.position);
    IG_TRY(read_lengths(&g));
    if (ig_attr_int(c->node, "do_rotary", 0)) {
        IG_TRY(read_positions(&g, c->in[IN_COS]->dims[0]));
        IG_TRY(rotate(&g, &g.q, &g.s.q, s->n_heads));
        IG_TRY(rotate(&g, &g.k, &g.s.k, s->n_kv_heads));
    }
    const float *keys = NULL, *values = NULL;
    IG_TRY(fill_cache(&g, IN_PAST_K, OUT_K, g.k, &g.s.k, &keys));
    IG_TRY(fill_cache(&g, IN_PAST_V, OUT_V, g.v, &g.s.v, &values));
    IG_TRY(read_sinks(&g, &r.sink));
    r.shape = g.s;
    r.shape.k = r.shape.v = ig_attn_dense(4, s->n_kv_heads, s->n_kv, s->d_k);
    r.q = g.q;
    r.k = keys;
    r.v = values;
    r.y = c->out[OUT_Y] ? c->out[OUT_Y]->data : NULL;
    r.mask = bias ? bias->data : NULL;
    r.offset = g.before;
    r.n_valid = g.used;
    return ig_attn_run_ref(c, &r);
}

static const char *const cases[] = {
    "f32[1,2,16]{-0.5,2,-1,0.5,1.5,-1.5,-2,1.5,0,2,-0.5,-0.5,1.5,2,2,1.5,1,-1,-0.5,-1,2,1,-2,-1.5,-"
    "1,-2,0,-2,0,1.5,1,1} f32[1,2,8]{1,1.5,-1,0.5,-1.5,-2,-1,1.5,-0.5,0,1,0,1,2,1,0.5} "
    "f32[1,2,8]{2,1,-0.5,0.5,-2,0,-1,0.5,2,-1.5,-0.5,0,0,-1.5,-1.5,1.5} _ _ i32[1]{1} i32[1]{2} @1 "
    "num_heads=2 kv_num_heads=1 -> 3 = "
    "f32[1,2,16]{2,1,-0.5,0.5,-2,0,-1,0.5,2,1,-0.5,0.5,-2,0,-1,0.5,2,-1.232395,-0.5,0.05352089,-0."
    "2140836,-1.339437,-1.446479,1.392958,2,-1.470255,-0.5,0.00594899,-0.02379596,-1.482153,-1."
    "494051,1.488102} f32[1,1,2,8]{1,1.5,-1,0.5,-1.5,-2,-1,1.5,-0.5,0,1,0,1,2,1,0.5} "
    "f32[1,1,2,8]{2,1,-0.5,0.5,-2,0,-1,0.5,2,-1.5,-0.5,0,0,-1.5,-1.5,1.5}",
    "f32[1,2,24]{1.5,-1.5,0.5,-1.5,1,-1,-2,0,1,1,-1.5,-2,-2,1,0.5,2,0,2,-0.5,-2,0,-2,-1.5,-1.5,2,-"
    "2,-0.5,1,0,0,-1,-2,0.5,0.5,0.5,-1,1,1,1.5,2,1,2,-1.5,2,0,1,-0.5,0} _ _ _ _ i32[1]{1} "
    "i32[1]{2} @1 num_heads=1 kv_num_heads=1 scale=0.25 softcap=1.5 -> 3 = "
    "f32[1,2,8]{0,2,-0.5,-2,0,-2,-1.5,-1.5,0.4753568,2,-0.9753568,-0.09857279,0,-0.5739295,-1."
    "024643,-0.7869648} f32[1,1,2,8]{1,1,-1.5,-2,-2,1,0.5,2,0.5,0.5,0.5,-1,1,1,1.5,2} "
    "f32[1,1,2,8]{0,2,-0.5,-2,0,-2,-1.5,-1.5,1,2,-1.5,2,0,1,-0.5,0}",
    "f32[2,1,16]{1,0,2,0,2,0.5,-2,1,0.5,-2,1,-1,-2,0.5,1.5,0.5,0.5,0,1.5,-2,-2,-2,0.5,0,1.5,0,0.5,-"
    "1,0.5,-1,0.5,0.5} f32[2,1,8]{0,0,1,-1.5,-2,-1,0,2,-0.5,0,-0.5,0.5,-1,1,-1.5,-1.5} "
    "f32[2,1,8]{0.5,0.5,-0.5,1.5,-1,-1.5,0.5,-0.5,1.5,0,-0.5,-1.5,-2,2,-0.5,0.5} "
    "f32[2,1,2,8]{-1,0,0.5,-1.5,0.5,-1,1,0,2,0,1.5,0.5,1,0,1,1,-2,1,-1,-0.5,-2,1.5,2,1,2,-0.5,-2,1."
    "5,2,0,2,0.5} "
    "f32[2,1,2,8]{-0.5,-1.5,0,-1.5,-0.5,-2,-2,2,-0.5,1,-2,-2,1.5,-1.5,-1,2,0,-0.5,-2,2,2,1,-2,-1.5,"
    "0.5,-1,0,2,1.5,-2,0.5,-0.5} i32[2]{2,2} i32[1]{3} _ _ _ "
    "f32[1,2,1,3]{-0.5,-1.5,2,-1.5,-1,-0.5} f32[2]{0.5,-1} @1 num_heads=2 kv_num_heads=1 "
    "local_window_size=2 -> 3 = "
    "f32[2,1,16]{0.2231731,0.5109599,-0.7028177,0.5735903,-0.3504172,-1.245093,0.1272441,0."
    "06461373,0.388212,0.5227306,-0.6124096,1.119797,-0.7315845,-1.433673,0.3433725,-0.2536935,0."
    "9421175,-0.002959255,-0.3135459,-0.9347193,-1.249745,1.248265,-0.3120663,0.3120663,0.4587629,-"
    "0.6643363,-0.04219827,1.202078,0.8277113,-1.159879,0.2899699,-0.2899699} "
    "f32[2,1,3,8]{-1,0,0.5,-1.5,0.5,-1,1,0,2,0,1.5,0.5,1,0,1,1,0,0,1,-1.5,-2,-1,0,2,-2,1,-1,-0.5,-"
    "2,1.5,2,1,2,-0.5,-2,1.5,2,0,2,0.5,-0.5,0,-0.5,0.5,-1,1,-1.5,-1.5} "
    "f32[2,1,3,8]{-0.5,-1.5,0,-1.5,-0.5,-2,-2,2,-0.5,1,-2,-2,1.5,-1.5,-1,2,0.5,0.5,-0.5,1.5,-1,-1."
    "5,0.5,-0.5,0,-0.5,-2,2,2,1,-2,-1.5,0.5,-1,0,2,1.5,-2,0.5,-0.5,1.5,0,-0.5,-1.5,-2,2,-0.5,0.5}",
    "f32[1,1,8]{0,-1,-2,1.5,1,-2,0,-0.5} f32[1,1,8]{0,2,2,1,-2,1.5,0.5,-2} "
    "f32[1,1,8]{-2,-1,-2,-1.5,-2,-1.5,1.5,-2} "
    "f32[1,1,2,8]{-1.5,2,2,1.5,0.5,-1,0.5,-1.5,0.5,1,1,0,0.5,0,-0.5,0.5} "
    "f32[1,1,2,8]{1,-1.5,-1,2,-2,1,-1.5,-1,-2,0.5,1.5,2,1,-2,1,-2} i32[1]{2} i32[1]{3} @1 "
    "num_heads=1 kv_num_heads=1 smooth_softmax=1 -> 3 = "
    "f32[1,1,8]{-0.007739734,-0.4931626,-0.1631668,1.040768,-0.6164792,0.003190279,-0.3550461,-0."
    "7474317} "
    "f32[1,1,3,8]{-1.5,2,2,1.5,0.5,-1,0.5,-1.5,0.5,1,1,0,0.5,0,-0.5,0.5,0,2,2,1,-2,1.5,0.5,-2} "
    "f32[1,1,3,8]{1,-1.5,-1,2,-2,1,-1.5,-1,-2,0.5,1.5,2,1,-2,1,-2,-2,-1,-2,-1.5,-2,-1.5,1.5,-2}",
    "f32[1,1,16]{0.5,1.5,0.5,1,1,1.5,-2,-0.5,-0.5,2,0,-1.5,1,-0.5,1,-1} "
    "f32[1,1,16]{-2,0.5,0.5,2,0,-1.5,1.5,-1.5,2,1,-1.5,0.5,2,-1.5,-2,1.5} "
    "f32[1,1,16]{-1,-0.5,1,-2,2,-1.5,-1.5,1,-1,-2,0.5,-1.5,-2,-1.5,1.5,0} "
    "f32[1,1,1,16]{0,-1.5,-2,2,2,-0.5,-1.5,2,-1.5,2,-2,2,0.5,-1,-1.5,-0.5} "
    "f32[1,1,1,16]{-1,-0.5,1.5,1,0,0.5,1,0.5,2,1,-1.5,1,2,-0.5,1,-1} i32[1]{1} i32[1]{2} "
    "f32[3,8]{1,2,1.5,-1,1,-1,-1,-1.5,1.5,1.5,2,1.5,-1,-1,0,-0.5,-1,2,0.5,-0.5,2,0,1,0} "
    "f32[3,8]{-0.5,0,-2,0,1.5,1,-0.5,-1,0.5,-0.5,0.5,1.5,-1,1,1.5,-0.5,1.5,2,-2,1.5,-1.5,1,-2,1.5} "
    "@1 num_heads=1 kv_num_heads=1 do_rotary=1 -> 3 = "
    "f32[1,1,16]{-1,-0.5,1.45559,0.7335391,0.1776406,0.3223594,0.7779492,0.5444101,1.733539,0."
    "7335391,-1.322359,0.7779492,1.644719,-0.5888203,1.04441,-0.9111797} "
    "f32[1,1,2,16]{0,-1.5,-2,2,2,-0.5,-1.5,2,-1.5,2,-2,2,0.5,-1,-1.5,-0.5,-4,1.25,1.75,2.25,2,3,3,"
    "1.5,2,1.25,-2.75,3.75,-2,0,2.25,0} "
    "f32[1,1,2,16]{-1,-0.5,1.5,1,0,0.5,1,0.5,2,1,-1.5,1,2,-0.5,1,-1,-1,-0.5,1,-2,2,-1.5,-1.5,1,-1,-"
    "2,0.5,-1.5,-2,-1.5,1.5,0}",
    "f32[1,1,16]{-0.5,-0.5,-1.5,-0.5,0,-0.5,-0.5,0,-1,-1,-2,0,-1,-2,0.5,-1} "
    "f32[1,1,16]{1,-1.5,-1.5,-1.5,-1.5,0,0,-2,0.5,1.5,0.5,-2,-2,0.5,0.5,1} "
    "f32[1,1,16]{1,1.5,-1.5,-0.5,1.5,1,-1,2,0.5,-1.5,0,-1.5,1,-1.5,1.5,2} "
    "f32[1,1,1,16]{0,-1.5,2,0.5,0.5,1.5,0,0,-1.5,0.5,2,2,-1.5,1.5,2,0.5} "
    "f32[1,1,1,16]{-2,0,-1,-1,-1,0.5,1.5,-1.5,-1.5,2,-1,0.5,1,2,0,-1} i32[1]{1} i32[1]{2} "
    "f32[3,8]{1.5,1.5,0,-1,-1.5,-1.5,-1,2,2,1,0.5,-1.5,0,0,1,-2,-1,-2,1.5,2,0,-0.5,2,0.5} "
    "f32[3,8]{0.5,1,1.5,2,-1.5,0.5,1.5,-1.5,-1,0,-1.5,-1.5,-1.5,-1,-0.5,1,1,-1,-1,1,-0.5,2,2,-1} "
    "i64[1,1]{2} @1 num_heads=1 kv_num_heads=1 do_rotary=1 rotary_interleaved=1 -> 3 = "
    "f32[1,1,16]{0.9989781,1.499489,-1.49983,-0.5001704,1.499148,0.9998297,-0.9991485,1.998808,0."
    "4993188,-1.498808,-0.0003406294,-1.499319,1,-1.498808,1.499489,1.998978} "
    "f32[1,1,2,16]{0,-1.5,2,0.5,0.5,1.5,0,0,-1.5,0.5,2,2,-1.5,1.5,2,0.5,0.5,2.5,1.5,4.5,-2.25,1.5,"
    "2,-4,0.75,-0.25,3.75,2,-5,-3,1.25,0} "
    "f32[1,1,2,16]{-2,0,-1,-1,-1,0.5,1.5,-1.5,-1.5,2,-1,0.5,1,2,0,-1,1,1.5,-1.5,-0.5,1.5,1,-1,2,0."
    "5,-1.5,0,-1.5,1,-1.5,1.5,2}",
    "f32[2,3,32] f32[2,3,16] f32[2,3,16] f32[2,2,9,8] f32[2,2,9,8] i32[2]{8,5} i32[1]{9} f32[12,2] "
    "f32[12,2] num_heads=4 kv_num_heads=2 do_rotary=1 -> 3",
    "f32[2,3,32] f32[2,3,16] f32[2,3,16] f32[2,2,4,8] f32[2,2,4,8] i32[2]{5,1} c:i32[1]{6} "
    "num_heads=4 kv_num_heads=2 local_window_size=3 -> 3",
    "f16[2,1,64] _ _ f16[2,2,9,8] f16[2,2,9,8] i32[2]{8,5} i32[1]{9} num_heads=4 kv_num_heads=2 -> "
    "3",
    "bf16[1,2,8] bf16[1,2,8] bf16[1,2,8] _ _ i32[1]{1} i32[1]{2} num_heads=1 kv_num_heads=1",
    "f32[0,2,8] f32[0,2,8] f32[0,2,8] _ _ i32[0]{} i32[1]{2} num_heads=1 kv_num_heads=1 -> 3",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ i32[1]{2} i32[1]{2} num_heads=1 kv_num_heads=1 ! "
    "seqlens_k of sample 0 is 2",
    "f32[1,1,8] f32[1,1,8] f32[1,1,8] f32[1,1,2,8] f32[1,1,2,8] i32[1]{3} i32[1]{4} num_heads=1 "
    "kv_num_heads=1 ! does not fit 2 rows of the past",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ i32[1]{-1} i32[1]{2} num_heads=1 kv_num_heads=1 ! "
    "seqlens_k of sample 0 is -1",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ i32[1]{1} i32[1]{-2} num_heads=1 kv_num_heads=1 ! "
    "total_sequence_length is -2",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ i32[1]{1} i32[1]{2} num_heads=3 kv_num_heads=2 ! no "
    "multiple of kv_num_heads",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ i32[1]{1} _ num_heads=1 kv_num_heads=1 ! "
    "input 6 of GroupQueryAttention is missing",
    "f32[1,2,8] f32[1,2,4] f32[1,2,8] _ _ i32[1]{1} i32[1]{2} num_heads=1 kv_num_heads=1 ! key is "
    "float32[1,2,4]",
    "f32[1,2,8] f32[1,2,8] _ _ _ i32[1]{1} i32[1]{2} num_heads=1 kv_num_heads=1 ! key and value "
    "come together",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] f32[1,1,3,8] _ i32[1]{1} i32[1]{2} num_heads=1 "
    "kv_num_heads=1 ! come together",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] f32[1,1,3,8] f32[1,1,2,8] i32[1]{1} i32[1]{2} num_heads=1 "
    "kv_num_heads=1 ! past_value is float32[1,1,2,8]",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ i32[2]{1,1} i32[1]{2} num_heads=1 kv_num_heads=1 ! "
    "seqlens_k is int32[2]",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ i32[1]{1} i64[1]{2} num_heads=1 kv_num_heads=1 ! input 6 "
    "is int64, not int32",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ i32[1]{1} i32[1]{2} num_heads=1 kv_num_heads=1 "
    "do_rotary=1 ! do_rotary needs cos_cache",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ i32[1]{1} i32[1]{2} f32[1,4] f32[1,4] num_heads=1 "
    "kv_num_heads=1 do_rotary=1 ! position 1 is out of range for 1",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ i32[1]{1} i32[1]{2} f32[2,5] f32[2,5] num_heads=1 "
    "kv_num_heads=1 do_rotary=1 ! cos_cache is float32[2,5]",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ i32[1]{1} i32[1]{2} _ _ _ _ f32[2] num_heads=1 "
    "kv_num_heads=1 ! head_sink is float32[2]",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ i32[1]{1} i32[1]{2} num_heads=1 kv_num_heads=1 "
    "sliding_window_cache=1 ! sliding_window_cache is not supported",
    "f64[1,2,8] f64[1,2,8] f64[1,2,8] _ _ i32[1]{1} i32[1]{2} num_heads=1 kv_num_heads=1 ! float64",
    NULL,
};

const ig_op ig_op_group_query_attention = {
    .onnx = "GroupQueryAttention",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 7, 17 },
    .gaps = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4,
    .n_out = { 1, 4 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
