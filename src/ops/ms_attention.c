/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ms_attention.c: com.microsoft Attention: queries, keys and values are one product of the input
 * [batch, rows, width] with the weights [width, heads * (d_k + d_k + d_v)] plus a bias; then as in
 * padded_attention.h. past and present hold keys, then values: [2, batch, heads, rows, d].
 */
#include <math.h>

#include "ops/padded_attention.h"
#include "ops/product.h"

enum { IN_X, IN_W, IN_BIAS, IN_PADDING, IN_PAST, IN_ATTENTION_BIAS, IN_PAST_LENGTH, N_INPUTS };
enum { OUT_Y, OUT_PRESENT };

static bool differ(ig_dim a, ig_dim b)
{
    return a != b && ig_dim_is_const(a) && ig_dim_is_const(b);
}

/* Widths of queries (and keys), and of values, side by side. */
static ig_status read_widths(const ig_node *node, int64_t width, int64_t *k, int64_t *v,
                             ig_error *err)
{
    size_t n = 0;
    const int64_t *sizes = ig_attr_ints(node, "qkv_hidden_sizes", &n);
    const int64_t n_heads = ig_attr_int(node, "num_heads", 0);
    *k = *v = width / 3;
    if (sizes && n != 3)
        return ig_fail(err, INGOT_ERR_INVALID, "qkv_hidden_sizes has %zu numbers, not 3", n);
    if (sizes) {
        *k = sizes[0];
        *v = sizes[2];
    }
    const bool fits = *k >= 0 && *v >= 0 && *k <= width && *v <= width && 2 * *k + *v == width &&
                      (!sizes || sizes[1] == *k);
    if (!fits || n_heads < 1 || n_heads > INT32_MAX || *k % n_heads || *v % n_heads)
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "%lld columns of weights are no queries, keys and values of %lld heads",
                       (long long)width, (long long)n_heads);
    return INGOT_OK;
}

static ig_status wrong(ig_infer *c, const char *what, const ig_info *x)
{
    char text[128];
    return ig_fail(c->err, INGOT_ERR_SHAPE, "%s is %s, which does not fit the others", what,
                   ig_shape_format(x->type.dtype, x->rank, x->dims, text, sizeof text));
}

static const ig_info *input(const ig_infer *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

static ig_status check_options(ig_infer *c)
{
    const ig_info *x = c->in[IN_X];
    if (ig_attr_int(c->node, "do_rotary", 0))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "do_rotary is not supported");
    if (ig_attr_int(c->node, "past_present_share_buffer", 0) || input(c, IN_PAST_LENGTH))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "a shared cache is not supported");
    for (int i = IN_W; i < c->n_in && i < IN_PAST_LENGTH; i++)
        if (c->in[i] && i != IN_PADDING && c->in[i]->type.dtype != x->type.dtype)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d is %s, the input 0 %s", i,
                           ingot_dtype_name(c->in[i]->type.dtype), ingot_dtype_name(x->type.dtype));
    return INGOT_OK;
}

static ig_status check_others(ig_infer *c, const ig_dim scores[4], ig_dim d_k, ig_dim d_v,
                              ig_dim width)
{
    const ig_info *bias = input(c, IN_BIAS), *past = input(c, IN_PAST);
    const ig_info *added = input(c, IN_ATTENTION_BIAS);
    ig_padding kind;
    if (bias && bias->rank >= 0 && (bias->rank != 1 || differ(bias->dims[0], width)))
        return wrong(c, "bias", bias);
    if ((past || c->n_out > OUT_PRESENT) && differ(d_k, d_v))
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "with past or present, keys and values have one width");
    if (past && past->rank >= 0 &&
        (past->rank != 5 || differ(past->dims[0], 2) || differ(past->dims[1], scores[0]) ||
         differ(past->dims[2], scores[1]) || differ(past->dims[4], d_k)))
        return wrong(c, "past", past);
    IG_TRY(ig_padding_of(input(c, IN_PADDING), scores, &kind, c->err));
    if (!added || added->rank < 0) return INGOT_OK;
    bool is_ok = added->rank == 4;
    for (int d = 0; is_ok && d < 4; d++)
        is_ok = !differ(added->dims[d], scores[d]) || (d < 2 && added->dims[d] == 1);
    return is_ok ? INGOT_OK : wrong(c, "attention_bias", added);
}

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_X], *w = c->in[IN_W], *past = input(c, IN_PAST);
    int64_t k = 0, v = 0;
    IG_TRY(check_options(c));
    if (x->rank < 0 || w->rank < 0) return INGOT_OK;
    if (x->rank != 3) return wrong(c, "the input", x);
    if (w->rank != 2 || differ(w->dims[0], x->dims[2])) return wrong(c, "weights", w);
    if (!ig_dim_is_const(w->dims[1])) {
        const ig_dim y[3] = { x->dims[0], x->dims[1], ig_dim_born(c->dims) };
        ig_info_set_shape(&c->out[OUT_Y], x->type.dtype, 3, y);
        return INGOT_OK;
    }
    IG_TRY(read_widths(c->node, w->dims[1], &k, &v, c->err));
    const int64_t n_heads = ig_attr_int(c->node, "num_heads", 1);
    const ig_dim n_past = !past ? 0 : past->rank == 5 ? past->dims[3] : ig_dim_born(c->dims);
    const ig_dim n_kv = ig_dim_add(c->dims, n_past, x->dims[1]);
    const ig_dim scores[4] = { x->dims[0], n_heads, x->dims[1], n_kv };
    const ig_dim y[3] = { x->dims[0], x->dims[1], v };
    const ig_dim present[5] = { 2, x->dims[0], n_heads, n_kv, k / n_heads };
    IG_TRY(check_others(c, scores, k / n_heads, v / n_heads, w->dims[1]));
    ig_info_set_shape(&c->out[OUT_Y], x->type.dtype, 3, y);
    if (c->n_out > OUT_PRESENT) ig_info_set_shape(&c->out[OUT_PRESENT], x->type.dtype, 5, present);
    return INGOT_OK;
}

