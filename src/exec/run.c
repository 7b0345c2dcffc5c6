/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: the run loop. Static steps call their kernel; dynamic ones are inferred and lowered on the
 * way. */
#include "exec/run.h"

#include <string.h>

#include "base/clock.h"

#define VALUE_ALIGN_BYTES 64

/* ---- values on the heap ---- */

void ig_frame_release(ig_frame *f, uint32_t v)
{
    ig_tensor *t = &f->binding->tensors[v];
    ig_alloc *alloc = f->context->plan->alloc;
    if (t->items) { /* owned: made by own_contents */
        for (size_t i = 0; i < t->n_items; i++) ig_tensor_destroy(t->items[i]);
        ig_alloc_put(alloc, t->items, t->cap_items * sizeof *t->items, INGOT_MEM_VALUE);
    }
    if (t->data && t->owner) {
        if (t->owns_strings) {
            ingot_string *strings = t->data;
            for (size_t i = 0; i < t->data_bytes / sizeof *strings; i++)
                ig_alloc_put(t->owner, (void *)(uintptr_t)strings[i].data, strings[i].bytes,
                             INGOT_MEM_VALUE);
        }
        ig_alloc_put(t->owner, t->data, t->data_bytes, INGOT_MEM_VALUE);
    }
    *t = (ig_tensor){ .kind = t->kind, .dtype = t->dtype };
}

/* Memory for output i of a step, when the reference knows its shape. */
static ig_status alloc_output(ig_call *c, int i, ingot_dtype dtype, int rank, const int64_t *dims)
{
    ig_frame *f = c->frame;
    const uint32_t v = c->node->outputs[i];
    ig_tensor *t = c->out[i];
    size_t bytes = 0;
    if (f->binding->spots[v].place != IG_AT_HEAP)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "output %d has another shape than inferred", i);
    ig_frame_release(f, v);
    if (rank > IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "output %d has rank %d, at most %d are supported",
                       i, rank, IG_MAX_RANK);
    const int64_t n = ig_count(rank, dims);
    if (n < 0 || !ig_dtype_bytes(dtype, n, &bytes))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "output %d would not fit in memory", i);
    IG_TRY(ig_limits_check_tensor(&f->context->plan->limits, bytes, c->err));
    t->data = ig_alloc_get(f->context->plan->alloc, bytes, VALUE_ALIGN_BYTES, INGOT_MEM_VALUE);
    if (!t->data) return IG_NOMEM(c->err, bytes);
    if (dtype == INGOT_STRING) memset(t->data, 0, bytes);
    t->kind = INGOT_KIND_TENSOR;
    t->owner = f->context->plan->alloc;
    t->tag = INGOT_MEM_VALUE;
    t->data_bytes = bytes;
    t->dtype = dtype;
    t->rank = (int16_t)rank;
    for (int d = 0; d < rank; d++) t->dims[d] = dims[d];
    return INGOT_OK;
}

/* ---- references ---- */

static ig_status run_graph(ig_call *c, const ig_attr *attr, const ig_tensor *const *in, size_t n_in,
                           const ig_tensor **out, size_t n_out)
{
    ig_frame *child = NULL;
    if (n_in != attr->g->n_inputs || n_out > attr->g->n_outputs)
        return ig_fail(c->err, INGOT_ERR_INVALID,
                       "subgraph takes %zu inputs and gives %zu outputs, not %zu and %zu",
                       attr->g->n_inputs, attr->g->n_outputs, n_in, n_out);
    IG_TRY(ig_frame_child(c->frame, attr->g, &child, c->err));
    IG_TRY(ig_frame_run(child, in, c->err));
    for (size_t i = 0; i < n_out; i++) out[i] = ig_frame_output(child, i);
    return INGOT_OK;
}

static ig_status shape_graph(ig_call *c, const ig_attr *attr, const ig_tensor *const *in, size_t i,
                             ig_info *out)
{
    ig_frame *child = NULL;
    ig_error why = { 0 };
    ig_status status = ig_frame_child(c->frame, attr->g, &child, &why);
    if (!status) status = ig_frame_bind(child, in, &why);
    /* A body that never runs may be one that could not; lack of memory is another matter. */
    if (status == INGOT_ERR_NOMEM || status == INGOT_ERR_LIMIT)
        return ig_fail(c->err, status, "%s", why.message);
    *out = (ig_info){ .rank = -1 };
    if (!status) *out = ig_frame_binding(child)->outputs[i];
    return INGOT_OK;
}

