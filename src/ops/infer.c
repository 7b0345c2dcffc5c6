/* SPDX-License-Identifier: Apache-2.0 */
/* infer.c: what shape inference of all operators shares, and the walk over a graph. */
#include <string.h>

#include "ops/op.h"

/* ---- what op files call ---- */

ig_status ig_infer_same(ig_infer *c)
{
    const ig_type type = c->in[0]->type;
    c->out[0] = *c->in[0];
    c->out[0].type = type;
    c->out[0].data = NULL;
    c->out[0].elems = NULL;
    c->out[0].n_elems = 0;
    return INGOT_OK;
}

void ig_info_set_shape(ig_info *info, ingot_dtype dtype, int rank, const ig_dim *dims)
{
    info->type.kind = INGOT_KIND_TENSOR;
    info->type.dtype = dtype;
    info->rank = (int16_t)rank;
    for (int d = 0; d < rank; d++) info->dims[d] = dims[d];
}

/* One dimension of a broadcast. Two different expressions: taken to be equal unless one is 1 at run
 * time, which only the larger can tell. A constant above 1 wins over an expression. */
static ig_status broadcast_dim(ig_infer *c, ig_dim a, ig_dim b, ig_dim *out)
{
    if (a == b || b == 1) {
        *out = a;
    } else if (a == 1) {
        *out = b;
    } else if (ig_dim_is_const(a) && ig_dim_is_const(b)) {
        return ig_fail(c->err, INGOT_ERR_SHAPE, "dimensions %lld and %lld do not broadcast",
                       (long long)a, (long long)b);
    } else if (ig_dim_is_const(a)) {
        *out = a;
    } else if (ig_dim_is_const(b)) {
        *out = b;
    } else {
        *out = ig_dim_max(c->dims, a, b);
    }
    return INGOT_OK;
}

ig_status ig_broadcast_shapes(ig_infer *c, int n, ig_info *out)
{
    int rank = 0;
    out->rank = -1;
    for (int i = 0; i < n; i++) {
        if (!c->in[i]) continue;
        if (c->in[i]->rank < 0) return INGOT_OK;
        if (c->in[i]->rank > rank) rank = c->in[i]->rank;
    }
    for (int d = 0; d < rank; d++) {
        ig_dim dim = 1;
        for (int i = 0; i < n; i++) {
            if (!c->in[i]) continue;
            const int at = d - (rank - c->in[i]->rank);
            if (at < 0) continue;
            if (broadcast_dim(c, dim, c->in[i]->dims[at], &dim)) {
                char a[96], b[96];
                ig_error_prepend(
                    c->err, "inputs %s and %s",
                    ig_shape_format(INGOT_UNDEFINED, c->in[0]->rank, c->in[0]->dims, a, sizeof a),
                    ig_shape_format(INGOT_UNDEFINED, c->in[i]->rank, c->in[i]->dims, b, sizeof b));
                return INGOT_ERR_SHAPE;
            }
        }
        out->dims[d] = dim;
    }
    out->rank = (int16_t)rank;
    return INGOT_OK;
}

ig_status ig_infer_broadcast(ig_infer *c)
{
    c->out[0].type = c->in[0]->type;
    return ig_broadcast_shapes(c, c->n_in, &c->out[0]);
}

ig_status ig_infer_broadcast_bool(ig_infer *c)
{
    c->out[0].type = (ig_type){ .kind = INGOT_KIND_TENSOR, .dtype = INGOT_BOOL };
    return ig_broadcast_shapes(c, c->n_in, &c->out[0]);
}

ig_dim ig_info_count(ig_dims *t, const ig_info *info)
{
    ig_dim n = 1;
    for (int d = 0; d < info->rank; d++) n = ig_dim_mul(t, n, info->dims[d]);
    return n;
}

bool ig_info_is_static(const ig_info *info, int64_t dims[IG_MAX_RANK])
{
    if (info->rank < 0) return false;
    for (int d = 0; d < info->rank; d++) {
        if (!ig_dim_is_const(info->dims[d])) return false;
        if (dims) dims[d] = info->dims[d];
    }
    return true;
}

static int64_t clamp_const(int64_t x)
{
    if (x > IG_DIM_MAX) return IG_DIM_MAX;
    return x < IG_DIM_MIN_CONST ? IG_DIM_MIN_CONST : x;
}

static bool is_integer(ingot_dtype dtype) { return (IG_T(dtype) & (IG_T_INTS | IG_T_BOOL)) != 0; }

bool ig_tensor_ints(const ig_tensor *t, int64_t *out, int max, int *n)
{
    *n = 0;
    if (!t || t->kind != INGOT_KIND_TENSOR || !is_integer(t->dtype)) return false;
    const int64_t count = ig_tensor_count(t);
    if (count < 0 || count > max) return false;
    for (int64_t i = 0; i < count; i++) out[i] = clamp_const(ig_get_i64(t->dtype, t->data, i));
    *n = (int)count;
    return true;
}

