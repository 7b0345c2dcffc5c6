/* SPDX-License-Identifier: Apache-2.0 */
/* model.c: a case as a graph of one node; running it through a plan, or its reference alone. */
#include <stdio.h>
#include <string.h>

#include "opcheck.h"

#define SEED 42

static bool is_const_in(const oc_operand *o, oc_consts consts)
{
    if (o->value->kind != INGOT_KIND_TENSOR) return false;
    return consts == OC_ALL_CONST || (consts == OC_AS_GIVEN && o->is_const);
}

static void info_of(ig_info *info, const ig_tensor *t)
{
    *info = (ig_info){ .type = { .kind = t->kind, .dtype = t->dtype }, .rank = t->rank };
    if (t->kind != INGOT_KIND_TENSOR) info->rank = -1;
    for (int d = 0; d < info->rank; d++) info->dims[d] = t->dims[d];
}

void oc_infos(const oc_case *c, oc_consts consts, bool with_data, ig_info *infos,
              const ig_info **in)
{
    for (int i = 0; i < c->n_in; i++) {
        in[i] = c->in[i].is_absent ? NULL : &infos[i];
        if (!in[i]) continue;
        const ig_tensor *t = c->in[i].value;
        info_of(&infos[i], t);
        if (t->kind == INGOT_KIND_TENSOR && (with_data || is_const_in(&c->in[i], consts)))
            infos[i].data = t;
    }
}

static ig_status out_of_memory(ig_error *err) { return IG_NOMEM(err, 0); }

static ig_status add_attrs(const oc_case *c, ig_graph *g, ig_node *node, ig_error *err)
{
    for (int i = 0; i < c->n_attrs; i++) {
        ig_attr a = c->attrs[i];
        /* Passes change subgraphs, so every graph gets its own. */
        if (a.kind == IG_ATTR_GRAPH)
            IG_TRY(ig_graph_parse(g->arena, g->dims, c->graph_text[i], strlen(c->graph_text[i]),
                                  &a.g, err));
        if (!ig_node_set_attr(g, node, &a)) return out_of_memory(err);
    }
    return INGOT_OK;
}

static ig_status add_input(const oc_operand *o, int i, oc_consts consts, ig_graph *g, uint32_t *id,
                           ig_error *err)
{
    char name[16];
    *id = IG_NONE;
    if (o->is_absent) return INGOT_OK;
    snprintf(name, sizeof name, "i%d", i);
    const bool is_const = is_const_in(o, consts);
    *id = is_const ? ig_graph_add_constant(g, name, o->value)
                   : ig_graph_add_value(g, name, strlen(name));
    if (*id == IG_NONE) return out_of_memory(err);
    if (is_const) return INGOT_OK;
    info_of(&g->values[*id]->info, o->value);
    return ig_graph_add_input(g, *id) ? INGOT_OK : out_of_memory(err);
}

ig_status oc_graph(const oc_case *c, oc_consts consts, ig_arena *arena, ig_dims *dims,
                   ig_graph **out, ig_error *err)
{
    uint32_t in[OC_MAX_OPERANDS], made[OC_MAX_OPERANDS];
    char name[16];
    const char *domain = c->op->domain ? c->op->domain : "";
    const ig_opset opset = { domain, c->opset };
    ig_graph *g = ig_graph_create(arena, dims, "case");
    if (!g || !IG_ARENA_PUSH(arena, g->opsets, g->n_opsets, g->cap_opsets, opset))
        return out_of_memory(err);
    for (int i = 0; i < c->n_in; i++) IG_TRY(add_input(&c->in[i], i, consts, g, &in[i], err));
    for (int i = 0; i < c->n_out; i++) {
        snprintf(name, sizeof name, "o%d", i);
        made[i] = ig_graph_add_value(g, name, strlen(name));
        if (made[i] == IG_NONE || !ig_graph_add_output(g, made[i])) return out_of_memory(err);
    }
    ig_node *node = ig_graph_add_node(g, IG_NONE, c->op->onnx, domain, "n", in, (size_t)c->n_in,
                                      made, (size_t)c->n_out);
    if (!node) return out_of_memory(err);
    node->opset = c->opset;
    IG_TRY(add_attrs(c, g, node, err));
    *out = g;
    return ig_ops_resolve(g, err);
}