/* References leave string bytes and items borrowed; a heap value outlives what they were borrowed
 * from. */
static ig_status own_contents(ig_frame *f, ig_tensor *t, ig_error *err)
{
    ig_alloc *alloc = f->context->plan->alloc;
    ig_tensor *copy = NULL;
    const bool has_strings = t->kind == INGOT_KIND_TENSOR && t->dtype == INGOT_STRING;
    if (t->kind == INGOT_KIND_TENSOR && !has_strings) return INGOT_OK;
    IG_TRY(ig_tensor_copy(alloc, INGOT_MEM_VALUE, t, &copy, err));
    if (has_strings && t->owner) ig_alloc_put(t->owner, t->data, t->data_bytes, t->tag);
    *t = *copy;
    /* The struct itself is part of the binding. */
    ig_alloc_put(alloc, copy, sizeof *copy, INGOT_MEM_VALUE);
    return INGOT_OK;
}

/* After a failure: what is still borrowed must not be freed as if it were owned. */
static void forget_borrowed_items(ig_frame *f, ig_step *step)
{
    for (uint32_t i = 0; i < step->node->n_outputs; i++) {
        ig_tensor *t = step->out[i];
        if (!t || f->binding->spots[step->node->outputs[i]].place != IG_AT_HEAP) continue;
        if (!t->owner) t->items = NULL, t->n_items = 0;
    }
}

static ig_status own_outputs(ig_frame *f, ig_step *step, ig_error *err)
{
    for (uint32_t i = 0; i < step->node->n_outputs; i++) {
        if (!step->out[i] || f->binding->spots[step->node->outputs[i]].place != IG_AT_HEAP)
            continue;
        const ig_status status = own_contents(f, step->out[i], err);
        if (status) {
            forget_borrowed_items(f, step);
            return status;
        }
    }
    return INGOT_OK;
}

static ig_status run_reference(ig_frame *f, ig_step *step, ig_error *err)
{
    ig_call call = { .node = step->node,
                     .opset = step->node->opset,
                     .n_in = (int)step->node->n_inputs,
                     .n_out = (int)step->node->n_outputs,
                     .in = step->in,
                     .out = step->out,
                     .team = f->context->team,
                     .scratch = &f->scratch,
                     .seed = f->context->seed ^
                             ig_hash(step->node->name, strlen(step->node->name), step->order),
                     .err = err,
                     .alloc_output = alloc_output,
                     .run_graph = run_graph,
                     .shape_graph = shape_graph,
                     .max_loop_steps = f->context->plan->limits.max_loop_steps,
                     .n_loop_steps = &f->context->n_loop_steps,
                     .frame = f };
    ig_status status = ig_op_call(&call);
    if (!status)
        status = own_outputs(f, step, err);
    else
        forget_borrowed_items(f, step);
    ig_arena_reset(&f->scratch);
    return status;
}

/* ---- kernels ---- */

typedef struct kernel_job {
    ig_kernel_fn fn;
    const void *params;
    void *const *operands;
} kernel_job;

static void run_part(void *ctx, ig_part part)
{
    const kernel_job *job = ctx;
    job->fn(job->params, job->operands, part);
}

static void run_kernel(const ig_step *step, ig_team *team)
{
    if (step->team_kernel) {
        step->team_kernel(step->params, step->operands, team);
    } else if (!team || step->n_work <= step->grain) {
        step->kernel(step->params, step->operands, (ig_part){ 0, step->n_work, 0 });
    } else {
        kernel_job job = { step->kernel, step->params, step->operands };
        ig_team_run(team, run_part, &job, step->n_work, step->grain);
    }
}

/* ---- dynamic steps ---- */

static void info_of_tensor(ig_info *info, const ig_tensor *t)
{
    *info = (ig_info){ .type = { .kind = t->kind, .dtype = t->dtype }, .rank = t->rank, .data = t };
    if (t->kind != INGOT_KIND_TENSOR) info->rank = -1, info->data = NULL;
    for (int d = 0; d < info->rank; d++) info->dims[d] = t->dims[d];
}

