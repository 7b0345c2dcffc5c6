/* SPDX-License-Identifier: Apache-2.0 */
/* non_zero.c: indices of the elements that are not zero, one row a dimension, in row-major order.
 * A scalar has no dimensions: the output then is [0, 1] or [0, 0]. */
#include <string.h>

#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    ig_dim dims[2];
    dims[0] = c->in[0]->rank < 0 ? ig_dim_born(c->dims) : c->in[0]->rank;
    dims[1] = ig_dim_born(c->dims);
    ig_info_set_shape(&c->out[0], INGOT_INT64, 2, dims);
    return INGOT_OK;
}

static bool is_zero(ingot_dtype dtype, const void *data, int64_t i)
{
    int n_parts;
    const ingot_dtype part = ig_dtype_parts(dtype, &n_parts);
    switch ((int)dtype) {
    case INGOT_COMPLEX64:
    case INGOT_COMPLEX128:
        return ig_get_f64(part, data, 2 * i) == 0 && ig_get_f64(part, data, 2 * i + 1) == 0;
    case INGOT_STRING: return ((const ingot_string *)data)[i].bytes == 0;
    case INGOT_FLOAT:
    case INGOT_DOUBLE:
    case INGOT_FLOAT16:
    case INGOT_BFLOAT16: return ig_get_f64(dtype, data, i) == 0; /* NaN is not zero */
    default: return ig_get_i64(dtype, data, i) == 0;
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0];
    const int64_t n = ig_tensor_count(in);
    int64_t dims[2] = { in->rank, 0 }, at = 0;
    for (int64_t i = 0; i < n; i++) dims[1] += !is_zero(in->dtype, in->data, i);
    IG_TRY(ig_call_output(c, 0, INGOT_INT64, 2, dims));
    int64_t *y = c->out[0]->data;
    for (int64_t i = 0; i < n && in->rank > 0; i++) {
        if (is_zero(in->dtype, in->data, i)) continue;
        int64_t rest = i;
        for (int d = in->rank - 1; d >= 0; d--) {
            y[d * dims[1] + at] = rest % in->dims[d];
            rest /= in->dims[d];
        }
        at++;
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "bool[2,2]{1,0,1,1} = i64[2,3]{0,1,1,0,0,1}",
    "f32[4]{0,-0.0,3,-1} = i64[1,2]{2,3}",
    "i32[2,3,4]",
    "f16[4]{0,1,0,2} @9",
    "c64[4]{0:0,0:-1,2:0,-0.0:0} = i64[1,2]{1,2}",
    "c128[2,2]{0:nan,0:0,1:1,0:0} = i64[2,2]{0,1,0,0}",
    "f32[3]{nan,0,-0.0} = i64[1,1]{0}",
    "f32[3]{0} = i64[1,0]{}",
    "f32[0,2] = i64[2,0]{}",
    "f32[]{5} = i64[0,1]{}",
    NULL,
};

const ig_op ig_op_non_zero = {
    .onnx = "NonZero",
    .since = { 9, 13 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_NUMERIC | IG_T_BOOL | IG_T_STRING | IG_T_COMPLEX,
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
