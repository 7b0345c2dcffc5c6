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

#include "plan/plan.h"

typedef struct binder {
    ig_plan *plan;
    const ig_graph *g;
    ig_binding *b;
    int n_threads;
    bool *is_dynamic;   /* by value */
    bool *is_needed;    /* by value */
    uint32_t *last_use; /* by value, in steps */
    bool *runs;         /* by node */
    bool *node_dynamic; /* by node */
    uint32_t *step_of;  /* by node */
    ig_error *err;
} binder;

static void *array(binder *k, size_t n, size_t bytes)
{
    void *p = ig_arena_array(&k->b->arena, n + 1, bytes);
    if (!p) (void)IG_NOMEM(k->err, n * bytes);
    return p;
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
static void keep_compile_time_infos(binder *k, const ig_node *node)
{
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (node->outputs[i] == IG_NONE) continue;
        ig_info *info = &k->b->infos[node->outputs[i]];
        *info = k->g->values[node->outputs[i]]->info;
        info->elems = NULL;
        for (int d = 0; d < info->rank; d++)
            if (!ig_dim_is_const(info->dims[d])) info->dims[d] = ig_dim_born(&k->b->dims);
    }
}

static ig_status infer_node(binder *k, size_t i_node)
{
    const ig_node *node = k->g->nodes[i_node];
    ig_info *infos = k->b->infos;
    bool is_dynamic = false, has_unknown_rank = false;
    const ig_info **in = array(k, node->n_inputs, sizeof *in);
    ig_info *out = array(k, node->n_outputs, sizeof *out);
    if (!in || !out) return INGOT_ERR_NOMEM;
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

static ig_status infer_all(binder *k, const ig_tensor *const *inputs)
{
    char text[256];
    for (size_t v = 0; v < k->g->n_values; v++) {
        const ig_value *value = k->g->values[v];
        k->b->infos[v] = (ig_info){ .rank = -1, .type = value->info.type };
        if (value->info.data) k->b->infos[v] = value->info;
    }
    for (size_t i = 0; i < k->g->n_inputs; i++) {
        const uint32_t v = k->g->inputs[i];
        if (inputs[i]) set_info(&k->b->infos[v], inputs[i]);
        k->b->inputs[i] = k->b->infos[v];
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

static void find_needed(binder *k)
{
    const ig_info *infos = k->b->infos;
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

static void find_last_uses(binder *k)
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
    for (size_t i = 0; i < k->g->n_outputs; i++) k->last_use[k->g->outputs[i]] = UINT32_MAX;
}

/* ---- lower ---- */

static ig_status pack_for_step(ig_lower *l, int i, uint64_t key, size_t bytes, ig_pack_fn fn,
                               const void *ctx, const void **packed)
{
    ig_plan *plan = l->binder;
    if (!l->in[i] || !l->in[i]->data)
        return ig_fail(l->err, INGOT_ERR_INTERNAL, "input %d to be packed is not a constant", i);
    return ig_packs_get(&plan->packs, l->in[i]->data, key, bytes, fn, ctx, packed, l->err);
}

static int64_t bytes_touched(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    size_t total = 0, bytes = 0;
    int64_t dims[IG_MAX_RANK];
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (in[i] && ig_info_is_static(in[i], dims) &&
            ig_dtype_bytes(in[i]->type.dtype, ig_count(in[i]->rank, dims), &bytes))
            total += bytes;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (ig_info_is_static(&out[i], dims) &&
            ig_dtype_bytes(out[i].type.dtype, ig_count(out[i].rank, dims), &bytes))
            total += bytes;
    return (int64_t)total;
}

ig_status ig_step_lower(ig_plan *plan, const ig_node *node, const ig_info *const *in,
                        const ig_info *out, int n_threads, ig_arena *arena, ig_step *step,
                        ig_sharing *sharing, ig_error *err)
{
    ig_lower l = { .node = node,
                   .opset = node->opset,
                   .n_in = (int)node->n_inputs,
                   .n_out = (int)node->n_outputs,
                   .in = in,
                   .out = out,
                   .isa = plan->isa,
                   .n_threads = n_threads,
                   .arena = arena,
                   .err = err,
                   .pack = pack_for_step,
                   .binder = plan };
    const ig_op *op = node->op;
    const bool views = (op->flags & IG_VIEW) != 0;
    if (plan->isa != IG_ISA_REF || views) {
        if (op->lower) IG_TRY(op->lower(&l));
        if (!op->lower && op->prim && plan->isa != IG_ISA_REF) IG_TRY(ig_lower_eltwise(&l));
        if (!op->lower && views) l.is_view = true;
    }
    if (plan->isa == IG_ISA_REF) l.kernel = NULL, l.team_kernel = NULL;
    const bool is_fast = l.kernel || l.team_kernel;
    step->node = node;
    step->kernel = l.kernel;
    step->team_kernel = l.team_kernel;
    step->kernel_name = is_fast ? (l.kernel_name ? l.kernel_name : op->onnx) : "reference";
    step->params = l.params;
    step->n_work = l.n_work;
    step->grain = l.grain > 0 ? l.grain : 1;
    step->scratch_bytes = is_fast ? l.scratch_bytes : 0;
    step->operand_const = is_fast ? l.operand_const : NULL;
    step->operand_inputs = is_fast ? l.operand_inputs : NULL;
    step->n_operand_out =
        is_fast && l.n_operand_out > 0 ? (uint32_t)l.n_operand_out : node->n_outputs;
    step->n_operand_in = is_fast && l.n_operand_in > 0 ? (uint32_t)l.n_operand_in : node->n_inputs;
    step->flops = l.flops;
    if (!step->flops && op->flops) step->flops = op->flops(node, in, out);
    step->bytes = bytes_touched(node, in, out);
    step->min_ns = UINT64_MAX;
    *sharing = (ig_sharing){ .is_view = l.is_view,
                             .view_offset_bytes = l.view_offset_bytes,
                             .join_offset_bytes = l.join_offset_bytes };
    return INGOT_OK;
}

static ig_status value_bytes(binder *k, uint32_t v, size_t *bytes)
{
    const ig_info *info = &k->b->infos[v];
    int64_t dims[IG_MAX_RANK];
    if (!ig_info_is_static(info, dims) ||
        !ig_dtype_bytes(info->type.dtype, ig_count(info->rank, dims), bytes))
        return ig_fail(k->err, INGOT_ERR_LIMIT, "value '%s' has no size that fits in memory",
                       k->g->values[v]->name);
    return ig_limits_check_tensor(&k->plan->limits, *bytes, k->err);
}

static ig_status add_buffer(binder *k, size_t bytes, uint32_t first, uint32_t last, uint32_t *out)
{
    ig_binding *b = k->b;
    const ig_buffer buffer = { .bytes = bytes, .first = first, .last = last, .parent = IG_NONE };
    *out = (uint32_t)b->n_buffers;
    if (!IG_ARENA_PUSH(&b->arena, b->buffers, b->n_buffers, b->cap_buffers, buffer))
        return IG_NOMEM(k->err, sizeof buffer);
    return INGOT_OK;
}

/* The buffer that others may lie in, in the end. */
static uint32_t root_of(const ig_binding *b, uint32_t i_buffer)
{
    while (b->buffers[i_buffer].parent != IG_NONE) i_buffer = b->buffers[i_buffer].parent;
    return i_buffer;
}

/* Outputs of a view share the place of its input. Inputs and heap values can be viewed as well;
 * a view of a constant is copied: constants have no place that an offset could refer to. */
static bool try_view(binder *k, const ig_node *node, const ig_sharing *sharing)
{
    ig_spot *spots = k->b->spots;
    if (!sharing->is_view || node->inputs[0] == IG_NONE) return false;
    const ig_spot from = spots[node->inputs[0]];
    if (from.place == IG_AT_CONST) return false;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const uint32_t to = node->outputs[i];
        if (to == IG_NONE || spots[to].place == IG_AT_CONST) continue;
        spots[to] = from;
        if (sharing->view_offset_bytes) spots[to].offset_bytes += sharing->view_offset_bytes[i];
        spots[to].last_use = k->last_use[to];
        if (from.place != IG_AT_SLAB) continue;
        ig_buffer *buffer = &k->b->buffers[root_of(k->b, from.i_buffer)];
        if (k->last_use[to] > buffer->last) buffer->last = k->last_use[to];
    }
    return true;
}

/* A whole buffer that lies in no other, used once by this node. */
static bool can_join(const binder *k, const ig_node *node, uint32_t i, size_t bytes)
{
    const ig_spot *spot = &k->b->spots[node->inputs[i]];
    if (spot->place != IG_AT_SLAB || spot->offset_bytes) return false;
    const ig_buffer *buffer = &k->b->buffers[spot->i_buffer];
    if (buffer->parent != IG_NONE || buffer->bytes != bytes) return false;
    for (uint32_t j = 0; j < i; j++) {
        const ig_spot *other = &k->b->spots[node->inputs[j]];
        if (other->place == IG_AT_SLAB && root_of(k->b, other->i_buffer) == spot->i_buffer)
            return false;
    }
    return true;
}

/* Concatenation without a step: the inputs' buffers become pieces of the output's. */
static ig_status try_join(binder *k, const ig_node *node, const ig_sharing *sharing, bool *done)
{
    ig_binding *b = k->b;
    const uint32_t to = node->outputs[0];
    ig_spot spot = { .place = IG_AT_SLAB };
    uint32_t first = UINT32_MAX, last;
    size_t bytes = 0;
    *done = false;
    if (!sharing->join_offset_bytes || to == IG_NONE) return INGOT_OK;
    last = spot.last_use = k->last_use[to];
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        IG_TRY(value_bytes(k, node->inputs[i], &bytes));
        if (bytes && !can_join(k, node, i, bytes)) return INGOT_OK;
    }
    IG_TRY(value_bytes(k, to, &bytes));
    if (bytes == 0) return INGOT_OK;
    IG_TRY(add_buffer(k, bytes, 0, 0, &spot.i_buffer));
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        IG_TRY(value_bytes(k, node->inputs[i], &bytes));
        if (!bytes) continue;
        ig_buffer *piece = &b->buffers[b->spots[node->inputs[i]].i_buffer];
        piece->parent = spot.i_buffer;
        piece->offset_bytes = sharing->join_offset_bytes[i];
        if (piece->first < first) first = piece->first;
        if (piece->last > last) last = piece->last;
    }
    b->buffers[spot.i_buffer].first = first;
    b->buffers[spot.i_buffer].last = last;
    b->spots[to] = spot;
    *done = true;
    return INGOT_OK;
}

