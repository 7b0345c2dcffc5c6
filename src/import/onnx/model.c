/* SPDX-License-Identifier: Apache-2.0 */
/* model.c: ModelProto → model: the way in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/importer.h"

/* What ModelProto holds besides texts; gathered first, since fields come in any order. */
typedef struct parts {
    ig_pb_bytes graph;
    bool has_graph;
    ig_onnx_opsets opsets;
    ig_onnx_pair *metadata;
    size_t n_metadata, cap_metadata;
} parts;

static ig_status add_metadata(ig_onnx_importer *m, parts *p, ig_pb_bytes message)
{
    ig_onnx_pair pair = { "", "" };
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 1) IG_TRY(ig_onnx_text_copy(m, ig_pb_span(&r, &f), &pair.key));
        if (f.number == 2) IG_TRY(ig_onnx_text_copy(m, ig_pb_span(&r, &f), &pair.value));
    }
    IG_TRY(r.status);
    if (!IG_ARENA_PUSH(m->arena, p->metadata, p->n_metadata, p->cap_metadata, pair))
        return IG_NOMEM(m->err, sizeof pair);
    return INGOT_OK;
}

static ig_status read_model(ig_onnx_importer *m, parts *p)
{
    ig_onnx_model *model = m->model;
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, (ig_pb_bytes){ m->data, m->data_bytes }, m->err);
    while (ig_pb_next(&r, &f)) {
        const char **text = f.number == 2   ? &model->producer
                            : f.number == 3 ? &model->producer_version
                            : f.number == 4 ? &model->domain
                            : f.number == 6 ? &model->doc
                                            : NULL;

        if (text) IG_TRY(ig_onnx_text_copy(m, ig_pb_span(&r, &f), text));
        if (f.number == 1) model->ir_version = ig_pb_int(&r, &f);
        if (f.number == 5) model->model_version = ig_pb_int(&r, &f);
        if (f.number == 7) {
            if (p->has_graph) return ig_pb_fail(&r, "a second graph");
            p->graph = ig_pb_span(&r, &f);
            p->has_graph = true;
        }
        if (f.number == 8) IG_TRY(ig_onnx_opset_add(m, &p->opsets, ig_pb_span(&r, &f)));
        if (f.number == 14) IG_TRY(add_metadata(m, p, ig_pb_span(&r, &f)));
        if (f.number == 25) IG_TRY(ig_onnx_function_add(m, ig_pb_span(&r, &f)));
    }
    return r.status;
}

static void warn_of_versions(ig_onnx_importer *m, const parts *p)
{
    ig_onnx_model *model = m->model;

    if (model->ir_version > IG_ONNX_IR_VERSION)
        ig_log(m->log, INGOT_LOG_WARNING,
               "the file has IR version %lld, newer than this build knows (%d); trying anyway",
               (long long)model->ir_version, IG_ONNX_IR_VERSION);
    if (model->ir_version < 3)
        ig_log(m->log, INGOT_LOG_WARNING,
               "the file has IR version %lld, older than is supported (3); trying anyway",
               (long long)model->ir_version);
    for (size_t i = 0; i < p->opsets.n; i++) {
        const ig_opset *opset = &p->opsets.items[i];
        int known = !opset->domain[0]                          ? IG_ONNX_OPSET
                    : strcmp(opset->domain, "ai.onnx.ml") == 0 ? IG_ONNX_ML_OPSET
                                                               : INT32_MAX;

        if (opset->version > known)
            ig_log(m->log, INGOT_LOG_WARNING,
                   "the file has opset %lld of domain '%s', newer than this build knows (%d); "
                   "trying anyway",
                   (long long)opset->version, opset->domain[0] ? opset->domain : "ai.onnx", known);
    }
    model->opset = ig_onnx_opset_of(m, &p->opsets, "");
}

