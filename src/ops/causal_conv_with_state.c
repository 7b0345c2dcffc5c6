/* SPDX-License-Identifier: Apache-2.0 */
/*
 * causal_conv_with_state.c: each channel of X [batch, channels, length] convolved with its own
 * kernel, W [channels, 1, k], over the present and the k - 1 positions before it.
 *
 * What lies before the first position is past_state [batch, channels, k - 1], or zeros. The last
 * k - 1 positions of both together are the second output: the past_state of what follows.
 */
#include <math.h>

#include "ops/broadcast.h"
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
static void convolve(const job *j, int64_t channel, int64_t at, const double *row)
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
        if (j->y) convolve(j, r % j->n_channels, r * j->length, row);
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
    .cases = cases,
};
