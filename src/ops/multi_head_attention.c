/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multi_head_attention.c: com.microsoft MultiHeadAttention, see padded_attention.h.
 *
 * Queries are [batch, rows, heads * d]. Keys and values are like them, or packed together [batch,
 * rows, heads, 2, d] in the key input, or [batch, heads, rows, d]; all three may be packed [batch,
 * rows, heads, 3, d] in the query input.
 */
#include <math.h>

#include "ops/padded_attention.h"

enum {
    IN_Q,
    IN_K,
    IN_V,
    IN_BIAS,
    IN_PADDING,
    IN_ATTENTION_BIAS,
    IN_PAST_K,
    IN_PAST_V,
    IN_PAST_LENGTH,
    IN_INDIRECTION,
    N_INPUTS
};
enum { OUT_Y, OUT_K, OUT_V, OUT_SCORES };

typedef struct mha_dims {
    ig_dim batch, n_q, n_new, n_past, d_k, d_v, n_heads;
} mha_dims;

static bool differ(ig_dim a, ig_dim b)
{
    return a != b && ig_dim_is_const(a) && ig_dim_is_const(b);
}

static ig_status refuse_unknown(ig_infer *c)
{
    static const char *const names[] = { "past_sequence_length", "cache_indirection" };
    for (int i = IN_PAST_LENGTH; i < c->n_in; i++)
        if (c->in[i])
            return ig_fail(c->err, INGOT_ERR_UNSUPPORTED,
                           "the input %s (a shared cache) is not supported",
                           names[i - IN_PAST_LENGTH]);
    if (c->n_out > OUT_SCORES && c->node->outputs[OUT_SCORES] != IG_NONE)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "the output qk is not supported");
    return INGOT_OK;
}

static ig_status check_types(ig_infer *c)
{
    const ingot_dtype type = c->in[IN_Q]->type.dtype;
    for (int i = 0; i < c->n_in && i <= IN_PAST_V; i++)
        if (c->in[i] && i != IN_PADDING && c->in[i]->type.dtype != type)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d is %s, the query %s", i,
                           ingot_dtype_name(c->in[i]->type.dtype), ingot_dtype_name(type));
    return INGOT_OK;
}

/* Width of heads side by side. */
static ig_status per_head(ig_infer *c, ig_dim width, int64_t n_heads, const char *what, ig_dim *d)
{
    if (ig_dim_is_const(width) && width % n_heads)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s has %lld columns, no multiple of %lld heads",
                       what, (long long)width, (long long)n_heads);
    *d = ig_dim_floor_div(c->dims, width, n_heads);
    return INGOT_OK;
}

static ig_status wrong(ig_infer *c, const char *what, const ig_info *x)
{
    char text[128];
    return ig_fail(c->err, INGOT_ERR_SHAPE, "%s is %s, which does not fit the others", what,
                   ig_shape_format(x->type.dtype, x->rank, x->dims, text, sizeof text));
}

static ig_status read_keys(ig_infer *c, mha_dims *m)
{
    const ig_info *k = c->in[IN_K], *v = c->n_in > IN_V ? c->in[IN_V] : NULL;
    ig_dim d = m->d_k;
    if (differ(k->dims[0], m->batch)) return wrong(c, "key", k);
    if (k->rank == 5) {
        m->n_new = k->dims[1];
        m->d_v = m->d_k;
        if (v || differ(k->dims[2], m->n_heads) || differ(k->dims[3], 2) ||
            differ(k->dims[4], m->d_k))
            return wrong(c, "key", k);
        return INGOT_OK;
    }
    if (!v) return ig_fail(c->err, INGOT_ERR_INVALID, "the input value is missing");
    if (v->rank < 0) return INGOT_OK;
    if (v->rank != k->rank || differ(v->dims[0], m->batch)) return wrong(c, "value", v);
    if (k->rank == 4) {
        m->n_new = k->dims[2];
        m->d_v = v->dims[3];
        if (differ(k->dims[1], m->n_heads) || differ(k->dims[3], m->d_k)) return wrong(c, "key", k);
        if (differ(v->dims[1], m->n_heads) || differ(v->dims[2], m->n_new))
            return wrong(c, "value", v);
        return INGOT_OK;
    }
    if (k->rank != 3) return wrong(c, "key", k);
    m->n_new = k->dims[1];
    IG_TRY(per_head(c, k->dims[2], m->n_heads, "key", &d));
    IG_TRY(per_head(c, v->dims[2], m->n_heads, "value", &m->d_v));
    if (differ(d, m->d_k)) return wrong(c, "key", k);
    return differ(v->dims[1], m->n_new) ? wrong(c, "value", v) : INGOT_OK;
}

