/* SPDX-License-Identifier: Apache-2.0 */
/* find.c: from the name in a file to the operator's record. */
#include <stdio.h>
#include <string.h>

#include "ops/custom.h"

#define MAX_SUGGESTED_DISTANCE 2

static const char *domain_of(const ig_op *op) { return op->domain ? op->domain : ""; }

/* ai.onnx has two spellings. */
static const char *canonical_domain(const char *domain)
{
    return domain == NULL || strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

/* Levenshtein distance, or a large number for long words. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[64];
    const size_t na = strlen(a), nb = strlen(b);
    if (na >= IG_COUNT(row) || nb >= IG_COUNT(row)) return 1000;
    for (size_t j = 0; j <= nb; j++) row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            const size_t above = row[j];
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = above;
            row[j] = best;
        }
    }
    return row[nb];
}

static const ig_op *nearest(const char *op_type)
{
    const ig_op *best = NULL;
    size_t distance = MAX_SUGGESTED_DISTANCE + 1;
    for (size_t i = 0; i < ig_ops_count(); i++) {
        const size_t d = edit_distance(op_type, ig_ops_at(i)->onnx);
        if (d < distance) distance = d, best = ig_ops_at(i);
    }
    return best;
}

/* What ONNX has and Ingot leaves out, and why. */
static const struct {
    const char *domain, *op_type, *why;
} left_out[] = {
    { "ai.onnx.preview.training", "Gradient",
      "it differentiates the graph, which is for training; export the model for inference" },
    { "com.microsoft", "EPContext",
      "it holds a graph that was compiled for one execution provider and device; use the model it "
      "was made from" },
};

static ig_status unknown(const char *domain, const char *op_type, int64_t opset, ig_error *err)
{
    for (size_t i = 0; i < IG_COUNT(left_out); i++)
        if (!strcmp(left_out[i].domain, domain) && !strcmp(left_out[i].op_type, op_type))
            return ig_fail(err, INGOT_ERR_UNSUPPORTED, "operator %s is not supported: %s", op_type,
                           left_out[i].why);
    const ig_op *guess = nearest(op_type);
    char hint[128] = "";
    if (guess && strcmp(guess->onnx, op_type) == 0)
        snprintf(hint, sizeof hint, "; domain '%s' has one of that name",
                 guess->domain ? guess->domain : "ai.onnx");
    else if (guess)
        snprintf(hint, sizeof hint, "; did the exporter mean %s?", guess->onnx);
    return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                   "operator %.100s of domain '%.60s', version %lld, is not known%s; a library of "
                   "custom operators (--custom-op, ingot_op_register) can supply it",
                   op_type, domain[0] ? domain : "ai.onnx", (long long)opset, hint);
}

const ig_op *ig_ops_find(const char *domain, const char *op_type, int64_t opset, ig_error *err)
{
    domain = canonical_domain(domain);
    for (size_t i = 0; i < ig_ops_count(); i++) {
        const ig_op *op = ig_ops_at(i);
        if (strcmp(op->onnx, op_type) != 0 || strcmp(domain_of(op), domain) != 0) continue;
        if (opset < op->since[0]) {
            (void)ig_fail(err, INGOT_ERR_UNSUPPORTED,
                          "operator %s came with opset %d, the model declares %lld", op_type,
                          op->since[0], (long long)opset);
            return NULL;
        }
        if (op->until && opset > op->until) {
            (void)ig_fail(err, INGOT_ERR_UNSUPPORTED,
                          "operator %s was removed after opset %d, the model declares %lld",
                          op_type, op->until, (long long)opset);
            return NULL;
        }
        return op;
    }
    (void)unknown(domain, op_type, opset, err);
    return NULL;
}

static ig_status check_arity(ig_node *node, ig_error *err)
{
    const ig_op *op = node->op;
    const int most = op->n_in[1];
    /* Some exporters write absent inputs that the operator does not even have. Kernels find the
     * outputs behind the inputs: not one too many may stay. */
    while (most >= 0 && node->n_inputs > (uint32_t)most &&
           node->inputs[node->n_inputs - 1] == IG_NONE)
        node->n_inputs--;
    if (node->n_inputs < (uint32_t)op->n_in[0] || (most >= 0 && node->n_inputs > (uint32_t)most))
        return ig_fail(err, INGOT_ERR_INVALID, "has %u inputs, %s takes %d to %d", node->n_inputs,
                       op->onnx, op->n_in[0], most);
    if (node->n_outputs < (uint32_t)op->n_out[0] ||
        (op->n_out[1] >= 0 && node->n_outputs > (uint32_t)op->n_out[1]))
        return ig_fail(err, INGOT_ERR_INVALID, "has %u outputs, %s gives %d to %d", node->n_outputs,
                       op->onnx, op->n_out[0], op->n_out[1]);
    for (int i = 0; i < op->n_in[0]; i++)
        if (node->inputs[i] == IG_NONE && !(op->gaps >> i & 1))
            return ig_fail(err, INGOT_ERR_INVALID, "input %d of %s is missing", i, op->onnx);
    return INGOT_OK;
}

bool ig_ops_has(const char *domain, const char *op_type)
{
    domain = canonical_domain(domain);
    for (size_t i = 0; i < ig_ops_count(); i++)
        if (strcmp(ig_ops_at(i)->onnx, op_type) == 0 &&
            strcmp(domain_of(ig_ops_at(i)), domain) == 0)
            return true;
    return false;
}

/* node->op: Ingot's own operator, or the caller's. */
static ig_status find_op(ig_graph *g, ig_node *node, ig_custom *custom, ig_error *err)
{
    const ig_custom_def *def = NULL;
    if (custom) IG_TRY(ig_custom_find(custom->ops, node, &def, err));
    node->op = def ? &def->op : ig_ops_find(node->domain, node->op_type, node->opset, err);
    if (!node->op) return INGOT_ERR_UNSUPPORTED;
    IG_TRY(check_arity(node, err));
    IG_TRY(ig_attr_check_kinds(node, err));
    return def ? ig_custom_attach(custom, def, g, node, err) : INGOT_OK;
}

static ig_status resolve_node(ig_graph *g, ig_node *node, ig_custom *custom, ig_error *err)
{
    char text[256];
    const ig_status status = find_op(g, node, custom, err);
    if (status) {
        ig_error_prepend(err, "%s", ig_node_describe(g, node, text, sizeof text));
        return status;
    }
    for (uint32_t i = 0; i < node->n_attrs; i++) {
        const ig_attr *a = &node->attrs[i];
        if (a->kind == IG_ATTR_GRAPH) IG_TRY(ig_ops_resolve_with(a->g, custom, err));
        for (size_t k = 0; a->kind == IG_ATTR_GRAPHS && k < a->n; k++)
            IG_TRY(ig_ops_resolve_with(a->graphs[k], custom, err));
    }
    return INGOT_OK;
}

ig_status ig_ops_resolve_with(ig_graph *g, ig_custom *custom, ig_error *err)
{
    for (size_t i = 0; i < g->n_nodes; i++)
        if (!g->nodes[i]->is_dead) IG_TRY(resolve_node(g, g->nodes[i], custom, err));
    return INGOT_OK;
}

ig_status ig_ops_resolve(ig_graph *g, ig_error *err) { return ig_ops_resolve_with(g, NULL, err); }
