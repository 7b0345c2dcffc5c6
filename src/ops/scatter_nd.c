/* SPDX-License-Identifier: Apache-2.0 */
/* scatter_nd.c: out = data, then the slice that each row of indices addresses becomes (or is
 * combined with) that row's update. Updates are applied in order. */
#include "ops/scatter_update.h"
#include "ops/strided.h"

static ig_status check_shapes(ig_infer *c)
{
    const ig_info *data = c->in[0], *indices = c->in[1], *updates = c->in[2];
    if (data->rank == 0 || indices->rank == 0)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "data and indices must have rank 1 or more");
    if (data->rank < 0 || indices->rank < 0) return INGOT_OK;
    const ig_dim depth = indices->dims[indices->rank - 1];
    if (!ig_dim_is_const(depth)) return INGOT_OK;
    if (depth > data->rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "the last dimension of indices is %lld, but data has rank %d",
                       (long long)depth, data->rank);
    const int n_batch = indices->rank - 1, rank = n_batch + data->rank - (int)depth;
    if (updates->rank < 0) return INGOT_OK;
    if (updates->rank != rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "updates have rank %d, expected %d", updates->rank,
                       rank);
    for (int d = 0; d < rank; d++) {
        ig_dim same = d < n_batch ? indices->dims[d] : data->dims[d - n_batch + (int)depth];
        IG_TRY(ig_dim_unify(same, updates->dims[d], "a dimension of updates and its origin", &same,
                            c->err));
    }
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 3));
    IG_TRY(ig_infer_is_int(c, 1, "indices"));
    ig_scatter_op op;
    IG_TRY(ig_scatter_reduction(c->node, c->opset, &op, c->err));
    if (c->in[2]->type.dtype != c->in[0]->type.dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "updates have element type %s, data has %s",
                       ingot_dtype_name(c->in[2]->type.dtype),
                       ingot_dtype_name(c->in[0]->type.dtype));
    IG_TRY(check_shapes(c));
    return ig_infer_same(c);
}

/* Offsets of the slices that are written, in elements. */
static ig_status slice_offsets(ig_call *c, int64_t n, int depth, int64_t *offsets)
{
    const ig_tensor *data = c->in[0], *indices = c->in[1];
    int64_t strides[IG_MAX_RANK];
    ig_row_major(data->rank, data->dims, strides);
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < depth; k++) {
            const int64_t dim = data->dims[k];
            const int64_t index = ig_get_i64(indices->dtype, indices->data, i * depth + k);
            if (index < -dim || index >= dim)
                return ig_fail(c->err, INGOT_ERR_INVALID,
                               "index %lld is out of range for dimension %lld at axis %d",
                               (long long)index, (long long)dim, k);
            offsets[i] += (index < 0 ? index + dim : index) * strides[k];
        }
    }
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *data = c->in[0], *indices = c->in[1];
    const int depth = (int)indices->dims[indices->rank - 1];
    const int64_t n = ig_count(indices->rank - 1, indices->dims);
    ig_scatter_op op;
    size_t bytes;
    IG_TRY(ig_movable_bytes(data->dtype, &bytes, c->err));
    IG_TRY(ig_scatter_reduction(c->node, c->opset, &op, c->err));
    const int64_t slice = ig_count(data->rank - depth, data->dims + depth);
    int64_t *offsets = ig_arena_array(c->scratch, (size_t)n, sizeof *offsets);
    if (!offsets) return IG_NOMEM(c->err, (size_t)n * sizeof *offsets);
    IG_TRY(slice_offsets(c, n, depth, offsets));
    IG_TRY(ig_ref_copy(c));
    char *dst = c->out[0]->data;
    const char *src = c->in[2]->data;
    for (int64_t i = 0; i < n && slice > 0; i++)
        IG_TRY(ig_scatter_apply(data->dtype, op, dst + (size_t)offsets[i] * bytes,
                                src + (size_t)(i * slice) * bytes, slice, c->err));
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[8]{1,2,3,4,5,6,7,8} i64[4,1]{4,3,1,7} f32{9,10,11,12} = f32[8]{1,11,3,10,9,6,7,12}",
    "f32[4,4,4] i64[2,1]{0,2} f32[2,4,4]",
    "f32[4,4,4] i64[2,3]{0,1,2,-1,-1,-1} f32[2]",
    "f32[3]{1,2,3} i64[2,1]{1,1} f32{10,20} reduction=\"add\" = f32[3]{1,32,3}",
    "f32[3]{1,2,3} i64[2,1]{1,1} f32{10,20} @16 reduction=\"mul\" = f32[3]{1,400,3}",
    "f32[3]{1,2,3} i64[2,1]{1,1} f32{10,20} reduction=\"max\" = f32[3]{1,20,3}",
    "f32[3]{1,2,3} i64[2,1]{1,1} f32{1,-20} reduction=\"min\" = f32[3]{1,-20,3}",
    "i64[2,2] i64[1,2]{1,0} i64{9} @11",
    "f32[2,2]{1,2,3,4} i64[1,0] f32[1,2,2]{5,6,7,8} = f32[2,2]{5,6,7,8}",
    "f32[2,2] i64[0,2] f32[0]",
    "f16[2]{1,2} i64[1,1]{1} f16{5} reduction=\"add\" = f16[2]{1,7}",
    "bool[2] i64[1,1]{1} bool{0}",
    "f32[3] i64[1,1]{3} f32{1} ! index 3 is out of range for dimension 3 at axis 0",
    "f32[3] i64[1,2]{0} f32{1} ! the last dimension of indices is 2, but data has rank 1",
    "f32[3,2] i64[1,1]{0} f32[1,3] ! a dimension of updates",
    "f32[3] i64[1,1]{0} f32[1,1] ! updates have rank 2, expected 1",
    NULL,
};

const ig_op ig_op_scatter_nd = {
    .onnx = "ScatterND",
    .since = { 11, 13, 16, 18 },
    .n_in = { 3, 3 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF | IG_INPLACE,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
