/* SPDX-License-Identifier: Apache-2.0 */
/* remove_dead_code.c: nodes that nothing needs go; optional results that nothing needs become
 * absent. */
#include "passes/rewrite.h"

static bool is_needed(const ig_node *node, const uint8_t *needed)
{
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] != IG_NONE && needed[node->outputs[i]]) return true;
    return false;
}

/* The first result decides about type and shape, and control flow counts its results: those stay.
 */
static void drop_results(ig_node *node, const uint8_t *needed)
{
    if (node->op->flags & IG_CONTROL_FLOW) return;
    for (uint32_t i = 1; i < node->n_outputs; i++)
        if (node->outputs[i] != IG_NONE && !needed[node->outputs[i]]) node->outputs[i] = IG_NONE;
}

ig_status ig_pass_remove_dead_code(ig_pass_ctx *ctx, ig_graph *g)
{
    uint8_t *needed = ig_arena_get(ctx->scratch, g->n_values + 1);
    if (!needed) return IG_NOMEM(ctx->err, g->n_values);
    for (size_t i = 0; i < g->n_outputs; i++) needed[g->outputs[i]] = 1;
    for (size_t i = g->n_nodes; i-- > 0;) {
        ig_node *node = g->nodes[i];
        if (!is_needed(node, needed)) {
            node->is_dead = true;
            ctx->n_changes++;
            continue;
        }
        drop_results(node, needed);
        for (uint32_t k = 0; k < node->n_inputs; k++)
            if (node->inputs[k] != IG_NONE) needed[node->inputs[k]] = 1;
    }
    ig_graph_sweep(g);
    return INGOT_OK;
}
