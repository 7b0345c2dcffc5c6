/* SPDX-License-Identifier: Apache-2.0 */
/* control.c: subgraphs of If, Loop and Scan: captures, outputs, stacked rows. */
#include "ops/control.h"

#include <string.h>

ig_status ig_control_graph(const ig_node *node, const char *name, const ig_attr **out,
                           ig_error *err)
{
    *out = ig_node_attr(node, name);
    if (*out && (*out)->kind == IG_ATTR_GRAPH) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "attribute %s is missing or no graph", name);
}

ig_status ig_control_step(const ig_call *c)
{
    if (!c->n_loop_steps || ++*c->n_loop_steps <= c->max_loop_steps || c->max_loop_steps == 0)
        return INGOT_OK;
    return ig_fail(c->err, INGOT_ERR_LIMIT,
                   "the run's loops have not ended after the %lld steps that max_loop_steps "
                   "(--max-loop-steps) allows",
                   (long long)c->max_loop_steps);
}

static ig_status check_captures(uint32_t n_in, const ig_attr *graph, size_t n_declared,
                                ig_error *err)
{
    const ig_graph *g = graph->g;
    if (n_declared + g->n_captures != g->n_inputs)
        return ig_fail(err, INGOT_ERR_INVALID, "%s takes %zu inputs, it is given %zu", graph->name,
                       g->n_inputs - g->n_captures, n_declared);
    if (graph->first_capture + g->n_captures > n_in)
        return ig_fail(err, INGOT_ERR_INVALID, "%s captures more values than the node has",
                       graph->name);
    return INGOT_OK;
}

ig_status ig_control_captures(const ig_call *c, const ig_attr *graph, const ig_tensor **list,
                              size_t n_declared)
{
    IG_TRY(check_captures((uint32_t)c->n_in, graph, n_declared, c->err));
    for (size_t i = 0; i < graph->g->n_captures; i++)
        list[n_declared + i] = c->in[graph->first_capture + i];
    return INGOT_OK;
}

ig_status ig_infer_captures(const ig_infer *c, const ig_attr *graph, const ig_info **list,
                            size_t n_declared)
{
    IG_TRY(check_captures((uint32_t)c->n_in, graph, n_declared, c->err));
    for (size_t i = 0; i < graph->g->n_captures; i++)
        list[n_declared + i] = c->in[graph->first_capture + i];
    return INGOT_OK;
}

ig_status ig_control_output(ig_call *c, int i, const ig_tensor *t)
{
    size_t bytes = 0;
    ig_tensor *out = i < c->n_out ? c->out[i] : NULL;
    if (!out) return INGOT_OK;
    if (!t) return ig_fail(c->err, INGOT_ERR_INVALID, "output %d has no value", i);
    if (t->kind != INGOT_KIND_TENSOR) {
        out->kind = t->kind;
        out->dtype = t->dtype;
        out->items = t->items;
        out->n_items = t->n_items;
        return INGOT_OK;
    }
    IG_TRY(ig_call_output(c, i, t->dtype, t->rank, t->dims));
    if (ig_tensor_bytes(t, &bytes) && bytes) memcpy(c->out[i]->data, t->data, bytes);
    return INGOT_OK;
}

ig_status ig_control_keep_strings(ig_call *c, ingot_string *strings, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        char *copy = ig_arena_get(c->scratch, strings[i].bytes + 1);
        if (!copy) return IG_NOMEM(c->err, strings[i].bytes);
        if (strings[i].bytes) memcpy(copy, strings[i].data, strings[i].bytes);
        strings[i].data = copy;
    }
    return INGOT_OK;
}

void ig_info_forget(ig_dims *t, ig_info *info)
{
    info->data = NULL;
    info->elems = NULL;
    info->n_elems = 0;
    for (int d = 0; d < info->rank; d++) info->dims[d] = ig_dim_born(t);
}

