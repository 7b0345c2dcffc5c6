/* SPDX-License-Identifier: Apache-2.0 */
/* model.c: models: open, close, and what they say about themselves. */
#include <string.h>

#include "api/handles.h"

static ingot_model_options with_defaults(const ingot_model_options *given)
{
    ingot_model_options o = INGOT_MODEL_OPTIONS_INIT;
    if (given) /* a program built against an older header has a shorter struct */
        memcpy(&o, given, given->struct_bytes < sizeof o ? given->struct_bytes : sizeof o);
    return o;
}

static ig_status open_model(const char *path, const void *data, size_t bytes,
                            const ingot_model_options *given, ingot_model **out, ig_error *err)
{
    const ingot_model_options options = with_defaults(given);
    ig_alloc first;
    ig_error_clear(err);
    *out = NULL;
    if (options.allocator && (!options.allocator->alloc || !options.allocator->free))
        return ig_fail(err, INGOT_ERR_INVALID, "an allocator needs both alloc and free");
    if ((unsigned)options.opt_level > INGOT_OPT_NONE)
        return ig_fail(err, INGOT_ERR_INVALID, "optimisation level %d does not exist",
                       (int)options.opt_level);
    ig_alloc_init(&first, options.allocator, 0);
    ingot_model *m = ig_alloc_get(&first, sizeof *m, _Alignof(ingot_model), INGOT_MEM_OTHER);
    if (!m) return IG_NOMEM(err, sizeof *m);
    memset(m, 0, sizeof *m);
    ig_alloc_init(&m->alloc, options.allocator, options.max_memory_bytes);
    if (options.log) m->log = *options.log;
    atomic_init(&m->n_owners, 1);
    ig_status status =
        ig_compile(path, data, bytes, &options, &m->alloc, &m->log, &m->compiled, err);
    if (status) {
        status = ig_model_status(m, status, err);
        ig_alloc_put(&first, m, sizeof *m, INGOT_MEM_OTHER);
        return status;
    }
    m->ops = options.ops;
    if (m->ops) ig_ops_retain(m->ops);
    *out = m;
    return INGOT_OK;
}

ingot_status ingot_model_open(const char *path, const ingot_model_options *options,
                              ingot_model **out, ingot_error *err)
{
    return open_model(path, NULL, 0, options, out, err);
}

ingot_status ingot_model_open_memory(const void *data, size_t bytes,
                                     const ingot_model_options *options, ingot_model **out,
                                     ingot_error *err)
{
    return open_model(NULL, data, bytes, options, out, err);
}

ig_status ig_model_status(ingot_model *model, ig_status status, ig_error *err)
{
    ig_alloc *a = &model->alloc;
    if (status != INGOT_ERR_NOMEM || !atomic_exchange(&a->has_met_limit, false)) return status;
    if (err) err->status = INGOT_ERR_LIMIT;
    ig_error_prepend(err, "more memory is needed than the %zu bytes allowed", a->limit_bytes);
    return INGOT_ERR_LIMIT;
}

void ig_model_retain(ingot_model *model) { atomic_fetch_add(&model->n_owners, 1); }

void ig_model_release(ingot_model *model)
{
    if (!model || atomic_fetch_sub(&model->n_owners, 1) != 1) return;
    const ingot_allocator user = model->alloc.user;
    ig_alloc last;
    ig_compiled_deinit(&model->compiled);
    ingot_ops_destroy(model->ops);
    ig_alloc_init(&last, &user, 0);
    ig_alloc_put(&last, model, sizeof *model, INGOT_MEM_OTHER);
}

void ingot_model_close(ingot_model *model) { ig_model_release(model); }

/* ---- inputs and outputs ---- */

size_t ingot_model_n_inputs(const ingot_model *model)
{
    return model->compiled.onnx.graph->n_inputs;
}

size_t ingot_model_n_outputs(const ingot_model *model)
{
    return model->compiled.onnx.graph->n_outputs;
}

static void set_io(ingot_io_info *info, const ig_onnx_io *io)
{
    *info = (ingot_io_info){ .name = io->name,
                             .kind = io->type.kind,
                             .dtype = io->type.dtype,
                             .rank = io->rank,
                             .has_default = io->default_value != NULL };
    for (int d = 0; d < io->rank; d++) {
        info->dims[d] = io->dims[d];
        info->dim_names[d] = io->dim_names[d];
    }
}

void ingot_model_input(const ingot_model *model, size_t i, ingot_io_info *info)
{
    set_io(info, &model->compiled.onnx.inputs[i]);
}

