/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bind.c: the plan for one set of input shapes.
 *
 *   infer   every shape with numbers; what depends on the data of a run becomes dynamic, and all
 *           that follows from it
 *   need    backwards from the outputs: nodes whose outputs are known or unused vanish
 *   lower   a kernel for each node that stays; views and joins cost nothing; in place where an
 *           input dies
 *   place   buffers into one slab, pointers into operands
 */
#include <string.h>

#include "plan/bind.h"

static void *array(ig_binder *k, ig_arena *arena, size_t n, size_t bytes)
{
    void *p = ig_arena_array(arena, n + 1, bytes);
    if (!p) (void)IG_NOMEM(k->err, n * bytes);
    return p;
}

void *ig_bind_array(ig_binder *k, size_t n, size_t bytes)
{
    return array(k, &k->b->arena, n, bytes);
}

void *ig_bind_scratch(ig_binder *k, size_t n, size_t bytes)
{
    return array(k, &k->scratch, n, bytes);
}

/* ---- infer ---- */

static void set_info(ig_info *info, const ig_tensor *t)
{
    *info = (ig_info){ .type = { .kind = t->kind, .dtype = t->dtype }, .rank = t->rank };
    if (t->kind != INGOT_KIND_TENSOR) info->rank = -1;
    for (int d = 0; d < info->rank; d++) info->dims[d] = t->dims[d];
}

static bool is_settled(const ig_info *info)
{
    return info->type.kind == INGOT_KIND_TENSOR && info->type.dtype != INGOT_UNDEFINED &&
           info->type.dtype != INGOT_STRING && ig_info_is_static(info, NULL);
}

/* Control flow is not inferred again: what compile-time inference found of its outputs stands. */
static void keep_compile_time_infos(ig_binder *k, const ig_node *node)
{
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (node->outputs[i] == IG_NONE) continue;
        ig_info *info = &k->infos[node->outputs[i]];
        *info = k->g->values[node->outputs[i]]->info;
        info->elems = NULL;
        for (int d = 0; d < info->rank; d++)
            if (!ig_dim_is_const(info->dims[d])) info->dims[d] = ig_dim_born(&k->b->dims);
    }
}

static ig_status infer_node(ig_binder *k, size_t i_node)
{
    const ig_node *node = k->g->nodes[i_node];
    ig_info *infos = k->infos;
    bool is_dynamic = false, has_unknown_rank = false;
    const ig_info **in = k->in;
    ig_info *out = k->out;
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        in[i] = node->inputs[i] == IG_NONE ? NULL : &infos[node->inputs[i]];
        if (!in[i]) continue;
        /* Of a dynamic input the shape may be known; a node that wants no more is not dynamic. */
        is_dynamic = is_dynamic || (k->is_dynamic[node->inputs[i]] && !in[i]->data);
        has_unknown_rank = has_unknown_rank || (in[i]->rank < 0 && !in[i]->data);
    }
    if (node->op->flags & IG_CONTROL_FLOW) {
        keep_compile_time_infos(k, node);
    } else if (has_unknown_rank) {
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i] != IG_NONE) {
                infos[node->outputs[i]] = (ig_info){ .rank = -1 };
                infos[node->outputs[i]].type = k->g->values[node->outputs[i]]->info.type;
            }
    } else {
        const ig_status status = ig_op_infer(node, in, out, &k->b->dims, &k->b->arena, k->err);
        if (status) return status;
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i] != IG_NONE) infos[node->outputs[i]] = out[i];
    }
    bool all_known = true;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (node->outputs[i] == IG_NONE) continue;
        const ig_info *o = &infos[node->outputs[i]];
        all_known = all_known && o->data;
        is_dynamic = is_dynamic || (!o->data && !is_settled(o));
    }
    is_dynamic = is_dynamic && !all_known;
    k->node_dynamic[i_node] = is_dynamic;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] != IG_NONE)
            k->is_dynamic[node->outputs[i]] = is_dynamic && !infos[node->outputs[i]].data;
    return INGOT_OK;
}

static ig_status infer_all(ig_binder *k, const ig_tensor *const *inputs)
{
    char text[256];
    for (size_t v = 0; v < k->g->n_values; v++) {
        const ig_value *value = k->g->values[v];
        k->infos[v] = (ig_info){ .rank = -1, .type = value->info.type };
        if (value->info.data) k->infos[v] = value->info;
    }
    for (size_t i = 0; i < k->g->n_inputs; i++) {
        const uint32_t v = k->g->inputs[i];
        if (inputs[i]) set_info(&k->infos[v], inputs[i]);
        k->b->inputs[i] = k->infos[v];
        if (inputs[i] && inputs[i]->kind != INGOT_KIND_TENSOR) k->is_dynamic[v] = true;
    }
    for (size_t i = 0; i < k->g->n_nodes; i++) {
        const ig_status status = infer_node(k, i);
        if (status) {
            ig_error_prepend(k->err, "%s",
                             ig_node_describe(k->g, k->g->nodes[i], text, sizeof text));
            return status;
        }
    }
    return INGOT_OK;
}

