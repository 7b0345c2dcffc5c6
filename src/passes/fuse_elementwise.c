/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse_elementwise.c: trees of elementwise operators become one node, EltwiseChain, which runs as
 * one tile program.
 *
 * From the last operator of a tree on, producers join while all their users are in the tree and
 * their results have the shape of the tree's: nothing is computed twice.
 */
#include <string.h>

#include "passes/rewrite.h"

#define MAX_INPUTS (IG_ELTWISE_MAX_OPERANDS - 1)
#define MAX_NODES IG_ELTWISE_MAX_INSTRS

typedef struct tree {
    uint32_t nodes[MAX_NODES]; /* indices, ascending once complete; the root is the largest */
    int n_nodes;
    uint32_t inputs[MAX_INPUTS];
    int n_inputs;
} tree;

/* Operands that the primitive reads; the others are parameters. */
static int n_operands(const ig_op *op)
{
    return op->prim_n_in ? op->prim_n_in : op->prim->n_sources;
}

static bool is_operand_ok(const ig_graph *g, uint32_t value)
{
    if (value == IG_NONE) return false;
    const ig_type *type = &g->values[value]->info.type;
    return type->kind == INGOT_KIND_TENSOR &&
           (type->dtype == INGOT_FLOAT || type->dtype == INGOT_BOOL);
}

static bool is_fusible(ig_pass_ctx *ctx, const ig_graph *g, const ig_node *node)
{
    float params[IG_PRIM_N_PARAMS];
    const ig_op *op = node->op;
    if (node->is_dead || !(op->flags & IG_ELEMENTWISE) || !op->prim || node->n_outputs != 1 ||
        node->outputs[0] == IG_NONE || node->n_inputs > 8)
        return false;
    const ig_info *out = &g->values[node->outputs[0]]->info;
    if (out->type.dtype != INGOT_FLOAT || out->rank < 0) return false;
    const int n = n_operands(op);
    for (int i = 0; i < n; i++)
        if (!is_operand_ok(g, ig_node_input(node, i))) return false;
    for (uint32_t i = (uint32_t)n; i < node->n_inputs; i++) {
        /* Another operand (Max of three) or a parameter that only a run can tell. */
        if (node->inputs[i] == IG_NONE) continue;
        if (op->n_in[1] < 0 || !ig_known(ctx, g, node->inputs[i])) return false;
    }
    const ig_info **in = ig_input_infos(ctx, g, node);
    return in && (!op->prim_params || op->prim_params(node, in, params));
}

/* ---- growing ---- */

static bool has_node(const tree *t, uint32_t node)
{
    for (int i = 0; i < t->n_nodes; i++)
        if (t->nodes[i] == node) return true;
    return false;
}

static uint32_t count_uses(const ig_graph *g, const tree *t, uint32_t value)
{
    uint32_t n = 0;
    for (int i = 0; i < t->n_nodes; i++) {
        const ig_node *node = g->nodes[t->nodes[i]];
        for (uint32_t k = 0; k < node->n_inputs; k++) n += node->inputs[k] == value;
    }
    return n;
}

/* Collect what the tree reads from outside; false when that is too much. */
static bool list_inputs(const ig_graph *g, tree *t)
{
    t->n_inputs = 0;
    for (int i = 0; i < t->n_nodes; i++) {
        const ig_node *node = g->nodes[t->nodes[i]];
        for (int k = 0; k < n_operands(node->op); k++) {
            const uint32_t value = node->inputs[k];
            bool is_known =
                g->values[value]->producer != IG_NONE && has_node(t, g->values[value]->producer);
            for (int j = 0; j < t->n_inputs; j++) is_known |= t->inputs[j] == value;
            if (is_known) continue;
            if (t->n_inputs == MAX_INPUTS) return false;
            t->inputs[t->n_inputs++] = value;
        }
    }
    return t->n_inputs + t->n_nodes <= IG_ELTWISE_MAX_REGS;
}

/* Can the producer of `value` join? */
static bool can_join(ig_pass_ctx *ctx, const ig_graph *g, const tree *t, uint32_t value,
                     const ig_info *shape)
{
    const ig_node *node = ig_producer(g, value);
    return node && t->n_nodes < MAX_NODES && ig_has_same_shape(&g->values[value]->info, shape) &&
           g->values[value]->n_uses == count_uses(g, t, value) && is_fusible(ctx, g, node);
}

/* Let one more producer join; false when none can. */
static bool grow(ig_pass_ctx *ctx, const ig_graph *g, tree *t, const ig_info *shape)
{
    for (int i = 0; i < t->n_inputs; i++) {
        const uint32_t value = t->inputs[i];
        if (!can_join(ctx, g, t, value, shape)) continue;
        tree larger = *t;
        larger.nodes[larger.n_nodes++] = g->values[value]->producer;
        if (!list_inputs(g, &larger)) continue;
        *t = larger;
        return true;
    }
    return false;
}

static void sort_nodes(tree *t)
{
    for (int i = 1; i < t->n_nodes; i++) {
        const uint32_t node = t->nodes[i];
        int at = i;
        for (; at > 0 && t->nodes[at - 1] > node; at--) t->nodes[at] = t->nodes[at - 1];
        t->nodes[at] = node;
    }
}

/* ---- the body ---- */

typedef struct body_maker {
    ig_pass_ctx *ctx;
    const ig_graph *g;
    ig_graph *body;
    uint32_t *inner; /* [g->n_values]: the body's value for one of the graph, IG_NONE yet */
} body_maker;

