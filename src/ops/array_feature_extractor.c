/* SPDX-License-Identifier: Apache-2.0 */
/* array_feature_extractor.c: ai.onnx.ml ArrayFeatureExtractor: the columns of the last dimension
 * that input 1 lists; a vector is one row. */
#include <string.h>

#include "ops/op.h"

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[0], *y = c->in[1];
    ig_dim dims[IG_MAX_RANK];
    c->out[0].type = x->type;
    if (x->rank < 0 || y->rank < 0) return INGOT_OK;
    if (x->rank == 0) return ig_fail(c->err, INGOT_ERR_SHAPE, "input is a scalar");
    const ig_dim n = ig_info_count(c->dims, y);
    const int rank = x->rank == 1 ? 2 : x->rank;
    dims[0] = 1;
    for (int d = 0; d < x->rank - 1; d++) dims[d] = x->dims[d];
    dims[rank - 1] = n;
    ig_info_set_shape(&c->out[0], x->type.dtype, rank, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0], *y = c->in[1];
    const int64_t n = ig_tensor_count(y), columns = x->rank ? x->dims[x->rank - 1] : 0;
    const int64_t n_rows = x->rank ? ig_count(x->rank - 1, x->dims) : 0;
    const size_t bytes = x->dtype == INGOT_STRING ? sizeof(ingot_string) : ig_dtype_size(x->dtype);
    int64_t dims[IG_MAX_RANK] = { 1 };
    const int rank = x->rank == 1 ? 2 : x->rank;
    if (rank == 0 || bytes == 0 || (y->dtype != INGOT_INT64 && y->dtype != INGOT_INT32))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "columns of %s by indices of %s",
                       ingot_dtype_name(x->dtype), ingot_dtype_name(y->dtype));
    for (int d = 0; d < x->rank - 1; d++) dims[d] = x->dims[d];
    dims[rank - 1] = n;
    for (int64_t k = 0; k < n; k++) {
        const int64_t at = ig_get_i64(y->dtype, y->data, k);
        if (at < 0 || at >= columns)
            return ig_fail(c->err, INGOT_ERR_INVALID, "index %lld of %lld columns", (long long)at,
                           (long long)columns);
    }
    IG_TRY(ig_call_output(c, 0, x->dtype, rank, dims));
    if (!c->out[0]) return INGOT_OK;
    char *to = c->out[0]->data;
    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t k = 0; k < n; k++, to += bytes)
            memcpy(to,
                   (const char *)x->data +
                       (size_t)(r * columns + ig_get_i64(y->dtype, y->data, k)) * bytes,
                   bytes);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,3]{1,2,3,4,5,6} i64[2]{2,0} = f32[2,2]{3,1,6,4}",
    "i64[3]{1,2,3} i64[1]{1} = i64[1,1]{2}",
    "str[2,2]{\"a\",\"b\",\"c\",\"d\"} i64[1]{1} = str[2,1]{\"b\",\"d\"}",
    "f64[2,2,2]{1,2,3,4,5,6,7,8} i64[1,1]{0} = f64[2,2,1]{1,3,5,7}",
    "i32[1,2]{1,2} i64[3]{1,1,0} = i32[1,3]{2,2,1}",
    "f32[] i64[1] ! input is a scalar",
    "f32[2,3] i64[1]{-1} ! index -1 of 3 columns",
    "f32[2,3] i64[1]{3} ! index 3 of 3 columns",
    NULL,
};

const ig_op ig_op_array_feature_extractor = {
    .onnx = "ArrayFeatureExtractor",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