/* An input whose buffer ends with this step and that output 0 may overwrite, or IG_NONE. */
static uint32_t overwritable_input(binder *k, const ig_node *node, uint32_t i_step, size_t bytes)
{
    const uint32_t flags = node->op->flags;
    if (!(flags & IG_INPLACE)) return IG_NONE;
    const uint32_t n = flags & IG_ELEMENTWISE ? node->n_inputs : 1;
    const ig_info *out = &k->b->infos[node->outputs[0]];
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = node->inputs[i];
        if (v == IG_NONE || k->b->spots[v].place != IG_AT_SLAB) continue;
        const ig_buffer *buffer = &k->b->buffers[k->b->spots[v].i_buffer];
        const ig_info *in = &k->b->infos[v];
        if (buffer->last != i_step || buffer->parent != IG_NONE || k->b->spots[v].offset_bytes ||
            buffer->bytes != bytes)
            continue;
        bool is_same = in->rank == out->rank && in->type.dtype == out->type.dtype;
        for (int d = 0; is_same && d < out->rank; d++) is_same = in->dims[d] == out->dims[d];
        /* Another operand on the same bytes, seen through a view, could be broadcast: leave it. */
        for (uint32_t j = 0; is_same && j < node->n_inputs; j++)
            is_same =
                j == i || node->inputs[j] == IG_NONE || node->inputs[j] == v ||
                k->b->spots[node->inputs[j]].place != IG_AT_SLAB ||
                root_of(k->b, k->b->spots[node->inputs[j]].i_buffer) != k->b->spots[v].i_buffer;
        if (is_same) return v;
    }
    return IG_NONE;
}