/* ---- need ---- */

static void find_needed(ig_binder *k)
{
    const ig_info *infos = k->infos;
    for (size_t i = 0; i < k->g->n_outputs; i++)
        k->is_needed[k->g->outputs[i]] = !infos[k->g->outputs[i]].data;
    for (size_t n = k->g->n_nodes; n-- > 0;) {
        const ig_node *node = k->g->nodes[n];
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i] != IG_NONE && k->is_needed[node->outputs[i]]) k->runs[n] = true;
        if (!k->runs[n]) continue;
        for (uint32_t i = 0; i < node->n_inputs; i++)
            if (node->inputs[i] != IG_NONE && !infos[node->inputs[i]].data)
                k->is_needed[node->inputs[i]] = true;
    }
}

static void find_last_uses(ig_binder *k)
{
    uint32_t step = 0;
    for (size_t n = 0; n < k->g->n_nodes; n++) {
        const ig_node *node = k->g->nodes[n];
        if (!k->runs[n]) continue;
        k->step_of[n] = step;
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i] != IG_NONE) k->last_use[node->outputs[i]] = step;
        for (uint32_t i = 0; i < node->n_inputs; i++)
            if (node->inputs[i] != IG_NONE) k->last_use[node->inputs[i]] = step;
        step++;
    }
    k->n_runs = step;
    for (size_t i = 0; i < k->g->n_outputs; i++) k->last_use[k->g->outputs[i]] = UINT32_MAX;
}

/* ---- lower ---- */

static ig_status lower_node(ig_binder *k, size_t i_node)
{
    const ig_node *node = k->g->nodes[i_node];
    ig_binding *b = k->b;
    ig_step step = { .node = node,
                     .is_dynamic = k->node_dynamic[i_node],
                     .kernel_name = "reference",
                     .n_operand_in = node->n_inputs,
                     .n_operand_out = node->n_outputs,
                     .min_ns = UINT64_MAX };
    const uint32_t i_step = k->step_of[i_node];
    step.order = i_step;
    if (step.is_dynamic) {
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i] != IG_NONE)
                b->spots[node->outputs[i]] =
                    (ig_spot){ .place = IG_AT_HEAP, .last_use = k->last_use[node->outputs[i]] };
    } else {
        const ig_info **in = k->in;
        ig_info *out = k->out;
        bool has_step;
        ig_sharing sharing;
        for (uint32_t i = 0; i < node->n_inputs; i++)
            in[i] = node->inputs[i] == IG_NONE ? NULL : &k->infos[node->inputs[i]];
        for (uint32_t i = 0; i < node->n_outputs; i++)
            out[i] =
                node->outputs[i] == IG_NONE ? (ig_info){ .rank = -1 } : k->infos[node->outputs[i]];
        IG_TRY(ig_step_lower(k->plan, node, in, out, k->n_threads, &b->arena, &step, &sharing,
                             k->err));
        IG_TRY(ig_bind_outputs(k, node, i_step, &sharing, &has_step));
        if (!has_step)
            step.kernel_name = NULL; /* connect drops it */
        else if (step.scratch_bytes)
            IG_TRY(ig_bind_buffer(k, step.scratch_bytes, i_step, i_step, &step.scratch_buffer));
    }
    b->steps[b->n_steps++] = step;
    return INGOT_OK;
}

static ig_status lower_all(ig_binder *k)
{
    char text[256];
    for (size_t i = 0; i < k->g->n_inputs; i++)
        k->b->spots[k->g->inputs[i]] = (ig_spot){ .place = IG_AT_INPUT,
                                                  .i_input = (uint32_t)i,
                                                  .last_use = k->last_use[k->g->inputs[i]] };
    for (size_t v = 0; v < k->g->n_values; v++)
        if (k->infos[v].data) k->b->spots[v] = (ig_spot){ .place = IG_AT_CONST };
    for (size_t n = 0; n < k->g->n_nodes; n++) {
        if (!k->runs[n]) continue;
        const ig_status status = lower_node(k, n);
        if (status) {
            ig_error_prepend(k->err, "%s",
                             ig_node_describe(k->g, k->g->nodes[n], text, sizeof text));
            return status;
        }
    }
    return INGOT_OK;
}

/* ---- all together ---- */

