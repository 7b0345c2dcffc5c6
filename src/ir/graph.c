/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c: making and changing graphs. */
#include "ir/graph.h"

#include <stdio.h>
#include <string.h>

ig_graph *ig_graph_create(ig_arena *arena, ig_dims *dims, const char *name)
{
    ig_graph *g = ig_arena_get(arena, sizeof *g);
    if (!g) return NULL;
    g->arena = arena;
    g->dims = dims;
    g->name = ig_arena_strdup(arena, name ? name : "");
    return g->name ? g : NULL;
}

/* ---- values ---- */

uint32_t ig_graph_add_value(ig_graph *g, const char *name, size_t name_bytes)
{
    ig_value *value = ig_arena_get(g->arena, sizeof *value);
    if (!value || g->n_values >= IG_NONE) return IG_NONE;
    value->name = name && name_bytes ? ig_arena_strndup(g->arena, name, name_bytes) : "";
    value->id = (uint32_t)g->n_values;
    value->producer = IG_NONE;
    value->info.rank = -1;
    if (!value->name || !IG_ARENA_PUSH(g->arena, g->values, g->n_values, g->cap_values, value))
        return IG_NONE;
    return value->id;
}

uint32_t ig_graph_add_constant(ig_graph *g, const char *name, const ig_tensor *data)
{
    const uint32_t id = ig_graph_add_value(g, name, name ? strlen(name) : 0);
    if (id == IG_NONE) return IG_NONE;
    ig_info *info = &g->values[id]->info;
    info->type = (ig_type){ .kind = data->kind, .dtype = data->dtype };
    info->rank = data->rank;
    for (int i = 0; i < data->rank; i++) info->dims[i] = data->dims[i];
    info->data = data;
    return id;
}

bool ig_graph_add_input(ig_graph *g, uint32_t value)
{
    return IG_ARENA_PUSH(g->arena, g->inputs, g->n_inputs, g->cap_inputs, value);
}

bool ig_graph_add_output(ig_graph *g, uint32_t value)
{
    return IG_ARENA_PUSH(g->arena, g->outputs, g->n_outputs, g->cap_outputs, value);
}

/* ---- nodes ---- */

static bool is_onnx_domain(const char *domain) { return !*domain || !strcmp(domain, "ai.onnx"); }

static int opset_of(const ig_graph *g, const char *domain)
{
    for (size_t i = 0; i < g->n_opsets; i++) {
        const char *d = g->opsets[i].domain;
        if (!strcmp(d, domain) || (is_onnx_domain(d) && is_onnx_domain(domain)))
            return (int)g->opsets[i].version;
    }
    return strcmp(domain, "ingot") ? 0 : 1;
}

/* Inputs and outputs, one behind the other: most nodes have few. */
static bool set_ids(ig_arena *arena, ig_node *node, const uint32_t *inputs, size_t n_inputs,
                    const uint32_t *outputs, size_t n_outputs)
{
    uint32_t *ids = ig_arena_array(arena, n_inputs + n_outputs + 1, sizeof *ids);
    if (!ids) return false;
    node->inputs = ids;
    node->outputs = ids + n_inputs;
    if (n_inputs) memcpy(node->inputs, inputs, n_inputs * sizeof *ids);
    if (n_outputs) memcpy(node->outputs, outputs, n_outputs * sizeof *ids);
    node->n_inputs = (uint32_t)n_inputs;
    node->n_outputs = (uint32_t)n_outputs;
    return true;
}

ig_node *ig_graph_add_node(ig_graph *g, uint32_t before, const char *op_type, const char *domain,
                           const char *name, const uint32_t *inputs, size_t n_inputs,
                           const uint32_t *outputs, size_t n_outputs)
{
    ig_node *node = ig_arena_get(g->arena, sizeof *node);
    if (!node || n_inputs >= IG_NONE || n_outputs >= IG_NONE || g->n_nodes >= IG_NONE) return NULL;
    if (!set_ids(g->arena, node, inputs, n_inputs, outputs, n_outputs)) return NULL;
    node->op_type = op_type;
    node->domain = domain ? domain : "";
    node->name = name ? name : "";
    node->opset = opset_of(g, node->domain);
    if (!IG_ARENA_PUSH(g->arena, g->nodes, g->n_nodes, g->cap_nodes, node)) return NULL;
    if (before < g->n_nodes - 1) {
        memmove(&g->nodes[before + 1], &g->nodes[before],
                (g->n_nodes - 1 - before) * sizeof(ig_node *));
        g->nodes[before] = node;
    }
    return node;
}

bool ig_node_set_input(ig_graph *g, ig_node *node, uint32_t i, uint32_t value)
{
    if (i >= node->n_inputs) {
        uint32_t *inputs = ig_arena_array(g->arena, (size_t)i + 1, sizeof *inputs);
        if (!inputs) return false;
        for (uint32_t k = 0; k <= i; k++)
            inputs[k] = k < node->n_inputs ? node->inputs[k] : IG_NONE;
        node->inputs = inputs;
        node->n_inputs = i + 1;
    }
    node->inputs[i] = value;
    return true;
}