static ig_status place_outputs(binder *k, const ig_node *node, uint32_t i_step)
{
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const uint32_t v = node->outputs[i];
        size_t bytes = 0;
        if (v == IG_NONE || k->b->infos[v].data) continue;
        IG_TRY(value_bytes(k, v, &bytes));
        const uint32_t from = i == 0 ? overwritable_input(k, node, i_step, bytes) : IG_NONE;
        ig_spot spot = { .place = IG_AT_SLAB, .last_use = k->last_use[v] };
        if (from != IG_NONE) {
            spot.i_buffer = k->b->spots[from].i_buffer;
            k->b->buffers[spot.i_buffer].last = k->last_use[v];
        } else {
            IG_TRY(add_buffer(k, bytes, i_step, k->last_use[v], &spot.i_buffer));
        }
        k->b->spots[v] = spot;
    }
    return INGOT_OK;
}

static ig_status lower_node(binder *k, size_t i_node)
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
        const ig_info **in = array(k, node->n_inputs, sizeof *in);
        ig_info *out = array(k, node->n_outputs, sizeof *out);
        bool is_placed;
        ig_sharing sharing;
        if (!in || !out) return INGOT_ERR_NOMEM;
        for (uint32_t i = 0; i < node->n_inputs; i++)
            in[i] = node->inputs[i] == IG_NONE ? NULL : &b->infos[node->inputs[i]];
        for (uint32_t i = 0; i < node->n_outputs; i++)
            out[i] =
                node->outputs[i] == IG_NONE ? (ig_info){ .rank = -1 } : b->infos[node->outputs[i]];
        IG_TRY(ig_step_lower(k->plan, node, in, out, k->n_threads, &b->arena, &step, &sharing,
                             k->err));
        is_placed = try_view(k, node, &sharing);
        if (!is_placed) IG_TRY(try_join(k, node, &sharing, &is_placed));
        if (is_placed) {
            step.kernel_name = NULL; /* no step */
        } else {
            IG_TRY(place_outputs(k, node, i_step));
            if (step.scratch_bytes)
                IG_TRY(add_buffer(k, step.scratch_bytes, i_step, i_step, &step.scratch_buffer));
        }
    }
    if (!IG_ARENA_PUSH(&b->arena, b->steps, b->n_steps, b->cap_steps, step))
        return IG_NOMEM(k->err, sizeof step);
    return INGOT_OK;
}

