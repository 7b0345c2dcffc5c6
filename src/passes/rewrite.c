/* SPDX-License-Identifier: Apache-2.0 */
/* rewrite.c: what passes share. */
#include "passes/rewrite.h"

ig_node *ig_producer(const ig_graph *g, uint32_t value)
{
    if (value >= g->n_values || g->values[value]->producer == IG_NONE) return NULL;
    ig_node *node = g->nodes[g->values[value]->producer];
    return node->is_dead ? NULL : node;
}

bool ig_is_graph_input(const ig_graph *g, uint32_t value)
{
    for (size_t i = 0; i < g->n_inputs; i++)
        if (g->inputs[i] == value) return true;
    return false;
}

const ig_tensor *ig_known(const ig_pass_ctx *ctx, const ig_graph *g, uint32_t value)
{
    if (value >= g->n_values || !g->values[value]->info.data) return NULL;
    /* What stands at an input of the outermost graph is a default that the caller may override. */
    if (!ctx->is_subgraph && ig_is_graph_input(g, value)) return NULL;
    return g->values[value]->info.data;
}

bool ig_known_scalar(const ig_pass_ctx *ctx, const ig_graph *g, uint32_t value, float *out)
{
    const ig_tensor *t = ig_known(ctx, g, value);
    if (!t || t->kind != INGOT_KIND_TENSOR || t->dtype != INGOT_FLOAT || ig_tensor_count(t) != 1)
        return false;
    *out = *(const float *)t->data;
    return true;
}

bool ig_has_same_shape(const ig_info *a, const ig_info *b)
{
    if (a->rank < 0 || a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->dims[d] != b->dims[d]) return false;
    return true;
}

const ig_info **ig_input_infos(ig_pass_ctx *ctx, const ig_graph *g, const ig_node *node)
{
    const ig_info **in = ig_arena_array(ctx->scratch, (size_t)node->n_inputs + 1, sizeof *in);
    for (uint32_t i = 0; in && i < node->n_inputs; i++)
        if (node->inputs[i] != IG_NONE) in[i] = &g->values[node->inputs[i]]->info;
    return in;
}

uint32_t ig_node_input(const ig_node *node, int i)
{
    return i >= 0 && (uint32_t)i < node->n_inputs ? node->inputs[i] : IG_NONE;
}

ig_status ig_reinfer(ig_pass_ctx *ctx, ig_graph *g, ig_node *node)
{
    char text[200];
    const ig_info **in = ig_input_infos(ctx, g, node);
    ig_info *out = ig_arena_array(ctx->scratch, (size_t)node->n_outputs + 1, sizeof *out);
    if (!in || !out) return IG_NOMEM(ctx->err, node->n_outputs * sizeof *out);
    const ig_status status = ig_op_infer(node, in, out, g->dims, g->arena, ctx->err);
    if (ctx->is_subgraph && (status == INGOT_ERR_SHAPE || status == INGOT_ERR_INVALID)) {
        /* A branch of an If that cannot run: an error only if it is run. */
        ig_error_clear(ctx->err);
        for (uint32_t i = 0; i < node->n_outputs; i++)
            out[i] = (ig_info){ .type = out[i].type, .rank = -1 };
    } else if (status != INGOT_OK) {
        ig_error_prepend(ctx->err, "%s", ig_node_describe(g, node, text, sizeof text));
        return status;
    }
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] != IG_NONE) g->values[node->outputs[i]]->info = out[i];
    return INGOT_OK;
}

void ig_take_over(ig_graph *g, ig_node *node, ig_node *last)
{
    node->outputs[0] = last->outputs[0];
    last->is_dead = true;
    ig_graph_index(g);
}

uint32_t ig_fresh_value(ig_graph *g, const ig_info *info)
{
    const uint32_t id = ig_graph_add_value(g, NULL, 0);
    if (id != IG_NONE && info) {
        g->values[id]->info = *info;
        g->values[id]->info.data = NULL;
        g->values[id]->info.elems = NULL;
        g->values[id]->info.n_elems = 0;
    }
    return id;
}
