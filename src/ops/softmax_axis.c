/* SPDX-License-Identifier: Apache-2.0 */
/* softmax_axis.c: the axis of Softmax, LogSoftmax and Hardmax. */
#include "ops/softmax_axis.h"

#define OPSET_ONE_AXIS 13

ig_status ig_softmax_view_read(const ig_node *node, int opset, int rank, const int64_t *dims,
                               ig_softmax_view *v, ig_error *err)
{
    const bool one_axis = opset >= OPSET_ONE_AXIS;
    int axis = 0;
    *v = (ig_softmax_view){ 1, 1, 1 };
    if (rank == 0) return INGOT_OK;
    /* The matrix form allows axis == rank: rows of one element. */
    const int64_t given = ig_attr_int(node, "axis", one_axis ? -1 : rank > 1 ? 1 : 0);
    if (!one_axis && given == rank)
        axis = rank;
    else
        IG_TRY(ig_axis(given, rank, &axis, err));
    for (int d = 0; d < rank; d++) {
        if (d < axis)
            v->n_outer *= dims[d];
        else if (d == axis || !one_axis)
            v->n_axis *= dims[d];
        else
            v->n_inner *= dims[d];
    }
    return INGOT_OK;
}

ig_status ig_infer_softmax(ig_infer *c)
{
    int axis = 0;
    IG_TRY(ig_infer_same(c));
    if (c->in[0]->rank > 0 && c->opset >= OPSET_ONE_AXIS)
        return ig_axis(ig_attr_int(c->node, "axis", -1), c->in[0]->rank, &axis, c->err);
    return INGOT_OK;
}

ig_status ig_ref_softmax(ig_call *c, void (*fn)(ingot_dtype dtype, const void *x, void *y,
                                                int64_t n, int64_t stride))
{
    const ig_tensor *x = c->in[0];
    ig_softmax_view v;
    const size_t size = ig_dtype_size(x->dtype);
    IG_TRY(ig_softmax_view_read(c->node, c->opset, x->rank, x->dims, &v, c->err));
    for (int64_t o = 0; o < v.n_outer; o++)
        for (int64_t i = 0; i < v.n_inner; i++) {
            const size_t at = (size_t)(o * v.n_axis * v.n_inner + i) * size;
            fn(x->dtype, (const uint8_t *)x->data + at, (uint8_t *)c->out[0]->data + at, v.n_axis,
               v.n_inner);
        }
    return INGOT_OK;
}

ig_status ig_lower_softmax(ig_lower *l, bool is_log)
{
    int64_t dims[IG_MAX_RANK];
    ig_softmax_view v;
    if (l->in[0]->type.dtype != INGOT_FLOAT || !ig_info_is_static(l->in[0], dims)) return INGOT_OK;
    IG_TRY(ig_softmax_view_read(l->node, l->opset, l->in[0]->rank, dims, &v, l->err));
    const ig_axis_shape s = {
        .n_outer = v.n_outer, .n_axis = v.n_axis, .n_inner = v.n_inner, .is_log = is_log
    };
    ig_axis_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_softmax_plan(&s, l->isa, p, &l->kernel, l->err));
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_%ssoftmax_f32__%s", is_log ? "log_" : "",
                                     ig_isa_name(l->isa));
    l->params = p;
    l->n_work = p->n_work;
    l->grain = p->grain;
    return INGOT_OK;
}

bool ig_permute_softmax(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    int axis = 0;
    if (node->opset < OPSET_ONE_AXIS || ig_axis(ig_attr_int(node, "axis", -1), rank, &axis, NULL))
        return false;
    for (int d = 0; d < rank; d++)
        if (perm[d] == axis) return ig_node_set_int(g, node, "axis", d);
    return false;
}
