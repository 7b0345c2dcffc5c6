/* SPDX-License-Identifier: Apache-2.0 */
/* function.c: calls of model-local functions are replaced by the functions' bodies. */
#include <string.h>

#include "import/onnx/importer.h"

/* ---- the table ---- */

/* Domain, name and overload make the key; lengths in front keep it unambiguous. */
static ig_status make_key(ig_onnx_importer *m, ig_pb_bytes domain, ig_pb_bytes name,
                          ig_pb_bytes overload, char **key, size_t *key_bytes)
{
    const ig_pb_bytes parts[3] = { ig_onnx_domain(domain), name, overload };
    size_t n = 3 * sizeof(size_t);
    char *p;

    for (int i = 0; i < 3; i++) {
        if (parts[i].n > IG_ONNX_MAX_NAME_BYTES)
            return ig_fail(m->err, INGOT_ERR_LIMIT, "name of %zu bytes", parts[i].n);
        n += parts[i].n;
    }
    *key = p = ig_arena_get(&m->scratch, n);
    if (!p) return IG_NOMEM(m->err, n);
    for (int i = 0; i < 3; i++) {
        memcpy(p, &parts[i].n, sizeof parts[i].n);
        p += sizeof parts[i].n;
        if (parts[i].n) memcpy(p, parts[i].data, parts[i].n);
        p += parts[i].n;
    }
    *key_bytes = n;
    return INGOT_OK;
}

ig_status ig_onnx_function_add(ig_onnx_importer *m, ig_pb_bytes message)
{
    ig_pb_bytes name = { message.data, 0 }, domain = name, overload = name;
    ig_onnx_function function = { .message = message };
    char *key;
    size_t key_bytes;
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 1) name = ig_pb_span(&r, &f);
        if (f.number == 10) domain = ig_pb_span(&r, &f);
        if (f.number == 13) overload = ig_pb_span(&r, &f);
    }
    IG_TRY(r.status);
    if (name.n == 0) return ig_fail(m->err, INGOT_ERR_INVALID, "function without a name");
    IG_TRY(ig_onnx_intern(m, name, "function name", &function.name));
    IG_TRY(make_key(m, domain, name, overload, &key, &key_bytes));
    if (ig_map_get(&m->function_by_key, key, key_bytes) != IG_MAP_NONE)
        return ig_fail(m->err, INGOT_ERR_INVALID, "function '%s' is defined twice",
                       ig_onnx_printable(name).s);
    if (!IG_ARENA_PUSH(&m->scratch, m->functions, m->n_functions, m->cap_functions, function) ||
        !ig_map_put(&m->function_by_key, key, key_bytes, (uint32_t)(m->n_functions - 1)))
        return IG_NOMEM(m->err, sizeof function);
    return INGOT_OK;
}

ig_status ig_onnx_function_find(ig_onnx_importer *m, const ig_onnx_node *node,
                                ig_onnx_function **out)
{
    char *key;
    size_t key_bytes;
    uint32_t i;

    *out = NULL;
    if (m->n_functions == 0) return INGOT_OK;
    IG_TRY(make_key(m, node->domain, node->op_type, node->overload, &key, &key_bytes));
    i = ig_map_get(&m->function_by_key, key, key_bytes);
    if (i != IG_MAP_NONE) *out = &m->functions[i];
    return INGOT_OK;
}

/* ---- a call ---- */

/* What a call passes: ids of inputs and outputs, in order, and attributes. */
typedef struct call_args {
    uint32_t *inputs, *outputs;
    size_t n_inputs, n_outputs;
    ig_onnx_binding *bindings;
    size_t n_bindings, cap_bindings;
} call_args;

static const ig_onnx_binding *find_binding(const call_args *args, ig_pb_bytes name)
{
    for (size_t i = 0; i < args->n_bindings; i++)
        if (args->bindings[i].name.n == name.n &&
            memcmp(args->bindings[i].name.data, name.data, name.n) == 0)
            return &args->bindings[i];
    return NULL;
}

