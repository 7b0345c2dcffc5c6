/* SPDX-License-Identifier: Apache-2.0 */
/*
 * causal_conv_with_state.c: each channel of X [batch, channels, length] convolved with its own
 * kernel, W [channels, 1, k], over the present and the k - 1 positions before it.
 *
 * What lies before the first position is past_state [batch, channels, k - 1], or zeros. The last
 * k - 1 positions of both together are the second output: the past_state of what follows.
 */
#include "ops/broadcast.h"

typedef struct params {
    int64_t n_channels, length, k;
    bool has_silu;
} params;

#ifndef IG_BASE
#include <string.h>

/* Positions [i, i + n) of a channel: n <= IG_VF. row begins k - 1 positions before the first. */
IG_INLINE vf convolve(const params *p, const float *row, const float *w, float bias, int64_t i,
                      int n)
{
    vf sum = vf_set1(bias);
    for (int64_t t = 0; t < p->k; t++) {
        const vf x = n == IG_VF ? vf_load(row + i + t) : vf_load_n(row + i + t, n);
        sum = vf_mla(x, vf_set1(w[t]), sum);
    }
    if (p->has_silu) sum *= vf_sigmoid(sum);
    return sum;
}

/* The one position of each of n <= IG_VF channels from r on: what decoding does, token by token.
 * Vectors along the row would hold one number, so here they hold channels, once they are summed. */
static void step(const params *p, void *const *operands, int64_t r, int n)
{
    const float *x = operands[0], *bias = operands[2], *past = operands[3];
    float *y = operands[4], *present = operands[5], sums[IG_VF] = { 0 };
    const int64_t n_past = p->k - 1;
    for (int c = 0; c < n; c++) {
        const int64_t channel = (r + c) % p->n_channels;
        const float *w = (const float *)operands[1] + channel * p->k;
        float sum = bias ? bias[channel] : 0;
        for (int64_t t = 0; t < n_past; t++) {
            const float before = past ? past[(r + c) * n_past + t] : 0;
            sum += w[t] * before;
            if (present && t > 0) present[(r + c) * n_past + t - 1] = before;
        }
        sums[c] = sum + w[n_past] * x[r + c];
        if (present && n_past > 0) present[(r + c + 1) * n_past - 1] = x[r + c];
    }
    vf v = vf_load(sums);
    if (p->has_silu) v *= vf_sigmoid(v);
    vf_store_n(y + r, v, n);
}

/* Operands: X, W, bias, past, Y, present, a row of floats a thread. A work item is one channel of
 * one batch. */
void IG_KERNEL(ig_k_causal_conv_f32)(const void *params_, void *const *operands, ig_part part);
void IG_KERNEL(ig_k_causal_conv_f32)(const void *params_, void *const *operands, ig_part part)
{
    const params *p = params_;
    const float *x = operands[0], *bias = operands[2], *past = operands[3];
    float *y = operands[4], *present = operands[5];
    const int64_t n_past = p->k - 1;
    const size_t past_bytes = (size_t)n_past * sizeof(float);
    float *row = (float *)operands[6] + part.i_thread * (n_past + p->length);
    if (p->length == 1) {
        for (int64_t r = part.begin; r < part.end; r += IG_VF)
            step(p, operands, r, part.end - r < IG_VF ? (int)(part.end - r) : IG_VF);
        return;
    }
    for (int64_t r = part.begin; r < part.end; r++) {
        const int64_t channel = r % p->n_channels;
        const float *w = (const float *)operands[1] + channel * p->k;
        if (past)
            memcpy(row, past + r * n_past, past_bytes);
        else
            memset(row, 0, past_bytes);
        memcpy(row + n_past, x + r * p->length, (size_t)p->length * sizeof(float));
        for (int64_t i = 0; i < p->length; i += IG_VF) {
            const int n = p->length - i < IG_VF ? (int)(p->length - i) : IG_VF;
            const vf v = convolve(p, row, w, bias ? bias[channel] : 0, i, n);
            vf_store_n(y + r * p->length + i, v, n);
        }
        if (present) memcpy(present + r * n_past, row + p->length, past_bytes);
    }
}

#else
#include <math.h>

#include "kernels/isa_table.h"
#include "ops/strided.h"

enum { IN_X, IN_W, IN_BIAS, IN_PAST };

static ig_status check_activation(const ig_node *node, ig_error *err)
{
    static const char *const known[] = { "none", "silu", "swish" };
    if (!ig_node_attr(node, "activation")) return INGOT_OK;
    for (size_t i = 0; i < IG_COUNT(known); i++)
        if (ig_attr_is(node, "activation", known[i], false)) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "activation is none of none, silu, swish");
}

