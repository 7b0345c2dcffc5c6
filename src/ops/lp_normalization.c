/* SPDX-License-Identifier: Apache-2.0 */
/* lp_normalization.c: x / (sum of |x|^p)^(1/p) along an axis, p 1 or 2; 0 where the norm is 0. */
#include <math.h>

#include "ops/op.h"

static ig_status infer(ig_infer *c)
{
    const int64_t p = ig_attr_int(c->node, "p", 2);
    int axis;
    IG_TRY(ig_infer_same(c));
    if (p != 1 && p != 2)
        return ig_fail(c->err, INGOT_ERR_INVALID, "p is %lld, not 1 or 2", (long long)p);
    if (c->in[0]->rank < 0) return INGOT_OK;
    return ig_axis(ig_attr_int(c->node, "axis", -1), c->in[0]->rank, &axis, c->err);
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    const bool squares = ig_attr_int(c->node, "p", 2) == 2;
    int axis;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), x->rank, &axis, c->err));
    const int64_t n = x->dims[axis], n_outer = ig_count(axis, x->dims),
                  n_inner = ig_count(x->rank - axis - 1, x->dims + axis + 1);
    for (int64_t o = 0; o < n_outer; o++)
        for (int64_t i = 0; i < n_inner; i++) {
            const int64_t first = o * n * n_inner + i;
            double norm = 0;
            for (int64_t k = 0; k < n; k++) {
                const double v = ig_get_f64(x->dtype, x->data, first + k * n_inner);
                norm += squares ? v * v : fabs(v);
            }
            if (squares) norm = sqrt(norm);
            for (int64_t k = 0; k < n; k++) {
                const double v = ig_get_f64(x->dtype, x->data, first + k * n_inner);
                ig_set_f64(x->dtype, c->out[0]->data, first + k * n_inner,
                           norm == 0 ? 0 : v / norm);
            }
        }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,2]{3,4,0,0} = f32[2,2]{0.6,0.8,0,0}",
    "f32[2,2]{3,-1,1,1} p=1 axis=0 = f32[2,2]{0.75,-0.5,0.25,0.5}",
    "f32[2,3,4] axis=1",
    "f64[3,5]",
    "f32[3] p=3 ! p is 3",
    NULL,
};

const ig_op ig_op_lp_normalization = {
    .onnx = "LpNormalization",
    .since = { 1, 22 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
