/* SPDX-License-Identifier: Apache-2.0 */
/* scope.c: which value a name means, and how values get into subgraphs. */
#include <string.h>

#include "import/onnx/importer.h"

static const char *key_of(ig_pb_bytes name) { return name.n ? (const char *)name.data : ""; }

ig_status ig_onnx_bind(ig_onnx_importer *m, ig_onnx_scope *scope, ig_pb_bytes name, uint32_t id)
{
    if (ig_map_get(&scope->names, key_of(name), name.n) != IG_MAP_NONE)
        return ig_fail(m->err, INGOT_ERR_INVALID, "value '%s' is defined twice",
                       ig_onnx_printable(name).s);
    if (!ig_map_put(&scope->names, key_of(name), name.n, id)) return IG_NOMEM(m->err, name.n);
    return INGOT_OK;
}

/* Adds a value under its printed name, which inlining prefixes so that it stays unique. */
static ig_status add_value(ig_onnx_importer *m, const ig_onnx_scope *scope, ig_pb_bytes name,
                           uint32_t *id)
{
    const char *label = key_of(name);
    size_t n = name.n;
    ig_value *value;

    IG_TRY(ig_onnx_check_name(m, name, "value name"));
    if (scope->prefix[0] && n) {
        label = ig_arena_printf(&m->scratch, "%s%.*s", scope->prefix, (int)n, label);
        if (!label) return IG_NOMEM(m->err, n);
        n = strlen(label);
        if (ig_map_get(&scope->root->names, label, n) != IG_MAP_NONE) n = 0;
    }
    *id = ig_graph_add_value(scope->g, label, n);
    if (*id == IG_NONE) return IG_NOMEM(m->err, sizeof *value);
    value = scope->g->values[*id];
    value->producer = IG_NONE;
    value->info.rank = -1;
    return INGOT_OK;
}

ig_status ig_onnx_define(ig_onnx_importer *m, ig_onnx_scope *scope, ig_pb_bytes name, uint32_t *id)
{
    IG_TRY(add_value(m, scope, name, id));
    return name.n ? ig_onnx_bind(m, scope, name, *id) : INGOT_OK;
}

void ig_onnx_set_constant(ig_graph *g, uint32_t id, const ig_tensor *data)
{
    ig_info *info = &g->values[id]->info;

    info->type = (ig_type){ .kind = INGOT_KIND_TENSOR, .dtype = data->dtype };
    info->rank = data->rank;
    for (int d = 0; d < data->rank; d++) info->dims[d] = data->dims[d];
    info->data = data;
}

/* Brings value `outer` of the parent's graph into the scope: a constant is repeated, anything else
 * becomes an extra input. */
static ig_status capture(ig_onnx_importer *m, ig_onnx_scope *scope, ig_pb_bytes name,
                         uint32_t outer, uint32_t *id)
{
    const ig_value *from = scope->parent->g->values[outer];
    ig_onnx_capture item = { outer };

    if (m->n_captures++ >= IG_ONNX_MAX_CAPTURES)
        return ig_fail(m->err, INGOT_ERR_LIMIT, "subgraphs take more than %d values from outside",
                       IG_ONNX_MAX_CAPTURES);
    IG_TRY(ig_onnx_define(m, scope, name, id));
    if (from->info.data) {
        ig_onnx_set_constant(scope->g, *id, from->info.data);
        return INGOT_OK;
    }
    scope->g->values[*id]->info.type = from->info.type;
    if (!ig_graph_add_input(scope->g, *id) ||
        !IG_ARENA_PUSH(&m->scratch, scope->captures, scope->n_captures, scope->cap_captures, item))
        return IG_NOMEM(m->err, sizeof item);
    scope->g->n_captures = scope->n_captures;
    return INGOT_OK;
}

/* IG_MAP_NONE when no scope in sight has the name. Recursion is bounded by the depth of scopes. */
static ig_status look_up(ig_onnx_importer *m, ig_onnx_scope *scope, ig_pb_bytes name, uint32_t *id)
{
    uint32_t outer;

    *id = ig_map_get(&scope->names, key_of(name), name.n);
    if (*id != IG_MAP_NONE || !scope->parent) return INGOT_OK;
    IG_TRY(look_up(m, scope->parent, name, &outer));
    if (outer == IG_MAP_NONE) return INGOT_OK;
    if (outer == IG_ONNX_ABSENT) {
        *id = outer;
        return INGOT_OK;
    }
    return capture(m, scope, name, outer, id);
}

ig_status ig_onnx_resolve(ig_onnx_importer *m, ig_onnx_scope *scope, ig_pb_bytes name, uint32_t *id)
{
    *id = IG_NONE;
    if (name.n == 0) return INGOT_OK;
    IG_TRY(look_up(m, scope, name, id));
    if (*id == IG_MAP_NONE)
        return ig_fail(m->err, INGOT_ERR_INVALID,
                       "'%s' is not an input, an initializer or the output of any node",
                       ig_onnx_printable(name).s);
    if (*id == IG_ONNX_ABSENT) *id = IG_NONE;
    return INGOT_OK;
}
