/* SPDX-License-Identifier: Apache-2.0 */
/* custom.c: from a registered operator to the nodes that use it. */
#include "ops/custom.h"

#include <string.h>

void ig_custom_def_init(ig_custom_def *custom, const ingot_op_def *def)
{
    custom->def = *def;
    custom->op = (ig_op){
        .onnx = def->name,
        .domain = def->domain,
        .since = { (uint8_t)(def->since_version < 255 ? def->since_version : 255) },
        .n_in = { (int8_t)def->n_inputs[0], (int8_t)def->n_inputs[1] },
        .any_kind = UINT16_MAX,
        .n_out = { (int8_t)def->n_outputs[0], (int8_t)def->n_outputs[1] },
        /* What is not known to be pure is treated as random: neither folded nor merged. */
        .flags = IG_OWN_HALF | (def->flags & INGOT_OP_PURE ? 0 : IG_RANDOM),
        .infer = ig_custom_infer,
        .ref = ig_custom_ref,
    };
}

/* What a graph captures would be inputs that nobody declared. */
static ig_status refuse_graphs(const ig_node *node, ig_error *err)
{
    for (uint32_t i = 0; i < node->n_attrs; i++)
        if (node->attrs[i].kind == IG_ATTR_GRAPH || node->attrs[i].kind == IG_ATTR_GRAPHS)
            return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                           "attribute %s is a graph, which custom operators cannot have",
                           node->attrs[i].name);
    return INGOT_OK;
}

ig_status ig_custom_find(const ingot_ops *ops, const ig_node *node, const ig_custom_def **out,
                         ig_error *err)
{
    const ig_custom_def *earliest = NULL;
    *out = NULL;
    for (size_t i = 0; ops && i < ops->n_defs; i++) {
        const ig_custom_def *custom = ops->defs[i];
        const int since = custom->def.since_version;
        if (strcmp(custom->def.name, node->op_type) != 0 ||
            strcmp(custom->def.domain, node->domain) != 0)
            continue;
        if (!earliest || since < earliest->def.since_version) earliest = custom;
        if (since <= node->opset && (!*out || since > (*out)->def.since_version)) *out = custom;
    }
    if (*out) return refuse_graphs(node, err);
    if (!earliest) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                   "custom operator %s of domain '%s' came with version %d, the model declares %d",
                   node->op_type, node->domain, earliest->def.since_version, node->opset);
}

ig_status ig_custom_settle(ingot_status status, ingot_error *said, const char *what, ig_error *err)
{
    if (status == INGOT_OK) return INGOT_OK;
    if ((unsigned)status >= INGOT_N_STATUS)
        return ig_fail(err, INGOT_ERR_INVALID, "%s of the custom operator returned %d, no status",
                       what, (int)status);
    said->message[sizeof said->message - 1] = '\0';
    if (said->message[0]) return ig_fail(err, status, "%s", said->message);
    return ig_fail(err, status, "%s of the custom operator failed (%s) and gave no reason", what,
                   ingot_status_name(status));
}

/* Callbacks read tensors as arrays; a constant may lie anywhere in the file. */
static ig_status align_attr(ig_graph *g, ig_attr *attr, ig_error *err)
{
    ig_tensor *copy = NULL;
    size_t bytes = 0;
    if (ig_tensor_is_aligned(attr->t) || !ig_tensor_bytes(attr->t, &bytes)) return INGOT_OK;
    IG_TRY(ig_tensor_in_arena(g->arena, attr->t->dtype, attr->t->rank, attr->t->dims, NULL, &copy,
                              err));
    memcpy(copy->data, attr->t->data, bytes);
    attr->t = copy;
    return INGOT_OK;
}

static ig_status prepare_attrs(ig_graph *g, ig_node *node, ig_error *err)
{
    for (uint32_t i = 0; i < node->n_attrs; i++) {
        ig_attr *attr = &node->attrs[i];
        if (attr->kind == IG_ATTR_TENSOR) IG_TRY(align_attr(g, attr, err));
    }
    return INGOT_OK;
}

ig_status ig_custom_attach(ig_custom *custom, const ig_custom_def *def, ig_graph *g, ig_node *node,
                           ig_error *err)
{
    const ingot_op_node seen = { node };
    ingot_error said = { INGOT_OK, "" };
    IG_TRY(prepare_attrs(g, node, err));
    ig_custom_node *n = ig_arena_get(g->arena, sizeof *n);
    if (!n) return IG_NOMEM(err, sizeof *n);
    *n = (ig_custom_node){ .op = def->op, .def = def };
    if (def->def.create) {
        const ingot_status status = def->def.create(def->def.user, &seen, &n->state, &said);
        IG_TRY(ig_custom_settle(status, &said, "create", err));
    }
    node->op = &n->op;
    n->next = custom->nodes;
    custom->nodes = n;
    return INGOT_OK;
}

void ig_custom_deinit(ig_custom *custom)
{
    for (ig_custom_node *n = custom->nodes; n; n = n->next) {
        const ingot_op_def *def = &n->def->def;
        if (def->create && def->destroy) def->destroy(def->user, n->state);
    }
    *custom = (ig_custom){ 0 };
}