/* ---- concrete shapes, which infer has checked ---- */

/* bias: dimensions of the attention bias, or NULL. */
static ig_status read_shape(const ig_node *node, const int64_t *x, int64_t width, int64_t n_past,
                            const ig_info *padding, const int64_t *bias, ig_padded_shape *s,
                            ig_error *err)
{
    int64_t k = 0, v = 0;
    ig_attn_shape *a = &s->attn;
    IG_TRY(read_widths(node, width, &k, &v, err));
    *s = (ig_padded_shape){ .filter = ig_attr_float(node, "mask_filter_value", -10000.0f),
                            .n_past = n_past };
    a->n_heads = a->n_kv_heads = ig_attr_int(node, "num_heads", 1);
    a->n_batch = x[0];
    a->n_q = x[1];
    a->n_kv = n_past + x[1];
    a->d_k = k / a->n_heads;
    a->d_v = v / a->n_heads;
    a->scale = ig_attn_scale(node, a->d_k);
    a->is_causal = ig_attr_int(node, "unidirectional", 0) != 0;
    const int64_t sample = ig_attn_times(x[1], width);
    s->q = s->k = (ig_attn_strides){ sample, a->d_k, width };
    s->v = (ig_attn_strides){ sample, a->d_v, width };
    s->k_at = k;
    s->v_at = 2 * k;
    if (bias) s->bias_batch = bias[0], s->bias_heads = bias[1];
    const ig_dim full[4] = { a->n_batch, a->n_heads, a->n_q, a->n_kv };
    IG_TRY(ig_padding_of(padding, full, &s->padding, err));
    ig_padded_finish(s);
    return INGOT_OK;
}

/* Operands of the attention on the projection; past and present are split in two. */
static ig_padded_operands split(const ig_padded_shape *s, const float *projected, const void *past,
                                void *present)
{
    const ig_attn_shape *a = &s->attn;
    const int64_t heads = ig_attn_times(a->n_batch, ig_attn_times(a->n_heads, a->d_k));
    ig_padded_operands o = { .q = projected, .k = projected, .v = projected };
    if (past) {
        o.past_k = past;
        o.past_v = o.past_k + ig_attn_times(heads, s->n_past);
    }
    if (present) {
        o.present_k = present;
        o.present_v = o.present_k + ig_attn_times(heads, a->n_kv);
    }
    return o;
}

static const ig_tensor *tensor(const ig_call *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

static ig_status project(ig_call *c, float **out)
{
    const ig_tensor *x = c->in[IN_X], *w = c->in[IN_W], *bias = tensor(c, IN_BIAS);
    const int64_t n = w->dims[1], k = w->dims[0], dims[2] = { x->dims[0] * x->dims[1], n };
    const float *from = x->data, *weights = w->data;
    ig_tensor *t = NULL;
    IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_FLOAT, 2, dims, NULL, &t, c->err));
    float *to = *out = t->data;
    for (int64_t i = 0; i < dims[0] && n > 0; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = bias ? (double)((const float *)bias->data)[j] : 0;
            for (int64_t e = 0; e < k; e++)
                sum += (double)from[i * k + e] * (double)weights[e * n + j];
            *to++ = (float)sum;
        }
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *padding = tensor(c, IN_PADDING), *past = tensor(c, IN_PAST);
    const ig_tensor *bias = tensor(c, IN_ATTENTION_BIAS);
    ig_tensor *present = c->n_out > OUT_PRESENT ? c->out[OUT_PRESENT] : NULL;
    ig_info mask = { .rank = -1 };
    ig_padded_shape s;
    float *projected = NULL;
    if (padding) ig_info_set_shape(&mask, padding->dtype, padding->rank, padding->dims);
    IG_TRY(read_shape(c->node, c->in[IN_X]->dims, c->in[IN_W]->dims[1], past ? past->dims[3] : 0,
                      &mask, bias ? bias->dims : NULL, &s, c->err));
    /* Where nothing is stored, the other sizes may be anything. */
    if ((!c->out[OUT_Y] || ig_tensor_count(c->out[OUT_Y]) == 0) &&
        (!present || ig_tensor_count(present) == 0))
        return INGOT_OK;
    IG_TRY(project(c, &projected));
    ig_padded_operands o =
        split(&s, projected, past ? past->data : NULL, present ? present->data : NULL);
    o.padding = padding ? padding->data : NULL;
    o.attention_bias = bias ? bias->data : NULL;
    o.y = c->out[OUT_Y] ? c->out[OUT_Y]->data : NULL;
    return ig_padded_ref(c, &s, &o);
}

