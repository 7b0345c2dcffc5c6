/* SPDX-License-Identifier: Apache-2.0 */
/* gather_nd.c: the last dimension of indices addresses slices of data, behind batch_dims shared
 * dimensions. */
#include <string.h>

#include "ops/strided.h"

static ig_status check(int rank, int n_index_rank, int64_t depth, int64_t batch, ig_error *err)
{
    if (rank < 1 || n_index_rank < 1)
        return ig_fail(err, INGOT_ERR_SHAPE, "data and indices must have rank 1 or more");
    if (batch < 0 || batch >= rank || batch >= n_index_rank)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "batch_dims %lld is out of range for ranks %d and %d", (long long)batch,
                       rank, n_index_rank);
    if (depth > rank - batch)
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "the last dimension of indices is %lld, but data has %d dimensions to index",
                       (long long)depth, rank - (int)batch);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(ig_infer_is_int(c, 1, "indices"));
    const ig_info *data = c->in[0], *indices = c->in[1];
    ig_dim dims[2 * IG_MAX_RANK];
    int n = 0;
    if (data->rank < 0 || indices->rank < 0) return INGOT_OK;
    const int64_t batch = ig_attr_int(c->node, "batch_dims", 0);
    IG_TRY(check(data->rank, indices->rank, 0, batch, c->err));
    const ig_dim depth = indices->dims[indices->rank - 1];
    if (!ig_dim_is_const(depth)) return INGOT_OK;
    IG_TRY(check(data->rank, indices->rank, depth, batch, c->err));
    for (int d = 0; d < indices->rank - 1; d++) {
        dims[n] = indices->dims[d];
        if (d < batch)
            IG_TRY(ig_dim_unify(indices->dims[d], data->dims[d], "batch dimensions", &dims[n],
                                c->err));
        n++;
    }
    for (int d = (int)(batch + depth); d < data->rank; d++) dims[n++] = data->dims[d];
    if (n > IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "output would have rank %d, at most %d", n,
                       IG_MAX_RANK);
    ig_info_set_shape(&c->out[0], data->type.dtype, n, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *data = c->in[0], *indices = c->in[1];
    const int batch = (int)ig_attr_int(c->node, "batch_dims", 0);
    const int64_t depth = indices->dims[indices->rank - 1];
    size_t bytes;
    IG_TRY(ig_movable_bytes(data->dtype, &bytes, c->err));
    IG_TRY(check(data->rank, indices->rank, depth, batch, c->err));
    int64_t strides[IG_MAX_RANK];
    ig_row_major(data->rank, data->dims, strides);
    const int64_t n_batch = ig_count(batch, data->dims);
    const int64_t per_batch = ig_count(indices->rank - 1 - batch, indices->dims + batch);
    const int first = batch + (int)depth;
    const size_t slice_bytes = (size_t)ig_count(data->rank - first, data->dims + first) * bytes;
    const int64_t batch_stride = ig_count(data->rank - batch, data->dims + batch);
    char *dst = c->out[0]->data;
    for (int64_t b = 0, at = 0; b < n_batch; b++)
        for (int64_t i = 0; i < per_batch; i++) {
            int64_t from = b * batch_stride;
            for (int64_t k = 0; k < depth; k++) {
                const int64_t dim = data->dims[batch + k];
                const int64_t index = ig_get_i64(indices->dtype, indices->data, at++);
                if (index < -dim || index >= dim)
                    return ig_fail(c->err, INGOT_ERR_INVALID,
                                   "index %lld is out of range for dimension %lld at axis %d",
                                   (long long)index, (long long)dim, batch + (int)k);
                from += (index < 0 ? index + dim : index) * strides[batch + k];
            }
            if (slice_bytes == 0) continue;
            memcpy(dst, (const char *)data->data + (size_t)from * bytes, slice_bytes);
            dst += slice_bytes;
        }
    return INGOT_OK;
}

static const char *const cases[] = {
    "i32[2,2]{0,1,2,3} i64[2,2]{0,0,1,1} = i32[2]{0,3}",
    "f32[2,2]{0,1,2,3} i64[2,1]{1,0} = f32[2,2]{2,3,0,1}",
    "f32[2,2,2] i64[2,1,2]{0,1,1,0}",
    "f32[2,2,2]{0,1,2,3,4,5,6,7} i64[2,1]{1,0} batch_dims=1 = f32[2,2]{2,3,4,5}",
    "f32[2,3] i64[2,2]{-1,-1,0,-3}",
    "f32[2,3] i64[3,0]",
    "f32[0,3] i64[0,2]",
    "f32[2,2] i64[2]{1,0} @11",
    "f16[2,2] i64[1,1]{1}",
    "f32[2,2] i64[1,2]{0,2} ! index 2 is out of range for dimension 2 at axis 1",
    "f32[2,2] i64[1,3]{0} ! the last dimension of indices is 3",
    "f32[2,2] i64[2,1]{0} batch_dims=2 ! batch_dims 2 is out of range",
    "f32[3,2] i64[2,1]{0} batch_dims=1 ! batch dimensions: 2 and 3 differ",
    NULL,
};

const ig_op ig_op_gather_nd = {
    .onnx = "GatherND",
    .since = { 11, 12, 13 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