static ig_status add_binding(ig_onnx_importer *m, call_args *args, ig_pb_bytes name,
                             ig_pb_bytes attribute)
{
    ig_onnx_binding binding = { name, attribute };

    if (args->n_bindings == IG_ONNX_MAX_ATTRS)
        return ig_fail(m->err, INGOT_ERR_LIMIT, "more than %d attributes", IG_ONNX_MAX_ATTRS);
    if (!IG_ARENA_PUSH(&m->scratch, args->bindings, args->n_bindings, args->cap_bindings, binding))
        return IG_NOMEM(m->err, sizeof binding);
    return INGOT_OK;
}

/* Reads the call's side: values and attributes, the latter through the caller's own bindings. */
static ig_status read_call(ig_onnx_importer *m, ig_onnx_scope *caller, const ig_onnx_node *call,
                           call_args *args)
{
    ig_pb r;
    ig_pb_field f;
    uint32_t id;

    args->inputs = ig_arena_array(&m->scratch, call->n_inputs, sizeof *args->inputs);
    args->outputs = ig_arena_array(&m->scratch, call->n_outputs, sizeof *args->outputs);
    if (!args->inputs || !args->outputs) return IG_NOMEM(m->err, call->n_inputs);
    ig_pb_init(&r, m->data, call->message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 1 || f.number == 2) {
            IG_TRY(ig_onnx_resolve(m, caller, ig_pb_span(&r, &f), &id));
            if (f.number == 1)
                args->inputs[args->n_inputs++] = id;
            else
                args->outputs[args->n_outputs++] = id;
        } else if (f.number == 5) {
            ig_onnx_attr attr;
            bool is_there;

            IG_TRY(ig_onnx_attr_read(m, caller, ig_pb_span(&r, &f), &attr, &is_there));
            if (!is_there) continue;
            if (find_binding(args, attr.name))
                return ig_fail(m->err, INGOT_ERR_INVALID, "attribute '%s' is given twice",
                               ig_onnx_printable(attr.name).s);
            IG_TRY(add_binding(m, args, attr.name, attr.message));
        }
    }
    return r.status;
}

/* Binds formal input number n to what the call passes. */
static ig_status bind_input(ig_onnx_importer *m, ig_onnx_scope *body, const call_args *args,
                            size_t n, ig_pb_bytes name)
{
    uint32_t id = n < args->n_inputs ? args->inputs[n] : IG_NONE;

    if (name.n == 0) return ig_fail(m->err, INGOT_ERR_INVALID, "function input without a name");
    return ig_onnx_bind(m, body, name, id == IG_NONE ? IG_ONNX_ABSENT : id);
}

/* Formal output number n will be the caller's value, where the call wants one. */
static ig_status expect_output(ig_onnx_importer *m, ig_onnx_scope *body, const call_args *args,
                               size_t n, ig_pb_bytes name)
{
    const char *key = name.n ? (const char *)name.data : "";

    if (name.n == 0) return ig_fail(m->err, INGOT_ERR_INVALID, "function output without a name");
    if (n >= args->n_outputs || args->outputs[n] == IG_NONE) return INGOT_OK;
    if (ig_map_get(&body->outputs, key, name.n) != IG_MAP_NONE) return INGOT_OK; /* listed twice */
    if (!ig_map_put(&body->outputs, key, name.n, args->outputs[n])) return IG_NOMEM(m->err, name.n);
    return INGOT_OK;
}

/* Reads the function's side: formal inputs and outputs, defaults of attributes, opsets. */
static ig_status read_signature(ig_onnx_importer *m, const ig_onnx_function *function,
                                ig_onnx_scope *body, call_args *args, ig_onnx_opsets *opsets)
{
    size_t n_in = 0, n_out = 0;
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, function->message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 4) IG_TRY(bind_input(m, body, args, n_in++, ig_pb_span(&r, &f)));
        if (f.number == 5) IG_TRY(expect_output(m, body, args, n_out++, ig_pb_span(&r, &f)));
        if (f.number == 9) IG_TRY(ig_onnx_opset_add(m, opsets, ig_pb_span(&r, &f)));
        if (f.number == 11) {
            ig_onnx_attr attr;
            bool is_there;

            IG_TRY(ig_onnx_attr_read(m, body, ig_pb_span(&r, &f), &attr, &is_there));
            if (is_there && !find_binding(args, attr.name))
                IG_TRY(add_binding(m, args, attr.name, attr.message));
        }
    }
    IG_TRY(r.status);
    if (args->n_inputs > n_in || args->n_outputs > n_out)
        return ig_fail(m->err, INGOT_ERR_INVALID,
                       "call has %zu inputs and %zu outputs, function '%s' %zu and %zu",
                       args->n_inputs, args->n_outputs, function->name, n_in, n_out);
    return INGOT_OK;
}

