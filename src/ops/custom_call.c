/* SPDX-License-Identifier: Apache-2.0 */
/* custom_call.c: calling a custom operator: shapes before a run, elements in it. */
#include "ops/custom.h"

static const ig_custom_node *custom_of(const ig_node *node)
{
    return (const ig_custom_node *)(const void *)node->op;
}

/* ---- shapes ---- */

/* false in *is_known when the shape function cannot be asked yet. */
static ig_status show_inputs(ig_infer *c, ingot_op_shape *shapes, const ingot_op_shape **in,
                             bool *is_known)
{
    *is_known = true;
    for (int i = 0; i < c->n_in; i++) {
        const ig_info *info = c->in[i];
        if (!info) continue;
        if (info->type.kind != INGOT_KIND_TENSOR)
            return ig_fail(c->err, INGOT_ERR_UNSUPPORTED,
                           "input %d is no tensor; custom operators take tensors only", i);
        if (info->type.dtype == INGOT_UNDEFINED || info->rank < 0) *is_known = false;
        ingot_op_shape *s = &shapes[i];
        *s = (ingot_op_shape){ .dtype = info->type.dtype, .rank = info->rank };
        for (int d = 0; d < info->rank; d++)
            s->dims[d] = ig_dim_is_const(info->dims[d]) ? info->dims[d] : -1;
        if (info->data && ig_tensor_is_aligned(info->data)) s->value = info->data;
        in[i] = s;
    }
    return INGOT_OK;
}

static ig_status take_output(ig_infer *c, int i, const ingot_op_shape *s)
{
    ig_info *out = &c->out[i];
    if (s->dtype <= INGOT_UNDEFINED || s->dtype >= INGOT_N_DTYPES)
        return ig_fail(c->err, INGOT_ERR_INVALID,
                       "infer of the custom operator gives output %d no element type", i);
    if (s->rank < -1 || s->rank > IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT,
                       "infer of the custom operator gives output %d rank %d, outside 0 to %d", i,
                       s->rank, IG_MAX_RANK);
    out->type.dtype = s->dtype;
    out->rank = (int16_t)s->rank;
    for (int d = 0; d < s->rank; d++) {
        if (s->dims[d] < -1 || s->dims[d] > IG_DIM_MAX)
            return ig_fail(c->err, INGOT_ERR_SHAPE,
                           "infer of the custom operator gives dimension %d of output %d as %lld",
                           d, i, (long long)s->dims[d]);
        out->dims[d] = s->dims[d] < 0 ? ig_dim_born(c->dims) : s->dims[d];
    }
    /* A dimension can be born unless there is no memory. */
    return c->dims->has_failed ? IG_NOMEM(c->err, sizeof(ig_dim_expr)) : INGOT_OK;
}

/* Without a shape function: every output is like input 0. Names of dimensions survive this way. */
static void infer_alike(ig_infer *c)
{
    for (int i = 0; c->n_in && c->in[0] && i < c->n_out; i++) {
        c->out[i] = *c->in[0];
        c->out[i].data = NULL;
        c->out[i].elems = NULL;
        c->out[i].n_elems = 0;
    }
}

ig_status ig_custom_infer(ig_infer *c)
{
    const ig_custom_node *n = custom_of(c->node);
    const ingot_op_def *def = &n->def->def;
    const size_t n_in = (size_t)c->n_in, n_out = (size_t)c->n_out;
    ingot_error said = { INGOT_OK, "" };
    bool is_known = false;
    ingot_op_shape *shapes = ig_arena_array(c->arena, n_in + n_out + 1, sizeof *shapes);
    const ingot_op_shape **in = ig_arena_array(c->arena, n_in + 1, sizeof *in);
    ingot_op_shape **out = ig_arena_array(c->arena, n_out + 1, sizeof *out);
    if (!shapes || !in || !out) return IG_NOMEM(c->err, (n_in + n_out + 1) * sizeof *shapes);
    for (size_t i = 0; i < n_out; i++) {
        c->out[i] = (ig_info){ .rank = -1 };
        out[i] = &shapes[n_in + i];
        out[i]->rank = -1;
    }
    IG_TRY(show_inputs(c, shapes, in, &is_known));
    if (!def->infer) infer_alike(c);
    if (!def->infer || !is_known) return INGOT_OK;
    const ingot_status status = def->infer(def->user, n->state, n_in, in, n_out, out, &said);
    IG_TRY(ig_custom_settle(status, &said, "infer", c->err));
    for (int i = 0; i < c->n_out; i++) IG_TRY(take_output(c, i, &shapes[n_in + (size_t)i]));
    return INGOT_OK;
}

