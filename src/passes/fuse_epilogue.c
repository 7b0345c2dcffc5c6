/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse_epilogue.c: what follows a convolution or matrix product moves into its epilogue,
 * y = act(acc + bias[channel] + residual): passes fuse_bias, fuse_residual, fuse_activation.
 */
#include <string.h>

#include "passes/rewrite.h"

/* The node behind `value` if it has an epilogue that is still free from the residual on and
 * nothing else reads the value. */
static ig_node *open_epilogue(const ig_graph *g, uint32_t value)
{
    ig_node *node = ig_producer(g, value);
    if (!node || !(node->op->flags & IG_EPILOGUE) || node->outputs[0] != value) return NULL;
    if (g->values[value]->n_uses != 1 || ig_node_attr(node, "ep_act")) return NULL;
    return node;
}

static bool has_input(const ig_node *node, int i) { return ig_node_input(node, i) != IG_NONE; }

static bool is_sum(const ig_graph *g, const ig_node *node)
{
    float p[IG_PRIM_N_PARAMS];
    if (node->is_dead || !ig_is_named(node, "Add") || node->n_inputs != 2 ||
        node->inputs[0] == IG_NONE || node->inputs[1] == IG_NONE)
        return false;
    const ig_info *const in[2] = { &g->values[node->inputs[0]]->info,
                                   &g->values[node->inputs[1]]->info };
    /* Before opset 7 the attribute axis may align the operands in another way. */
    return !node->op->prim_params || node->op->prim_params(node, in, p);
}

/* ---- bias ---- */

/* Axis of the channels in the output of a node with epilogue; -1 when it has none. */
static int channel_axis(const ig_graph *g, const ig_node *node, int rank)
{
    if (node->op->flags & IG_CHANNELS_LAST) return 1;
    const bool is_matrix = g->values[node->inputs[1]]->info.rank >= 2;
    return is_matrix ? rank - 1 : -1; /* a vector as second factor leaves no columns */
}

/* One value a channel, all other dimensions 1? Lower ranks align at the end. */
static bool is_channel_vector(const ig_tensor *t, const ig_info *out, int axis)
{
    if (t->dtype != INGOT_FLOAT || t->rank > out->rank) return false;
    const int shift = out->rank - t->rank;
    bool has_channels = false;
    for (int d = 0; d < t->rank; d++) {
        if (d + shift == axis)
            has_channels = t->dims[d] == out->dims[axis];
        else if (t->dims[d] != 1)
            return false;
    }
    return has_channels;
}

/* Element k of a float constant, which may lie at any address of the model file. */
static float element(const ig_tensor *t, int64_t k)
{
    float x;
    memcpy(&x, (const char *)t->data + (size_t)k * sizeof x, sizeof x);
    return x;
}

/* The bias that the node has plus the vector v of n. */
static ig_status add_bias(ig_pass_ctx *ctx, ig_graph *g, ig_node *node, const ig_tensor *v,
                          int64_t n)
{
    const int i = node->op->bias_input;
    const ig_tensor *old = ig_known(ctx, g, ig_node_input(node, i));
    ig_tensor *t;
    IG_TRY(ig_tensor_in_arena(g->arena, INGOT_FLOAT, 1, &n, NULL, &t, ctx->err));
    for (int64_t k = 0; k < n; k++)
        ((float *)t->data)[k] = element(v, k) + (old ? element(old, k) : 0);
    const uint32_t id = ig_graph_add_constant(g, NULL, t);
    if (id == IG_NONE || !ig_node_set_input(g, node, (uint32_t)i, id)) return IG_NOMEM(ctx->err, n);
    return INGOT_OK;
}

static ig_status fuse_bias(ig_pass_ctx *ctx, ig_graph *g, ig_node *sum, int i_product)
{
    const uint32_t product = sum->inputs[i_product];
    const ig_tensor *v = ig_known(ctx, g, sum->inputs[1 - i_product]);
    ig_node *node = open_epilogue(g, product);
    const ig_info *out = &g->values[product]->info;
    if (!node || !v || !node->op->bias_input || out->rank < 1 || out->type.dtype != INGOT_FLOAT)
        return INGOT_OK;
    const int i = node->op->bias_input;
    if (node->op->residual_input && has_input(node, node->op->residual_input)) return INGOT_OK;
    if (!is_channel_vector(v, out, channel_axis(g, node, out->rank))) return INGOT_OK;
    const int64_t n = ig_tensor_count(v);
    if (has_input(node, i)) {
        const ig_tensor *old = ig_known(ctx, g, node->inputs[i]);
        if (!old || old->dtype != INGOT_FLOAT || ig_tensor_count(old) != n) return INGOT_OK;
    }
    ig_count_uses(g, node, -1);
    IG_TRY(add_bias(ctx, g, node, v, n));
    ig_count_uses(g, node, 1);
    ig_take_over(g, node, sum);
    ctx->n_changes++;
    return INGOT_OK;
}