bool ig_info_ints(const ig_info *info, int64_t *out, int max, int *n)
{
    *n = 0;
    if (!info) return false;
    if (info->data) return ig_tensor_ints(info->data, out, max, n);
    if (!info->elems || info->n_elems > max) return false;
    for (int i = 0; i < info->n_elems; i++) {
        if (!ig_dim_is_const(info->elems[i])) return false;
        out[i] = info->elems[i];
    }
    *n = info->n_elems;
    return true;
}

bool ig_infer_ints(const ig_infer *c, int i, ig_dim *out, int max, int *n)
{
    *n = 0;
    if (i >= c->n_in || !c->in[i]) return false;
    const ig_info *info = c->in[i];
    if (info->data) return ig_tensor_ints(info->data, out, max, n);
    if (!info->elems || info->n_elems > max) return false;
    for (int k = 0; k < info->n_elems; k++) out[k] = info->elems[k];
    *n = info->n_elems;
    return true;
}

ig_status ig_infer_set_elems(ig_infer *c, int i_out, const ig_dim *elems, int n)
{
    ig_info *out = &c->out[i_out];
    bool all_const = true;
    for (int i = 0; i < n; i++) all_const = all_const && ig_dim_is_const(elems[i]);
    if (n > IG_MAX_ELEMS || !is_integer(out->type.dtype)) return INGOT_OK;
    if (all_const) {
        int64_t dims[IG_MAX_RANK];
        ig_tensor *t = NULL;
        if (!ig_info_is_static(out, dims) || ig_count(out->rank, dims) != n) return INGOT_OK;
        IG_TRY(ig_tensor_in_arena(c->arena, out->type.dtype, out->rank, dims, NULL, &t, c->err));
        for (int i = 0; i < n; i++) ig_set_i64(t->dtype, t->data, i, elems[i]);
        out->data = t;
        return INGOT_OK;
    }
    ig_dim *copy = ig_arena_array(c->arena, (size_t)n, sizeof *copy);
    if (!copy) return IG_NOMEM(c->err, (size_t)n * sizeof *copy);
    memcpy(copy, elems, (size_t)n * sizeof *copy);
    out->elems = copy;
    out->n_elems = (int16_t)n;
    return INGOT_OK;
}

/* ---- one node ---- */

static ig_status check_same_type(const ig_node *node, const ig_info *const *in, ig_error *err)
{
    const unsigned same = node->op->same_type;
    for (uint32_t i = 1; same && i < node->n_inputs; i++) {
        if (!(same >> (i < 15 ? i : 15) & 1) || !in[0] || !in[i]) continue;
        const ingot_dtype a = in[0]->type.dtype, b = in[i]->type.dtype;
        if (a != b && a != INGOT_UNDEFINED && b != INGOT_UNDEFINED)
            return ig_fail(err, INGOT_ERR_SHAPE, "inputs 0 and %u have element types %s and %s", i,
                           ingot_dtype_name(a), ingot_dtype_name(b));
    }
    return INGOT_OK;
}

static ig_status check_types(const ig_node *node, const ig_info *const *in, ig_error *err)
{
    const ig_op *op = node->op;
    IG_TRY(check_same_type(node, in, err));
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (in[i] && in[i]->type.kind != INGOT_KIND_TENSOR &&
            !(op->any_kind >> (i < 15 ? i : 15) & 1))
            return ig_fail(err, INGOT_ERR_SHAPE, "input %u is not a tensor", i);
    if (node->n_inputs == 0 || !in[0] || op->types == 0) return INGOT_OK;
    if (in[0]->type.kind != INGOT_KIND_TENSOR) return INGOT_OK; /* the op's own business */
    if (in[0]->type.dtype != INGOT_UNDEFINED && !(op->types & IG_T(in[0]->type.dtype)))
        return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                       "input 0 has element type %s, which %s does not take",
                       ingot_dtype_name(in[0]->type.dtype), op->onnx);
    return INGOT_OK;
}

static ig_status check_result(const ig_node *node, const ig_info *out, ig_dims *dims, ig_error *err)
{
    if (dims->has_failed) {
        dims->has_failed = false; /* it is told, and may be in a branch that cannot be anyway */
        return ig_fail(err, INGOT_ERR_SHAPE, "dimensions overflow in shape inference");
    }
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        int64_t concrete[IG_MAX_RANK];
        if (out[i].rank > IG_MAX_RANK)
            return ig_fail(err, INGOT_ERR_LIMIT, "output %u has rank %d, at most %d are supported",
                           i, out[i].rank, IG_MAX_RANK);
        for (int d = 0; d < out[i].rank; d++)
            if (ig_dim_is_const(out[i].dims[d]) &&
                (out[i].dims[d] < 0 || out[i].dims[d] > IG_DIM_MAX))
                return ig_fail(err, INGOT_ERR_SHAPE, "dimension %d of output %u would be %lld", d,
                               i, (long long)out[i].dims[d]);
        if (ig_info_is_static(&out[i], concrete) && ig_count(out[i].rank, concrete) < 0)
            return ig_fail(err, INGOT_ERR_SHAPE, "output %u would have more than 2^63 elements", i);
    }
    return INGOT_OK;
}