static ig_status add_inputs(body_maker *b, const tree *t)
{
    for (int i = 0; i < t->n_inputs; i++) {
        const ig_info *info = &b->g->values[t->inputs[i]]->info;
        const uint32_t id = ig_fresh_value(b->body, info);
        if (id == IG_NONE || !ig_graph_add_input(b->body, id))
            return IG_NOMEM(b->ctx->err, sizeof(ig_value));
        /* Parameters may be read from scalars (the exponent of a power). */
        if (ig_known(b->ctx, b->g, t->inputs[i]) && ig_tensor_count(info->data) == 1)
            b->body->values[id]->info.data = info->data;
        b->inner[t->inputs[i]] = id;
    }
    return INGOT_OK;
}

static ig_status add_inner(body_maker *b, const ig_node *node)
{
    uint32_t inputs[8];
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const uint32_t value = node->inputs[i];
        inputs[i] = value == IG_NONE ? IG_NONE : b->inner[value];
        if (value == IG_NONE || inputs[i] != IG_NONE) continue;
        inputs[i] = ig_graph_add_constant(b->body, NULL, b->g->values[value]->info.data);
        if (inputs[i] == IG_NONE) return IG_NOMEM(b->ctx->err, sizeof(ig_value));
    }
    const uint32_t output = ig_fresh_value(b->body, &b->g->values[node->outputs[0]]->info);
    if (output == IG_NONE) return IG_NOMEM(b->ctx->err, sizeof(ig_value));
    ig_node *copy = ig_graph_add_node(b->body, IG_NONE, node->op_type, node->domain, node->name,
                                      inputs, node->n_inputs, &output, 1);
    if (!copy) return IG_NOMEM(b->ctx->err, sizeof *copy);
    copy->op = node->op;
    copy->opset = node->opset;
    copy->n_attrs = node->n_attrs;
    copy->attrs = node->attrs;
    b->inner[node->outputs[0]] = output;
    return INGOT_OK;
}

/* inner: [g->n_values] of IG_NONE, and so again afterwards. */
static ig_status make_body(ig_pass_ctx *ctx, const ig_graph *g, const tree *t, uint32_t *inner,
                           ig_graph **out)
{
    body_maker b = { .ctx = ctx, .g = g, .inner = inner };
    b.body = ig_graph_create(g->arena, g->dims, "");
    if (!b.body) return IG_NOMEM(ctx->err, sizeof *b.body);
    IG_TRY(add_inputs(&b, t));
    for (int i = 0; i < t->n_nodes; i++) IG_TRY(add_inner(&b, g->nodes[t->nodes[i]]));
    const ig_node *root = g->nodes[t->nodes[t->n_nodes - 1]];
    if (!ig_graph_add_output(b.body, b.inner[root->outputs[0]]))
        return IG_NOMEM(ctx->err, sizeof(uint32_t));
    for (int i = 0; i < t->n_inputs; i++) inner[t->inputs[i]] = IG_NONE;
    for (int i = 0; i < t->n_nodes; i++) inner[g->nodes[t->nodes[i]]->outputs[0]] = IG_NONE;
    ig_graph_index(b.body);
    *out = b.body;
    return INGOT_OK;
}

static ig_status replace(ig_pass_ctx *ctx, ig_graph *g, const tree *t, uint32_t *inner)
{
    ig_graph *body = NULL;
    ig_node *members[MAX_NODES], *chain;
    IG_TRY(make_body(ctx, g, t, inner, &body));
    for (int i = 0; i < t->n_nodes; i++) members[i] = g->nodes[t->nodes[i]];
    const ig_node *root = members[t->n_nodes - 1];
    const ig_attr attr = { .name = "body", .kind = IG_ATTR_GRAPH, .n = 1, .g = body };
    IG_TRY(ig_build_node(ctx, g, "ingot", "EltwiseChain", 1, root->name, t->inputs,
                         (size_t)t->n_inputs, root->outputs[0], &chain));
    if (!ig_node_set_attr(g, chain, &attr)) return IG_NOMEM(ctx->err, sizeof attr);
    ig_replace_node(g, t->nodes[t->n_nodes - 1]);
    for (int i = 0; i < t->n_nodes; i++) ig_kill(g, members[i]);
    ctx->n_changes++;
    return INGOT_OK;
}

ig_status ig_pass_fuse_elementwise(ig_pass_ctx *ctx, ig_graph *g)
{
    uint32_t *inner = ig_arena_array(ctx->scratch, g->n_values + 1, sizeof *inner);
    if (!inner) return IG_NOMEM(ctx->err, g->n_values * sizeof *inner);
    memset(inner, 0xff, (g->n_values + 1) * sizeof *inner);
    for (size_t i = g->n_nodes; i-- > 0;) {
        const ig_node *root = g->nodes[i];
        if (!is_fusible(ctx, g, root)) continue;
        tree t = { .nodes = { (uint32_t)i }, .n_nodes = 1 };
        const ig_info *shape = &g->values[root->outputs[0]]->info;
        if (!list_inputs(g, &t)) continue;
        while (grow(ctx, g, &t, shape)) continue;
        if (t.n_nodes < 2) continue;
        sort_nodes(&t);
        IG_TRY(replace(ctx, g, &t, inner));
    }
    ig_graph_sweep(g);
    return INGOT_OK;
}