ig_status ig_onnx_count_operator(ig_onnx_importer *m, const ig_onnx_node *node)
{
    char buf[300];
    ig_onnx_text op = ig_onnx_printable(node->op_type), domain = ig_onnx_printable(node->domain);
    int n = snprintf(buf, sizeof buf, "%s%s%s", domain.s, domain.s[0] ? "." : "", op.s);
    uint32_t i = ig_map_get(&m->count_by_name, buf, (size_t)n);
    ig_onnx_count count = { NULL, 0 };

    m->model->n_nodes++;
    if (m->limits && m->limits->max_nodes && m->model->n_nodes > m->limits->max_nodes)
        return ig_fail(m->err, INGOT_ERR_LIMIT,
                       "the model has more than the %lld nodes that max_nodes (--max-nodes) allows",
                       (long long)m->limits->max_nodes);
    if (i == IG_MAP_NONE) {
        i = (uint32_t)m->n_counts;
        count.name = ig_arena_strndup(m->arena, buf, (size_t)n);
        if (!count.name || !IG_ARENA_PUSH(m->arena, m->counts, m->n_counts, m->cap_counts, count) ||
            !ig_map_put(&m->count_by_name, count.name, (size_t)n, i))
            return IG_NOMEM(m->err, sizeof count);
    }
    m->counts[i].n++;
    return INGOT_OK;
}

static int compare_counts(const void *a, const void *b)
{
    const ig_onnx_count *x = a, *y = b;

    if (x->n != y->n) return x->n < y->n ? 1 : -1;
    return strcmp(x->name, y->name);
}

static ig_status import_model(ig_onnx_importer *m)
{
    parts p = { 0 };
    ig_onnx_model *model = m->model;
    ig_status status = read_model(m, &p);

    if (!status && !p.has_graph) status = ig_fail(m->err, INGOT_ERR_PARSE, "the file has no graph");
    if (status) {
        if (status == INGOT_ERR_PARSE) ig_error_prepend(m->err, "not an ONNX model, or damaged");
        return status;
    }
    warn_of_versions(m, &p);
    model->metadata = p.metadata;
    model->n_metadata = p.n_metadata;
    IG_TRY(ig_onnx_main_graph_import(m, &p.opsets, p.graph));
    if (m->n_counts) qsort(m->counts, m->n_counts, sizeof *m->counts, compare_counts);
    model->operators = m->counts;
    model->n_operators = m->n_counts;
    return INGOT_OK;
}

ig_status ig_onnx_import(const uint8_t *data, size_t bytes, const char *path, ig_arena *arena,
                         ig_dims *dims, ig_alloc *alloc, const ingot_log *log,
                         const ig_limits *limits, ig_onnx_model *out, ig_error *err)
{
    ig_onnx_importer m = { .data = data,
                           .data_bytes = bytes,
                           .path = path,
                           .arena = arena,
                           .dims = dims,
                           .log = log,
                           .limits = limits,
                           .err = err,
                           .model = out };
    ig_status status;

    *out = (ig_onnx_model){
        .producer = "", .producer_version = "", .domain = "", .graph_name = "", .doc = ""
    };
    ig_arena_init(&m.scratch, alloc, INGOT_MEM_IMPORT);
    ig_map_init(&m.strings, &m.scratch);
    ig_map_init(&m.function_by_key, &m.scratch);
    ig_map_init(&m.count_by_name, &m.scratch);
    ig_map_init(&m.file_by_location, &m.scratch);
    status = import_model(&m);
    ig_arena_deinit(&m.scratch);
    if (status) ig_onnx_model_deinit(out);
    return status;
}

static bool is_listed(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

void ig_onnx_freeze_defaults(ig_onnx_model *model, const char *const *except)
{
    ig_graph *g = model->graph;
    size_t n = 0;

    for (size_t i = 0; i < g->n_inputs; i++) {
        if (model->inputs[i].default_value && !is_listed(except, model->inputs[i].name)) {
            ig_onnx_set_constant(g, g->inputs[i], model->inputs[i].default_value);
            continue;
        }
        g->inputs[n] = g->inputs[i];
        model->inputs[n++] = model->inputs[i];
    }
    g->n_inputs = n;
}

void ig_onnx_model_deinit(ig_onnx_model *model)
{
    for (size_t i = 0; i < model->n_files; i++) ig_file_close(&model->files[i]);
    *model = (ig_onnx_model){ 0 };
}
