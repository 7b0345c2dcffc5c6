/* SPDX-License-Identifier: Apache-2.0 */
/* normalizer.c: ai.onnx.ml Normalizer: rows divided by their largest element (MAX), sum of |x| (L1)
 * or root of the sum of squares (L2); rows of zeros stay. */
#include <math.h>

#include "ops/ml_scores.h"

static ig_status infer(ig_infer *c)
{
    if (!ig_attr_is(c->node, "norm", "MAX", true) && !ig_attr_is(c->node, "norm", "L1", false) &&
        !ig_attr_is(c->node, "norm", "L2", false))
        return ig_fail(c->err, INGOT_ERR_INVALID, "norm is none of MAX, L1, L2");
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = INGOT_FLOAT;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    int64_t n_rows, n;
    ig_ml_rows(x->rank, x->dims, &n_rows, &n);
    const bool is_l1 = ig_attr_is(c->node, "norm", "L1", false);
    const bool is_l2 = ig_attr_is(c->node, "norm", "L2", false);
    IG_TRY(ig_call_output(c, 0, INGOT_FLOAT, x->rank, x->dims));
    for (int64_t r = 0; c->out[0] && r < n_rows; r++) {
        double norm = is_l1 || is_l2 ? 0 : -INFINITY;
        for (int64_t i = r * n; i < (r + 1) * n; i++) {
            const double v = ig_get_f64(x->dtype, x->data, i);
            if (is_l1)
                norm += fabs(v);
            else if (is_l2)
                norm += v * v;
            else
                norm = v > norm ? v : norm;
        }
        if (is_l2) norm = sqrt(norm);
        for (int64_t i = r * n; i < (r + 1) * n; i++) {
            const double v = ig_get_f64(x->dtype, x->data, i);
            ((float *)c->out[0]->data)[i] = (float)(norm != 0 ? v / norm : v);
        }
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,2]{3,4,0,0} norm=\"L2\" = f32[2,2]{0.6,0.8,0,0}",
    "f32[2,2]{3,-1,0,5} norm=\"L1\" = f32[2,2]{0.75,-0.25,0,1}",
    "f32[1,2]{2,4} norm=\"MAX\" = f32[1,2]{0.5,1}",
    "f32[1,2] norm=\"L3\" ! norm is none",
    "i64[2,3]{1,-2,3,-4,-5,-6} norm=\"MAX\" = f32[2,3]{0.333333,-0.666667,1,1,1.25,1.5}",
    "i64[2,3]{1,-2,3,-4,-5,-6} norm=\"L1\" = f32[2,3]{0.166667,-0.333333,0.5,-0.266667,"
    "-0.333333,-0.4}",
    "i64[2,3]{1,-2,3,-4,-5,-6} norm=\"L2\" = f32[2,3]{0.267261,-0.534522,0.801784,-0.455842,"
    "-0.569803,-0.683763}",
    "f64[2]{3,-4} norm=\"L2\" = f32[2]{0.6,-0.8}",
    NULL,
};

const ig_op ig_op_normalizer = {
    .onnx = "Normalizer",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_ML_INPUT,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