/* What is added to a result has its shape. */
static ig_status check_residual(const ig_node *node, const ig_info *const *in, const ig_info *out,
                                ig_error *err)
{
    const int i = node->op->residual_input;
    const ig_info *r = i > 0 && (uint32_t)i < node->n_inputs ? in[i] : NULL;
    if (!r || r->rank < 0 || out[0].rank < 0) return INGOT_OK;
    bool is_same = r->rank == out[0].rank;
    for (int d = 0; is_same && d < r->rank; d++)
        is_same = !ig_dims_differ(r->dims[d], out[0].dims[d]);
    if (is_same) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_SHAPE,
                   "input %d, which is added, has another shape than the output", i);
}

/* Infer a subgraph on its own copies of infos: the graph's values are overwritten, which is what
 * compile-time inference wants. */
static ig_status infer_subgraph(ig_infer *c, const ig_graph *g, const ig_info *const *in,
                                ig_info *out)
{
    for (size_t i = 0; i < g->n_inputs; i++) {
        ig_value *v = g->values[g->inputs[i]];
        if (!in[i]) continue;
        const ig_type declared = v->info.type;
        v->info = *in[i];
        if (v->info.type.dtype == INGOT_UNDEFINED) v->info.type = declared;
    }
    /* Graphs are const to operators; inference fills what is known of their values. */
    IG_TRY(ig_graph_infer((ig_graph *)(uintptr_t)g, c->err));
    for (size_t i = 0; i < g->n_outputs; i++) out[i] = g->values[g->outputs[i]]->info;
    return INGOT_OK;
}

ig_status ig_op_infer(const ig_node *node, const ig_info *const *in, ig_info *out, ig_dims *dims,
                      ig_arena *arena, ig_error *err)
{
    ig_status status = check_types(node, in, err);
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        out[i] = (ig_info){ .rank = -1 };
        if (node->n_inputs && in[0]) out[i].type = in[0]->type;
    }
    if (!status) {
        ig_infer c = { .node = node,
                       .opset = node->opset,
                       .n_in = (int)node->n_inputs,
                       .n_out = (int)node->n_outputs,
                       .in = in,
                       .out = out,
                       .dims = dims,
                       .arena = arena,
                       .err = err,
                       .graph = infer_subgraph };
        status = node->op->infer(&c);
    }
    if (dims->is_out_of_memory) { /* dimensions became 0, and what was made of them is no matter */
        if (err) *err = (ig_error){ 0 };
        return IG_NOMEM(err, sizeof(ig_dim_expr));
    }
    if (!status) status = check_result(node, out, dims, err);
    return status ? status : check_residual(node, in, out, err);
}

#define MAX_INPUTS_ON_STACK 16

static ig_status infer_node(ig_graph *g, ig_node *node, ig_error *err)
{
    const ig_info *in_stack[MAX_INPUTS_ON_STACK];
    ig_info out_stack[4];
    const ig_info **in = in_stack;
    ig_info *out = out_stack;
    char text[256];
    if (node->n_inputs > IG_COUNT(in_stack) &&
        !(in = ig_arena_array(g->arena, node->n_inputs, sizeof *in)))
        return IG_NOMEM(err, node->n_inputs * sizeof *in);
    if (node->n_outputs > IG_COUNT(out_stack) &&
        !(out = ig_arena_array(g->arena, node->n_outputs, sizeof *out)))
        return IG_NOMEM(err, node->n_outputs * sizeof *out);
    for (uint32_t i = 0; i < node->n_inputs; i++)
        in[i] = node->inputs[i] == IG_NONE ? NULL : &g->values[node->inputs[i]]->info;
    const ig_status status = ig_op_infer(node, in, out, g->dims, g->arena, err);
    if (status) {
        ig_error_prepend(err, "%s", ig_node_describe(g, node, text, sizeof text));
        return status;
    }
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] != IG_NONE) g->values[node->outputs[i]]->info = out[i];
    return INGOT_OK;
}

ig_status ig_graph_infer(ig_graph *g, ig_error *err)
{
    for (size_t i = 0; i < g->n_nodes; i++)
        if (!g->nodes[i]->is_dead) IG_TRY(infer_node(g, g->nodes[i], err));
    return INGOT_OK;
}