/* Give outputs whose shape is known now their memory; true when that was all of them. */
static ig_status alloc_known_outputs(ig_frame *f, ig_step *step, const ig_info *out, bool *all,
                                     ig_error *err)
{
    ig_call c = { .node = step->node,
                  .n_out = (int)step->node->n_outputs,
                  .out = step->out,
                  .frame = f,
                  .err = err };
    int64_t dims[IG_MAX_RANK];
    *all = true;
    for (uint32_t i = 0; i < step->node->n_outputs; i++) {
        if (!step->out[i]) continue;
        const bool is_known = out[i].type.kind == INGOT_KIND_TENSOR &&
                              out[i].type.dtype != INGOT_UNDEFINED &&
                              ig_info_is_static(&out[i], dims);
        *all = *all && is_known && out[i].type.dtype != INGOT_STRING;
        if (is_known) IG_TRY(alloc_output(&c, (int)i, out[i].type.dtype, out[i].rank, dims));
    }
    return INGOT_OK;
}

typedef struct dynamic_memory {
    ig_arena arena;
    void *scratch;
    size_t scratch_bytes;
} dynamic_memory;

static ig_status run_lowered(ig_frame *f, ig_step *step, const ig_info *const *in,
                             const ig_info *out, dynamic_memory *m, bool *done, ig_error *err)
{
    ig_plan *plan = f->context->plan;
    const int n_threads = f->context->team ? ig_team_n_threads(f->context->team) : 1;
    ig_step fast = *step;
    ig_sharing sharing;
    /* Lowering looks at constants of the graph only: contents of this run's tensors must not be
     * packed. */
    ig_info *shapes = ig_arena_array(&m->arena, step->node->n_inputs + 1, sizeof *shapes);
    const ig_info **views = ig_arena_array(&m->arena, step->node->n_inputs + 1, sizeof *views);
    if (!shapes || !views) return IG_NOMEM(err, sizeof *shapes);
    for (uint32_t i = 0; i < step->node->n_inputs; i++) {
        if (!in[i]) continue;
        shapes[i] = *in[i];
        shapes[i].data = f->graph->values[step->node->inputs[i]]->info.data;
        views[i] = &shapes[i];
    }
    IG_TRY(ig_step_lower(plan, step->node, views, out, n_threads, &m->arena, &fast, &sharing, err));
    *done = !sharing.is_view && (fast.kernel || fast.team_kernel);
    if (!*done) return INGOT_OK;
    fast.n_operands = fast.n_operand_in + fast.n_operand_out + 1;
    fast.operands = ig_arena_array(&m->arena, fast.n_operands, sizeof *fast.operands);
    if (!fast.operands) return IG_NOMEM(err, fast.n_operands * sizeof *fast.operands);
    for (uint32_t k = 0; k < fast.n_operand_in; k++) {
        const uint32_t i = ig_step_input_of(&fast, k);
        if (i == IG_NONE || !step->in[i]) continue;
        fast.operands[k] = fast.operand_const && fast.operand_const[i]
                               ? (void *)(uintptr_t)fast.operand_const[i]
                               : step->in[i]->data;
    }
    for (uint32_t i = 0; i < step->node->n_outputs; i++)
        fast.operands[fast.n_operand_in + i] = step->out[i] ? step->out[i]->data : NULL;
    if (fast.scratch_bytes) {
        m->scratch =
            ig_alloc_get(plan->alloc, fast.scratch_bytes, VALUE_ALIGN_BYTES, INGOT_MEM_SLAB);
        if (!m->scratch) return IG_NOMEM(err, fast.scratch_bytes);
        m->scratch_bytes = fast.scratch_bytes;
        fast.operands[fast.n_operands - 1] = m->scratch;
    }
    step->kernel_name = "dynamic"; /* the kernel's own name does not outlive the step */
    run_kernel(&fast, f->context->team);
    return INGOT_OK;
}

static ig_status run_inferred(ig_frame *f, ig_step *step, dynamic_memory *m, ig_error *err)
{
    const ig_node *node = step->node;
    ig_dims dims;
    ig_info *infos = ig_arena_array(&m->arena, node->n_inputs + node->n_outputs + 1, sizeof *infos);
    const ig_info **in = ig_arena_array(&m->arena, node->n_inputs + 1, sizeof *in);
    bool all_known = false, done = false;
    if (!infos || !in) return IG_NOMEM(err, sizeof *infos);
    ig_info *out = infos + node->n_inputs;
    ig_dims_init(&dims, &m->arena);
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        if (!step->in[i]) continue;
        info_of_tensor(&infos[i], step->in[i]);
        in[i] = &infos[i];
    }
    IG_TRY(ig_op_infer(node, in, out, &dims, &m->arena, err));
    IG_TRY(alloc_known_outputs(f, step, out, &all_known, err));
    if (all_known) IG_TRY(run_lowered(f, step, in, out, m, &done, err));
    return done ? INGOT_OK : run_reference(f, step, err);
}

