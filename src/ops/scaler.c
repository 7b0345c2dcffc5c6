/* SPDX-License-Identifier: Apache-2.0 */
/* scaler.c: ai.onnx.ml Scaler, y = (x - offset) * scale along the last dimension. */
#include "ops/ml_scores.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = INGOT_FLOAT;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    const int64_t n = ig_tensor_count(x), columns = x->rank ? x->dims[x->rank - 1] : 1;
    size_t n_offset, n_scale;
    const float *offset = ig_attr_floats(c->node, "offset", &n_offset);
    const float *scale = ig_attr_floats(c->node, "scale", &n_scale);
    const bool fits = (n_offset == 1 || (int64_t)n_offset == columns) &&
                      (n_scale == 1 || (int64_t)n_scale == columns);
    if (!fits)
        return ig_fail(c->err, INGOT_ERR_INVALID,
                       "offset has %zu entries and scale %zu for %lld columns", n_offset, n_scale,
                       (long long)columns);
    IG_TRY(ig_call_output(c, 0, INGOT_FLOAT, x->rank, x->dims));
    for (int64_t i = 0; c->out[0] && i < n; i++) {
        const double v = ig_get_f64(x->dtype, x->data, i);
        const int64_t k = i % columns;
        ((float *)c->out[0]->data)[i] = (float)((v - (double)offset[n_offset == 1 ? 0 : k]) *
                                                (double)scale[n_scale == 1 ? 0 : k]);
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} offset=[1.0,2.0] scale=[2.0,10.0] = f32[2,2]{0,0,4,20}",
    "i64[2]{1,2} offset=[1.0] scale=[0.5] = f32[2]{0,0.5}",
    "f32[2,2] offset=[1.0,2.0,3.0] scale=[1.0] ! offset has 3 entries",
    "i32[2,2]{1,2,3,-4} offset=[1.0,2.0] scale=[0.5,0.25] = f32[2,2]{0,0,1,-1.5}",
    "f64[2,2]{1,2,3,-4} offset=[1.0] scale=[0.5] = f32[2,2]{0,0.5,1,-2.5}",
    NULL,
};

const ig_op ig_op_scaler = {
    .onnx = "Scaler",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_ML_INPUT,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
