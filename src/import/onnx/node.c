/* SPDX-License-Identifier: Apache-2.0 */
/* node.c: NodeProto → node. */
#include <string.h>

#include "import/onnx/importer.h"

ig_status ig_onnx_node_read(ig_onnx_importer *m, ig_pb_bytes message, size_t index,
                            ig_onnx_node *node)
{
    const ig_pb_bytes none = { message.data, 0 };
    ig_pb r;
    ig_pb_field f;
    ig_status status;

    *node = (ig_onnx_node){ .message = message,
                            .op_type = none,
                            .domain = none,
                            .overload = none,
                            .name = none,
                            .index = index };
    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        ig_pb_bytes *text = f.number == 3   ? &node->name
                            : f.number == 4 ? &node->op_type
                            : f.number == 7 ? &node->domain
                            : f.number == 8 ? &node->overload
                                            : NULL;

        if (text) *text = ig_pb_span(&r, &f);
        node->n_inputs += f.number == 1;
        node->n_outputs += f.number == 2;
        node->n_attrs += f.number == 5;
    }
    node->domain = ig_onnx_domain(node->domain);
    status = r.status;
    if (!status && node->op_type.n == 0)
        status = ig_fail(m->err, INGOT_ERR_INVALID, "node has no operator type");
    if (!status && node->n_attrs > IG_ONNX_MAX_ATTRS)
        status = ig_fail(m->err, INGOT_ERR_LIMIT, "%zu attributes, at most %d are supported",
                         node->n_attrs, IG_ONNX_MAX_ATTRS);
    if (!status) status = ig_onnx_function_find(m, node, &node->function);
    if (status) ig_onnx_blame(m, node);
    return status;
}

void ig_onnx_blame(ig_onnx_importer *m, const ig_onnx_node *node)
{
    ig_onnx_text op = ig_onnx_printable(node->op_type), name = ig_onnx_printable(node->name);

    if (node->name.n)
        ig_error_prepend(m->err, "node %zu '%s' (%s)", node->index, name.s, op.s);
    else
        ig_error_prepend(m->err, "node %zu (%s)", node->index, op.s);
}

/* ---- Constant ---- */

static ig_status constant_of(ig_onnx_importer *m, const ig_onnx_attr *a, const ig_tensor **out)
{
    ig_attr value;
    ig_tensor *t = NULL;
    int64_t n;

    IG_TRY(ig_onnx_attr_decode(m, a, &value));
    n = (int64_t)value.n;
    switch (value.kind) {
    case IG_ATTR_TENSOR: *out = value.t; return INGOT_OK;
    case IG_ATTR_FLOAT: IG_TRY(ig_onnx_tensor_make(m, INGOT_FLOAT, 0, NULL, &value.f, &t)); break;
    case IG_ATTR_INT: IG_TRY(ig_onnx_tensor_make(m, INGOT_INT64, 0, NULL, &value.i, &t)); break;
    case IG_ATTR_STRING: IG_TRY(ig_onnx_tensor_make(m, INGOT_STRING, 0, NULL, &value.s, &t)); break;
    case IG_ATTR_FLOATS:
        IG_TRY(ig_onnx_tensor_make(m, INGOT_FLOAT, 1, &n, value.floats, &t));
        break;
    case IG_ATTR_INTS: IG_TRY(ig_onnx_tensor_make(m, INGOT_INT64, 1, &n, value.ints, &t)); break;
    case IG_ATTR_STRINGS:
        IG_TRY(ig_onnx_tensor_make(m, INGOT_STRING, 1, &n, value.strings, &t));
        break;
    default: return ig_fail(m->err, INGOT_ERR_INVALID, "attribute '%s' is no tensor", value.name);
    }
    *out = t;
    return INGOT_OK;
}

ig_status ig_onnx_constant_read(ig_onnx_importer *m, const ig_onnx_scope *scope,
                                const ig_onnx_node *node, const ig_tensor **out)
{
    static const char *const names[] = { "value",        "sparse_value", "value_float",
                                         "value_floats", "value_int",    "value_ints",
                                         "value_string", "value_strings" };
    ig_pb r;
    ig_pb_field f;

    *out = NULL;
    ig_pb_init(&r, m->data, node->message, m->err);
    while (ig_pb_next(&r, &f)) {
        ig_onnx_attr attr;
        bool is_there, is_value = false;

        if (f.number != 5) continue;
        IG_TRY(ig_onnx_attr_read(m, scope, ig_pb_span(&r, &f), &attr, &is_there));
        for (size_t i = 0; i < IG_COUNT(names); i++)
            if (ig_onnx_same(attr.name, names[i])) is_value = true;
        if (is_there && is_value && *out)
            return ig_fail(m->err, INGOT_ERR_INVALID, "constant has more than one value");
        if (is_there && is_value) IG_TRY(constant_of(m, &attr, out));
    }
    IG_TRY(r.status);
    if (!*out) return ig_fail(m->err, INGOT_ERR_INVALID, "constant has no value");
    return INGOT_OK;
}

