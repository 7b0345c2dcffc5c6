/* SPDX-License-Identifier: Apache-2.0 */
/* rewrite.c: what passes share. */
#include "passes/rewrite.h"

#include <string.h>

ig_node *ig_producer(const ig_graph *g, uint32_t value)
{
    if (value >= g->n_values || g->values[value]->producer == IG_NONE) return NULL;
    ig_node *node = g->nodes[g->values[value]->producer];
    return node->is_dead ? NULL : node;
}

bool ig_is_graph_input(const ig_graph *g, uint32_t value)
{
    return value < g->n_values && g->values[value]->is_input;
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
    bool is_sound;
    return ig_reinfer_if_sound(ctx, g, node, &is_sound);
}

ig_status ig_reinfer_if_sound(ig_pass_ctx *ctx, ig_graph *g, ig_node *node, bool *is_sound)
{
    char text[200];
    const ig_info **in = ig_input_infos(ctx, g, node);
    ig_info *out = ig_arena_array(ctx->scratch, (size_t)node->n_outputs + 1, sizeof *out);
    if (!in || !out) return IG_NOMEM(ctx->err, node->n_outputs * sizeof *out);
    const ig_status status = ig_op_infer(node, in, out, g->dims, g->arena, ctx->err);
    *is_sound = status == INGOT_OK;
    if (ctx->is_subgraph && (status == INGOT_ERR_SHAPE || status == INGOT_ERR_INVALID ||
                             status == INGOT_ERR_UNSUPPORTED)) {
        /* A branch of an If that cannot run, perhaps never inferred: an error only if it is run. */
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

/* ---- the index, kept right while nodes change ---- */

void ig_count_uses(ig_graph *g, const ig_node *node, int by)
{
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] < g->n_values) g->values[node->inputs[i]]->n_uses += (uint32_t)by;
}

void ig_kill(ig_graph *g, ig_node *node)
{
    if (node->is_dead) return;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (node->outputs[i] >= g->n_values) continue;
        ig_value *value = g->values[node->outputs[i]];
        if (value->producer != IG_NONE && g->nodes[value->producer] == node)
            value->producer = IG_NONE;
    }
    ig_count_uses(g, node, -1);
    node->is_dead = true;
}

void ig_replace_node(ig_graph *g, uint32_t at)
{
    ig_node *node = g->nodes[--g->n_nodes];
    ig_kill(g, g->nodes[at]);
    g->nodes[at] = node;
    ig_count_uses(g, node, 1);
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] < g->n_values) g->values[node->outputs[i]]->producer = at;
}

void ig_take_over(ig_graph *g, ig_node *node, ig_node *last)
{
    const uint32_t at = g->values[node->outputs[0]]->producer;
    ig_kill(g, last);
    g->values[node->outputs[0]]->producer = IG_NONE;
    node->outputs[0] = last->outputs[0];
    g->values[node->outputs[0]]->producer = at;
}

/* ---- values that stand for others ---- */

bool ig_aliases_init(ig_pass_ctx *ctx, const ig_graph *g, ig_aliases *a)
{
    a->of = ig_arena_array(ctx->scratch, g->n_values + 1, sizeof *a->of);
    if (!a->of) return false;
    memset(a->of, 0xff, (g->n_values + 1) * sizeof *a->of);
    return true;
}

void ig_aliases_apply(const ig_aliases *a, ig_node *node)
{
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] != IG_NONE && a->of[node->inputs[i]] != IG_NONE)
            node->inputs[i] = a->of[node->inputs[i]];
}

bool ig_alias(ig_graph *g, ig_aliases *a, uint32_t from, uint32_t to)
{
    ig_value *old = g->values[from], *new = g->values[to];
    if (from == to) return true;
    a->of[from] = to;
    if (!old->is_output) return true;
    if (new->is_input || new->is_output || !ig_producer(g, to)) return false;
    const char *name = old->name;
    old->name = new->name;
    new->name = name;
    old->is_output = false;
    new->is_output = true;
    return true;
}

void ig_aliases_finish(ig_graph *g, const ig_aliases *a)
{
    for (size_t i = 0; i < g->n_outputs; i++) {
        const uint32_t from = g->outputs[i];
        if (!g->values[from]->is_output) g->outputs[i] = a->of[from];
    }
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