static ig_status read_past(ig_infer *c, mha_dims *m)
{
    m->n_past = 0;
    const ig_info *k = c->n_in > IN_PAST_K ? c->in[IN_PAST_K] : NULL;
    const ig_info *v = c->n_in > IN_PAST_V ? c->in[IN_PAST_V] : NULL;
    if (!k != !v)
        return ig_fail(c->err, INGOT_ERR_INVALID, "past_key and past_value come together");
    if (!k) return INGOT_OK;
    if (k->rank < 0 || v->rank < 0) {
        m->n_past = ig_dim_born(c->dims);
        return INGOT_OK;
    }
    if (k->rank != 4 || differ(k->dims[0], m->batch) || differ(k->dims[1], m->n_heads) ||
        differ(k->dims[3], m->d_k))
        return wrong(c, "past_key", k);
    if (v->rank != 4 || differ(v->dims[0], m->batch) || differ(v->dims[1], m->n_heads) ||
        differ(v->dims[3], m->d_v) || differ(v->dims[2], k->dims[2]))
        return wrong(c, "past_value", v);
    m->n_past = k->dims[2];
    return INGOT_OK;
}

static ig_status check_biases(ig_infer *c, const mha_dims *m, const ig_dim scores[4])
{
    const ig_info *bias = c->n_in > IN_BIAS ? c->in[IN_BIAS] : NULL;
    const ig_info *added = c->n_in > IN_ATTENTION_BIAS ? c->in[IN_ATTENTION_BIAS] : NULL;
    const ig_dim k = ig_dim_mul(c->dims, m->n_heads, m->d_k);
    const ig_dim v = ig_dim_mul(c->dims, m->n_heads, m->d_v);
    ig_padding kind;
    if (bias && bias->rank >= 0 &&
        (bias->rank != 1 ||
         differ(bias->dims[0], ig_dim_add(c->dims, ig_dim_add(c->dims, k, k), v))))
        return wrong(c, "bias", bias);
    IG_TRY(ig_padding_of(c->n_in > IN_PADDING ? c->in[IN_PADDING] : NULL, scores, &kind, c->err));
    if (!added || added->rank < 0) return INGOT_OK;
    bool is_ok = added->rank == 4;
    for (int d = 0; is_ok && d < 4; d++)
        is_ok = !differ(added->dims[d], scores[d]) || (d < 2 && added->dims[d] == 1);
    return is_ok ? INGOT_OK : wrong(c, "attention_bias", added);
}

