/* SPDX-License-Identifier: Apache-2.0 */
/* remove_identities.c: nodes that hand their input on are bypassed. */
#include "passes/rewrite.h"

/* Is a result other than the first in use? */
static bool has_other_results(const ig_graph *g, const ig_node *node)
{
    for (uint32_t i = 1; i < node->n_outputs; i++)
        if (node->outputs[i] != IG_NONE && g->values[node->outputs[i]]->n_uses) return true;
    return false;
}

static bool is_identity(const ig_graph *g, const ig_node *node, const ig_info *const *in)
{
    const ig_op *op = node->op;
    if (node->n_inputs < 1 || node->n_outputs < 1 || !in[0] || node->outputs[0] == IG_NONE)
        return false;
    const ig_info *out = &g->values[node->outputs[0]]->info;
    if (out->type.kind != in[0]->type.kind || out->type.dtype != in[0]->type.dtype) return false;
    if (op->flags & IG_IDENTITY) return true;
    /* The caller has seen that no other result is in use. */
    ig_node first = *node;
    first.n_outputs = 1;
    return op->is_identity && op->is_identity(&first, in, out);
}

ig_status ig_pass_remove_identities(ig_pass_ctx *ctx, ig_graph *g)
{
    ig_aliases aliases;
    if (!ig_aliases_init(ctx, g, &aliases)) return IG_NOMEM(ctx->err, g->n_values);
    for (size_t i = 0; i < g->n_nodes; i++) {
        ig_node *node = g->nodes[i];
        ig_aliases_apply(&aliases, node);
        const ig_info **in = ig_input_infos(ctx, g, node);
        if (!in) return IG_NOMEM(ctx->err, node->n_inputs * sizeof *in);
        if (has_other_results(g, node) || !is_identity(g, node, in)) continue;
        /* An identity between an input and an output of the graph has to stay. */
        if (!ig_alias(g, &aliases, node->outputs[0], node->inputs[0])) continue;
        node->is_dead = true;
        ctx->n_changes++;
    }
    ig_aliases_finish(g, &aliases);
    ig_graph_sweep(g);
    return INGOT_OK;
}
