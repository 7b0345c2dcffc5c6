/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c: GraphProto → graph: inputs, initializers, nodes, outputs. */
#include <string.h>

#include "import/onnx/importer.h"

/* One graph being imported. The inputs come first, so input i is value i. */
typedef struct draft {
    ig_onnx_scope scope;
    bool is_main;
    /* Of the main graph, in the arena; of subgraphs, which may be many, they are only counted. */
    ig_onnx_io *inputs, *outputs;
    size_t n_inputs, cap_inputs, n_outputs, cap_outputs;
} draft;

/* Runs `each` on every field of that number. */
typedef ig_status (*field_fn)(ig_onnx_importer *m, draft *d, ig_pb_bytes message);

static ig_status for_each(ig_onnx_importer *m, draft *d, ig_pb_bytes graph, uint32_t number,
                          field_fn each)
{
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, graph, m->err);
    while (ig_pb_next(&r, &f))
        if (f.number == number) IG_TRY(each(m, d, ig_pb_span(&r, &f)));
    return r.status;
}

static bool add_io(ig_onnx_importer *m, const draft *d, ig_onnx_io **items, size_t *n, size_t *cap,
                   const ig_onnx_io *io)
{
    if (d->is_main) return IG_ARENA_PUSH(m->arena, *items, *n, *cap, *io);
    (*n)++;
    return true;
}

/* ---- inputs ---- */

/* Dimensions of the main graph's inputs: what the file does not fix gets a name, by which a run
 * binds it. */
static ig_status set_input_dims(ig_onnx_importer *m, ig_value *value, const ig_onnx_io *io)
{
    value->info.rank = io->type.kind == INGOT_KIND_TENSOR ? io->rank : -1;
    for (int i = 0; i < value->info.rank; i++) {
        const char *name = io->dim_names[i];

        value->info.dims[i] = io->dims[i];
        if (io->dims[i] >= 0) continue;
        if (!name) name = ig_arena_printf(m->arena, "%s[%d]", value->name, i);
        if (!name) return IG_NOMEM(m->err, strlen(value->name));
        value->info.dims[i] = ig_dim_input(m->dims, name, strlen(name));
    }
    return m->dims->has_failed ? IG_NOMEM(m->err, sizeof *io) : INGOT_OK;
}

static ig_status add_input(ig_onnx_importer *m, draft *d, ig_pb_bytes message)
{
    ig_graph *g = d->scope.g;
    bool has_type = false;
    ig_pb_bytes name = { message.data, 0 };
    ig_onnx_io io;
    uint32_t id = IG_NONE;
    ig_status status = ig_onnx_value_info_read(m, message, &name, &io, &has_type);

    if (!status && name.n == 0) status = ig_fail(m->err, INGOT_ERR_INVALID, "has no name");
    if (!status && d->is_main && io.type.dtype == INGOT_UNDEFINED)
        status = ig_fail(m->err, INGOT_ERR_INVALID, "has no element type");
    if (!status) status = ig_onnx_define(m, &d->scope, name, &id);
    if (status) {
        ig_error_prepend(m->err, "input '%s'", ig_onnx_printable(name).s);
        return status;
    }
    io.name = g->values[id]->name;
    g->values[id]->info.type = io.type;
    if (d->is_main) IG_TRY(set_input_dims(m, g->values[id], &io));
    if (!add_io(m, d, &d->inputs, &d->n_inputs, &d->cap_inputs, &io) || !ig_graph_add_input(g, id))
        return IG_NOMEM(m->err, sizeof io);
    return INGOT_OK;
}

/* ---- initializers ---- */