ig_status ig_pass_fuse_bias(ig_pass_ctx *ctx, ig_graph *g)
{
    for (size_t i = 0; i < g->n_nodes; i++)
        for (int k = 0; k < 2; k++)
            if (is_sum(g, g->nodes[i])) IG_TRY(fuse_bias(ctx, g, g->nodes[i], k));
    ig_graph_sweep(g);
    return INGOT_OK;
}

/* ---- residual ---- */

/* Can the node behind this operand of the sum take the other one? */
static ig_node *residual_taker(const ig_graph *g, const ig_node *sum, int i)
{
    const ig_info *a = &g->values[sum->inputs[i]]->info, *b = &g->values[sum->inputs[1 - i]]->info;
    ig_node *node = open_epilogue(g, sum->inputs[i]);
    if (!node || !node->op->residual_input || has_input(node, node->op->residual_input))
        return NULL;
    if (a->type.dtype != INGOT_FLOAT || b->type.dtype != INGOT_FLOAT || !ig_has_same_shape(a, b))
        return NULL;
    return sum->inputs[0] != sum->inputs[1] ? node : NULL;
}

static ig_status fuse_residual(ig_pass_ctx *ctx, ig_graph *g, ig_node *sum)
{
    ig_node *first = residual_taker(g, sum, 0), *second = residual_taker(g, sum, 1);
    /* Both could: the later one, so that the other's result exists when it runs. */
    const bool takes_second = second && (!first || g->values[sum->inputs[1]]->producer >
                                                       g->values[sum->inputs[0]]->producer);
    ig_node *node = takes_second ? second : first;
    if (!node) return INGOT_OK;
    const uint32_t residual = sum->inputs[takes_second ? 0 : 1];
    ig_count_uses(g, node, -1);
    if (!ig_node_set_input(g, node, (uint32_t)node->op->residual_input, residual))
        return IG_NOMEM(ctx->err, sizeof residual);
    ig_count_uses(g, node, 1);
    ig_take_over(g, node, sum);
    ctx->n_changes++;
    return INGOT_OK;
}

ig_status ig_pass_fuse_residual(ig_pass_ctx *ctx, ig_graph *g)
{
    const int64_t before = ctx->n_changes;
    for (size_t i = 0; i < g->n_nodes; i++)
        if (is_sum(g, g->nodes[i])) IG_TRY(fuse_residual(ctx, g, g->nodes[i]));
    ig_graph_sweep(g);
    /* The residual may be computed after the node that takes it. */
    return ctx->n_changes == before ? INGOT_OK : ig_graph_sort(g, ctx->err);
}

/* ---- activation ---- */

static ig_status fuse_activation(ig_pass_ctx *ctx, ig_graph *g, ig_node *act)
{
    ig_epilogue ep = { 0 };
    const ig_info **in = ig_input_infos(ctx, g, act);
    if (!in) return IG_NOMEM(ctx->err, act->n_inputs * sizeof *in);
    if (!act->op->activation || act->n_inputs < 1) return INGOT_OK;
    ig_node *node = open_epilogue(g, act->inputs[0]);
    if (!node || g->values[act->inputs[0]]->info.type.dtype != INGOT_FLOAT) return INGOT_OK;
    if (!act->op->activation(act, in, &ep) || ep.act == IG_ACT_NONE) return INGOT_OK;
    if (!ig_node_set_int(g, node, "ep_act", (int64_t)ep.act) ||
        (ep.alpha != 0 && !ig_node_set_float(g, node, "ep_alpha", ep.alpha)) ||
        (ep.beta != 0 && !ig_node_set_float(g, node, "ep_beta", ep.beta)))
        return IG_NOMEM(ctx->err, sizeof(ig_attr));
    ig_take_over(g, node, act);
    ctx->n_changes++;
    return INGOT_OK;
}

ig_status ig_pass_fuse_activation(ig_pass_ctx *ctx, ig_graph *g)
{
    for (size_t i = 0; i < g->n_nodes; i++)
        if (!g->nodes[i]->is_dead) IG_TRY(fuse_activation(ctx, g, g->nodes[i]));
    ig_graph_sweep(g);
    return INGOT_OK;
}
