/* SPDX-License-Identifier: Apache-2.0 */
/* print_dot.c: graphs for Graphviz: a box a node, an edge a value, labelled with its shape. */
#include <string.h>

#include "ir/graph.h"

#define MAX_DEPTH 32

typedef struct dot_printer {
    const ig_graph *g;
    ig_str *out;
    int *n_graphs; /* so far: numbers make names unique */
    int number;
    int depth;
} dot_printer;

static void print_label(ig_str *out, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') ig_str_putc(out, '\\');
        ig_str_putc(out, c < 32 ? ' ' : (char)c);
    }
}

static void print_shape(const dot_printer *p, const ig_info *info)
{
    if (info->type.dtype != INGOT_UNDEFINED)
        ig_str_puts(p->out, ingot_dtype_name(info->type.dtype));
    if (info->rank < 0) return;
    ig_str_putc(p->out, '[');
    for (int i = 0; i < info->rank; i++) {
        if (i) ig_str_putc(p->out, ',');
        ig_str dim;
        ig_str_init(&dim, p->out->alloc);
        ig_dim_print(p->g->dims, info->dims[i], &dim);
        print_label(p->out, ig_str_cstr(&dim));
        ig_str_deinit(&dim);
    }
    ig_str_putc(p->out, ']');
}

/* The dot name of what makes a value: a node, or an input. */
static void print_source(const dot_printer *p, uint32_t value, uint32_t producer)
{
    if (producer != IG_NONE)
        ig_str_printf(p->out, "g%d_n%u", p->number, producer);
    else
        ig_str_printf(p->out, "g%d_v%u", p->number, value);
}

static void print_input(const dot_printer *p, uint32_t id)
{
    ig_str_printf(p->out, "  g%d_v%u [shape=ellipse, label=\"", p->number, id);
    print_label(p->out, p->g->values[id]->name);
    ig_str_puts(p->out, "\"];\n");
}

static void print_graph(const dot_printer *p);

static void print_subgraphs(const dot_printer *p, const ig_node *node)
{
    for (uint32_t i = 0; i < node->n_attrs; i++) {
        const ig_attr *attr = &node->attrs[i];
        const size_t n = attr->kind == IG_ATTR_GRAPH || attr->kind == IG_ATTR_GRAPHS ? attr->n : 0;
        for (size_t k = 0; k < n && p->depth < MAX_DEPTH; k++) {
            const dot_printer inner = { attr->kind == IG_ATTR_GRAPH ? attr->g : attr->graphs[k],
                                        p->out, p->n_graphs, ++*p->n_graphs, p->depth + 1 };
            ig_str_printf(p->out, "  subgraph cluster_%d {\n  label=\"", inner.number);
            print_label(p->out, node->name);
            ig_str_puts(p->out, ": ");
            print_label(p->out, attr->name);
            ig_str_puts(p->out, "\";\n");
            print_graph(&inner);
            ig_str_puts(p->out, "  }\n");
        }
    }
}

static void print_node(const dot_printer *p, uint32_t at, const uint32_t *producers)
{
    const ig_graph *g = p->g;
    const ig_node *node = g->nodes[at];
    ig_str_printf(p->out, "  g%d_n%u [shape=box, label=\"", p->number, at);
    print_label(p->out, node->op_type);
    if (*node->name) ig_str_puts(p->out, "\\n");
    print_label(p->out, node->name);
    ig_str_puts(p->out, "\"];\n");
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const uint32_t id = node->inputs[i];
        /* Weights would hide the picture. */
        if (id >= g->n_values || (g->values[id]->info.data && producers[id] == IG_NONE)) continue;
        ig_str_puts(p->out, "  ");
        print_source(p, id, producers[id]);
        ig_str_printf(p->out, " -> g%d_n%u [label=\"", p->number, at);
        print_shape(p, &g->values[id]->info);
        ig_str_puts(p->out, "\"];\n");
    }
    print_subgraphs(p, node);
}

static void print_outputs(const dot_printer *p, const uint32_t *producers)
{
    const ig_graph *g = p->g;
    for (size_t i = 0; i < g->n_outputs; i++) {
        const uint32_t id = g->outputs[i];
        ig_str_printf(p->out, "  g%d_o%zu [shape=ellipse, label=\"", p->number, i);
        print_label(p->out, g->values[id]->name);
        ig_str_puts(p->out, "\"];\n  ");
        print_source(p, id, producers[id]);
        ig_str_printf(p->out, " -> g%d_o%zu [label=\"", p->number, i);
        print_shape(p, &g->values[id]->info);
        ig_str_puts(p->out, "\"];\n");
    }
}

static void print_graph(const dot_printer *p)
{
    const ig_graph *g = p->g;
    const size_t bytes = (g->n_values + 1) * sizeof(uint32_t);
    uint32_t *producers = ig_alloc_get(p->out->alloc, bytes, 0, INGOT_MEM_OTHER);
    if (!producers) {
        p->out->has_failed = true;
        return;
    }
    memset(producers, 0xff, bytes);
    for (size_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i]->n_outputs && !g->nodes[i]->is_dead; k++)
            if (g->nodes[i]->outputs[k] < g->n_values)
                producers[g->nodes[i]->outputs[k]] = (uint32_t)i;
    for (size_t i = 0; i < g->n_inputs; i++) print_input(p, g->inputs[i]);
    for (size_t i = 0; i < g->n_nodes; i++)
        if (!g->nodes[i]->is_dead) print_node(p, (uint32_t)i, producers);
    print_outputs(p, producers);
    ig_alloc_put(p->out->alloc, producers, bytes, INGOT_MEM_OTHER);
}

void ig_graph_print_dot(const ig_graph *g, ig_str *out)
{
    int n_graphs = 0;
    const dot_printer p = { g, out, &n_graphs, 0, 0 };
    ig_str_puts(out, "digraph \"");
    print_label(out, g->name);
    ig_str_puts(out, "\" {\n");
    print_graph(&p);
    ig_str_puts(out, "}\n");
}