/* An initializer that has an input's name. */
static ig_status set_default(ig_onnx_importer *m, draft *d, uint32_t id, const ig_tensor *data)
{
    ig_onnx_io *io;
    bool fits;
    char shape[128];

    if (!d->is_main)
        return ig_fail(m->err, INGOT_ERR_UNSUPPORTED,
                       "input '%s' of a subgraph is an initializer too",
                       d->scope.g->values[id]->name);
    io = &d->inputs[id];
    fits = io->type.kind == INGOT_KIND_TENSOR && io->type.dtype == data->dtype &&
           (io->rank < 0 || io->rank == data->rank);
    if (io->default_value)
        return ig_fail(m->err, INGOT_ERR_INVALID, "initializer '%s' is given twice", io->name);
    if (m->model->ir_version >= 4) {
        for (int i = 0; fits && i < io->rank; i++)
            fits = io->dims[i] < 0 || io->dims[i] == data->dims[i];
        if (!fits)
            return ig_fail(
                m->err, INGOT_ERR_INVALID,
                "initializer '%s' is %s, which is not what the input of that name "
                "declares",
                io->name,
                ig_shape_format(data->dtype, data->rank, data->dims, shape, sizeof shape));
    }
    io->default_value = data;
    return INGOT_OK;
}

static ig_status add_tensor(ig_onnx_importer *m, draft *d, ig_pb_bytes name, const ig_tensor *data)
{
    uint32_t id;

    m->model->n_parameters += ig_tensor_count(data);
    if (name.n == 0) return INGOT_OK; /* nothing can refer to it */
    id = ig_map_get(&d->scope.names, (const char *)name.data, name.n);
    if (id != IG_MAP_NONE && id < d->n_inputs) return set_default(m, d, id, data);
    IG_TRY(ig_onnx_define(m, &d->scope, name, &id));
    ig_onnx_set_constant(d->scope.g, id, data);
    return INGOT_OK;
}

static ig_status add_initializer(ig_onnx_importer *m, draft *d, ig_pb_bytes message)
{
    const ig_tensor *data = NULL;
    ig_pb_bytes name = { message.data, 0 };
    ig_status status = ig_onnx_tensor_import(m, message, &name, &data);

    if (status) {
        ig_error_prepend(m->err, "initializer");
        return status;
    }
    return add_tensor(m, d, name, data);
}

static ig_status add_sparse_initializer(ig_onnx_importer *m, draft *d, ig_pb_bytes message)
{
    const ig_tensor *data = NULL;
    ig_pb_bytes name = { message.data, 0 };
    ig_status status = ig_onnx_sparse_import(m, message, &name, &data);

    if (status) {
        ig_error_prepend(m->err, "initializer");
        return status;
    }
    return add_tensor(m, d, name, data);
}

/* ---- outputs ---- */

static ig_status add_output(ig_onnx_importer *m, draft *d, ig_pb_bytes message)
{
    bool has_type = false;
    ig_pb_bytes name = { message.data, 0 };
    ig_onnx_io io;
    uint32_t id = IG_NONE;
    ig_status status = ig_onnx_value_info_read(m, message, &name, &io, &has_type);

    if (!status && name.n == 0) status = ig_fail(m->err, INGOT_ERR_INVALID, "has no name");
    if (!status) status = ig_onnx_resolve(m, &d->scope, name, &id);
    if (!status && id == IG_NONE)
        status = ig_fail(m->err, INGOT_ERR_INVALID, "is left out by the function's call");
    if (!status) status = ig_onnx_intern(m, name, "output name", &io.name);
    if (status) {
        ig_error_prepend(m->err, "output '%s'", ig_onnx_printable(name).s);
        return status;
    }
    if (!add_io(m, d, &d->outputs, &d->n_outputs, &d->cap_outputs, &io) ||
        !ig_graph_add_output(d->scope.g, id))
        return IG_NOMEM(m->err, sizeof io);
    return INGOT_OK;
}

/* ---- whole graphs ---- */

static ig_status read_names(ig_onnx_importer *m, ig_pb_bytes message, const char **name)
{
    ig_pb r;
    ig_pb_field f;

    *name = "";
    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f))
        if (f.number == 2) IG_TRY(ig_onnx_text_copy(m, ig_pb_span(&r, &f), name));
    return r.status;
}

static bool is_computed(const ig_graph *g, uint32_t value)
{
    return value == IG_NONE || g->values[value]->is_input || g->values[value]->info.data ||
           g->values[value]->producer != IG_NONE;
}