/* ---- first walk: outputs ---- */

static bool is_constant(const ig_onnx_node *node)
{
    return !node->function && node->domain.n == 0 && ig_onnx_same(node->op_type, "Constant");
}

/* Defines an output, or takes the value that a function's caller has for it already. */
static ig_status define_output(ig_onnx_importer *m, ig_onnx_scope *scope, ig_pb_bytes name,
                               uint32_t *id)
{
    *id = ig_map_get(&scope->outputs, name.n ? (const char *)name.data : "", name.n);
    if (*id == IG_MAP_NONE || name.n == 0) return ig_onnx_define(m, scope, name, id);
    return ig_onnx_bind(m, scope, name, *id);
}

static ig_status define_outputs(ig_onnx_importer *m, ig_onnx_scope *scope, const ig_onnx_node *node)
{
    uint32_t id = IG_NONE;
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, node->message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number != 2) continue;
        if (ig_pb_span(&r, &f).n || is_constant(node))
            IG_TRY(define_output(m, scope, f.bytes, &id));
    }
    IG_TRY(r.status);
    if (!node->function) IG_TRY(ig_onnx_count_operator(m, node));
    if (scope->is_function && m->n_inlined_nodes++ >= IG_ONNX_MAX_INLINED_NODES)
        return ig_fail(m->err, INGOT_ERR_LIMIT, "functions are more than %d nodes when inlined",
                       IG_ONNX_MAX_INLINED_NODES);
    if (is_constant(node)) {
        const ig_tensor *data;

        if (node->n_outputs != 1)
            return ig_fail(m->err, INGOT_ERR_INVALID, "constant has %zu outputs", node->n_outputs);
        IG_TRY(ig_onnx_constant_read(m, scope, node, &data));
        if (data->rank > 0) m->model->n_parameters += ig_tensor_count(data);
        ig_onnx_set_constant(scope->g, id, data);
    }
    return INGOT_OK;
}

/* ---- second walk: inputs, attributes, subgraphs ---- */

/* What becomes an ig_node, in scratch memory. */
typedef struct draft {
    uint32_t *inputs, *outputs;
    size_t n_inputs, cap_inputs, n_outputs;
    ig_attr *attrs;
    uint32_t n_attrs;
} draft;

static ig_status draft_values(ig_onnx_importer *m, ig_onnx_scope *scope, const ig_onnx_node *node,
                              draft *d)
{
    ig_pb r;
    ig_pb_field f;
    uint32_t id;

    d->cap_inputs = node->n_inputs;
    d->inputs = ig_arena_array(&m->scratch, node->n_inputs, sizeof *d->inputs);
    d->outputs = ig_arena_array(&m->scratch, node->n_outputs, sizeof *d->outputs);
    if (!d->inputs || !d->outputs) return IG_NOMEM(m->err, node->n_inputs + node->n_outputs);
    ig_pb_init(&r, m->data, node->message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number != 1 && f.number != 2) continue;
        IG_TRY(ig_onnx_resolve(m, scope, ig_pb_span(&r, &f), &id));
        if (f.number == 1)
            d->inputs[d->n_inputs++] = id;
        else
            d->outputs[d->n_outputs++] = id;
    }
    return r.status;
}

static ig_status draft_graph(ig_onnx_importer *m, ig_onnx_scope *scope, const ig_onnx_attr *attr,
                             draft *d, ig_attr *out)
{
    const ig_onnx_capture *captures = NULL;
    ig_status status;

    if (attr->is_bound)
        return ig_fail(m->err, INGOT_ERR_UNSUPPORTED,
                       "attribute '%s': graphs as attributes of functions are not supported",
                       ig_onnx_printable(attr->name).s);
    if (!attr->has_g)
        return ig_fail(m->err, INGOT_ERR_INVALID, "attribute '%s' has no graph",
                       ig_onnx_printable(attr->name).s);
    *out = (ig_attr){ .kind = IG_ATTR_GRAPH, .n = 1, .first_capture = (uint32_t)d->n_inputs };
    IG_TRY(ig_onnx_intern(m, attr->name, "attribute name", &out->name));
    status = ig_onnx_subgraph_import(m, scope, attr->g, &out->g, &captures);
    if (status) {
        ig_error_prepend(m->err, "%s", ig_onnx_printable(attr->name).s);
        return status;
    }
    for (size_t i = 0; i < out->g->n_captures; i++)
        if (!IG_ARENA_PUSH(&m->scratch, d->inputs, d->n_inputs, d->cap_inputs, captures[i].outer))
            return IG_NOMEM(m->err, sizeof *d->inputs);
    return INGOT_OK;
}