static ig_status infer(ig_infer *c)
{
    const ig_info *q = c->in[IN_Q], *k = c->n_in > IN_K ? c->in[IN_K] : NULL;
    mha_dims m = { .n_heads = ig_attr_int(c->node, "num_heads", 0) };
    IG_TRY(refuse_unknown(c));
    IG_TRY(check_types(c));
    if (m.n_heads < 1 || m.n_heads > INT32_MAX)
        return ig_fail(c->err, INGOT_ERR_INVALID, "num_heads is %lld", (long long)m.n_heads);
    if (q->rank < 0 || (k && k->rank < 0)) return INGOT_OK;
    m.batch = q->dims[0];
    m.n_q = q->rank > 1 ? q->dims[1] : 0;
    if (q->rank == 5) {
        if (k || differ(q->dims[2], m.n_heads) || differ(q->dims[3], 3))
            return wrong(c, "query", q);
        m.n_new = m.n_q;
        m.d_k = m.d_v = q->dims[4];
    } else {
        if (q->rank != 3) return wrong(c, "query", q);
        if (!k) return ig_fail(c->err, INGOT_ERR_INVALID, "the input key is missing");
        IG_TRY(per_head(c, q->dims[2], m.n_heads, "query", &m.d_k));
        if (c->n_in > IN_V && c->in[IN_V] && c->in[IN_V]->rank < 0) return INGOT_OK;
        IG_TRY(read_keys(c, &m));
    }
    IG_TRY(read_past(c, &m));
    const ig_dim n_kv = ig_dim_add(c->dims, m.n_past, m.n_new);
    const ig_dim scores[4] = { m.batch, m.n_heads, m.n_q, n_kv };
    const ig_dim y[3] = { m.batch, m.n_q, ig_dim_mul(c->dims, m.n_heads, m.d_v) };
    const ig_dim keys[4] = { m.batch, m.n_heads, n_kv, m.d_k };
    const ig_dim values[4] = { m.batch, m.n_heads, n_kv, m.d_v };
    IG_TRY(check_biases(c, &m, scores));
    ig_info_set_shape(&c->out[OUT_Y], q->type.dtype, 3, y);
    if (c->n_out > OUT_K) ig_info_set_shape(&c->out[OUT_K], q->type.dtype, 4, keys);
    if (c->n_out > OUT_V) ig_info_set_shape(&c->out[OUT_V], q->type.dtype, 4, values);
    return INGOT_OK;
}

/* ---- concrete shapes, which infer has checked ---- */

typedef struct operand_dims {
    int rank; /* 0: absent */
    const int64_t *dims;
} operand_dims;

/* [batch, rows, heads, n_parts, d] */
static ig_attn_strides interleaved(int64_t n_rows, int64_t n_heads, int64_t n_parts, int64_t d)
{
    const int64_t head = ig_attn_times(n_parts, d), row = ig_attn_times(n_heads, head);
    return (ig_attn_strides){ .batch = ig_attn_times(n_rows, row), .head = head, .row = row };
}

static void read_operands(const operand_dims *in, ig_padded_shape *s)
{
    const int64_t *q = in[IN_Q].dims, *k = in[IN_K].dims, *v = in[IN_V].dims;
    ig_attn_shape *a = &s->attn;
    const int64_t n = a->n_heads;
    if (in[IN_Q].rank == 5) {
        a->d_k = a->d_v = q[4];
        a->n_kv = q[1];
        s->q = interleaved(q[1], n, 3, q[4]);
        s->k = s->v = s->q;
        s->k_at = q[4];
        s->v_at = ig_attn_times(2, q[4]);
        return;
    }
    a->d_k = q[2] / n;
    s->q = ig_attn_dense(3, n, a->n_q, a->d_k);
    a->d_v = a->d_k;
    if (in[IN_K].rank == 5) {
        a->n_kv = k[1];
        s->k = s->v = interleaved(k[1], n, 2, k[4]);
        s->v_at = k[4];
        return;
    }
    a->n_kv = in[IN_K].rank == 4 ? k[2] : k[1];
    a->d_v = in[IN_K].rank == 4 ? v[3] : v[2] / n;
    s->is_kv_plain = in[IN_K].rank == 4;
    s->k = ig_attn_dense(in[IN_K].rank, n, a->n_kv, a->d_k);
    s->v = ig_attn_dense(in[IN_K].rank, n, a->n_kv, a->d_v);
}

static void read_shape(const ig_node *node, const operand_dims *in, ig_padded_shape *s)
{
    ig_attn_shape *a = &s->attn;
    *s = (ig_padded_shape){ .filter = ig_attr_float(node, "mask_filter_value", -10000.0f) };
    a->n_heads = a->n_kv_heads = ig_attr_int(node, "num_heads", 1);
    a->n_batch = in[IN_Q].dims[0];
    a->n_q = in[IN_Q].dims[1];
    read_operands(in, s);
    s->n_past = in[IN_PAST_K].rank ? in[IN_PAST_K].dims[2] : 0;
    a->n_kv += s->n_past;
    a->is_causal = ig_attr_int(node, "unidirectional", 0) != 0;
    a->scale = ig_attn_scale(node, a->d_k);
    s->has_bias = in[IN_BIAS].rank != 0;
    if (in[IN_ATTENTION_BIAS].rank) {
        s->bias_batch = in[IN_ATTENTION_BIAS].dims[0];
        s->bias_heads = in[IN_ATTENTION_BIAS].dims[1];
    }
}