static ig_status make_scratch(ig_binder *k)
{
    const size_t n_values = k->g->n_values, n_nodes = k->g->n_nodes;
    size_t most_inputs = 0, most_outputs = 0;
    for (size_t i = 0; i < n_nodes; i++) {
        const ig_node *node = k->g->nodes[i];
        if (node->n_inputs > most_inputs) most_inputs = node->n_inputs;
        if (node->n_outputs > most_outputs) most_outputs = node->n_outputs;
    }
    k->infos = ig_bind_scratch(k, n_values, sizeof *k->infos);
    k->is_dynamic = ig_bind_scratch(k, n_values, sizeof *k->is_dynamic);
    k->is_needed = ig_bind_scratch(k, n_values, sizeof *k->is_needed);
    k->last_use = ig_bind_scratch(k, n_values, sizeof *k->last_use);
    k->runs = ig_bind_scratch(k, n_nodes, sizeof *k->runs);
    k->node_dynamic = ig_bind_scratch(k, n_nodes, sizeof *k->node_dynamic);
    k->step_of = ig_bind_scratch(k, n_nodes, sizeof *k->step_of);
    k->in = ig_bind_scratch(k, most_inputs, sizeof *k->in);
    k->out = ig_bind_scratch(k, most_outputs, sizeof *k->out);
    const bool is_there = k->infos && k->is_dynamic && k->is_needed && k->last_use && k->runs &&
                          k->node_dynamic && k->step_of && k->in && k->out;
    return is_there ? INGOT_OK : INGOT_ERR_NOMEM;
}

static ig_status bind(ig_binder *k, const ig_tensor *const *inputs)
{
    ig_binding *b = k->b;
    const size_t n_values = k->g->n_values;
    ig_dims_init(&b->dims, &b->arena);
    b->graph = k->g;
    IG_TRY(make_scratch(k));
    b->inputs = ig_bind_array(k, k->g->n_inputs, sizeof *b->inputs);
    b->outputs = ig_bind_array(k, k->g->n_outputs, sizeof *b->outputs);
    b->spots = ig_bind_array(k, n_values, sizeof *b->spots);
    b->tensors = ig_bind_array(k, n_values, sizeof *b->tensors);
    if (!b->inputs || !b->outputs || !b->spots || !b->tensors) return INGOT_ERR_NOMEM;
    IG_TRY(infer_all(k, inputs));
    for (size_t i = 0; i < k->g->n_outputs; i++) b->outputs[i] = k->infos[k->g->outputs[i]];
    find_needed(k);
    find_last_uses(k);
    b->steps = ig_bind_array(k, k->n_runs, sizeof *b->steps);
    if (!b->steps) return INGOT_ERR_NOMEM;
    IG_TRY(lower_all(k));
    return ig_bind_connect(k);
}

ig_status ig_binding_create(ig_plan *plan, const ig_graph *graph, const ig_tensor *const *inputs,
                            int n_threads, ig_binding **out, ig_error *err)
{
    ig_binding *b = ig_alloc_get(plan->alloc, sizeof *b, _Alignof(ig_binding), INGOT_MEM_PLAN);
    *out = NULL;
    if (!b) return IG_NOMEM(err, sizeof *b);
    *b = (ig_binding){ 0 };
    ig_arena_init(&b->arena, plan->alloc, INGOT_MEM_PLAN);
    ig_binder k = { .plan = plan, .g = graph, .b = b, .n_threads = n_threads, .err = err };
    ig_arena_init(&k.scratch, plan->alloc, INGOT_MEM_PLAN);
    const ig_status status = bind(&k, inputs);
    ig_arena_deinit(&k.scratch);
    ig_packs_trim(&plan->packs);
    if (status)
        ig_binding_destroy(b);
    else
        *out = b;
    return status;
}

void ig_binding_destroy(ig_binding *binding)
{
    if (!binding) return;
    ig_alloc *alloc = binding->arena.alloc;
    ig_arena_deinit(&binding->arena);
    ig_alloc_put(alloc, binding, sizeof *binding, INGOT_MEM_PLAN);
}

bool ig_binding_matches(const ig_binding *binding, const ig_tensor *const *inputs)
{
    for (size_t i = 0; i < binding->graph->n_inputs; i++) {
        const ig_info *have = &binding->inputs[i];
        const ig_tensor *want = inputs[i];
        if (!want) continue;
        if (want->kind != have->type.kind || want->dtype != have->type.dtype) return false;
        if (want->kind != INGOT_KIND_TENSOR) continue;
        if (want->rank != have->rank) return false;
        for (int d = 0; d < want->rank; d++)
            if (want->dims[d] != have->dims[d]) return false;
    }
    return true;
}
