/* SPDX-License-Identifier: Apache-2.0 */
/* build.c: the nodes that passes make. The only file of passes, with patterns.c, that names
 * operators. */
#include <string.h>

#include "passes/rewrite.h"

/* Version of the domain that the graph imports, at least `lowest`. */
static int opset_for(const ig_graph *g, const char *domain, int lowest)
{
    for (size_t i = 0; i < g->n_opsets; i++)
        if (!strcmp(g->opsets[i].domain, domain) && g->opsets[i].version > lowest)
            return (int)g->opsets[i].version;
    return lowest;
}

ig_status ig_build_node(ig_pass_ctx *ctx, ig_graph *g, const char *domain, const char *op_type,
                        int opset, const char *name, const uint32_t *inputs, size_t n_inputs,
                        uint32_t output, ig_node **out)
{
    const int version = opset_for(g, domain, opset);
    const ig_op *op = ig_ops_find(domain, op_type, version, ctx->err);
    if (!op) return ctx->err ? ctx->err->status : INGOT_ERR_UNSUPPORTED;
    const bool is_fresh = output == IG_NONE;
    if (is_fresh) output = ig_fresh_value(g, NULL);
    if (output == IG_NONE) return IG_NOMEM(ctx->err, sizeof(ig_value));
    ig_node *node =
        ig_graph_add_node(g, IG_NONE, op_type, domain, name, inputs, n_inputs, &output, 1);
    if (!node) return IG_NOMEM(ctx->err, sizeof *node);
    node->opset = version;
    node->op = op;
    *out = node;
    return INGOT_OK;
}

ig_status ig_build_transpose(ig_pass_ctx *ctx, ig_graph *g, uint32_t input, const int *perm,
                             int rank, uint32_t output, ig_node **out)
{
    int64_t list[IG_MAX_RANK];
    const bool is_fresh = output == IG_NONE;
    for (int d = 0; d < rank; d++) list[d] = perm[d];
    IG_TRY(ig_build_node(ctx, g, "", "Transpose", 13, "", &input, 1, output, out));
    if (!ig_node_set_ints(g, *out, "perm", list, (size_t)rank)) return IG_NOMEM(ctx->err, 0);
    return is_fresh ? ig_reinfer(ctx, g, *out) : INGOT_OK;
}

static ig_status int_constant(ig_pass_ctx *ctx, ig_graph *g, const int64_t *v, int n, uint32_t *id)
{
    ig_tensor *t;
    const int64_t count = n;
    IG_TRY(ig_tensor_in_arena(g->arena, INGOT_INT64, 1, &count, NULL, &t, ctx->err));
    if (n) memcpy(t->data, v, (size_t)n * sizeof *v);
    *id = ig_graph_add_constant(g, NULL, t);
    return *id == IG_NONE ? IG_NOMEM(ctx->err, sizeof(ig_value)) : INGOT_OK;
}

ig_status ig_build_reshape(ig_pass_ctx *ctx, ig_graph *g, uint32_t input, const int64_t *shape,
                           int rank, uint32_t output, ig_node **out)
{
    uint32_t inputs[2] = { input, IG_NONE };
    const bool is_fresh = output == IG_NONE;
    IG_TRY(int_constant(ctx, g, shape, rank, &inputs[1]));
    IG_TRY(ig_build_node(ctx, g, "", "Reshape", 13, "", inputs, 2, output, out));
    return is_fresh ? ig_reinfer(ctx, g, *out) : INGOT_OK;
}

ig_status ig_build_unsqueeze(ig_pass_ctx *ctx, ig_graph *g, uint32_t input, int n, ig_node **out)
{
    uint32_t inputs[2] = { input, IG_NONE };
    int64_t axes[IG_MAX_RANK];
    for (int i = 0; i < n; i++) axes[i] = i;
    IG_TRY(int_constant(ctx, g, axes, n, &inputs[1]));
    IG_TRY(ig_build_node(ctx, g, "", "Unsqueeze", 13, "", inputs, 2, IG_NONE, out));
    return ig_reinfer(ctx, g, *out);
}

bool ig_is_named(const ig_node *node, const char *op_type)
{
    return !*node->domain && !strcmp(node->op_type, op_type);
}

bool ig_is_transpose(const ig_graph *g, const ig_node *node, int perm[IG_MAX_RANK], int *rank)
{
    size_t n;
    if (!node || !ig_is_named(node, "Transpose") || node->n_inputs != 1 ||
        node->inputs[0] == IG_NONE)
        return false;
    *rank = g->values[node->inputs[0]]->info.rank;
    if (*rank < 0) return false;
    const int64_t *list = ig_attr_ints(node, "perm", &n);
    if (list && n != (size_t)*rank) return false;
    for (int d = 0; d < *rank; d++) {
        perm[d] = list ? (int)list[d] : *rank - 1 - d;
        if (perm[d] < 0) perm[d] += *rank;
        if (perm[d] < 0 || perm[d] >= *rank) return false;
    }
    return true;
}
