/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold_constants.c: nodes whose results are known become constants: because all inputs are, or
 * because inference worked the contents out (shapes).
 */
#include "passes/rewrite.h"

/* A large result that inputs much smaller give (Expand, Tile, ConstantOfShape) stays a node. */
#define MAX_GROWN_BYTES ((size_t)16 << 20)
#define MAX_GROWTH 4

static bool is_tensor(const ig_tensor *t) { return t && t->kind == INGOT_KIND_TENSOR; }

/* Contents of all inputs into `in`; false when one is not known. */
static bool read_inputs(const ig_pass_ctx *ctx, const ig_graph *g, const ig_node *node,
                        const ig_tensor **in, size_t *bytes)
{
    *bytes = 0;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        size_t n = 0;
        if (node->inputs[i] == IG_NONE) continue;
        in[i] = ig_known(ctx, g, node->inputs[i]);
        if (!is_tensor(in[i]) || !ig_tensor_bytes(in[i], &n)) return false;
        if (!ig_size_add(*bytes, n, bytes)) return false;
    }
    return true;
}

/* Are the results tensors of a size that is worth keeping? Unknown sizes are tried. */
static bool is_worth(const ig_graph *g, const ig_node *node, size_t in_bytes)
{
    size_t total = 0;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        int64_t dims[IG_MAX_RANK];
        size_t bytes = 0;
        if (node->outputs[i] == IG_NONE) continue;
        const ig_info *info = &g->values[node->outputs[i]]->info;
        if (info->type.kind != INGOT_KIND_TENSOR) return false;
        if (!ig_info_is_static(info, dims)) continue;
        if (!ig_dtype_bytes(info->type.dtype, ig_count(info->rank, dims), &bytes) ||
            !ig_size_add(total, bytes, &total))
            return false;
    }
    return total <= MAX_GROWN_BYTES || total / MAX_GROWTH <= in_bytes;
}

/* All results are known already. */
static bool is_known_by_inference(const ig_graph *g, const ig_node *node)
{
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] != IG_NONE && !g->values[node->outputs[i]]->info.data) return false;
    return node->n_outputs > 0;
}

static void set_constant(ig_graph *g, uint32_t id, const ig_tensor *t)
{
    ig_info *info = &g->values[id]->info;
    *info = (ig_info){ .type = { .kind = t->kind, .dtype = t->dtype }, .rank = t->rank, .data = t };
    for (int d = 0; d < t->rank; d++) info->dims[d] = t->dims[d];
}

/* true: the results were computed. A reference that refuses leaves the node to the run. */
static bool compute(ig_pass_ctx *ctx, ig_graph *g, const ig_node *node, const ig_tensor **in,
                    const ig_tensor **out, ig_status *status)
{
    ig_error ignored = { 0 };
    ig_error *err = ctx->err;
    ctx->err = &ignored;
    *status = ig_evaluate(ctx, g, node, in, g->arena, out);
    ctx->err = err;
    if (*status == INGOT_ERR_NOMEM || *status == INGOT_ERR_LIMIT) {
        ig_fail(err, *status, "%s", ignored.message);
        return false;
    }
    const bool is_done = *status == INGOT_OK;
    *status = INGOT_OK;
    for (uint32_t i = 0; is_done && i < node->n_outputs; i++)
        if (out[i] && !is_tensor(out[i])) return false;
    return is_done;
}

static ig_status fold_node(ig_pass_ctx *ctx, ig_graph *g, ig_node *node, bool is_sound)
{
    const ig_tensor **in = ig_arena_array(ctx->scratch, (size_t)node->n_inputs + 1, sizeof *in);
    const ig_tensor **out = ig_arena_array(ctx->scratch, (size_t)node->n_outputs + 1, sizeof *out);
    size_t bytes;
    ig_status status = INGOT_OK;
    if (!in || !out) return IG_NOMEM(ctx->err, node->n_inputs * sizeof *in);
    if (is_known_by_inference(g, node)) {
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i] != IG_NONE) out[i] = g->values[node->outputs[i]]->info.data;
    } else if (!is_sound || !node->op->ref || !read_inputs(ctx, g, node, in, &bytes) ||
               !is_worth(g, node, bytes) || !compute(ctx, g, node, in, out, &status)) {
        return status;
    }
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] != IG_NONE && out[i]) set_constant(g, node->outputs[i], out[i]);
    node->is_dead = true;
    ctx->n_changes++;
    return INGOT_OK;
}

ig_status ig_pass_fold_constants(ig_pass_ctx *ctx, ig_graph *g)
{
    const uint32_t never = IG_RANDOM | IG_CONTROL_FLOW;
    for (size_t i = 0; i < g->n_nodes; i++) {
        ig_node *node = g->nodes[i];
        if (node->op->flags & never) continue;
        /* Folding upstream may have told more about this node's results. In a branch that cannot
         * run inference stopped early, and references rely on what it checks. */
        bool is_sound = true;
        if (ctx->n_changes || ctx->is_subgraph)
            IG_TRY(ig_reinfer_if_sound(ctx, g, node, &is_sound));
        IG_TRY(fold_node(ctx, g, node, is_sound));
    }
    ig_graph_sweep(g);
    return INGOT_OK;
}
