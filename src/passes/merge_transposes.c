/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_transposes.c: a transpose of a transpose is one; what does nothing goes, and what only
 * moves dimensions of size 1 becomes a reshape, which is no step at all.
 */
#include "passes/rewrite.h"

static bool is_identity(const int *perm, int rank)
{
    for (int d = 0; d < rank; d++)
        if (perm[d] != d) return false;
    return true;
}

/* Take the input of a transpose in front instead. */
static ig_status compose(ig_pass_ctx *ctx, ig_graph *g, ig_node *node, int *perm, int rank)
{
    int inner[IG_MAX_RANK], inner_rank;
    int64_t both[IG_MAX_RANK];
    const ig_node *before = ig_producer(g, node->inputs[0]);
    if (!ig_is_transpose(g, before, inner, &inner_rank) || inner_rank != rank) return INGOT_OK;
    for (int d = 0; d < rank; d++) both[d] = inner[perm[d]];
    for (int d = 0; d < rank; d++) perm[d] = (int)both[d];
    node->inputs[0] = before->inputs[0];
    ctx->n_changes++;
    return ig_node_set_ints(g, node, "perm", both, (size_t)rank) ? INGOT_OK
                                                                 : IG_NOMEM(ctx->err, sizeof both);
}

/* Do the dimensions other than 1 keep their order? */
static bool is_view(const ig_info *in, const int *perm)
{
    int last = -1;
    for (int d = 0; d < in->rank; d++) {
        if (in->dims[perm[d]] == 1) continue;
        if (perm[d] < last) return false;
        last = perm[d];
    }
    return true;
}

/* The target of a reshape to these dims; false when more than one is not constant. */
static bool reshape_target(const ig_info *out, int64_t *shape)
{
    int n_unknown = 0;
    for (int d = 0; d < out->rank; d++) {
        const bool is_const = ig_dim_is_const(out->dims[d]);
        if (is_const && out->dims[d] == 0) return false; /* 0 has another meaning there */
        shape[d] = is_const ? out->dims[d] : -1;
        n_unknown += !is_const;
    }
    return n_unknown <= 1;
}

static ig_status make_view(ig_pass_ctx *ctx, ig_graph *g, size_t at)
{
    int64_t shape[IG_MAX_RANK];
    ig_node *node = g->nodes[at], *view;
    const ig_info *out = &g->values[node->outputs[0]]->info;
    if (!reshape_target(out, shape)) return INGOT_OK;
    IG_TRY(ig_build_reshape(ctx, g, node->inputs[0], shape, out->rank, node->outputs[0], &view));
    ig_replace_node(g, (uint32_t)at);
    ctx->n_changes++;
    return INGOT_OK;
}

ig_status ig_pass_merge_transposes(ig_pass_ctx *ctx, ig_graph *g)
{
    ig_aliases aliases;
    if (!ig_aliases_init(ctx, g, &aliases)) return IG_NOMEM(ctx->err, g->n_values);
    for (size_t i = 0; i < g->n_nodes; i++) {
        ig_node *node = g->nodes[i];
        ig_aliases_apply(&aliases, node);
        int perm[IG_MAX_RANK], rank;
        if (node->is_dead || !ig_is_transpose(g, node, perm, &rank)) continue;
        IG_TRY(compose(ctx, g, node, perm, rank));
        if (is_identity(perm, rank)) {
            if (!ig_alias(g, &aliases, node->outputs[0], node->inputs[0])) continue;
            node->is_dead = true;
            ctx->n_changes++;
        } else if (is_view(&g->values[node->inputs[0]]->info, perm)) {
            IG_TRY(make_view(ctx, g, i));
        }
    }
    ig_aliases_finish(g, &aliases);
    ig_graph_sweep(g);
    return INGOT_OK;
}