static ig_status lower_all(binder *k)
{
    char text[256];
    for (size_t i = 0; i < k->g->n_inputs; i++)
        k->b->spots[k->g->inputs[i]] = (ig_spot){ .place = IG_AT_INPUT,
                                                  .i_input = (uint32_t)i,
                                                  .last_use = k->last_use[k->g->inputs[i]] };
    for (size_t v = 0; v < k->g->n_values; v++)
        if (k->b->infos[v].data) k->b->spots[v] = (ig_spot){ .place = IG_AT_CONST };
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

/* ---- place ---- */

static ig_status add_patch(binder *k, void **pointer, const ig_spot *spot)
{
    ig_binding *b = k->b;
    const ig_patch patch = { .pointer = pointer,
                             .i_input = spot->i_input,
                             .offset_bytes = spot->offset_bytes };
    if (!IG_ARENA_PUSH(&b->arena, b->patches, b->n_patches, b->cap_patches, patch))
        return IG_NOMEM(k->err, sizeof patch);
    return INGOT_OK;
}

static ig_status describe_values(binder *k)
{
    ig_binding *b = k->b;
    for (size_t v = 0; v < k->g->n_values; v++) {
        const ig_info *info = &b->infos[v];
        ig_spot *spot = &b->spots[v];
        ig_tensor *t = &b->tensors[v];
        *t = (ig_tensor){ .kind = info->type.kind, .dtype = info->type.dtype };
        if (spot->place == IG_AT_CONST) {
            *t = *info->data;
            t->owner = NULL;
        } else if (spot->place != IG_AT_NOWHERE && ig_info_is_static(info, t->dims)) {
            t->rank = info->rank;
        }
        if (spot->place == IG_AT_INPUT) IG_TRY(add_patch(k, &t->data, spot));
        if (spot->place == IG_AT_SLAB)
            spot->offset_bytes += b->buffers[spot->i_buffer].offset_bytes;
    }
    return INGOT_OK;
}

static void copy_bytes(const void *ctx, const ig_tensor *src, void *dst)
{
    memcpy(dst, src->data, *(const size_t *)ctx);
}

/* A constant that a step reads as it is must be aligned; those that are only packed may lie
 * anywhere. */
static ig_status align_constant(binder *k, uint32_t v)
{
    ig_tensor *t = &k->b->tensors[v];
    const void *aligned = NULL;
    size_t bytes = 0;
    if (k->b->spots[v].place != IG_AT_CONST || ig_tensor_is_aligned(t) ||
        !ig_tensor_bytes(t, &bytes))
        return INGOT_OK;
    IG_TRY(ig_packs_get(&k->plan->packs, t, ig_hash("align", 5, 0), bytes, copy_bytes, &bytes,
                        &aligned, k->err));
    t->data = (void *)(uintptr_t)aligned;
    return INGOT_OK;
}

static ig_status connect_step(binder *k, ig_step *step)
{
    const ig_node *node = step->node;
    ig_binding *b = k->b;
    step->in = array(k, node->n_inputs, sizeof *step->in);
    step->out = array(k, node->n_outputs, sizeof *step->out);
    step->n_operands = step->n_operand_in + step->n_operand_out + 1;
    step->operands = array(k, step->n_operands, sizeof *step->operands);
    if (!step->in || !step->out || !step->operands) return INGOT_ERR_NOMEM;
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] != IG_NONE) {
            step->in[i] = &b->tensors[node->inputs[i]];
            const bool is_packed = step->operand_const && step->operand_const[i];
            const bool is_moved = i == 0 && (node->op->flags & IG_BYTES) && !step->kernel;
            if (!is_packed && !is_moved) IG_TRY(align_constant(k, node->inputs[i]));
        }
    for (uint32_t k_in = 0; k_in < step->n_operand_in; k_in++) {
        const uint32_t i = ig_step_input_of(step, k_in);
        if (i == IG_NONE || node->inputs[i] == IG_NONE) continue;
        const ig_spot *spot = &b->spots[node->inputs[i]];
        if (spot->place == IG_AT_INPUT) IG_TRY(add_patch(k, &step->operands[k_in], spot));
    }
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const uint32_t v = node->outputs[i];
        /* An output that inference knows already is not written; a kernel still needs somewhere to
         * write, which cannot happen: nodes with kernels have their outputs in the slab. */
        if (v != IG_NONE && b->spots[v].place != IG_AT_CONST) step->out[i] = &b->tensors[v];
    }
    return INGOT_OK;
}

