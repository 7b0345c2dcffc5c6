/* SPDX-License-Identifier: Apache-2.0 */
/*
 * q_attention.c: com.microsoft QAttention: Attention on 8-bit input and weights. Both are made real
 * values first, (q - zero) * scale; scale and zero point of the weights are one or one a column.
 */
#include "ops/attention_core.h"
#include "ops/qlinear.h"

enum { IN_X, IN_W, IN_BIAS, IN_X_SCALE, IN_W_SCALE, IN_MASK, IN_X_ZERO, IN_W_ZERO, IN_PAST };
/* Attention's: X, weights, bias, padding, past. */
enum { N_REAL = 5 };
static const int8_t of_real[N_REAL] = { IN_X, IN_W, IN_BIAS, IN_MASK, IN_PAST };

extern const ig_op ig_op_ms_attention;

static const ig_info *info_at(const ig_info *const *in, int n_in, int i)
{
    return i < n_in ? in[i] : NULL;
}

/* One element, or as many as the weights have columns. */
static ig_status check_param(const ig_infer *c, int i, const char *what, ingot_dtype dtype)
{
    const ig_info *x = info_at(c->in, c->n_in, i), *w = c->in[IN_W];
    int64_t dims[IG_MAX_RANK];
    if (!x) return INGOT_OK;
    if (x->type.dtype != INGOT_UNDEFINED && x->type.dtype != dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s is %s, not %s", what,
                       ingot_dtype_name(x->type.dtype), ingot_dtype_name(dtype));
    if (!ig_info_is_static(x, dims) || w->rank != 2 || !ig_dim_is_const(w->dims[1]))
        return INGOT_OK;
    const int64_t n = ig_count(x->rank, dims);
    if (n == 1 || n == w->dims[1]) return INGOT_OK;
    return ig_fail(c->err, INGOT_ERR_SHAPE, "%s has %lld elements for %lld columns of weights",
                   what, (long long)n, (long long)w->dims[1]);
}

static ig_status check_types(const ig_infer *c)
{
    const ig_info *x = c->in[IN_X], *w = c->in[IN_W];
    if (!w || !c->in[IN_BIAS] || !c->in[IN_X_SCALE] || !c->in[IN_W_SCALE])
        return ig_fail(c->err, INGOT_ERR_INVALID, "weights, bias or a scale is missing");
    if (w->type.dtype != INGOT_UNDEFINED && !(IG_T(w->type.dtype) & IG_T_8_BIT))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "weights are %s",
                       ingot_dtype_name(w->type.dtype));
    if (c->in[IN_BIAS]->type.dtype != INGOT_UNDEFINED && c->in[IN_BIAS]->type.dtype != INGOT_FLOAT)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "the bias is %s; float32 is supported",
                       ingot_dtype_name(c->in[IN_BIAS]->type.dtype));
    IG_TRY(ig_qparam_infer(c, IN_X_SCALE, IN_X_ZERO, x->type.dtype));
    IG_TRY(check_param(c, IN_W_SCALE, "weight_scale", INGOT_FLOAT));
    return check_param(c, IN_W_ZERO, "weight_zero_point", w->type.dtype);
}

/* Attention's inputs, X and the weights as float32 without contents. */
static void real_infos(const ig_info *const *in, int n_in, ig_info wide[2],
                       const ig_info *real[N_REAL])
{
    for (int i = 0; i < N_REAL; i++) real[i] = info_at(in, n_in, of_real[i]);
    for (int i = 0; i < 2; i++) {
        wide[i] = *real[i];
        wide[i].type.dtype = INGOT_FLOAT;
        wide[i].data = NULL;
        real[i] = &wide[i];
    }
}

static ig_status infer(ig_infer *c)
{
    ig_info wide[2];
    const ig_info *real[N_REAL];
    IG_TRY(check_types(c));
    real_infos(c->in, c->n_in, wide, real);
    c->out[0].type.dtype = INGOT_FLOAT;
    if (c->n_out > 1) c->out[1].type.dtype = INGOT_FLOAT;
    ig_infer as = *c;
    as.in = real;
    as.n_in = N_REAL;
    return ig_op_ms_attention.infer(&as);
}

/* ---- real values ---- */

typedef struct weights {
    ingot_dtype dtype;
    int64_t rows, cols;
    const float *scale;
    const void *zero; /* NULL: 0 */
    bool is_scale_vector, is_zero_vector;
} weights;

static void widen_weights(const weights *w, const void *from, float *to)
{
    for (int64_t r = 0; r < w->rows; r++)
        for (int64_t c = 0; c < w->cols; c++, to++) {
            const float zero =
                w->zero ? ig_q_load(w->dtype, w->zero, w->is_zero_vector ? c : 0) : 0;
            *to = (ig_q_load(w->dtype, from, r * w->cols + c) - zero) *
                  w->scale[w->is_scale_vector ? c : 0];
        }
}