void ig_info_merge(ig_dims *t, ig_info *into, const ig_info *other)
{
    into->data = NULL;
    into->elems = NULL;
    into->n_elems = 0;
    if (into->rank != other->rank) into->rank = -1;
    for (int d = 0; d < into->rank; d++)
        if (into->dims[d] != other->dims[d]) into->dims[d] = ig_dim_born(t);
}

/* ---- stacked rows ---- */

ig_status ig_stack_push(ig_call *c, ig_stack *s, const ig_tensor *row)
{
    size_t bytes = 0;
    if (!row || row->kind != INGOT_KIND_TENSOR || !ig_tensor_bytes(row, &bytes))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "a scan output is not a tensor");
    if (s->n == 0) {
        s->dtype = row->dtype;
        s->rank = row->rank;
        memcpy(s->dims, row->dims, sizeof s->dims);
        s->row_bytes = bytes;
    }
    bool is_same = s->dtype == row->dtype && s->rank == row->rank;
    for (int d = 0; is_same && d < s->rank; d++) is_same = s->dims[d] == row->dims[d];
    if (!is_same)
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "a scan output changes its shape between iterations");
    const size_t used = (size_t)s->n * bytes;
    size_t need = 0;
    if (!ig_size_add(used, bytes, &need)) return IG_NOMEM(c->err, bytes);
    if (need > s->cap) {
        s->cap = need * 2;
        uint8_t *data = ig_arena_get_aligned(c->scratch, s->cap, 16);
        if (!data) return IG_NOMEM(c->err, s->cap);
        if (used) memcpy(data, s->data, used);
        s->data = data;
    }
    if (bytes) memcpy(s->data + used, row->data, bytes);
    s->n++;
    if (row->dtype != INGOT_STRING) return INGOT_OK;
    return ig_control_keep_strings(c, (ingot_string *)(void *)(s->data + used),
                                   ig_tensor_count(row));
}

ig_status ig_stack_set_empty(ig_call *c, ig_stack *s, const ig_attr *body,
                             const ig_tensor *const *in, size_t i_output)
{
    ig_info info = body->g->values[body->g->outputs[i_output]]->info, now = { .rank = -1 };
    if (in && c->shape_graph) IG_TRY(c->shape_graph(c, body, in, i_output, &now));
    if (now.rank >= 0) info = now;
    s->dtype = info.type.dtype == INGOT_UNDEFINED ? INGOT_FLOAT : info.type.dtype;
    s->rank = info.rank < 0 ? 0 : info.rank;
    for (int d = 0; d < s->rank; d++) s->dims[d] = ig_dim_is_const(info.dims[d]) ? info.dims[d] : 0;
    return INGOT_OK;
}

ig_status ig_stack_output(ig_call *c, int i, const ig_stack *s, int axis, bool is_reversed)
{
    int64_t dims[IG_MAX_RANK];
    if (i >= c->n_out || !c->out[i]) return INGOT_OK;
    if (s->rank + 1 > IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "scan output has rank %d", s->rank + 1);
    const int at = axis < 0 ? axis + s->rank + 1 : axis;
    if (at < 0 || at > s->rank)
        return ig_fail(c->err, INGOT_ERR_INVALID, "scan output axis %d is out of range for rank %d",
                       axis, s->rank + 1);
    for (int d = 0; d <= s->rank; d++)
        dims[d] = d < at ? s->dims[d] : d == at ? s->n : s->dims[d - 1];
    IG_TRY(ig_call_output(c, i, s->dtype, s->rank + 1, dims));
    /* Pieces of a row that stay together behind the new axis. */
    const int64_t n_outer = ig_count(at, s->dims);
    const size_t piece = n_outer > 0 ? s->row_bytes / (size_t)n_outer : 0;
    for (int64_t r = 0; r < s->n; r++) {
        const int64_t to = is_reversed ? s->n - 1 - r : r;
        for (int64_t o = 0; o < n_outer && piece; o++)
            memcpy((uint8_t *)c->out[i]->data + (size_t)(o * s->n + to) * piece,
                   s->data + (size_t)r * s->row_bytes + (size_t)o * piece, piece);
    }
    return INGOT_OK;
}
