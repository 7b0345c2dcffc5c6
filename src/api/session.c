/* SPDX-License-Identifier: Apache-2.0 */
/* session.c: sessions: check inputs, run, hand out outputs, look inside. */
#include <stdio.h>
#include <string.h>

#include "api/handles.h"
#include "exec/run.h"

#define MAX_TIMEOUT_MS INT64_C(1000000000000)

/* ---- life ---- */

static ig_status set_team(ingot_session *s, const ingot_session_options *o, ig_error *err)
{
    if (o->share_team) {
        s->context.team = o->share_team->context.team;
        return INGOT_OK;
    }
    const int n_threads = o->n_threads > 0 ? o->n_threads : ig_cpu_n_usable();
    if (n_threads == 1) return INGOT_OK;
    IG_TRY(ig_team_create(&s->model->alloc, n_threads, &s->own_team, err));
    s->context.team = s->own_team;
    return INGOT_OK;
}

static ig_status fill_session(ingot_session *s, const ingot_session_options *o, ig_error *err)
{
    ig_compiled *c = &s->model->compiled;
    const size_t n_in = c->onnx.graph->n_inputs, n_out = c->onnx.graph->n_outputs;
    ig_alloc *alloc = &s->model->alloc;
    const size_t bytes = (n_in + 2 * n_out + 1) * sizeof(void *);
    void **pointers = ig_alloc_get(alloc, bytes, 0, INGOT_MEM_PLAN);
    if (!pointers) return IG_NOMEM(err, bytes);
    memset(pointers, 0, bytes);
    s->inputs = (const ig_tensor **)pointers;
    s->kept = (ig_tensor **)pointers + n_in;
    s->bound = s->kept + n_out;
    s->context.plan = &c->plan;
    s->context.seed = o->seed;
    s->context.timeout_ms = o->timeout_ms;
    IG_TRY(ig_named_dims_init(&s->named_dims, alloc, &c->onnx, err));
    IG_TRY(set_team(s, o, err));
    return ig_frame_create(&s->context, c->onnx.graph, 0, &s->frame, err);
}

ingot_status ingot_session_create(ingot_model *model, const ingot_session_options *given,
                                  ingot_session **out, ingot_error *err)
{
    ingot_session_options o = INGOT_SESSION_OPTIONS_INIT;
    ig_error_clear(err);
    *out = NULL;
    if (given) memcpy(&o, given, given->struct_bytes < sizeof o ? given->struct_bytes : sizeof o);
    if (o.n_threads < 0)
        return ig_fail(err, INGOT_ERR_INVALID, "%d threads cannot work", o.n_threads);
    if (o.timeout_ms < 0 || o.timeout_ms > MAX_TIMEOUT_MS)
        return ig_fail(err, INGOT_ERR_INVALID, "a timeout of %lld ms is not between 0 and %lld",
                       (long long)o.timeout_ms, (long long)MAX_TIMEOUT_MS);
    ingot_session *s =
        ig_alloc_get(&model->alloc, sizeof *s, _Alignof(ingot_session), INGOT_MEM_PLAN);
    if (!s) return ig_model_status(model, IG_NOMEM(err, sizeof *s), err);
    memset(s, 0, sizeof *s);
    s->model = model;
    ig_model_retain(model);
    const ig_status status = ig_model_status(model, fill_session(s, &o, err), err);
    if (status)
        ingot_session_destroy(s);
    else
        *out = s;
    return status;
}

void ingot_session_destroy(ingot_session *s)
{
    if (!s) return;
    ingot_model *model = s->model;
    const ig_graph *g = model->compiled.onnx.graph;
    for (size_t i = 0; s->kept && i < g->n_outputs; i++) ig_tensor_destroy(s->kept[i]);
    ig_frame_destroy(s->frame);
    ig_named_dims_deinit(&s->named_dims);
    ig_team_destroy(s->own_team);
    ig_alloc_put(&model->alloc, s->inputs, (g->n_inputs + 2 * g->n_outputs + 1) * sizeof(void *),
                 INGOT_MEM_PLAN);
    ig_alloc_put(&model->alloc, s, sizeof *s, INGOT_MEM_PLAN);
    ig_model_release(model);
}

int ingot_session_n_threads(const ingot_session *s)
{
    return s->context.team ? ig_team_n_threads(s->context.team) : 1;
}

void ingot_session_cancel(ingot_session *s) { atomic_store(&s->context.is_cancelled, true); }

/* ---- inputs ---- */