/* ---- attributes ---- */

const ig_attr *ig_node_attr(const ig_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->n_attrs; i++)
        if (!strcmp(node->attrs[i].name, name)) return &node->attrs[i];
    return NULL;
}

static bool copy_string(ig_arena *arena, ingot_string *s)
{
    s->data = ig_arena_strndup(arena, s->data ? s->data : "", s->bytes);
    return s->data != NULL;
}

static bool copy_list(ig_arena *arena, const void **items, size_t n, size_t elem_bytes)
{
    void *copy = ig_arena_array(arena, n ? n : 1, elem_bytes);
    if (!copy) return false;
    if (n) memcpy(copy, *items, n * elem_bytes);
    *items = copy;
    return true;
}

/* Give the attribute memory of its own. Tensors and graphs stay where they are. */
static bool own_attr(ig_arena *arena, ig_attr *attr)
{
    attr->name = ig_arena_strdup(arena, attr->name);
    if (!attr->name) return false;
    switch (attr->kind) {
    case IG_ATTR_STRING: return copy_string(arena, &attr->s);
    case IG_ATTR_INTS: return copy_list(arena, (const void **)&attr->ints, attr->n, 8);
    case IG_ATTR_FLOATS: return copy_list(arena, (const void **)&attr->floats, attr->n, 4);
    case IG_ATTR_TENSORS:
    case IG_ATTR_GRAPHS:
        return copy_list(arena, (const void **)&attr->tensors, attr->n, sizeof(void *));
    case IG_ATTR_STRINGS: break;
    default: attr->n = 1; return true;
    }
    ingot_string *strings = ig_arena_array(arena, attr->n ? attr->n : 1, sizeof *strings);
    if (!strings) return false;
    for (size_t i = 0; i < attr->n; i++) {
        strings[i] = attr->strings[i];
        if (!copy_string(arena, &strings[i])) return false;
    }
    attr->strings = strings;
    return true;
}

bool ig_node_set_attr(ig_graph *g, ig_node *node, const ig_attr *attr)
{
    ig_attr own = *attr;
    if (!own_attr(g->arena, &own)) return false;
    ig_attr *old = (ig_attr *)ig_node_attr(node, attr->name);
    if (old) {
        *old = own;
        return true;
    }
    ig_attr *attrs = ig_arena_array(g->arena, (size_t)node->n_attrs + 1, sizeof *attrs);
    if (!attrs) return false;
    if (node->n_attrs) memcpy(attrs, node->attrs, node->n_attrs * sizeof *attrs);
    attrs[node->n_attrs++] = own;
    node->attrs = attrs;
    return true;
}

bool ig_node_set_int(ig_graph *g, ig_node *node, const char *name, int64_t value)
{
    return ig_node_set_attr(g, node,
                            &(ig_attr){ .name = name, .kind = IG_ATTR_INT, .n = 1, .i = value });
}

bool ig_node_set_float(ig_graph *g, ig_node *node, const char *name, float value)
{
    return ig_node_set_attr(g, node,
                            &(ig_attr){ .name = name, .kind = IG_ATTR_FLOAT, .n = 1, .f = value });
}

bool ig_node_set_ints(ig_graph *g, ig_node *node, const char *name, const int64_t *v, size_t n)
{
    return ig_node_set_attr(g, node,
                            &(ig_attr){ .name = name, .kind = IG_ATTR_INTS, .n = n, .ints = v });
}

bool ig_node_set_string(ig_graph *g, ig_node *node, const char *name, const char *v)
{
    const ig_attr attr = { .name = name, .kind = IG_ATTR_STRING, .n = 1, .s = { v, strlen(v) } };
    return ig_node_set_attr(g, node, &attr);
}

void ig_node_remove_attr(ig_node *node, const char *name)
{
    const ig_attr *attr = ig_node_attr(node, name);
    if (!attr) return;
    const uint32_t at = (uint32_t)(attr - node->attrs);
    memmove(&node->attrs[at], &node->attrs[at + 1], (node->n_attrs - at - 1) * sizeof *attr);
    node->n_attrs--;
}

/* ---- whole graph ---- */

void ig_graph_index(ig_graph *g)
{
    for (size_t i = 0; i < g->n_values; i++) {
        g->values[i]->producer = IG_NONE;
        g->values[i]->n_uses = 0;
        g->values[i]->is_input = g->values[i]->is_output = false;
    }
    for (size_t i = 0; i < g->n_nodes; i++) {
        const ig_node *node = g->nodes[i];
        if (node->is_dead) continue;
        for (uint32_t k = 0; k < node->n_inputs; k++)
            if (node->inputs[k] < g->n_values) g->values[node->inputs[k]]->n_uses++;
        for (uint32_t k = 0; k < node->n_outputs; k++)
            if (node->outputs[k] < g->n_values) g->values[node->outputs[k]]->producer = (uint32_t)i;
    }
    for (size_t i = 0; i < g->n_inputs; i++)
        if (g->inputs[i] < g->n_values) g->values[g->inputs[i]]->is_input = true;
    for (size_t i = 0; i < g->n_outputs; i++) {
        if (g->outputs[i] >= g->n_values) continue;
        g->values[g->outputs[i]]->n_uses++;
        g->values[g->outputs[i]]->is_output = true;
    }
}