void ig_binding_set_slab(ig_binding *b, void *slab)
{
    uint8_t *base = slab;
    b->slab = slab;
    for (size_t v = 0; v < b->graph->n_values; v++)
        if (b->spots[v].place == IG_AT_SLAB) b->tensors[v].data = base + b->spots[v].offset_bytes;
    for (size_t s = 0; s < b->n_steps; s++) {
        ig_step *step = &b->steps[s];
        for (uint32_t k = 0; k < step->n_operand_in; k++) {
            const uint32_t i = ig_step_input_of(step, k);
            if (i == IG_NONE || !step->in[i]) continue;
            if (b->spots[step->node->inputs[i]].place != IG_AT_INPUT)
                step->operands[k] = step->in[i]->data;
            if (step->operand_const && step->operand_const[i])
                step->operands[k] = (void *)(uintptr_t)step->operand_const[i];
        }
        for (uint32_t i = 0; i < step->node->n_outputs; i++)
            step->operands[step->n_operand_in + i] = step->out[i] ? step->out[i]->data : NULL;
        if (step->scratch_bytes)
            step->operands[step->n_operands - 1] =
                base + b->buffers[step->scratch_buffer].offset_bytes;
    }
}

static void drop_view_steps(ig_binding *b)
{
    size_t n = 0;
    for (size_t s = 0; s < b->n_steps; s++)
        if (b->steps[s].kernel_name) b->steps[n++] = b->steps[s];
    b->n_steps = n;
}