static ig_status draft_attrs(ig_onnx_importer *m, ig_onnx_scope *scope, const ig_onnx_node *node,
                             draft *d)
{
    ig_pb r;
    ig_pb_field f;

    if (!node->n_attrs) return INGOT_OK;
    d->attrs = ig_arena_array(m->arena, node->n_attrs, sizeof *d->attrs);
    if (!d->attrs) return IG_NOMEM(m->err, node->n_attrs * sizeof *d->attrs);
    ig_pb_init(&r, m->data, node->message, m->err);
    while (ig_pb_next(&r, &f)) {
        ig_attr *out = &d->attrs[d->n_attrs];
        ig_onnx_attr attr;
        bool is_there;

        if (f.number != 5) continue;
        IG_TRY(ig_onnx_attr_read(m, scope, ig_pb_span(&r, &f), &attr, &is_there));
        if (!is_there) continue;
        if (attr.type == IG_ONNX_ATTR_GRAPH)
            IG_TRY(draft_graph(m, scope, &attr, d, out));
        else
            IG_TRY(ig_onnx_attr_decode(m, &attr, out));
        for (uint32_t i = 0; i < d->n_attrs; i++)
            if (d->attrs[i].name == out->name) /* interned */
                return ig_fail(m->err, INGOT_ERR_INVALID, "attribute '%s' is given twice",
                               out->name);
        d->n_attrs++;
    }
    return r.status;
}

/* Not interned: hardly two nodes have the same. */
static ig_status node_name(ig_onnx_importer *m, const ig_onnx_scope *scope,
                           const ig_onnx_node *node, const char **out)
{
    const ig_pb_bytes part = scope->prefix[0] && !node->name.n ? node->op_type : node->name;

    IG_TRY(ig_onnx_check_name(m, part, "node name"));
    *out = "";
    if (scope->prefix[0])
        *out = ig_arena_printf(m->arena, "%s%.*s", scope->prefix, (int)part.n, part.data);
    else if (part.n)
        *out = ig_arena_strndup(m->arena, (const char *)part.data, part.n);
    return *out ? INGOT_OK : IG_NOMEM(m->err, part.n);
}

static ig_status import_node(ig_onnx_importer *m, ig_onnx_scope *scope, const ig_onnx_node *node)
{
    draft d = { 0 };
    const char *op_type, *domain, *name;
    ig_node *made;

    IG_TRY(draft_values(m, scope, node, &d));
    IG_TRY(draft_attrs(m, scope, node, &d));
    IG_TRY(ig_onnx_intern(m, node->op_type, "operator type", &op_type));
    IG_TRY(ig_onnx_intern(m, node->domain, "domain", &domain));
    IG_TRY(node_name(m, scope, node, &name));
    made = ig_graph_add_node(scope->g, IG_NONE, op_type, domain, name, d.inputs, d.n_inputs,
                             d.outputs, d.n_outputs);
    if (!made) return IG_NOMEM(m->err, sizeof *made);
    made->attrs = d.attrs;
    made->n_attrs = d.n_attrs;
    made->opset = ig_onnx_opset_of(m, scope->opsets, domain);
    return INGOT_OK;
}

ig_status ig_onnx_nodes_import(ig_onnx_importer *m, ig_onnx_scope *scope, ig_pb_bytes message,
                               uint32_t field)
{
    for (int walk = 0; walk < 2; walk++) {
        size_t index = 0;
        ig_pb r;
        ig_pb_field f;

        ig_pb_init(&r, m->data, message, m->err);
        while (ig_pb_next(&r, &f)) {
            ig_onnx_node node;
            ig_status status = INGOT_OK;

            if (f.number != field) continue;
            IG_TRY(ig_onnx_node_read(m, ig_pb_span(&r, &f), index++, &node));
            if (walk == 0)
                status = define_outputs(m, scope, &node);
            else if (node.function)
                status = ig_onnx_function_inline(m, scope, &node);
            else if (!is_constant(&node))
                status = import_node(m, scope, &node);
            if (status) {
                ig_onnx_blame(m, &node);
                return status;
            }
        }
        IG_TRY(r.status);
    }
    return INGOT_OK;
}
