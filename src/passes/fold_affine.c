/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold_affine.c: a scale and shift a channel (batch normalization, or products and sums with
 * constants) goes into the weights of the convolution in front. Where none can take it, it becomes
 * a product and a sum, which fuse with their neighbours.
 */
#include <string.h>

#include "passes/rewrite.h"

typedef struct affine {
    float *scale, *shift;
    int64_t n;
} affine;

static bool read_affine(ig_pass_ctx *ctx, const ig_graph *g, const ig_node *node, affine *a)
{
    const ig_info **in = ig_input_infos(ctx, g, node);
    if (!in || !node->op->channel_affine || node->n_inputs < 1 || !in[0]) return false;
    for (uint32_t i = 1; i < node->n_outputs; i++)
        if (node->outputs[i] != IG_NONE && g->values[node->outputs[i]]->n_uses) return false;
    return node->op->channel_affine(node, in, ctx->scratch, &a->scale, &a->shift, &a->n);
}

/* The operand that is scaled: for products and sums, the one that is not constant. */
static uint32_t scaled_input(const ig_pass_ctx *ctx, const ig_graph *g, const ig_node *node)
{
    if (node->op->flags & IG_COMMUTATIVE && ig_known(ctx, g, node->inputs[0]))
        return ig_node_input(node, 1);
    return node->inputs[0];
}

static ig_status absorb(ig_pass_ctx *ctx, ig_graph *g, ig_node *node, const affine *a, bool *done)
{
    const uint32_t input = scaled_input(ctx, g, node);
    ig_node *producer = ig_producer(g, input);
    *done = false;
    if (!producer || !producer->op->absorb_affine || producer->outputs[0] != input ||
        g->values[input]->n_uses != 1)
        return INGOT_OK;
    ig_count_uses(g, producer, -1);
    IG_TRY(producer->op->absorb_affine(g, producer, a->scale, a->shift, a->n, done, ctx->err));
    ig_count_uses(g, producer, 1);
    if (*done) ig_take_over(g, producer, node);
    return INGOT_OK;
}

/* The vector with ones behind it, so that it broadcasts along axis 1. */
static ig_status channel_constant(ig_pass_ctx *ctx, ig_graph *g, const float *v, int64_t n,
                                  int rank, uint32_t *id)
{
    int64_t dims[IG_MAX_RANK];
    ig_tensor *t;
    for (int d = 0; d < rank - 1; d++) dims[d] = d ? 1 : n;
    IG_TRY(ig_tensor_in_arena(g->arena, INGOT_FLOAT, rank - 1, dims, NULL, &t, ctx->err));
    if (n) memcpy(t->data, v, (size_t)n * sizeof *v);
    *id = ig_graph_add_constant(g, NULL, t);
    return *id == IG_NONE ? IG_NOMEM(ctx->err, sizeof(ig_value)) : INGOT_OK;
}

static ig_status decompose(ig_pass_ctx *ctx, ig_graph *g, uint32_t at, ig_node *node,
                           const affine *a, bool *is_split)
{
    const ig_info *info = &g->values[node->inputs[0]]->info;
    uint32_t product[2] = { node->inputs[0] }, sum[2];
    ig_node *mul, *add;
    if (node->op->flags & IG_ELEMENTWISE || info->rank < 2 || info->type.dtype != INGOT_FLOAT)
        return INGOT_OK;
    IG_TRY(channel_constant(ctx, g, a->scale, a->n, info->rank, &product[1]));
    IG_TRY(channel_constant(ctx, g, a->shift, a->n, info->rank, &sum[1]));
    IG_TRY(ig_build_node(ctx, g, "", "Mul", 7, node->name, product, 2, IG_NONE, &mul));
    IG_TRY(ig_reinfer(ctx, g, mul));
    ig_count_uses(g, mul, 1);
    sum[0] = mul->outputs[0];
    IG_TRY(ig_build_node(ctx, g, "", "Add", 7, node->name, sum, 2, node->outputs[0], &add));
    /* The product stays at the end of the list until the nodes are sorted. */
    ig_replace_node(g, at);
    g->values[mul->outputs[0]]->producer = (uint32_t)g->n_nodes - 1;
    ctx->n_changes++;
    *is_split = true;
    return INGOT_OK;
}

ig_status ig_pass_fold_affine(ig_pass_ctx *ctx, ig_graph *g)
{
    const size_t n = g->n_nodes;
    bool is_split = false;
    for (size_t i = 0; i < n; i++) {
        ig_node *node = g->nodes[i];
        affine a;
        bool done;
        if (node->is_dead || !read_affine(ctx, g, node, &a)) continue;
        IG_TRY(absorb(ctx, g, node, &a, &done));
        ctx->n_changes += done;
        if (!done) IG_TRY(decompose(ctx, g, (uint32_t)i, node, &a, &is_split));
    }
    ig_graph_sweep(g);
    return is_split ? ig_graph_sort(g, ctx->err) : INGOT_OK;
}
