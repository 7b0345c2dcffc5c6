/* SPDX-License-Identifier: Apache-2.0 */
/* gather_elements.c: out[i,j,k] = data[i, indices[i,j,k], k] for axis 1, and so on. */
#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(ig_infer_is_int(c, 1, "indices"));
    const ig_info *data = c->in[0], *indices = c->in[1];
    int axis;
    if (data->rank >= 0) {
        IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), data->rank, &axis, c->err));
        if (indices->rank >= 0 && indices->rank != data->rank)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "indices have rank %d, data has rank %d",
                           indices->rank, data->rank);
        for (int d = 0; d < indices->rank; d++)
            if (d != axis && ig_dim_is_const(indices->dims[d]) && ig_dim_is_const(data->dims[d]) &&
                indices->dims[d] > data->dims[d])
                return ig_fail(c->err, INGOT_ERR_SHAPE,
                               "dimension %d of indices is %lld, more than the data's %lld", d,
                               (long long)indices->dims[d], (long long)data->dims[d]);
    }
    if (indices->rank >= 0)
        ig_info_set_shape(&c->out[0], data->type.dtype, indices->rank, indices->dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *data = c->in[0], *indices = c->in[1];
    const int rank = data->rank;
    int64_t strides[IG_MAX_RANK], at[IG_MAX_RANK] = { 0 }, base = 0;
    int axis;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), rank, &axis, c->err));
    ig_row_major(rank, data->dims, strides);
    const int64_t n = ig_tensor_count(indices), dim = data->dims[axis], step = strides[axis];
    strides[axis] = 0; /* the index itself moves along the axis */
    IG_SWITCH_SIZE(c, data->dtype, {
        const T *src = data->data;
        T *dst = c->out[0]->data;
        for (int64_t i = 0; i < n; i++) {
            const int64_t k = ig_get_i64(indices->dtype, indices->data, i);
            if (k < -dim || k >= dim)
                return ig_fail(c->err, INGOT_ERR_INVALID,
                               "index %lld is out of range for dimension %lld at axis %d",
                               (long long)k, (long long)dim, axis);
            dst[i] = src[base + (k < 0 ? k + dim : k) * step];
            for (int d = rank - 1; d >= 0; d--) {
                base += strides[d];
                if (++at[d] < indices->dims[d]) break;
                base -= strides[d] * indices->dims[d];
                at[d] = 0;
            }
        }
    })
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} i64[2,2]{0,0,1,0} axis=1 = f32[2,2]{1,1,4,3}",
    "f32[3,3]{1,2,3,4,5,6,7,8,9} i64[2,3]{1,2,0,2,0,0} = f32[2,3]{4,8,3,7,2,3}",
    "f32[3,3]{1,2,3,4,5,6,7,8,9} i64[2,3]{-1,-2,0,-2,0,0} = f32[2,3]{7,5,3,4,2,3}",
    "f32[2,3,4] i32[2,3,1]{3} axis=2",
    "f32[2,3] i64[2,5]{1} axis=-1",
    "f32[2,3] i64[1,2]{1} axis=0",
    "f32[2,3] i64[0,3]",
    "f16[2] i64{1,1,0}",
    "str[2]{\"a\",\"b\"} i64{1} = str[1]{\"b\"}",
    "f32[2,3] i64[2,3]{2} ! index 2 is out of range for dimension 2 at axis 0",
    "f32[2,3] i64[2] ! indices have rank 1, data has rank 2",
    "f32[2,3] i64[2,4] axis=0 ! dimension 1 of indices is 4",
    NULL,
};

const ig_op ig_op_gather_elements = {
    .onnx = "GatherElements",
    .since = { 11, 13 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