static ig_status read_padding(const ig_info *mask, ig_padded_shape *s, ig_error *err)
{
    const ig_dim full[4] = { s->attn.n_batch, s->attn.n_heads, s->attn.n_q, s->attn.n_kv };
    return ig_padding_of(mask, full, &s->padding, err);
}

static const void *data(const ig_call *c, int i)
{
    return i < c->n_in && c->in[i] ? c->in[i]->data : NULL;
}

static void *out(const ig_call *c, int o)
{
    return o < c->n_out && c->out[o] ? c->out[o]->data : NULL;
}

static ig_status ref(ig_call *c)
{
    operand_dims in[N_INPUTS] = { 0 };
    ig_padded_shape s;
    for (int i = 0; i < c->n_in && i < N_INPUTS; i++)
        if (c->in[i]) in[i] = (operand_dims){ c->in[i]->rank, c->in[i]->dims };
    read_shape(c->node, in, &s);
    if (in[IN_PADDING].rank) {
        ig_info mask = { .type = { .dtype = c->in[IN_PADDING]->dtype } };
        ig_info_set_shape(&mask, c->in[IN_PADDING]->dtype, in[IN_PADDING].rank,
                          in[IN_PADDING].dims);
        IG_TRY(read_padding(&mask, &s, c->err));
    }
    ig_padded_finish(&s);
    ig_padded_operands o = { .q = data(c, IN_Q),
                             .k = data(c, IN_K),
                             .v = data(c, IN_V),
                             .bias = data(c, IN_BIAS),
                             .padding = data(c, IN_PADDING),
                             .attention_bias = data(c, IN_ATTENTION_BIAS),
                             .past_k = data(c, IN_PAST_K),
                             .past_v = data(c, IN_PAST_V),
                             .y = out(c, OUT_Y),
                             .present_k = out(c, OUT_K),
                             .present_v = out(c, OUT_V) };
    if (!o.k) o.k = o.q;
    if (!o.v) o.v = o.k;
    return ig_padded_ref(c, &s, &o);
}

/* Operands: the first eight inputs, the first three outputs, scratch. */
static void k_mha(const void *params, void *const *operands, ig_team *team)
{
    ig_padded_operands o = { .q = operands[IN_Q],
                             .k = operands[IN_K] ? operands[IN_K] : operands[IN_Q],
                             .v = operands[IN_V],
                             .bias = operands[IN_BIAS],
                             .padding = operands[IN_PADDING],
                             .attention_bias = operands[IN_ATTENTION_BIAS],
                             .past_k = operands[IN_PAST_K],
                             .past_v = operands[IN_PAST_V],
                             .y = operands[8],
                             .present_k = operands[9],
                             .present_v = operands[10] };
    if (!o.v) o.v = o.k;
    ig_padded_run(params, &o, operands[11], team);
}

static ig_status lower(ig_lower *l)
{
    int64_t dims[N_INPUTS][IG_MAX_RANK];
    operand_dims in[N_INPUTS] = { 0 };
    ig_padded_shape s;
    for (int i = 0; i < l->n_in && i < N_INPUTS; i++) {
        if (!l->in[i]) continue;
        const ingot_dtype want = i == IN_PADDING ? INGOT_INT32 : INGOT_FLOAT;
        if (l->in[i]->type.dtype != want || !ig_info_is_static(l->in[i], dims[i])) return INGOT_OK;
        in[i] = (operand_dims){ l->in[i]->rank, dims[i] };
    }
    const bool has_k = l->n_out > OUT_K && l->out[OUT_K].rank >= 0;
    const bool has_v = l->n_out > OUT_V && l->out[OUT_V].rank >= 0;
    if (has_k != has_v || l->out[OUT_Y].rank < 0) return INGOT_OK;
    read_shape(l->node, in, &s);
    if (in[IN_PADDING].rank) IG_TRY(read_padding(l->in[IN_PADDING], &s, l->err));
    ig_padded_finish(&s);
    return ig_padded_lower(l, &s, has_k, k_mha);
}

