/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bias_softmax.c: com.microsoft BiasSoftmax: softmax(data + bias) over rows, which are all
 * dimensions from `axis` on. bias has some rows: each is for as many neighbouring rows of data
 * (is_inner_broadcast 1), or they repeat one after the other (0).
 */
#include <math.h>

#include "ops/strided.h"

enum { IN_DATA, IN_BIAS };

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_DATA], *bias = c->in[IN_BIAS];
    int64_t dims[IG_MAX_RANK], bias_dims[IG_MAX_RANK];
    int axis = 0;
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(ig_infer_same(c));
    if (bias->type.dtype != x->type.dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "data is %s, bias is %s",
                       ingot_dtype_name(x->type.dtype), ingot_dtype_name(bias->type.dtype));
    if (x->rank < 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 1), x->rank, &axis, c->err));
    if (!ig_info_is_static(x, dims) || !ig_info_is_static(bias, bias_dims)) return INGOT_OK;
    const int64_t n_rows = ig_count(axis, dims), n = ig_count(x->rank - axis, dims + axis);
    const int64_t n_bias = ig_count(bias->rank, bias_dims);
    if (n_rows == 0 || n == 0) return INGOT_OK;
    if (n_bias == 0 || n_bias % n || n_rows % (n_bias / n))
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "a bias of %lld elements does not repeat over %lld rows of %lld",
                       (long long)n_bias, (long long)n_rows, (long long)n);
    return INGOT_OK;
}

typedef struct rows {
    ingot_dtype dtype;
    const void *x, *bias;
    void *y;
    int64_t n, n_repeats, n_bias_rows;
    bool is_inner;
} rows;

static void run_rows(void *ctx, ig_part part)
{
    const rows *r = ctx;
    for (int64_t row = part.begin; row < part.end; row++) {
        const int64_t x = row * r->n;
        const int64_t b = (r->is_inner ? row / r->n_repeats : row % r->n_bias_rows) * r->n;
        double max = -INFINITY, sum = 0;
        for (int64_t i = 0; i < r->n; i++) {
            const double v =
                ig_get_f64(r->dtype, r->x, x + i) + ig_get_f64(r->dtype, r->bias, b + i);
            if (v > max || isnan(v)) max = v;
        }
        for (int64_t i = 0; i < r->n; i++)
            sum +=
                exp(ig_get_f64(r->dtype, r->x, x + i) + ig_get_f64(r->dtype, r->bias, b + i) - max);
        for (int64_t i = 0; i < r->n; i++) {
            const double v =
                ig_get_f64(r->dtype, r->x, x + i) + ig_get_f64(r->dtype, r->bias, b + i);
            ig_set_f64(r->dtype, r->y, x + i, exp(v - max) / sum);
        }
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_DATA], *bias = c->in[IN_BIAS];
    int axis = 0;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 1), x->rank, &axis, c->err));
    const int64_t n_rows = ig_count(axis, x->dims), n_bias = ig_tensor_count(bias);
    rows r = { .dtype = x->dtype,
               .x = x->data,
               .bias = bias->data,
               .y = c->out[0]->data,
               .n = ig_count(x->rank - axis, x->dims + axis),
               .is_inner = ig_attr_int(c->node, "is_inner_broadcast", 1) != 0 };
    if (n_rows == 0 || r.n == 0) return INGOT_OK;
    r.n_bias_rows = n_bias / r.n;
    if (r.n_bias_rows < 1 || n_bias % r.n || n_rows % r.n_bias_rows)
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "a bias of %lld elements does not repeat over %lld rows of %lld",
                       (long long)n_bias, (long long)n_rows, (long long)r.n);
    r.n_repeats = n_rows / r.n_bias_rows;
    ig_run_rows(c->team, run_rows, &r, n_rows, (size_t)r.n * 64);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,1,2]{0,1,2,3} f32[2,1,2]{1,0,0,-1} is_inner_broadcast=1 axis=2 = "
    "f32[2,1,2]{0.5,0.5,0.5,0.5}",
    /* rows 0, 1, 2, 3 take bias rows 0, 0, 1, 1 or 0, 1, 0, 1 */
    "f32[2,2,2]{0,0,0,0,0,0,0,0} f32[2,1,2]{0,0,0,1.0986123} is_inner_broadcast=1 axis=2 = "
    "f32[2,2,2]{0.5,0.5,0.5,0.5,0.25,0.75,0.25,0.75}",
    "f32[2,2,2]{0,0,0,0,0,0,0,0} f32[1,2,2]{0,0,0,1.0986123} is_inner_broadcast=0 axis=-1 = "
    "f32[2,2,2]{0.5,0.5,0.25,0.75,0.5,0.5,0.25,0.75}",
    "f64[2,3,4] f64[3,4] is_inner_broadcast=0 axis=1",
    "f16[2,3,4] f16[2,1,4] is_inner_broadcast=1 axis=2",
    "f32[0,3] f32[3] is_inner_broadcast=0",
    "f32[2,3] f32[2] is_inner_broadcast=0 ! a bias of 2 elements does not repeat over 2 rows of 3",
    "f32[2,3] f32[3] is_inner_broadcast=0 axis=2 ! axis 2 is out of range",
    NULL,
};

const ig_op ig_op_bias_softmax = {
    .onnx = "BiasSoftmax",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