static ig_status read_weights(const ig_tensor *w, const ig_tensor *scale, const ig_tensor *zero,
                              weights *out, ig_error *err)
{
    const int64_t n_scales = ig_tensor_count(scale), n_zeros = zero ? ig_tensor_count(zero) : 1;
    *out = (weights){ .dtype = w->dtype,
                      .rows = w->rank == 2 ? w->dims[0] : 0,
                      .cols = w->rank == 2 ? w->dims[1] : 0,
                      .scale = scale->data,
                      .zero = zero ? zero->data : NULL,
                      .is_scale_vector = n_scales != 1,
                      .is_zero_vector = n_zeros != 1 };
    if ((n_scales != 1 && n_scales != out->cols) || (n_zeros != 1 && n_zeros != out->cols) ||
        scale->dtype != INGOT_FLOAT || (zero && zero->dtype != w->dtype))
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "weight_scale or weight_zero_point does not fit %lld columns of weights",
                       (long long)out->cols);
    return INGOT_OK;
}

static const ig_tensor *tensor(const ig_call *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *w = c->in[IN_W], *real[N_REAL];
    ig_tensor *wide_x = NULL, *wide_w = NULL;
    ig_qparam q;
    weights columns;
    IG_TRY(ig_qparam_of_call(c, IN_X_SCALE, IN_X_ZERO, x->dtype, &q));
    IG_TRY(read_weights(w, c->in[IN_W_SCALE], tensor(c, IN_W_ZERO), &columns, c->err));
    IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_FLOAT, x->rank, x->dims, NULL, &wide_x, c->err));
    IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_FLOAT, w->rank, w->dims, NULL, &wide_w, c->err));
    const int64_t n = ig_tensor_count(x);
    for (int64_t i = 0; i < n; i++)
        ((float *)wide_x->data)[i] = (ig_q_load(x->dtype, x->data, i) - q.zero) * q.scale;
    widen_weights(&columns, w->data, wide_w->data);
    for (int i = 0; i < N_REAL; i++) real[i] = tensor(c, of_real[i]);
    real[0] = wide_x;
    real[1] = wide_w;
    ig_call as = *c;
    as.in = real;
    as.n_in = N_REAL;
    return ig_op_ms_attention.ref(&as);
}

/* ---- kernel ---- */

#define BLOCK 4096

/* Operands of Attention's kernel: eight inputs, three outputs, scratch. */
enum { N_INNER_IN = 8, N_INNER_OUT = 3, N_INNER = N_INNER_IN + N_INNER_OUT + 1 };
/* Ours: Attention's inputs, then scale and zero point of X. */
enum { AT_SCALE = N_REAL, AT_ZERO, N_OUTER_IN };

typedef struct attention_params {
    ig_team_kernel_fn attention;
    const void *params;
    ingot_dtype dtype;
    int64_t n; /* elements of X, the first part of scratch */
    size_t wide_bytes;
} attention_params;

typedef struct widen_job {
    const attention_params *p;
    const void *x;
    float scale, zero;
    float *to;
} widen_job;

static void widen_x(void *ctx, ig_part part)
{
    const widen_job *j = ctx;
    const int64_t end = part.end * BLOCK < j->p->n ? part.end * BLOCK : j->p->n;
    for (int64_t i = part.begin * BLOCK; i < end; i++)
        j->to[i] = (ig_q_load(j->p->dtype, j->x, i) - j->zero) * j->scale;
}

static void k_attention(const void *params, void *const *operands, ig_team *team)
{
    const attention_params *p = params;
    char *scratch = operands[N_OUTER_IN + N_INNER_OUT];
    void *inner[N_INNER] = { 0 };
    widen_job j = { .p = p,
                    .x = operands[0],
                    .scale = *(const float *)operands[AT_SCALE],
                    .zero = operands[AT_ZERO] ? ig_q_load(p->dtype, operands[AT_ZERO], 0) : 0,
                    .to = (float *)(void *)scratch };
    ig_team_run(team, widen_x, &j, (p->n + BLOCK - 1) / BLOCK, 2);
    for (int i = 0; i < N_REAL; i++) inner[i] = operands[i];
    inner[0] = scratch;
    for (int i = 0; i < N_INNER_OUT; i++) inner[N_INNER_IN + i] = operands[N_OUTER_IN + i];
    inner[N_INNER - 1] = scratch + p->wide_bytes;
    p->attention(p->params, inner, team);
}

static void pack(const void *ctx, const ig_tensor *src, void *dst)
{
    widen_weights(ctx, src->data, dst);
}