/* ---- lowering ---- */

typedef struct attention_params {
    const ig_gemm_params *product;
    ig_padded_params attention;
    size_t gemm_at, attention_at; /* in scratch; the projection comes first */
} attention_params;

typedef struct product_job {
    const ig_gemm_params *params;
    void *operands[6];
} product_job;

static void run_product(void *ctx, ig_part part)
{
    const product_job *j = ctx;
    ig_k_gemm(j->params, j->operands, part);
}

/* Operands: the first eight inputs (two of them absent), y, present, none, scratch. */
static void k_attention(const void *params, void *const *operands, ig_team *team)
{
    const attention_params *p = params;
    char *scratch = operands[11];
    product_job job = { p->product,
                        { operands[IN_X], operands[IN_W], operands[IN_BIAS], NULL, scratch,
                          scratch + p->gemm_at } };
    ig_team_run(team, run_product, &job, p->product->n_work, p->product->grain);
    ig_padded_operands o =
        split(&p->attention.shape, (const float *)(void *)scratch, operands[IN_PAST], operands[9]);
    o.padding = operands[IN_PADDING];
    o.attention_bias = operands[IN_ATTENTION_BIAS];
    o.y = operands[8];
    ig_padded_run(&p->attention, &o, scratch + p->attention_at, team);
}