void ig_graph_sweep(ig_graph *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n_nodes; i++)
        if (!g->nodes[i]->is_dead) g->nodes[n++] = g->nodes[i];
    g->n_nodes = n;
    ig_graph_index(g);
}

/* ---- order ---- */

typedef struct sort_frame {
    uint32_t node, input; /* next input to look at */
} sort_frame;

enum { SORT_NEW, SORT_OPEN, SORT_DONE };

typedef struct sort_state {
    ig_graph *g;
    uint32_t *producer; /* of values */
    uint8_t *state;     /* of nodes */
    sort_frame *stack;
    ig_node **order;
    size_t n_order;
} sort_state;

/* Emit a node after everything that it needs; depth first, with a stack of its own. */
static ig_status sort_visit(sort_state *s, uint32_t first, ig_error *err)
{
    char text[200];
    size_t depth = 0;
    if (s->state[first] == SORT_DONE) return INGOT_OK;
    s->stack[depth++] = (sort_frame){ first, 0 };
    s->state[first] = SORT_OPEN;
    while (depth) {
        sort_frame *top = &s->stack[depth - 1];
        ig_node *node = s->g->nodes[top->node];
        if (top->input == node->n_inputs) {
            s->state[top->node] = SORT_DONE;
            s->order[s->n_order++] = node;
            depth--;
            continue;
        }
        const uint32_t value = node->inputs[top->input++];
        const uint32_t producer = value < s->g->n_values ? s->producer[value] : IG_NONE;
        if (producer == IG_NONE || s->state[producer] == SORT_DONE) continue;
        if (s->state[producer] == SORT_OPEN)
            return ig_fail(err, INGOT_ERR_INVALID, "%s needs its own output: the graph has a cycle",
                           ig_node_describe(s->g, node, text, sizeof text));
        s->state[producer] = SORT_OPEN;
        s->stack[depth++] = (sort_frame){ producer, 0 };
    }
    return INGOT_OK;
}

static void note_producers(sort_state *s)
{
    const ig_graph *g = s->g;
    for (size_t i = 0; i < g->n_values; i++) s->producer[i] = IG_NONE;
    for (size_t i = 0; i < g->n_nodes; i++) {
        const ig_node *node = g->nodes[i];
        for (uint32_t k = 0; k < node->n_outputs && !node->is_dead; k++)
            if (node->outputs[k] < g->n_values) s->producer[node->outputs[k]] = (uint32_t)i;
    }
}

ig_status ig_graph_sort(ig_graph *g, ig_error *err)
{
    ig_arena scratch;
    ig_status status = INGOT_OK;
    ig_arena_init(&scratch, g->arena->alloc, g->arena->tag);
    sort_state s = { .g = g,
                     .producer = ig_arena_array(&scratch, g->n_values + 1, sizeof *s.producer),
                     .state = ig_arena_array(&scratch, g->n_nodes + 1, sizeof *s.state),
                     .stack = ig_arena_array(&scratch, g->n_nodes + 1, sizeof *s.stack),
                     .order = ig_arena_array(&scratch, g->n_nodes + 1, sizeof *s.order) };
    if (!s.producer || !s.state || !s.stack || !s.order) {
        status = IG_NOMEM(err, g->n_nodes * sizeof *s.order);
    } else {
        note_producers(&s);
        for (size_t i = 0; i < g->n_nodes && status == INGOT_OK; i++)
            status = sort_visit(&s, (uint32_t)i, err);
        if (status == INGOT_OK && g->n_nodes)
            memcpy(g->nodes, s.order, g->n_nodes * sizeof *g->nodes);
    }
    ig_arena_deinit(&scratch);
    if (status == INGOT_OK) ig_graph_index(g);
    return status;
}

char *ig_node_describe(const ig_graph *g, const ig_node *node, char *buf, size_t bytes)
{
    size_t at = 0;
    while (at < g->n_nodes && g->nodes[at] != node) at++;
    const char *name = node->name;
    /* Without a name, the first output tells the user which node it is. */
    if (!*name && node->n_outputs && node->outputs[0] < g->n_values)
        name = g->values[node->outputs[0]]->name;
    const char *dot = *node->domain ? "." : "";
    if (at == g->n_nodes)
        snprintf(buf, bytes, "node '%s' (%s%s%s)", name, node->domain, dot, node->op_type);
    else
        snprintf(buf, bytes, "node %zu '%s' (%s%s%s)", at, name, node->domain, dot, node->op_type);
    return buf;
}