static const char *const cases[] = {
    "f32[1,2,4]{-1,-1.5,0,-1.5,1.5,1.5,1.5,1} f32[1,2,4]{-0.5,-1.5,1.5,-2,1,1,-2,1.5} "
    "f32[1,2,2]{0,-0.5,-1.5,0.5} @1 num_heads=2 = "
    "f32[1,2,2]{-0.03575829,-0.4761611,-1.478751,-0.2751175}",
    "f32[1,2,4]{-2,-2,-2,2,-2,1,-0.5,1} f32[1,3,4]{-2,2,-0.5,1.5,1.5,2,-0.5,0.5,-0.5,-0.5,1.5,0} "
    "f32[1,3,4]{-2,1,2,-1.5,-1,0,-1.5,0.5,2,1,2,-0.5} f32[12]{0,0,1.5,2,1,-2,1.5,-0.5,1,1,-1,0.5} "
    "i32[1,3]{1,0,1} @1 num_heads=2 scale=0.25 = "
    "f32[1,2,4]{1.489837,2,0.9999999,-0.8519527,-0.1927471,2,1,-0.6513549}",
    "f32[2,1,2]{2,0.5,-1.5,1.5} f32[2,3,2]{2,-1.5,-1,2,1,0.5,1.5,-2,1.5,-2,0,1} "
    "f32[2,3,2]{-1,-1,2,-0.5,-2,-0.5,2,2,-0.5,1,2,0.5} _ i32[2]{2,1} @1 num_heads=1 "
    "mask_filter_value=-2.0 = f32[2,1,2]{-0.9266689,-0.947925,1.980262,0.5914548}",
    "f32[2,1,2]{0.5,1.5,0,2} f32[2,3,2]{-2,1,2,-1,2,2,-0.5,1,-2,1.5,0.5,2} "
    "f32[2,3,2]{-0.5,2,1,1.5,0.5,1,0.5,-2,2,2,0.5,1.5} _ i32[8]{2,1,0,1,2,0,3,6} @1 num_heads=1 = "
    "f32[2,1,2]{-0.004642308,1.834881,0.5,-2}",
    "f32[1,2,2]{-2,-0.5,-1,2} f32[1,2,2]{-1,-1.5,2,0} f32[1,2,2]{-2,-1.5,-1.5,-2} _ "
    "i32[1,2,2]{1,0,0,1} f32[1,2,2,2]{1.5,-2,0,-0.5,0,-1.5,-1,0.5} @1 num_heads=2 = "
    "f32[1,2,2]{-2,-1.5,-1.5,-2}",
    "f32[1,2,2]{0,-1.5,-1,-1} f32[1,2,2]{0,2,-1,0} f32[1,2,2]{0,1.5,0.5,1.5} _ _ _ "
    "f32[1,1,1,2]{1.5,-1.5} f32[1,1,1,2]{-2,0} @1 num_heads=1 unidirectional=1 -> 3 = "
    "f32[1,2,2]{-1.952322,0.0357583,-0.3013979,1.041457} f32[1,1,3,2]{1.5,-1.5,0,2,-1,0} "
    "f32[1,1,3,2]{-2,0,0,1.5,0.5,1.5}",
    "f32[1,1,2]{1,0.5} f32[1,1,2,2]{1,-0.5,0,-1.5} f32[1,1,2,2]{0,2,-0.5,1} "
    "f32[6]{-2,-0.5,-2,1,-1,-2} @1 num_heads=1 = f32[1,1,2]{-0.3348808,1.330238}",
    "f32[2,2,2]{-1,1.5,2,1,2,-0.5,2,1.5} f32[2,2,2]{-0.5,2,-2,1,0.5,1,-2,0} "
    "f32[2,2,2]{-1,-0.5,-2,0,-1.5,-1.5,0,0} _ i32[2,2]{0,1,1,0} "
    "f32[2,1,2,2]{-1,1,0,-1,-2,2,-2,-0.5} @1 num_heads=1 unidirectional=1 -> 3 = "
    "f32[2,2,2]{-1,-0.5,-2,0,-1.5,-1.5,-1.5,-1.5} f32[2,1,2,2]{-0.5,2,-2,1,0.5,1,-2,0} "
    "f32[2,1,2,2]{-1,-0.5,-2,0,-1.5,-1.5,0,0}",
    "f32[2,7,24] f32[2,300,24] f32[2,300,18] c:f32[66] i32[2,300] f32[1,3,7,300] num_heads=3",
    "f32[2,7,24] f32[2,9,24] f32[2,9,24] f32[72] i32[2,7,12] f32[2,1,7,12] f32[2,3,3,8] "
    "f32[2,3,3,8] num_heads=3 unidirectional=1 -> 3",
    "f32[2,1,24] f32[2,1,24] f32[2,1,24] f32[72] _ _ f32[2,3,30,8] f32[2,3,30,8] num_heads=3 -> 3",
    "f32[2,1,24] f32[2,1,24] f32[2,1,24] _ _ _ f32[2,3,30,8] f32[2,3,30,8] num_heads=3",
    "f32[2,7,24] f32[2,3,9,8] f32[2,3,9,8] f32[72] i32[4]{9,4,0,2} num_heads=3",
    "f32[2,7,24] f32[2,9,3,2,8] _ f32[72] i32[2,9] num_heads=3 -> 3",
    "f32[2,7,24] f32[2,9,3,2,8] num_heads=3",
    "f32[2,7,3,3,8] num_heads=3 unidirectional=1",
    "f32[2,7,3,3,8] _ _ f32[72] num_heads=3 -> 3",
    "f32[1,1,2,3,2]{1,2,0,1,3,4,2,1,0,1,5,6} num_heads=2 = f32[1,1,4]{3,4,5,6}",
    "f16[2,7,24] f16[2,9,24] f16[2,9,24] f16[72] i32[2,9] num_heads=3 -> 3",
    "bf16[1,2,8] bf16[1,2,8] bf16[1,2,8] num_heads=2",
    "f32[1,0,8] f32[1,2,8] f32[1,2,8] num_heads=2 -> 3",
    "f32[1,2,8] f32[1,0,8] f32[1,0,8] num_heads=2 = f32[1,2,8]{0}",
    "f32[0,2,8] f32[0,2,8] f32[0,2,8] num_heads=2",
    "f32[1000000000000,1,0] f32[1000000000000,1,0] f32[1000000000000,1,0] num_heads=2 -> 3",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] ! num_heads is 0",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] num_heads=3 ! query has 8 columns, no multiple of 3 heads",
    "f32[1,2,8] num_heads=2 ! the input key is missing",
    "f32[1,2,8] f32[1,2,8] num_heads=2 ! the input value is missing",
    "f32[1,2,8] f32[1,2,6] f32[1,2,8] num_heads=2 ! key is float32[1,2,6], which does not fit",
    "f32[1,2,8] f32[1,2,8] f32[1,3,8] num_heads=2 ! value is float32[1,3,8], which does not fit",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] f32[20] num_heads=2 ! bias is float32[20]",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ i32[1,3] num_heads=2 ! the padding mask is int32[1,3]",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ i64[1,2] num_heads=2 ! the padding mask is int64",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ f32[1,2,2,3] num_heads=2 ! attention_bias is "
    "float32[1,2,2,3]",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ _ f32[1,2,2,4] num_heads=2 ! come together",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ _ f32[1,2,2,4] f32[1,2,3,4] num_heads=2 ! past_value is "
    "float32",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] _ _ _ f32[1,2,2,4] f32[1,2,2,4] i32[1]{1} num_heads=2 ! "
    "past_sequence_length (a shared cache) is not supported",
    "f32[1,2,8] f32[1,2,8] f32[1,2,8] num_heads=2 -> 4 ! the output qk is not supported",
    "f64[1,2,8] f64[1,2,8] f64[1,2,8] num_heads=2 ! float64",
    "_ f32[1,2,8] num_heads=2 ! input 0 of MultiHeadAttention is missing",
    NULL,
};

const ig_op ig_op_multi_head_attention = {
    .onnx = "MultiHeadAttention",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 1, 10 },
    .n_out = { 1, 4 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