static void release_after(ig_frame *f, const ig_step *step)
{
    const ig_binding *b = f->binding;
    for (uint32_t i = 0; i < step->node->n_inputs; i++) {
        const uint32_t v = step->node->inputs[i];
        if (v != IG_NONE && b->spots[v].place == IG_AT_HEAP && b->spots[v].last_use == step->order)
            ig_frame_release(f, v);
    }
}

static ig_status run_dynamic(ig_frame *f, ig_step *step, ig_error *err)
{
    dynamic_memory m = { 0 };
    ig_status status;
    for (uint32_t i = 0; i < step->node->n_outputs; i++)
        if (step->out[i]) ig_frame_release(f, step->node->outputs[i]);
    if (step->node->op->flags & IG_CONTROL_FLOW) {
        status = run_reference(f, step, err);
    } else {
        ig_arena_init(&m.arena, f->context->plan->alloc, INGOT_MEM_OTHER);
        status = run_inferred(f, step, &m, err);
        ig_alloc_put(f->context->plan->alloc, m.scratch, m.scratch_bytes, INGOT_MEM_SLAB);
        ig_arena_deinit(&m.arena);
    }
    if (!status) release_after(f, step);
    return status;
}

/* ---- the loop ---- */

static ig_status run_step(ig_frame *f, ig_step *step, ig_error *err)
{
    if (step->is_dynamic) return run_dynamic(f, step, err);
    if (!step->kernel && !step->team_kernel) return run_reference(f, step, err);
    run_kernel(step, f->context->team);
    return INGOT_OK;
}

static ig_status run_profiled(ig_frame *f, ig_step *step, ig_error *err)
{
    step->begin_ns = ig_clock_ns();
    const ig_status status = run_step(f, step, err);
    step->end_ns = ig_clock_ns();
    const uint64_t ns = step->end_ns - step->begin_ns;
    step->n_runs++;
    step->total_ns += ns;
    if (ns < step->min_ns) step->min_ns = ns;
    return status;
}

static void point_at_inputs(ig_binding *b, const ig_tensor *const *inputs)
{
    for (size_t i = 0; i < b->n_patches; i++) {
        const ig_patch *p = &b->patches[i];
        const ig_tensor *t = inputs[p->i_input];
        *p->pointer = t && t->data ? (uint8_t *)t->data + p->offset_bytes : NULL;
    }
    /* Sequences and the like travel by descriptor. */
    for (size_t i = 0; i < b->graph->n_inputs; i++)
        if (inputs[i] && inputs[i]->kind != INGOT_KIND_TENSOR) {
            b->tensors[b->graph->inputs[i]] = *inputs[i];
            b->tensors[b->graph->inputs[i]].owner = NULL;
        }
}

/* ---- a run ---- */

void ig_run_begin(ig_run_context *context)
{
    atomic_store(&context->is_cancelled, false);
    context->n_loop_steps = 0;
    context->deadline_ns =
        context->timeout_ms ? ig_clock_ns() + (uint64_t)context->timeout_ms * 1000000u : 0;
}

static ig_status check_stop(const ig_run_context *context, size_t i_step, size_t n_steps,
                            ig_error *err)
{
    if (atomic_load_explicit(&context->is_cancelled, memory_order_relaxed))
        return ig_fail(err, INGOT_ERR_CANCELLED, "the run was cancelled after %zu of %zu steps",
                       i_step, n_steps);
    if (context->deadline_ns && ig_clock_ns() > context->deadline_ns)
        return ig_fail(err, INGOT_ERR_LIMIT,
                       "the run took longer than the %lld ms that timeout_ms (--timeout) allows; "
                       "stopped after %zu of %zu steps",
                       (long long)context->timeout_ms, i_step, n_steps);
    return INGOT_OK;
}

ig_status ig_frame_run(ig_frame *f, const ig_tensor *const *inputs, ig_error *err)
{
    char text[256];
    IG_TRY(ig_frame_bind(f, inputs, err));
    ig_binding *b = f->binding;
    point_at_inputs(b, inputs);
    for (size_t s = 0; s < b->n_steps; s++) {
        IG_TRY(check_stop(f->context, s, b->n_steps, err));
        ig_step *step = &b->steps[s];
        const ig_status status =
            f->context->is_profiling ? run_profiled(f, step, err) : run_step(f, step, err);
        if (status) {
            ig_error_prepend(err, "%s", ig_node_describe(f->graph, step->node, text, sizeof text));
            return status;
        }
    }
    f->has_run = true;
    return INGOT_OK;
}