static const char *kind_name(ingot_kind kind)
{
    static const char *const names[] = { "a tensor", "a sequence", "a map", "an optional" };
    return (unsigned)kind < IG_COUNT(names) ? names[kind] : "no value";
}

static ig_status check_input(const ig_onnx_io *want, const ig_tensor *have, ig_error *err)
{
    char a[128], b[128];
    if (have->kind != want->type.kind)
        return ig_fail(err, INGOT_ERR_SHAPE, "input '%s' is %s, the model wants %s", want->name,
                       kind_name(have->kind), kind_name(want->type.kind));
    if (have->dtype != want->type.dtype && want->type.dtype != INGOT_UNDEFINED &&
        !(have->kind != INGOT_KIND_TENSOR && have->n_items == 0))
        return ig_fail(err, INGOT_ERR_SHAPE, "input '%s' has element type %s, the model wants %s",
                       want->name, ingot_dtype_name(have->dtype),
                       ingot_dtype_name(want->type.dtype));
    if (have->kind != INGOT_KIND_TENSOR || want->rank < 0) return INGOT_OK;
    bool fits = have->rank == want->rank;
    for (int d = 0; fits && d < want->rank; d++)
        fits = want->dims[d] < 0 || want->dims[d] == have->dims[d];
    if (fits) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_SHAPE, "input '%s' has shape %s, the model wants %s", want->name,
                   ig_shape_format(have->dtype, have->rank, have->dims, a, sizeof a),
                   ig_shape_format(want->type.dtype, want->rank, want->dims, b, sizeof b));
}

static ig_status collect_inputs(ingot_session *s, const ingot_value *const *inputs, size_t n_inputs,
                                ig_error *err)
{
    const ig_onnx_model *onnx = &s->model->compiled.onnx;
    const size_t n = onnx->graph->n_inputs;
    if (n_inputs > n)
        return ig_fail(err, INGOT_ERR_INVALID, "%zu inputs given, the model has %zu", n_inputs, n);
    for (size_t i = 0; i < n; i++) {
        const ig_onnx_io *io = &onnx->inputs[i];
        s->inputs[i] = i < n_inputs && inputs[i] ? inputs[i] : io->default_value;
        if (!s->inputs[i])
            return ig_fail(err, INGOT_ERR_INVALID, "input '%s' is missing", io->name);
        IG_TRY(check_input(io, s->inputs[i], err));
    }
    return ig_named_dims_check(&s->named_dims, onnx, s->inputs, err);
}

/* ---- run ---- */

static ig_status deliver_bound(const ig_tensor *from, ig_tensor *to, ig_error *err)
{
    char a[128], b[128];
    size_t bytes = 0;
    bool is_same = to->dtype == from->dtype && to->rank == from->rank;
    for (int d = 0; is_same && d < to->rank; d++) is_same = to->dims[d] == from->dims[d];
    if (!is_same || from->kind != INGOT_KIND_TENSOR || from->dtype == INGOT_STRING)
        return ig_fail(err, INGOT_ERR_SHAPE, "the output is %s, the tensor bound to it %s",
                       ig_shape_format(from->dtype, from->rank, from->dims, a, sizeof a),
                       ig_shape_format(to->dtype, to->rank, to->dims, b, sizeof b));
    if (ig_tensor_bytes(from, &bytes) && bytes) memmove(to->data, from->data, bytes);
    return INGOT_OK;
}

/* An output that is an input seen differently must not change when the caller's input does. */
static ig_status keep_output(ingot_session *s, size_t i, ig_error *err)
{
    const ig_tensor *from = ig_frame_output(s->frame, i);
    ig_tensor_destroy(s->kept[i]);
    s->kept[i] = NULL;
    return ig_tensor_copy(&s->model->alloc, INGOT_MEM_VALUE, from, &s->kept[i], err);
}

static ig_status run(ingot_session *s, const ingot_value *const *inputs, size_t n_inputs,
                     ig_error *err)
{
    const ig_onnx_model *onnx = &s->model->compiled.onnx;
    s->has_output = false;
    ig_run_begin(&s->context);
    IG_TRY(collect_inputs(s, inputs, n_inputs, err));
    IG_TRY(ig_frame_run(s->frame, s->inputs, err));
    for (size_t i = 0; i < onnx->graph->n_outputs; i++) {
        if (s->bound[i]) {
            const ig_status status = deliver_bound(ig_frame_output(s->frame, i), s->bound[i], err);
            if (status) ig_error_prepend(err, "output '%s'", onnx->outputs[i].name);
            if (status) return status;
        } else if (ig_frame_output_is_borrowed(s->frame, i)) {
            IG_TRY(keep_output(s, i, err));
        }
    }
    s->has_output = true;
    return INGOT_OK;
}