/* INGOT_ERR_SHAPE unless input i (absent: fine) may have this shape. */
static ig_status must_be(ig_infer *c, int i, const char *what, int rank, const ig_dim *dims)
{
    const ig_info *in = i < c->n_in ? c->in[i] : NULL;
    ig_dim unused;
    IG_TRY(ig_infer_same_type(c, IN_X, i));
    if (!in || in->rank < 0) return INGOT_OK;
    if (in->rank != rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s has rank %d, not %d", what, in->rank, rank);
    for (int d = 0; d < rank; d++)
        IG_TRY(ig_dim_unify(dims[d], in->dims[d], what, &unused, c->err));
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_X], *w = c->in[IN_W];
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(check_activation(c->node, c->err));
    IG_TRY(ig_infer_same(c));
    if (x->rank < 0 || w->rank < 0) return INGOT_OK;
    if (x->rank != 3 || w->rank != 3)
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "input and weight have ranks %d and %d, both must be 3", x->rank, w->rank);
    if (ig_dim_is_const(w->dims[2]) && w->dims[2] < 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "the kernel has no element");
    const ig_dim weight[3] = { x->dims[1], 1, w->dims[2] };
    const ig_dim state[3] = { x->dims[0], x->dims[1], ig_dim_sub(c->dims, w->dims[2], 1) };
    IG_TRY(must_be(c, IN_W, "weight", 3, weight));
    IG_TRY(must_be(c, IN_BIAS, "bias", 1, &x->dims[1]));
    IG_TRY(must_be(c, IN_PAST, "past_state", 3, state));
    if (c->n_out > 1) ig_info_set_shape(&c->out[1], x->type.dtype, 3, state);
    return INGOT_OK;
}

typedef struct job {
    ingot_dtype dtype;
    int64_t n_channels, length, k;
    const void *x, *w, *bias, *past;
    void *y, *present;
    double *rows; /* past and present of one channel a thread */
    bool has_silu;
} job;

/* One channel of one batch: `row` holds the k - 1 positions before, then its own. */
static void convolve_row(const job *j, int64_t channel, int64_t at, const double *row)
{
    const double bias = j->bias ? ig_get_f64(j->dtype, j->bias, channel) : 0;
    for (int64_t i = 0; i < j->length; i++) {
        double sum = bias;
        for (int64_t t = 0; t < j->k; t++)
            sum += ig_get_f64(j->dtype, j->w, channel * j->k + t) * row[i + t];
        if (j->has_silu) sum /= 1 + exp(-sum);
        ig_set_f64(j->dtype, j->y, at + i, sum);
    }
}

static void run_part(void *ctx, ig_part part)
{
    const job *j = ctx;
    const int64_t n_past = j->k - 1;
    double *row = j->rows + part.i_thread * (n_past + j->length);
    for (int64_t r = part.begin; r < part.end; r++) {
        for (int64_t i = 0; i < n_past; i++)
            row[i] = j->past ? ig_get_f64(j->dtype, j->past, r * n_past + i) : 0;
        for (int64_t i = 0; i < j->length; i++)
            row[n_past + i] = ig_get_f64(j->dtype, j->x, r * j->length + i);
        if (j->y) convolve_row(j, r % j->n_channels, r * j->length, row);
        for (int64_t i = 0; j->present && i < n_past; i++)
            ig_set_f64(j->dtype, j->present, r * n_past + i, row[j->length + i]);
    }
}

static const void *data_of(const ig_call *c, int i)
{
    return i < c->n_in && c->in[i] ? c->in[i]->data : NULL;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *w = c->in[IN_W];
    const int64_t n_past = w->dims[2] - 1, state[3] = { x->dims[0], x->dims[1], n_past };
    const size_t n_threads = c->team ? (size_t)ig_team_n_threads(c->team) : 1;
    size_t row;
    IG_TRY(ig_call_output(c, 0, x->dtype, 3, x->dims));
    IG_TRY(ig_call_output(c, 1, x->dtype, 3, state));
    job j = { .dtype = x->dtype,
              .n_channels = x->dims[1],
              .length = x->dims[2],
              .k = w->dims[2],
              .x = x->data,
              .w = w->data,
              .bias = data_of(c, IN_BIAS),
              .past = data_of(c, IN_PAST),
              .y = c->out[0] ? c->out[0]->data : NULL,
              .present = c->n_out > 1 && c->out[1] ? c->out[1]->data : NULL,
              .has_silu = !ig_attr_is(c->node, "activation", "none", true) };
    if (!ig_size_add((size_t)n_past, (size_t)x->dims[2], &row) ||
        !(j.rows = ig_arena_array(c->scratch, row * n_threads + 1, sizeof *j.rows)))
        return IG_NOMEM(c->err, (size_t)n_past * sizeof *j.rows);
    ig_team_run(c->team, run_part, &j, x->dims[0] * x->dims[1], 1);
    return INGOT_OK;
}

/* ---- float32 ---- */

#define DECLARE(isa)                                                                               \
    void ig_k_causal_conv_f32__##isa(const void *params, void *const *operands, ig_part part);
DECLARE(portable)
#if defined(__x86_64__)
DECLARE(avx2)
DECLARE(avx512)
#endif