/* A call of a function that hands its input through to the very same value defines it by itself:
 * after inlining nothing is left that computes it. */
static ig_status check_computed(const ig_graph *g, ig_error *err)
{
    for (size_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i]->n_inputs; k++)
            if (!is_computed(g, g->nodes[i]->inputs[k]))
                return ig_fail(err, INGOT_ERR_INVALID,
                               "value '%s' needs itself: the graph has a cycle",
                               g->values[g->nodes[i]->inputs[k]]->name);
    for (size_t i = 0; i < g->n_outputs; i++)
        if (!is_computed(g, g->outputs[i]))
            return ig_fail(err, INGOT_ERR_INVALID,
                           "output '%s' needs itself: the graph has a cycle",
                           g->values[g->outputs[i]]->name);
    return INGOT_OK;
}

static ig_status import_graph(ig_onnx_importer *m, draft *d, ig_pb_bytes message)
{
    enum { NODE = 1, INITIALIZER = 5, INPUT = 11, OUTPUT = 12, SPARSE_INITIALIZER = 15 };

    d->scope.root = &d->scope;
    d->scope.prefix = "";
    ig_map_init(&d->scope.names, &m->scratch);
    ig_map_init(&d->scope.outputs, &m->scratch);
    IG_TRY(for_each(m, d, message, INPUT, add_input));
    IG_TRY(for_each(m, d, message, INITIALIZER, add_initializer));
    IG_TRY(for_each(m, d, message, SPARSE_INITIALIZER, add_sparse_initializer));
    if (d->is_main) {
        m->model->inputs = d->inputs;
        /* Before IR version 4 every initializer had to be an input too. */
        if (m->model->ir_version < 4) ig_onnx_freeze_defaults(m->model, NULL);
    }
    IG_TRY(ig_onnx_nodes_import(m, &d->scope, message, NODE));
    IG_TRY(for_each(m, d, message, OUTPUT, add_output));
    IG_TRY(ig_graph_sort(d->scope.g, m->err)); /* indexes, too */
    return check_computed(d->scope.g, m->err);
}

ig_status ig_onnx_subgraph_import(ig_onnx_importer *m, ig_onnx_scope *outer, ig_pb_bytes message,
                                  ig_graph **out, const ig_onnx_capture **captures)
{
    draft d = { .scope = { .parent = outer,
                           .is_function = outer->is_function,
                           .bindings = outer->bindings,
                           .n_bindings = outer->n_bindings,
                           .opsets = outer->opsets } };
    const char *name;

    if (m->depth >= IG_ONNX_MAX_DEPTH)
        return ig_fail(m->err, INGOT_ERR_LIMIT, "functions and subgraphs are nested deeper than %d",
                       IG_ONNX_MAX_DEPTH);
    IG_TRY(read_names(m, message, &name));
    d.scope.g = ig_graph_create(m->arena, m->dims, name);
    if (!d.scope.g) return IG_NOMEM(m->err, sizeof *d.scope.g);
    m->depth++;
    IG_TRY(import_graph(m, &d, message));
    m->depth--;
    *out = d.scope.g;
    *captures = d.scope.captures;
    return INGOT_OK;
}

ig_status ig_onnx_main_graph_import(ig_onnx_importer *m, const ig_onnx_opsets *opsets,
                                    ig_pb_bytes message)
{
    draft d = { .scope = { .opsets = opsets }, .is_main = true };
    ig_onnx_model *model = m->model;

    IG_TRY(read_names(m, message, &model->graph_name));
    d.scope.g = ig_graph_create(m->arena, m->dims, model->graph_name);
    if (!d.scope.g) return IG_NOMEM(m->err, sizeof *d.scope.g);
    model->graph = d.scope.g;
    model->graph->opsets = opsets->items;
    model->graph->n_opsets = opsets->n;
    model->graph->cap_opsets = opsets->cap;
    IG_TRY(import_graph(m, &d, message));
    if (model->graph->n_outputs == 0)
        return ig_fail(m->err, INGOT_ERR_INVALID, "the graph has no outputs");
    model->outputs = d.outputs;
    return INGOT_OK;
}