ingot_status ingot_session_run(ingot_session *s, const ingot_value *const *inputs, size_t n_inputs,
                               ingot_error *err)
{
    ig_error_clear(err);
    return ig_model_status(s->model, run(s, inputs, n_inputs, err), err);
}

ingot_status ingot_session_prepare(ingot_session *s, const ingot_value *const *inputs,
                                   size_t n_inputs, ingot_error *err)
{
    ig_error_clear(err);
    s->has_output = false;
    IG_TRY(collect_inputs(s, inputs, n_inputs, err));
    return ig_model_status(s->model, ig_frame_bind(s->frame, s->inputs, err), err);
}

const ingot_value *ingot_session_output(const ingot_session *s, size_t i)
{
    if (!s->has_output || i >= s->model->compiled.onnx.graph->n_outputs) return NULL;
    if (s->bound[i]) return s->bound[i];
    return ig_frame_output_is_borrowed(s->frame, i) ? s->kept[i] : ig_frame_output(s->frame, i);
}

ingot_status ingot_session_bind_output(ingot_session *s, size_t i, ingot_value *tensor,
                                       ingot_error *err)
{
    ig_error_clear(err);
    if (i >= s->model->compiled.onnx.graph->n_outputs)
        return ig_fail(err, INGOT_ERR_INVALID, "output %zu does not exist", i);
    if (tensor && tensor->kind != INGOT_KIND_TENSOR)
        return ig_fail(err, INGOT_ERR_INVALID, "only tensors can be bound");
    s->bound[i] = tensor;
    s->has_output = false;
    return INGOT_OK;
}

/* ---- looking inside ---- */

void ingot_session_set_profiling(ingot_session *s, int on) { s->context.is_profiling = on != 0; }

/* Step number `i` of a frame, counting those of subgraphs after the step they belong to; NULL (and
 * *n the number of steps passed) when there are fewer. */
static const ig_step *find_step(const ig_frame *f, size_t i, size_t *n)
{
    const ig_binding *b = ig_frame_binding(f);
    if (b && i - *n < b->n_steps) return &b->steps[i - *n];
    *n += b ? b->n_steps : 0;
    for (size_t c = 0; c < f->n_children; c++)
        for (int t = 0; t < 2; t++) {
            const ig_step *step =
                f->children[c].frames[t] ? find_step(f->children[c].frames[t], i, n) : NULL;
            if (step) return step;
        }
    return NULL;
}

size_t ingot_session_n_steps(const ingot_session *s)
{
    size_t n = 0;
    (void)find_step(s->frame, SIZE_MAX, &n);
    return n;
}

static void format_dims(const ig_tensor *t, char *buf, size_t bytes)
{
    size_t at = 0;
    buf[0] = 0;
    for (int d = 0; d < t->rank && at < bytes; d++)
        at += (size_t)snprintf(buf + at, bytes - at, "%s%lld", d ? "x" : "", (long long)t->dims[d]);
    if (t->rank == 0) snprintf(buf, bytes, "scalar");
}

void ingot_session_step(const ingot_session *s, size_t i, ingot_step_info *info)
{
    size_t n = 0;
    const size_t struct_bytes = info->struct_bytes;
    const ig_step *step = find_step(s->frame, i, &n);
    ingot_step_info full = { .struct_bytes = struct_bytes, .node = "", .op = "", .kernel = "" };
    if (step) {
        full.node = step->node->name;
        full.op = step->node->op_type;
        full.kernel = step->kernel_name;
        full.flops = step->flops;
        full.bytes = step->bytes;
        full.n_runs = step->n_runs;
        full.total_ns = step->total_ns;
        full.min_ns = step->n_runs ? step->min_ns : 0;
        full.last_begin_ns = step->begin_ns;
        full.last_end_ns = step->end_ns;
        for (uint32_t k = 0; k < step->node->n_outputs; k++)
            if (step->out[k]) {
                format_dims(step->out[k], full.shape, sizeof full.shape);
                break;
            }
    }
    memcpy(info, &full, struct_bytes < sizeof full ? struct_bytes : sizeof full);
}

size_t ingot_session_slab_bytes(const ingot_session *s) { return ig_frame_slab_bytes(s->frame); }