/* ---- through a plan ---- */

ig_status oc_model_open(oc_model *m, const oc_case *c, oc_consts consts, ig_isa isa,
                        ingot_opt_level level, ig_alloc *graph_alloc, ig_error *err)
{
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    *m = (oc_model){ 0 };
    options.opt_level = level;
    ig_arena_init(&m->arena, graph_alloc, INGOT_MEM_GRAPH);
    ig_dims_init(&m->dims, &m->arena);
    m->context.plan = &m->plan;
    m->context.seed = SEED;
    m->plan.isa = isa;
    IG_TRY(oc_graph(c, consts, &m->arena, &m->dims, &m->g, err));
    for (int i = 0, n = 0; i < c->n_in; i++)
        if (!c->in[i].is_absent && !is_const_in(&c->in[i], consts)) m->inputs[n++] = c->in[i].value;
    return ig_passes_run(m->g, isa, &options, NULL, err);
}

ig_status oc_model_run(oc_model *m, ig_alloc *run_alloc, ig_error *err)
{
    if (!m->plan.alloc)
        IG_TRY(ig_plan_init(&m->plan, run_alloc, m->g, m->plan.isa, NULL, NULL, 0, err));
    if (!m->frame) IG_TRY(ig_frame_create(&m->context, m->g, 0, &m->frame, err));
    return ig_frame_run(m->frame, m->inputs, err);
}

void oc_model_stop(oc_model *m)
{
    const ig_isa isa = m->plan.isa;
    ig_frame_destroy(m->frame);
    m->frame = NULL;
    ig_plan_deinit(&m->plan);
    m->plan.isa = isa;
}

void oc_model_close(oc_model *m)
{
    oc_model_stop(m);
    ig_arena_deinit(&m->arena);
}

/* ---- the reference alone ---- */

typedef struct reference_frame {
    ig_arena *arena;
    oc_guard *guard;
} reference_frame;

static size_t element_align(ingot_dtype dtype)
{
    if (dtype == INGOT_STRING) return sizeof(void *);
    const size_t size = ig_dtype_size(dtype);
    return size > 8 ? 8 : size ? size : 1;
}

static ig_status give_memory(oc_guard *guard, ig_tensor *t, ig_error *err)
{
    size_t bytes = 0;
    if (!ig_tensor_bytes(t, &bytes))
        return ig_fail(err, INGOT_ERR_SHAPE, "output would not fit in memory");
    if (bytes > OC_MEMORY_BYTES) return IG_NOMEM(err, bytes);
    t->data = oc_guard_get(guard, bytes, element_align(t->dtype));
    return t->data ? INGOT_OK : IG_NOMEM(err, bytes);
}

static ig_status alloc_output(ig_call *c, int i, ingot_dtype dtype, int rank, const int64_t *dims)
{
    const reference_frame *f = c->frame;
    ig_tensor *t = c->out[i];
    if (t->data)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "output %d has another shape than inferred", i);
    *t = (ig_tensor){ .kind = INGOT_KIND_TENSOR, .dtype = dtype, .rank = (int16_t)rank };
    for (int d = 0; d < rank; d++) t->dims[d] = dims[d];
    return give_memory(f->guard, t, c->err);
}

void *oc_guarded_copy(oc_guard *g, const ig_tensor *t)
{
    size_t bytes = 0;
    if (!ig_tensor_bytes(t, &bytes)) return NULL;
    void *copy = oc_guard_get(g, bytes, element_align(t->dtype));
    if (copy && bytes) memcpy(copy, t->data, bytes);
    return copy;
}