/* What the file does not say of an output, inference may know. */
void ingot_model_output(const ingot_model *model, size_t i, ingot_io_info *info)
{
    const ig_graph *g = model->compiled.onnx.graph;
    const ig_info *inferred = &g->values[g->outputs[i]]->info;
    set_io(info, &model->compiled.onnx.outputs[i]);
    if (info->dtype == INGOT_UNDEFINED)
        info->kind = inferred->type.kind, info->dtype = inferred->type.dtype;
    if (info->kind != INGOT_KIND_TENSOR || inferred->rank < 0) return;
    if (info->rank != inferred->rank) {
        info->rank = inferred->rank;
        for (int d = 0; d < info->rank; d++) info->dims[d] = -1, info->dim_names[d] = NULL;
    }
    for (int d = 0; d < info->rank; d++) {
        const ig_dim_expr *expr = ig_dim_expr_of(g->dims, inferred->dims[d]);
        if (ig_dim_is_const(inferred->dims[d]))
            info->dims[d] = inferred->dims[d], info->dim_names[d] = NULL;
        else if (expr && expr->op == IG_DIM_INPUT && !info->dim_names[d])
            info->dim_names[d] = expr->name;
    }
}

int ingot_model_find_input(const ingot_model *model, const char *name)
{
    for (size_t i = 0; i < ingot_model_n_inputs(model); i++)
        if (strcmp(model->compiled.onnx.inputs[i].name, name) == 0) return (int)i;
    return -1;
}

int ingot_model_find_output(const ingot_model *model, const char *name)
{
    for (size_t i = 0; i < ingot_model_n_outputs(model); i++)
        if (strcmp(model->compiled.onnx.outputs[i].name, name) == 0) return (int)i;
    return -1;
}

/* ---- facts ---- */

static int64_t count_nodes(const ig_graph *g)
{
    int64_t n = 0;
    for (size_t i = 0; i < g->n_nodes; i++) {
        const ig_node *node = g->nodes[i];
        if (node->is_dead) continue;
        n++;
        for (uint32_t a = 0; a < node->n_attrs; a++) {
            if (node->attrs[a].kind == IG_ATTR_GRAPH) n += count_nodes(node->attrs[a].g);
            for (size_t k = 0; node->attrs[a].kind == IG_ATTR_GRAPHS && k < node->attrs[a].n; k++)
                n += count_nodes(node->attrs[a].graphs[k]);
        }
    }
    return n;
}

/* Constants that some node or output uses. */
static int64_t constant_bytes(const ig_graph *g)
{
    int64_t total = 0;
    size_t bytes = 0;
    for (size_t v = 0; v < g->n_values; v++) {
        const ig_value *value = g->values[v];
        if (value->info.data && value->producer == IG_NONE && value->n_uses &&
            ig_tensor_bytes(value->info.data, &bytes))
            total += (int64_t)bytes;
    }
    return total;
}

void ingot_model_get_info(const ingot_model *model, ingot_model_info *info)
{
    const ig_onnx_model *onnx = &model->compiled.onnx;
    const ingot_model_info full = {
        .struct_bytes = info->struct_bytes,
        .producer = onnx->producer,
        .producer_version = onnx->producer_version,
        .graph_name = onnx->graph_name,
        .doc = onnx->doc,
        .ir_version = onnx->ir_version,
        .opset = onnx->opset,
        .n_nodes_file = onnx->n_nodes,
        .n_nodes = count_nodes(onnx->graph),
        .n_parameters = onnx->n_parameters,
        .weight_bytes = constant_bytes(onnx->graph),
        .packed_bytes = (int64_t)model->compiled.plan.packs.packed_bytes,
        .map_ns = model->compiled.map_ns,
        .parse_ns = model->compiled.parse_ns,
        .optimise_ns = model->compiled.optimise_ns,
        .precision = ingot_precision_name(model->compiled.plan.choices.precision),
    };
    memcpy(info, &full, info->struct_bytes < sizeof full ? info->struct_bytes : sizeof full);
}

size_t ingot_model_n_metadata(const ingot_model *model) { return model->compiled.onnx.n_metadata; }

void ingot_model_metadata(const ingot_model *model, size_t i, const char **key, const char **value)
{
    *key = model->compiled.onnx.metadata[i].key;
    *value = model->compiled.onnx.metadata[i].value;
}

size_t ingot_model_n_operators(const ingot_model *model)
{
    return model->compiled.onnx.n_operators;
}

void ingot_model_operator(const ingot_model *model, size_t i, const char **name, int64_t *count)
{
    *name = model->compiled.onnx.operators[i].name;
    *count = model->compiled.onnx.operators[i].n;
}

ingot_status ingot_model_write_graph(const ingot_model *model, ingot_graph_format format,
                                     ingot_write_fn write, void *ctx, ingot_error *err)
{
    ig_str text;
    ig_error_clear(err);
    ig_str_init(&text, ig_alloc_default());
    if (format == INGOT_GRAPH_DOT)
        ig_graph_print_dot(model->compiled.onnx.graph, &text);
    else
        ig_graph_print(model->compiled.onnx.graph, false, &text);
    ig_status status = INGOT_OK;
    if (!ig_str_ok(&text))
        status = IG_NOMEM(err, text.n);
    else if (write(ctx, ig_str_cstr(&text), text.n))
        status = ig_fail(err, INGOT_ERR_IO, "writing the graph stopped");
    ig_str_deinit(&text);
    return status;
}

void ingot_model_memory(const ingot_model *model, ingot_memory_stats *stats)
{
    ig_alloc_stats(&model->alloc, stats);
}
