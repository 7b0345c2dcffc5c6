/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c: every invariant of a graph. */
#include <string.h>

#include "ir/graph.h"

#define MAX_DEPTH 32

enum { IS_DEFINED = 1, IS_INPUT = 2 };

typedef struct verifier {
    const ig_graph *g;
    uint8_t *flags; /* of values */
    ig_arena *scratch;
    int depth;
    ig_error *err;
} verifier;

static ig_status verify_graph(const ig_graph *g, ig_arena *scratch, int depth, ig_error *err);

static const char *kind_names[] = { "input", "output" };

/* Ids in range (or absent, where that is allowed). */
static ig_status check_ids(const verifier *v, const uint32_t *ids, size_t n, bool may_lack,
                           const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (ids[i] >= v->g->n_values && !(may_lack && ids[i] == IG_NONE))
            return ig_fail(v->err, INGOT_ERR_INTERNAL, "%s %zu is value %u of %zu", what, i, ids[i],
                           v->g->n_values);
    return INGOT_OK;
}

static bool is_dim_valid(const ig_graph *g, ig_dim d)
{
    return ig_dim_is_const(d) ? d <= IG_DIM_MAX : ig_dim_expr_of(g->dims, d) != NULL;
}

static ig_status check_data(const verifier *v, const ig_value *value)
{
    const ig_info *info = &value->info;
    const ig_tensor *data = info->data;
    if (data->kind != INGOT_KIND_TENSOR) return INGOT_OK;
    bool is_same = data->dtype == info->type.dtype && data->rank == info->rank;
    for (int i = 0; is_same && i < info->rank; i++) is_same = data->dims[i] == info->dims[i];
    if (!is_same)
        return ig_fail(v->err, INGOT_ERR_INTERNAL,
                       "value %u '%s' has a type or shape other than its data", value->id,
                       value->name);
    return INGOT_OK;
}

static ig_status check_value(const verifier *v, size_t i)
{
    const ig_value *value = v->g->values[i];
    if (!value || value->id != i || !value->name)
        return ig_fail(v->err, INGOT_ERR_INTERNAL, "value %zu has a wrong id or no name", i);
    const ig_info *info = &value->info;
    if (info->rank < -1 || info->rank > IG_MAX_RANK || (unsigned)info->type.dtype >= INGOT_N_DTYPES)
        return ig_fail(v->err, INGOT_ERR_INTERNAL, "value %zu '%s' has rank %d, element type %d", i,
                       value->name, info->rank, (int)info->type.dtype);
    for (int d = 0; d < info->rank; d++)
        if (!is_dim_valid(v->g, info->dims[d]) ||
            (ig_dim_is_const(info->dims[d]) && info->dims[d] < 0))
            return ig_fail(v->err, INGOT_ERR_INTERNAL, "value %zu '%s': dimension %d is invalid", i,
                           value->name, d);
    if (info->elems && (info->n_elems < 0 || info->n_elems > IG_MAX_ELEMS))
        return ig_fail(v->err, INGOT_ERR_INTERNAL, "value %zu '%s' has %d known elements", i,
                       value->name, info->n_elems);
    for (int e = 0; info->elems && e < info->n_elems; e++)
        if (!is_dim_valid(v->g, info->elems[e]))
            return ig_fail(v->err, INGOT_ERR_INTERNAL, "value %zu '%s': element %d is invalid", i,
                           value->name, e);
    return info->data ? check_data(v, value) : INGOT_OK;
}

static ig_status check_names(const verifier *v)
{
    ig_map names;
    ig_map_init(&names, v->scratch);
    if (!ig_map_reserve(&names, v->g->n_values)) return IG_NOMEM(v->err, v->g->n_values);
    for (size_t i = 0; i < v->g->n_values; i++) {
        const char *name = v->g->values[i]->name;
        const size_t bytes = strlen(name);
        if (!bytes) continue;
        const size_t n_before = names.n;
        if (!ig_map_put(&names, name, bytes, (uint32_t)i)) return IG_NOMEM(v->err, bytes);
        if (names.n == n_before)
            return ig_fail(v->err, INGOT_ERR_INVALID, "two values are called '%s'", name);
    }
    return INGOT_OK;
}

static ig_status define(verifier *v, uint32_t id, uint8_t flag)
{
    if (v->flags[id] & (IS_DEFINED | IS_INPUT))
        return ig_fail(v->err, INGOT_ERR_INVALID, "value '%s' is defined twice",
                       v->g->values[id]->name);
    v->flags[id] |= IS_DEFINED | flag;
    return INGOT_OK;
}