static ig_status place_all(binder *k)
{
    ig_binding *b = k->b;
    IG_TRY(ig_memory_place(b->buffers, b->n_buffers, &b->arena, &b->slab_bytes, k->err));
    IG_TRY(describe_values(k));
    drop_view_steps(b);
    for (size_t s = 0; s < b->n_steps; s++) IG_TRY(connect_step(k, &b->steps[s]));
    return INGOT_OK;
}

/* ---- all together ---- */

static ig_status bind(binder *k, const ig_tensor *const *inputs)
{
    ig_binding *b = k->b;
    const size_t n_values = k->g->n_values, n_nodes = k->g->n_nodes;
    ig_dims_init(&b->dims, &b->arena);
    b->graph = k->g;
    b->infos = array(k, n_values, sizeof *b->infos);
    b->inputs = array(k, k->g->n_inputs, sizeof *b->inputs);
    b->spots = array(k, n_values, sizeof *b->spots);
    b->tensors = array(k, n_values, sizeof *b->tensors);
    k->is_dynamic = array(k, n_values, sizeof *k->is_dynamic);
    k->is_needed = array(k, n_values, sizeof *k->is_needed);
    k->last_use = array(k, n_values, sizeof *k->last_use);
    k->runs = array(k, n_nodes, sizeof *k->runs);
    k->node_dynamic = array(k, n_nodes, sizeof *k->node_dynamic);
    k->step_of = array(k, n_nodes, sizeof *k->step_of);
    if (!b->infos || !b->inputs || !b->spots || !b->tensors || !k->is_dynamic || !k->is_needed ||
        !k->last_use || !k->runs || !k->node_dynamic || !k->step_of)
        return INGOT_ERR_NOMEM;
    IG_TRY(infer_all(k, inputs));
    find_needed(k);
    find_last_uses(k);
    IG_TRY(lower_all(k));
    return place_all(k);
}

ig_status ig_binding_create(ig_plan *plan, const ig_graph *graph, const ig_tensor *const *inputs,
                            int n_threads, ig_binding **out, ig_error *err)
{
    ig_binding *b = ig_alloc_get(plan->alloc, sizeof *b, _Alignof(ig_binding), INGOT_MEM_PLAN);
    *out = NULL;
    if (!b) return IG_NOMEM(err, sizeof *b);
    *b = (ig_binding){ 0 };
    ig_arena_init(&b->arena, plan->alloc, INGOT_MEM_PLAN);
    binder k = { .plan = plan, .g = graph, .b = b, .n_threads = n_threads, .err = err };
    const ig_status status = bind(&k, inputs);
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