static ig_status lower(ig_lower *l)
{
    int64_t dims[N_INPUTS][IG_MAX_RANK];
    const ig_info *in[N_INPUTS] = { 0 };
    ig_padded_shape s;
    ig_gemm_shape g;
    size_t projected = 0;
    for (int i = 0; i < l->n_in && i < N_INPUTS; i++) {
        if (!(in[i] = l->in[i])) continue;
        const ingot_dtype want = i == IN_PADDING ? INGOT_INT32 : INGOT_FLOAT;
        if (in[i]->type.dtype != want || !ig_info_is_static(in[i], dims[i])) return INGOT_OK;
    }
    const bool has_present = l->n_out > OUT_PRESENT && l->out[OUT_PRESENT].rank >= 0;
    const int64_t *x = dims[IN_X], *w = dims[IN_W];
    if (l->out[OUT_Y].rank < 0) return INGOT_OK;
    IG_TRY(read_shape(l->node, x, w[1], in[IN_PAST] ? dims[IN_PAST][3] : 0, in[IN_PADDING],
                      in[IN_ATTENTION_BIAS] ? dims[IN_ATTENTION_BIAS] : NULL, &s, l->err));
    if (!ig_padded_is_fast(&s) || w[0] < 1 ||
        !ig_size_mul((size_t)(x[0] * x[1]), (size_t)w[1] * sizeof(float), &projected))
        return INGOT_OK;
    attention_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    ig_gemm_shape_init(&g, x[0] * x[1], w[1], w[0], false, false);
    g.c = in[IN_BIAS] ? IG_GEMM_C_N : IG_GEMM_C_NONE;
    IG_TRY(ig_lower_product(l, &g));
    p->product = l->params;
    p->gemm_at = ig_align_up(projected, 64);
    p->attention_at = ig_align_up(p->gemm_at + l->scratch_bytes, 64);
    l->kernel = NULL;
    IG_TRY(ig_padded_lower(l, &s, has_present, k_attention));
    p->attention = *(const ig_padded_params *)l->params;
    l->params = p;
    l->scratch_bytes = p->attention_at + p->attention.scratch_bytes;
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,2,2]{-2,-1.5,-1.5,0.5} f32[2,6]{-1,0,0,-0.5,-2,-1,1,1,2,0.5,2,1.5} "
    "f32[6]{2,0,-2,-2,0.5,1.5} @1 num_heads=2 = f32[1,2,2]{4.499864,1.862713,4.5,2.731667}",
    "f32[1,2,2]{0.5,1,1,2} f32[2,6]{-1,2,-1,-0.5,-0.5,-2,-1,0.5,-1,-1,2,2} _ i32[1,2]{1,0} @1 "
    "num_heads=1 scale=0.25 = f32[1,2,2]{1.75,1,1.75,1}",
    "f32[2,2,1]{0.5,2,2,-1} f32[1,3]{1.5,1,2} f32[3]{0.5,0.5,0.5} i32[4]{2,1,0,1} @1 num_heads=1 "
    "mask_filter_value=-2.0 = f32[2,2,1]{4.101107,4.48434,4.499835,-1.215445}",
    "f32[1,2,2]{1.5,-1,1,1.5} f32[2,6]{2,-0.5,1.5,0,1.5,2,2,0.5,1.5,1.5,0.5,2} "
    "f32[6]{1.5,1.5,-0.5,0.5,-1,0} i32[1,2,3]{1,0,1,0,1,1} f32[2,1,1,1,2]{1.5,0,0,2} @1 "
    "num_heads=1 unidirectional=1 -> 2 = f32[1,2,2]{0,2,1.25,5} "
    "f32[2,1,1,3,2]{1.5,0,0.25,-1,3.25,2.75,0,2,0.75,1,1.25,5}",
    "f32[1,2,2]{2,2,2,1} f32[2,6]{0,-0.5,1.5,2,0.5,-1.5,0.5,-2,-0.5,-1.5,-2,-2} "
    "f32[6]{0,-0.5,-1.5,2,-1,0} i32[1,2]{1,1} _ f32[1,1,2,2]{-0.5,-0.5,-2,1} @1 num_heads=1 "
    "unidirectional=1 = f32[1,2,2]{-4,-7,-3.261546,-6.261546}",
    "f32[2,7,10] c:f32[10,72] c:f32[72] i32[2,7] num_heads=3 scale=0.01",
    "f32[2,7,10] f32[10,66] f32[66] i32[2]{7,3} _ f32[1,3,7,7] scale=0.01 "
    "qkv_hidden_sizes=[24,24,18] num_heads=3",
    "f32[2,1,10] c:f32[10,72] f32[72] i32[2,31] f32[2,2,3,30,8] num_heads=3 scale=0.01 -> 2",
    "f32[2,7,10] f32[10,72] f32[72] _ f32[2,2,3,30,8] num_heads=3 unidirectional=1 scale=0.01",
    "f16[2,7,10] f16[10,72] f16[72] i32[2,7] num_heads=3 -> 2",
    "f32[0,7,10] f32[10,72] f32[72] num_heads=3 -> 2",
    "f32[2,0,10] f32[10,72] f32[72] num_heads=3 -> 2",
    "f32[1,2,0] f32[0,6] f32[6] num_heads=1",
    "f32[1,2,3] f32[3,0] num_heads=1",
    "f32[1,2,3] f32[3,7] num_heads=1 ! 7 columns of weights are no queries, keys and values of 1 "
    "heads",
    "f32[1,2,3] f32[3,6] ! of 0 heads",
    "f32[1,2,3] f32[3,6] num_heads=1 qkv_hidden_sizes=[2,2] ! has 2 numbers, not 3",
    "f32[1,2,3] f32[3,6] num_heads=1 qkv_hidden_sizes=[2,1,2] ! 6 columns of weights",
    "f32[1,2,3] f32[4,6] num_heads=1 ! weights is float32[4,6], which does not fit",
    "f32[2,3] f32[3,6] num_heads=1 ! the input is float32[2,3]",
    "f32[1,2,3] f32[3,6] f32[5] num_heads=1 ! bias is float32[5]",
    "f32[1,2,3] f32[3,6] _ i32[1,1,8,8] num_heads=1 ! the padding mask is int32[1,1,8,8]",
    "f32[1,2,3] f32[3,6] _ _ f32[2,1,1,4,3] num_heads=1 ! past is float32[2,1,1,4,3]",
    "f32[1,2,3] f32[3,7] _ _ _ qkv_hidden_sizes=[2,2,3] num_heads=1 -> 2 ! have one width",
    "f32[1,2,3] f32[3,6] _ _ _ f32[1,1,2,3] num_heads=1 ! attention_bias is float32[1,1,2,3]",
    "f32[1,2,3] f32[3,6] num_heads=1 do_rotary=1 ! do_rotary is not supported",
    "f32[1,2,3] f32[3,6] num_heads=1 past_present_share_buffer=1 ! a shared cache is not supported",
    "f64[1,2,3] f64[3,6] num_heads=1 ! float64",
    NULL,
};

const ig_op ig_op_ms_attention = {
    .onnx = "Attention",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 7 },
    .n_out = { 1, 2 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
