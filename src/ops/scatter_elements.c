/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scatter_elements.c: out = data, then out[i, indices[i,j,k], k] = updates[i,j,k] for axis 1, and
 * so on; with a reduction, combined with what is there. Updates are applied in row-major order, so
 * of several to one place the last wins.
 */
#include "ops/scatter_update.h"
#include "ops/strided.h"

ig_status ig_infer_scatter_elements(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 3));
    IG_TRY(ig_infer_is_int(c, 1, "indices"));
    const ig_info *data = c->in[0], *indices = c->in[1], *updates = c->in[2];
    ig_scatter_op op;
    int axis;
    IG_TRY(ig_scatter_reduction(c->node, c->opset, &op, c->err));
    if (updates->type.dtype != data->type.dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "updates have element type %s, data has %s",
                       ingot_dtype_name(updates->type.dtype), ingot_dtype_name(data->type.dtype));
    if (data->rank < 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), data->rank, &axis, c->err));
    if ((indices->rank >= 0 && indices->rank != data->rank) ||
        (updates->rank >= 0 && updates->rank != data->rank))
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "data, indices and updates have ranks %d, %d, %d, which differ", data->rank,
                       indices->rank, updates->rank);
    for (int d = 0; d < indices->rank; d++) {
        ig_dim same = indices->dims[d];
        if (updates->rank >= 0)
            IG_TRY(ig_dim_unify(same, updates->dims[d], "dimensions of indices and updates", &same,
                                c->err));
        if (d != axis && ig_dim_is_const(same) && ig_dim_is_const(data->dims[d]) &&
            same > data->dims[d])
            return ig_fail(c->err, INGOT_ERR_SHAPE,
                           "dimension %d of indices is %lld, more than the data's %lld", d,
                           (long long)same, (long long)data->dims[d]);
    }
    return ig_infer_same(c);
}

static ig_status check_indices(ig_call *c, int64_t dim, int axis)
{
    const ig_tensor *indices = c->in[1];
    const int64_t n = ig_tensor_count(indices);
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = ig_get_i64(indices->dtype, indices->data, i);
        if (k < -dim || k >= dim)
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "index %lld is out of range for dimension %lld at axis %d", (long long)k,
                           (long long)dim, axis);
    }
    return INGOT_OK;
}

ig_status ig_ref_scatter_elements(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *data = c->in[0], *indices = c->in[1], *updates = c->in[2];
    const int rank = data->rank;
    int64_t strides[IG_MAX_RANK], at[IG_MAX_RANK] = { 0 }, base = 0;
    ig_scatter_op op;
    int axis;
    size_t bytes;
    IG_TRY(ig_movable_bytes(data->dtype, &bytes, c->err));
    IG_TRY(ig_scatter_reduction(c->node, c->opset, &op, c->err));
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), rank, &axis, c->err));
    ig_row_major(rank, data->dims, strides);
    const int64_t n = ig_tensor_count(indices), dim = data->dims[axis], step = strides[axis];
    IG_TRY(check_indices(c, dim, axis)); /* before anything is written: it may be in place */
    IG_TRY(ig_ref_copy(c));
    strides[axis] = 0;
    char *dst = c->out[0]->data;
    const char *src = updates->data;
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = ig_get_i64(indices->dtype, indices->data, i);
        const int64_t to = base + (k < 0 ? k + dim : k) * step;
        IG_TRY(ig_scatter_apply(data->dtype, op, dst + (size_t)to * bytes, src + (size_t)i * bytes,
                                1, c->err));
        for (int d = rank - 1; d >= 0; d--) {
            base += strides[d];
            if (++at[d] < indices->dims[d]) break;
            base -= strides[d] * indices->dims[d];
            at[d] = 0;
        }
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[3,3]{0} i64[2,3]{1,0,2,0,2,1} f32[2,3]{1,1.1,1.2,2,2.1,2.2} = "
    "f32[3,3]{2,1.1,0,1,0,2.2,0,2.1,1.2}",
    "f32[1,5]{1,2,3,4,5} i64[1,2]{1,3} f32[1,2]{1.1,2.1} axis=1 = f32[1,5]{1,1.1,3,2.1,5}",
    "f32[1,5]{1,2,3,4,5} i64[1,2]{1,-3} f32[1,2]{1.1,2.1} axis=1 = f32[1,5]{1,1.1,2.1,4,5}",
    "f32[1,5]{1,2,3,4,5} i64[1,2]{1,1} f32[1,2]{1,2} axis=1 reduction=\"add\" = "
    "f32[1,5]{1,5,3,4,5}",
    "f32[1,5]{1,2,3,4,5} i64[1,2]{1,1} f32[1,2]{5,2} @16 axis=1 reduction=\"mul\" = "
    "f32[1,5]{1,20,3,4,5}",
    "f32[1,5]{1,2,3,4,5} i64[1,2]{1,1} f32[1,2]{1,2.5} axis=1 reduction=\"max\" = "
    "f32[1,5]{1,2.5,3,4,5}",
    "i32[3]{1,2,3} i64{0,0} i32{-5,7} reduction=\"min\" = i32[3]{-5,2,3}",
    "i8[2]{100,1} i64{0} i8{100} reduction=\"add\" = i8[2]{-56,1}",
    "u8[2]{3,1} i64{0} u8{5} reduction=\"max\" = u8[2]{5,1}",
    "f16[3]{1,2,3} i64{2} f16{4} reduction=\"add\" = f16[3]{1,2,7}",
    "f32[2,3] i64[0,3] f32[0,3]",
    "f32[2,3] i64[2,1]{0} f32[2,1] @11 axis=-1",
    "str[2]{\"a\",\"b\"} i64{1} str{\"z\"} = str[2]{\"a\",\"z\"}",
    "bool[2] i64{1} bool{1}",
    "f32[3] i64{3} f32{1} ! index 3 is out of range for dimension 3 at axis 0",
    "f32[3] i64{1} f32{1,2} ! dimensions of indices and updates",
    "f32[3,3] i64{1} f32{1} ! ranks 2, 1, 1",
    "f32[3] i64{1} f32{1} @16 reduction=\"max\" ! need opset 18",
    "str[1] i64{0} str{\"z\"} reduction=\"add\" ! element type string is not supported",
    NULL,
};

const ig_op ig_op_scatter_elements = {
    .onnx = "ScatterElements",
    .since = { 11, 13, 16, 18 },
    .n_in = { 3, 3 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF | IG_INPLACE,
    .infer = ig_infer_scatter_elements,
    .ref = ig_ref_scatter_elements,
    .cases = cases,
};