/* The packed form depends on the weights' scale and zero point. */
static uint64_t pack_key(const weights *w)
{
    const size_t n_zeros = w->is_zero_vector ? (size_t)w->cols : 1;
    const size_t n_scales = w->is_scale_vector ? (size_t)w->cols : 1;
    const uint64_t of_zeros = w->zero ? ig_hash(w->zero, n_zeros, 0x9a77) : 0x9a77;
    return ig_hash(w->scale, n_scales * sizeof *w->scale, of_zeros);
}

static ig_status lower(ig_lower *l)
{
    static const int8_t inputs[N_OUTER_IN] = { IN_X,    IN_W,       IN_BIAS,  IN_MASK,
                                               IN_PAST, IN_X_SCALE, IN_X_ZERO };
    const ig_info *x = l->in[IN_X], *w = l->in[IN_W], *zero = info_at(l->in, l->n_in, IN_W_ZERO);
    ig_info wide[2];
    const ig_info *real[N_REAL];
    int64_t dims[IG_MAX_RANK];
    size_t w_bytes;
    if (!w->data || !l->in[IN_W_SCALE]->data || (zero && !zero->data) ||
        !ig_info_is_static(x, dims))
        return INGOT_OK;
    real_infos(l->in, l->n_in, wide, real);
    ig_lower as = *l;
    as.in = real;
    as.n_in = N_REAL;
    IG_TRY(ig_op_ms_attention.lower(&as));
    if (!as.team_kernel) return INGOT_OK;
    attention_params *p = ig_arena_get(l->arena, sizeof *p);
    weights *columns = ig_arena_get(l->arena, sizeof *columns);
    if (!p || !columns) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(
        read_weights(w->data, l->in[IN_W_SCALE]->data, zero ? zero->data : NULL, columns, l->err));
    if (!ig_size_mul((size_t)columns->rows * sizeof(float), (size_t)columns->cols, &w_bytes))
        return INGOT_OK;
    IG_TRY(ig_lower_pack(l, IN_W, pack_key(columns), w_bytes, pack, columns));
    *p = (attention_params){ .attention = as.team_kernel,
                             .params = as.params,
                             .dtype = x->type.dtype,
                             .n = ig_count(x->rank, dims) };
    p->wide_bytes = ig_align_up((size_t)p->n * sizeof(float), 64);
    l->team_kernel = k_attention;
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_attention_8bit__%s", ig_isa_name(l->isa));
    l->params = p;
    l->operand_inputs = inputs;
    l->n_operand_in = N_OUTER_IN;
    l->n_operand_out = N_INNER_OUT;
    l->scratch_bytes = p->wide_bytes + as.scratch_bytes;
    return INGOT_OK;
}

static const char *const cases[] = {
    "u8[1,2,2]{10,11,9,13} i8[2,6]{1,0,2,-1,2,1,0,1,-1,1,0,3} f32[6]{0,0,0,0,0.5,0} f32[]{0.5} "
    "f32[]{0.5} _ u8[]{10} num_heads=1 scale=0.25 = "
    "f32[1,2,2]{0.2441417,1.3896458,0.22469632,1.4382592}",
    "u8[2,7,10] c:i8[10,72] c:f32[72] c:f32[]{0.02} c:f32[]{0.01} i32[2,7] c:u8[]{128} c:i8[]{3} "
    "num_heads=3",
    "i8[2,7,10] c:u8[10,72] f32[72] f32[]{0.02} c:f32[72]{0.01} i32[2]{7,3} i8[]{-3} "
    "c:u8[72]{128} num_heads=3",
    "u8[2,3,10] c:i8[10,72] c:f32[72] c:f32[]{0.02} c:f32[1]{0.01} _ c:u8[1]{128} c:i8[1]{0} "
    "f32[2,2,3,5,8] num_heads=3 unidirectional=1 -> 2",
    "u8[2,3,10] i8[10,72] f32[72] f32[]{0.02} f32[]{0.01} num_heads=3",
    "u8[0,3,10] c:i8[10,72] c:f32[72] c:f32[]{0.02} c:f32[]{0.01} num_heads=3",
    "u8[2,3,10] c:i8[10,72] c:f32[72] c:f32[]{0.02} c:f32[71] num_heads=3 ! weight_scale has 71 "
    "elements for 72 columns",
    "u8[2,3,10] c:i8[10,72] c:f32[72] c:f32[2] c:f32[] num_heads=3 ! input 3 is not one float32",
    "u8[2,3,10] c:i8[10,72] c:f32[72] c:f32[] c:f32[] _ c:i8[] num_heads=3 ! input 6 is not one "
    "zero point",
    "u8[2,3,10] c:i8[11,72] c:f32[72] c:f32[] c:f32[] num_heads=3 ! weights is float32[11,72]",
    "u8[2,3,10] f32[10,72] f32[72] f32[] f32[] num_heads=3 ! weights are float32",
    NULL,
};

const ig_op ig_op_q_attention = {
    .onnx = "QAttention",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 5, 9 },
    .n_out = { 1, 2 },
    .types = IG_T_8_BIT,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
