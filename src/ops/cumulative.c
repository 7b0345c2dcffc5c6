/* SPDX-License-Identifier: Apache-2.0 */
/* cumulative.c: see cumulative.h. */
#include "ops/cumulative.h"

#include "ops/strided.h"

ig_status ig_infer_cumulative(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(ig_infer_is_int(c, 1, "axis"));
    int64_t axis;
    int at;
    bool known;
    IG_TRY(ig_infer_scalar(c, 1, 0, &known, &axis));
    if (known && c->in[0]->rank >= 0) IG_TRY(ig_axis(axis, c->in[0]->rank, &at, c->err));
    return ig_infer_same(c);
}

/* y[k] = y[k-1] op x[k] on rows of `inner` elements; M is the type to compute in. */
#define SCAN(M, OP, NEUTRAL)                                                                       \
    for (int64_t o = 0; o < outer; o++) {                                                          \
        const T *x = (const T *)in->data + o * n * inner;                                          \
        T *y = (T *)c->out[0]->data + o * n * inner;                                               \
        for (int64_t step = 0; step < n; step++) {                                                 \
            const int64_t k = reverse ? n - 1 - step : step, before = reverse ? k + 1 : k - 1;     \
            const T *add = x + (exclusive ? before : k) * inner;                                   \
            for (int64_t i = 0; i < inner; i++)                                                    \
                y[k * inner + i] = step == 0 ? (exclusive ? (T)(NEUTRAL) : add[i])                 \
                                             : (T)((M)y[before * inner + i] OP(M) add[i]);         \
        }                                                                                          \
    }

ig_status ig_ref_cumulative(ig_call *c, bool is_product)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    const bool exclusive = ig_attr_int(c->node, "exclusive", 0) != 0;
    const bool reverse = ig_attr_int(c->node, "reverse", 0) != 0;
    int64_t axis_value;
    int axis;
    IG_TRY(ig_call_scalar(c, 1, 0, &axis_value));
    IG_TRY(ig_axis(axis_value, in->rank, &axis, c->err));
    const int64_t n = in->dims[axis], outer = ig_count(axis, in->dims);
    const int64_t inner = ig_count(in->rank - axis - 1, in->dims + axis + 1);
    if (in->dtype == INGOT_FLOAT || in->dtype == INGOT_DOUBLE) {
        IG_SWITCH_FLOAT(c, in->dtype, {
            if (is_product) {
                SCAN(T, *, 1)
            } else {
                SCAN(T, +, 0)
            }
        })
        return INGOT_OK;
    }
    IG_SWITCH_INT(c, in->dtype, {
        if (is_product) {
            SCAN(uint64_t, *, 1)
        } else {
            SCAN(uint64_t, +, 0)
        }
    })
    return INGOT_OK;
}

bool ig_permute_cumulative(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    int64_t axis;
    int n, at;
    if (!ig_node_ints(g, node, 1, &axis, 1, &n) || n != 1) return false;
    if (ig_axis(axis, rank, &at, NULL) != INGOT_OK) return false;
    axis = ig_renamed_axis(perm, rank, at);
    return ig_set_ints_input(g, node, 1, &axis, 1);
}