/* ---- elements ---- */

static ig_status check_inputs(const ig_call *c)
{
    for (int i = 0; i < c->n_in; i++)
        if (c->in[i] && c->in[i]->kind != INGOT_KIND_TENSOR)
            return ig_fail(c->err, INGOT_ERR_UNSUPPORTED,
                           "input %d is no tensor; custom operators take tensors only", i);
    return INGOT_OK;
}

ig_status ig_custom_ref(ig_call *c)
{
    const ig_custom_node *n = custom_of(c->node);
    const ingot_op_def *def = &n->def->def;
    ingot_error said = { INGOT_OK, "" };
    ig_call inner = *c;
    ingot_op_call seen = { &inner, NULL };
    IG_TRY(check_inputs(c));
    seen.is_given = ig_arena_array(c->scratch, (size_t)c->n_out + 1, sizeof *seen.is_given);
    if (!seen.is_given) return IG_NOMEM(c->err, (size_t)c->n_out);
    inner.err = &said; /* what a callback chooses to ignore must not stand in c->err */
    const ingot_status status = def->run(def->user, n->state, &seen, &said);
    IG_TRY(ig_custom_settle(status, &said, "run", c->err));
    for (int i = 0; i < c->n_out; i++)
        if (c->out[i] && !seen.is_given[i])
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "run of the custom operator returned without giving output %d", i);
    return INGOT_OK;
}

/* ---- what run may call ---- */

size_t ingot_op_n_inputs(const ingot_op_call *call) { return (size_t)call->call->n_in; }

size_t ingot_op_n_outputs(const ingot_op_call *call) { return (size_t)call->call->n_out; }

const ingot_value *ingot_op_input(const ingot_op_call *call, size_t i)
{
    return i < (size_t)call->call->n_in ? call->call->in[i] : NULL;
}

ingot_status ingot_op_output(ingot_op_call *call, size_t i, ingot_dtype dtype, int rank,
                             const int64_t *dims, void **data)
{
    ig_call *c = call->call;
    size_t bytes = 0;
    *data = NULL;
    if (i >= (size_t)c->n_out || !c->out[i]) return INGOT_OK;
    if (dtype <= INGOT_UNDEFINED || dtype >= INGOT_N_DTYPES)
        return ig_fail(c->err, INGOT_ERR_INVALID, "output %zu is given element type %d", i,
                       (int)dtype);
    if (rank < 0 || rank > IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "output %zu is given rank %d, outside 0 to %d", i,
                       rank, IG_MAX_RANK);
    const int64_t count = ig_count(rank, dims);
    if (count < 0 || !ig_dtype_bytes(dtype, count, &bytes))
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "output %zu is given a negative dimension, or is too large to address", i);
    IG_TRY(ig_call_output(c, (int)i, dtype, rank, dims));
    call->is_given[i] = true;
    *data = c->out[i]->data;
    return INGOT_OK;
}

void *ingot_op_scratch(ingot_op_call *call, size_t bytes)
{
    return ig_arena_get_aligned(call->call->scratch, bytes, 64);
}

uint64_t ingot_op_seed(const ingot_op_call *call) { return call->call->seed; }

typedef struct part_job {
    void (*part)(void *ctx, int64_t begin, int64_t end);
    void *ctx;
} part_job;

static void run_part(void *ctx, ig_part part)
{
    const part_job *job = ctx;
    job->part(job->ctx, part.begin, part.end);
}

void ingot_op_parallel(ingot_op_call *call, int64_t n, int64_t grain,
                       void (*part)(void *ctx, int64_t begin, int64_t end), void *ctx)
{
    part_job job = { part, ctx };
    if (n > 0) ig_team_run(call->call->team, run_part, &job, n, grain > 0 ? grain : 1);
}