/* A formal output that no node of the body made is an input passed through, or listed twice. */
static ig_status pass_through(ig_onnx_importer *m, ig_onnx_scope *body, uint32_t to,
                              ig_pb_bytes name)
{
    uint32_t from;
    ig_node *node;

    IG_TRY(ig_onnx_resolve(m, body, name, &from));
    if (from == to) return INGOT_OK;
    if (from == IG_NONE)
        return ig_fail(m->err, INGOT_ERR_INVALID,
                       "function output '%s' is an input that the call leaves out",
                       ig_onnx_printable(name).s);
    node = ig_graph_add_node(body->g, IG_NONE, "Identity", "", body->prefix, &from, 1, &to, 1);
    if (!node) return IG_NOMEM(m->err, sizeof *node);
    node->opset = ig_onnx_opset_of(m, body->opsets, "");
    return INGOT_OK;
}

static ig_status finish_outputs(ig_onnx_importer *m, const ig_onnx_function *function,
                                ig_onnx_scope *body, const call_args *args)
{
    size_t n = 0;
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, function->message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number != 5) continue;
        if (n < args->n_outputs && args->outputs[n] != IG_NONE)
            IG_TRY(pass_through(m, body, args->outputs[n], ig_pb_span(&r, &f)));
        n++;
    }
    return r.status;
}

static ig_status inline_body(ig_onnx_importer *m, ig_onnx_scope *caller, const ig_onnx_node *call)
{
    ig_onnx_function *function = call->function;
    ig_onnx_opsets opsets = { 0 };
    call_args args = { 0 };
    ig_onnx_scope body = { .g = caller->g, .root = caller->root, .is_function = true };

    ig_map_init(&body.names, &m->scratch);
    ig_map_init(&body.outputs, &m->scratch);
    body.prefix = ig_arena_printf(m->arena, "%s#%u/", function->name, (unsigned)m->n_calls++);
    if (!body.prefix) return IG_NOMEM(m->err, strlen(function->name));
    IG_TRY(read_call(m, caller, call, &args));
    IG_TRY(read_signature(m, function, &body, &args, &opsets));
    body.bindings = args.bindings;
    body.n_bindings = args.n_bindings;
    body.opsets = &opsets;
    IG_TRY(ig_onnx_nodes_import(m, &body, function->message, 7));
    return finish_outputs(m, function, &body, &args);
}

ig_status ig_onnx_function_inline(ig_onnx_importer *m, ig_onnx_scope *caller,
                                  const ig_onnx_node *call)
{
    ig_onnx_function *function = call->function;
    ig_status status;

    if (function->is_active)
        return ig_fail(m->err, INGOT_ERR_INVALID, "function '%s' calls itself",
                       ig_onnx_printable(call->op_type).s);
    if (m->depth >= IG_ONNX_MAX_DEPTH)
        return ig_fail(m->err, INGOT_ERR_LIMIT, "functions and subgraphs are nested deeper than %d",
                       IG_ONNX_MAX_DEPTH);
    m->inlined_bytes += function->message.n + call->message.n + IG_ONNX_CALL_BYTES;
    if (m->inlined_bytes > IG_ONNX_MAX_INLINED + m->data_bytes)
        return ig_fail(m->err, INGOT_ERR_LIMIT, "functions are more than %d bytes when inlined",
                       IG_ONNX_MAX_INLINED);
    function->is_active = true;
    m->depth++;
    status = inline_body(m, caller, call);
    m->depth--;
    function->is_active = false;
    return status;
}