/* Subgraph g's last inputs are fed by node inputs from first_capture on. */
static ig_status check_subgraph(const verifier *v, const ig_node *node, const ig_graph *g,
                                uint32_t first_capture)
{
    if (!g) return ig_fail(v->err, INGOT_ERR_INTERNAL, "a graph attribute is empty");
    if (g->dims != v->g->dims)
        return ig_fail(v->err, INGOT_ERR_INTERNAL, "a subgraph has dimensions of its own");
    if (g->n_captures > g->n_inputs || first_capture > node->n_inputs ||
        g->n_captures > node->n_inputs - first_capture)
        return ig_fail(v->err, INGOT_ERR_INTERNAL,
                       "subgraph '%s' captures %zu of %zu inputs, from input %u of %u", g->name,
                       g->n_captures, g->n_inputs, first_capture, node->n_inputs);
    return verify_graph(g, v->scratch, v->depth + 1, v->err);
}

static ig_status check_attrs(const verifier *v, const ig_node *node)
{
    for (uint32_t i = 0; i < node->n_attrs; i++) {
        const ig_attr *attr = &node->attrs[i];
        if (!attr->name || attr->kind < IG_ATTR_INT || attr->kind > IG_ATTR_TYPE)
            return ig_fail(v->err, INGOT_ERR_INTERNAL, "attribute %u has no name or kind", i);
        if (attr->kind == IG_ATTR_GRAPH)
            IG_TRY(check_subgraph(v, node, attr->g, attr->first_capture));
        for (size_t k = 0; attr->kind == IG_ATTR_GRAPHS && k < attr->n; k++)
            IG_TRY(check_subgraph(v, node, attr->graphs[k], attr->first_capture));
    }
    return INGOT_OK;
}

static bool is_constant(const ig_value *value, uint8_t flags)
{
    return value->info.data && !(flags & IS_DEFINED);
}

static ig_status check_node(verifier *v, const ig_node *node, const uint8_t *produced)
{
    IG_TRY(check_ids(v, node->inputs, node->n_inputs, true, kind_names[0]));
    IG_TRY(check_ids(v, node->outputs, node->n_outputs, true, kind_names[1]));
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const uint32_t id = node->inputs[i];
        if (id == IG_NONE || v->flags[id] & IS_DEFINED) continue;
        const ig_value *value = v->g->values[id];
        if (produced[id] || !is_constant(value, v->flags[id]))
            return ig_fail(v->err, INGOT_ERR_INVALID, "input %u '%s' is used before it is computed",
                           i, value->name);
    }
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] != IG_NONE) IG_TRY(define(v, node->outputs[i], 0));
    return check_attrs(v, node);
}

static ig_status check_nodes(verifier *v, const uint8_t *produced)
{
    char text[200];
    for (size_t i = 0; i < v->g->n_nodes; i++) {
        const ig_node *node = v->g->nodes[i];
        if (node->is_dead) continue;
        const ig_status status = check_node(v, node, produced);
        if (status != INGOT_OK) {
            ig_error_prepend(v->err, "%s", ig_node_describe(v->g, node, text, sizeof text));
            return status;
        }
    }
    return INGOT_OK;
}

static ig_status check_outputs(const verifier *v)
{
    for (size_t i = 0; i < v->g->n_outputs; i++) {
        const uint32_t id = v->g->outputs[i];
        if (!(v->flags[id] & IS_DEFINED) && !v->g->values[id]->info.data)
            return ig_fail(v->err, INGOT_ERR_INVALID, "graph output %zu '%s' is never computed", i,
                           v->g->values[id]->name);
    }
    return INGOT_OK;
}

static void note_produced(const ig_graph *g, uint8_t *produced)
{
    for (size_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i]->n_outputs && !g->nodes[i]->is_dead; k++)
            if (g->nodes[i]->outputs[k] < g->n_values) produced[g->nodes[i]->outputs[k]] = 1;
}

static ig_status verify_graph(const ig_graph *g, ig_arena *scratch, int depth, ig_error *err)
{
    verifier v = { .g = g, .scratch = scratch, .depth = depth, .err = err };
    if (depth > MAX_DEPTH)
        return ig_fail(err, INGOT_ERR_LIMIT, "subgraphs are nested deeper than %d", MAX_DEPTH);
    v.flags = ig_arena_get(scratch, g->n_values + 1);
    uint8_t *produced = ig_arena_get(scratch, g->n_values + 1);
    if (!v.flags || !produced) return IG_NOMEM(err, g->n_values);
    for (size_t i = 0; i < g->n_values; i++) IG_TRY(check_value(&v, i));
    IG_TRY(check_names(&v));
    IG_TRY(check_ids(&v, g->inputs, g->n_inputs, false, kind_names[0]));
    IG_TRY(check_ids(&v, g->outputs, g->n_outputs, false, kind_names[1]));
    for (size_t i = 0; i < g->n_inputs; i++) IG_TRY(define(&v, g->inputs[i], IS_INPUT));
    note_produced(g, produced);
    IG_TRY(check_nodes(&v, produced));
    return check_outputs(&v);
}

ig_status ig_graph_verify(const ig_graph *g, ig_error *err)
{
    ig_arena scratch;
    ig_arena_init(&scratch, g->arena->alloc, g->arena->tag);
    const ig_status status = verify_graph(g, &scratch, 0, err);
    ig_arena_deinit(&scratch);
    return status;
}
