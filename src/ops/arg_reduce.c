/* SPDX-License-Identifier: Apache-2.0 */
/* arg_reduce.c: see arg_reduce.h. */
#include "ops/arg_reduce.h"

#include "ops/strided.h"

ig_status ig_infer_arg(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    const bool keeps = ig_attr_int(c->node, "keepdims", 1) != 0;
    ig_dim dims[IG_MAX_RANK];
    int axis, n = 0;
    c->out[0].type.dtype = INGOT_INT64;
    if (in->rank < 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), in->rank, &axis, c->err));
    if (in->dims[axis] == 0)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "axis %d has no elements to choose from", axis);
    for (int d = 0; d < in->rank; d++)
        if (d != axis)
            dims[n++] = in->dims[d];
        else if (keeps)
            dims[n++] = 1;
    ig_info_set_shape(&c->out[0], INGOT_INT64, n, dims);
    return INGOT_OK;
}

/* One pass over [dim][inner], with the best values so far in `best`. Written for +: v "beats" b. */
#define ARG_PASS(BEATS)                                                                            \
    for (int64_t k = 1; k < dim; k++)                                                              \
        for (int64_t i = 0; i < inner; i++) {                                                      \
            const T v = x[k * inner + i], b = best[i];                                             \
            if ((BEATS) || (v != v && (b == b || last))) {                                         \
                best[i] = v;                                                                       \
                y[i] = k;                                                                          \
            }                                                                                      \
        }

ig_status ig_ref_arg(ig_call *c, bool is_max)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    const bool last = c->opset >= 12 && ig_attr_int(c->node, "select_last_index", 0) != 0;
    int axis;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), in->rank, &axis, c->err));
    const int64_t dim = in->dims[axis], outer = ig_count(axis, in->dims);
    const int64_t inner = ig_count(in->rank - axis - 1, in->dims + axis + 1);
    int64_t *y = c->out[0]->data;
    IG_SWITCH_NUMERIC(c, in->dtype, {
        const T *x = in->data;
        T *best = ig_arena_array(c->scratch, (size_t)inner, sizeof *best);
        if (!best) return IG_NOMEM(c->err, (size_t)inner * sizeof *best);
        for (int64_t o = 0; o < outer; o++, x += dim * inner, y += inner) {
            for (int64_t i = 0; i < inner; i++) {
                best[i] = x[i];
                y[i] = 0;
            }
            if (is_max && last) {
                ARG_PASS(v >= b)
            } else if (is_max) {
                ARG_PASS(v > b)
            } else if (last) {
                ARG_PASS(v <= b)
            } else {
                ARG_PASS(v < b)
            }
        }
    })
    return INGOT_OK;
}

bool ig_permute_arg(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    if (ig_attr_int(node, "keepdims", 1) == 0) return false;
    return ig_permute_axis(g, node, perm, rank, 0);
}