static const struct {
    const char *name;
    ig_kernel_fn fn;
} kernels[IG_N_ISAS] = {
    [IG_ISA_PORTABLE] = { "ig_k_causal_conv_f32__portable", ig_k_causal_conv_f32__portable },
#if defined(__x86_64__)
    [IG_ISA_AVX2] = { "ig_k_causal_conv_f32__avx2", ig_k_causal_conv_f32__avx2 },
    [IG_ISA_AVX512] = { "ig_k_causal_conv_f32__avx512", ig_k_causal_conv_f32__avx512 },
#endif
};

static ig_status lower(ig_lower *l)
{
    int64_t x[IG_MAX_RANK], w[IG_MAX_RANK], unused[IG_MAX_RANK];
    if (!kernels[l->isa].fn || l->node->outputs[0] == IG_NONE) return INGOT_OK;
    for (int i = 0; i < l->n_in; i++)
        if (l->in[i] &&
            (l->in[i]->type.dtype != INGOT_FLOAT || !ig_info_is_static(l->in[i], unused)))
            return INGOT_OK;
    if (!ig_info_is_static(l->in[IN_X], x) || !ig_info_is_static(l->in[IN_W], w)) return INGOT_OK;
    if (ig_count(3, x) == 0) return INGOT_OK; /* perhaps a state without a position */
    params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    *p = (params){ .n_channels = x[1],
                   .length = x[2],
                   .k = w[2],
                   .has_silu = !ig_attr_is(l->node, "activation", "none", true) };
    l->params = p;
    l->n_operand_in = 4;
    l->n_operand_out = 2;
    l->kernel = kernels[l->isa].fn;
    l->kernel_name = kernels[l->isa].name;
    l->n_work = x[0] * x[1];
    l->grain = x[2] > 16384 || w[2] > 16384 ? 1 : 1 + 16384 / (x[2] * w[2]);
    l->scratch_bytes = (size_t)(w[2] - 1 + x[2]) * sizeof(float) * (size_t)l->n_threads;
    l->flops = 2 * ig_count(3, x) * w[2];
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,2,3]{1,2,3,4,5,6} f32[2,1,2]{1,10,2,1} -> 2 = f32[1,2,3]{10,21,32,4,13,16} "
    "f32[1,2,1]{3,6}",
    "f32[1,1,2]{1,2} f32[1,1,3]{1,1,1} f32[1]{0.5} f32[1,1,2]{10,20} -> 2 "
    "= f32[1,1,2]{31.5,23.5} f32[1,1,2]{1,2}",
    "f32[1,1,1]{1} f32[1,1,4]{1,2,3,4} _ f32[1,1,3]{5,6,7} -> 2 = f32[1,1,1]{42} "
    "f32[1,1,3]{6,7,1}",
    "f32[1,1,1]{3} f32[1,1,4]{1,2,3,4} -> 2 = f32[1,1,1]{12} f32[1,1,3]{0,0,3}",
    "f32[1,1,2]{1,-1} f32[1,1,1]{1} activation=\"silu\" -> 2 "
    "= f32[1,1,2]{0.73105858,-0.26894142} f32[1,1,0]{}",
    "f32[2,3,9] f32[3,1,4] f32[3] f32[2,3,3] activation=\"swish\" -> 2",
    "f32[2,3,70] f32[3,1,5] _ f32[2,3,4] activation=\"silu\" -> 2",
    "f32[1,200,1] f32[200,1,4] f32[200] f32[1,200,3] -> 2",
    "f32[2,20,1] f32[20,1,3] _ f32[2,20,2] activation=\"silu\" -> 2",
    "f32[2,9,1] f32[9,1,1]",
    "f32[2,3,33] f32[3,1,2]",
    "f16[2,3,5] f16[3,1,4] f16[3] activation=\"none\" -> 2",
    "bf16[1,2,3] bf16[2,1,2] -> 2",
    "f32[2,3,0] f32[3,1,4] _ f32[2,3,3] -> 2",
    "f32[0,3,4] f32[3,1,4]",
    "f32[1,2,3] f32[3,1,2] ! weight: 2 and 3 differ",
    "f32[1,2,3] f32[2,1,0] ! the kernel has no element",
    "f32[1,2,3] f32[2,1,2] f32[3] ! bias: 2 and 3 differ",
    "f32[1,2,3] f32[2,1,2] _ f32[1,2,2] ! past_state: 1 and 2 differ",
    "f32[1,2,3] f32[2,2] ! ranks 3 and 2, both must be 3",
    "f32[1,2,3] f64[2,1,2] ! element types float32 and float64",
    "f32[1,2,3] f32[2,1,2] activation=\"relu\" ! activation is none of",
    NULL,
};

const ig_op ig_op_causal_conv_with_state = {
    .onnx = "CausalConvWithState",
    .since = { 27 },
    .n_in = { 2, 4 },
    .n_out = { 1, 2 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
#endif