bool oc_may_overwrite(const oc_case *c, const ig_tensor *out, int i)
{
    const uint32_t flags = c->op->flags;
    if (!(flags & IG_INPLACE) || (i > 0 && !(flags & IG_ELEMENTWISE)) || i >= c->n_in) return false;
    const ig_tensor *in = c->in[i].value;
    if (!in || in->kind != INGOT_KIND_TENSOR || in->dtype == INGOT_STRING) return false;
    bool is_same = in->rank == out->rank && in->dtype == out->dtype;
    for (int d = 0; is_same && d < out->rank; d++) is_same = in->dims[d] == out->dims[d];
    return is_same;
}

static ig_status prepare_inputs(oc_env *env, oc_guard *guard, ig_tensor *in, const ig_tensor **at,
                                ig_error *err)
{
    const oc_case *c = env->c;
    for (int i = 0; i < c->n_in; i++) {
        at[i] = c->in[i].value;
        if (!at[i] || at[i]->kind != INGOT_KIND_TENSOR) continue;
        in[i] = *at[i];
        in[i].data = oc_guarded_copy(guard, at[i]);
        if (!in[i].data) return IG_NOMEM(err, 0);
        at[i] = &in[i];
    }
    return INGOT_OK;
}

static ig_status prepare_outputs(oc_env *env, const ig_node *node, oc_guard *guard, int in_place,
                                 const ig_tensor *in, ig_tensor **out, ig_error *err)
{
    ig_info infos[OC_MAX_OPERANDS], made[OC_MAX_OPERANDS];
    const ig_info *ins[OC_MAX_OPERANDS];
    int64_t dims[IG_MAX_RANK];
    oc_infos(env->c, OC_ALL_CONST, true, infos, ins);
    IG_TRY(ig_op_infer(node, ins, made, &env->dims, &env->arena, err));
    for (int i = 0; i < env->c->n_out; i++) {
        ig_tensor *t = out[i] = ig_arena_get(&env->arena, sizeof *t);
        if (!t) return IG_NOMEM(err, sizeof *t);
        *t = (ig_tensor){ .kind = made[i].type.kind, .dtype = made[i].type.dtype };
        if (t->kind != INGOT_KIND_TENSOR || !ig_info_is_static(&made[i], dims)) continue;
        t->rank = made[i].rank;
        for (int d = 0; d < t->rank; d++) t->dims[d] = dims[d];
        if (i == 0 && in_place >= 0)
            t->data = in[in_place].data;
        else
            IG_TRY(give_memory(guard, t, err));
    }
    return INGOT_OK;
}

ig_status oc_run_reference(oc_env *env, const ig_node *node, oc_guard *guard, int in_place,
                           ig_tensor **out, ig_error *err)
{
    /* Items of sequences are borrowed, descriptors included. */
    ig_tensor *in = ig_arena_array(&env->arena, OC_MAX_OPERANDS, sizeof *in);
    const ig_tensor *at[OC_MAX_OPERANDS];
    reference_frame frame = { &env->arena, guard };
    if (!in) return IG_NOMEM(err, sizeof *in);
    IG_TRY(prepare_inputs(env, guard, in, at, err));
    IG_TRY(prepare_outputs(env, node, guard, in_place, in, out, err));
    ig_call call = { .node = node,
                     .opset = node->opset,
                     .n_in = env->c->n_in,
                     .n_out = env->c->n_out,
                     .in = at,
                     .out = out,
                     .scratch = &env->arena,
                     .seed = SEED,
                     .err = err,
                     .alloc_output = alloc_output,
                     .frame = &frame };
    IG_TRY(ig_op_call(&call));
    for (int i = 0; i < env->c->n_in; i++) { /* inputs are not ours to change */
        size_t bytes = 0;
        const ig_tensor *t = env->c->in[i].value;
        if (i == in_place || !t || t->kind != INGOT_KIND_TENSOR) continue;
        if (ig_tensor_bytes(t, &bytes) && bytes && memcmp(in[i].data, t->data, bytes))
            return ig_fail(err, INGOT_ERR_INTERNAL, "the reference changed input %d", i);
    }
    return INGOT_OK;
}
