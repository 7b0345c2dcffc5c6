/* SPDX-License-Identifier: Apache-2.0 */
/*
 * one_hot.c: a new axis of size depth that holds values[1] where its index equals the input, else
 * values[0]. Negative indices count from the end since opset 11; others outside are all off.
 */
#include <string.h>

#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 3));
    const ig_info *in = c->in[0];
    ig_dim dims[IG_MAX_RANK], elems[IG_MAX_ELEMS];
    int axis, n;
    int64_t depth;
    bool known;
    c->out[0].type.dtype = c->in[2]->type.dtype;
    if (in->rank < 0) return INGOT_OK;
    if (in->rank == IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "output would have rank %d, at most %d",
                       in->rank + 1, IG_MAX_RANK);
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), in->rank + 1, &axis, c->err));
    IG_TRY(ig_infer_scalar(c, 1, 0, &known, &depth));
    if (known && depth < 0)
        return ig_fail(c->err, INGOT_ERR_INVALID, "depth is %lld", (long long)depth);
    for (int d = 0, from = 0; d <= in->rank; d++)
        if (d != axis) dims[d] = in->dims[from++];
    if (known)
        dims[axis] = depth > IG_DIM_MAX ? IG_DIM_MAX : depth;
    else if (ig_infer_elems(c, 1, elems, &n) && n == 1)
        dims[axis] = elems[0];
    else
        dims[axis] = ig_dim_born(c->dims);
    ig_info_set_shape(&c->out[0], c->in[2]->type.dtype, in->rank + 1, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0], *values = c->in[2];
    ig_tensor *out = c->out[0];
    int axis;
    size_t bytes;
    IG_TRY(ig_movable_bytes(out->dtype, &bytes, c->err));
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), in->rank + 1, &axis, c->err));
    if (ig_tensor_count(values) != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "values must hold two elements, off and on");
    const int64_t depth = out->dims[axis], n = ig_tensor_count(in);
    const int64_t inner = ig_count(in->rank - axis, in->dims + axis);
    ig_fill(bytes, out->data, ig_tensor_count(out), values->data);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = ig_get_i64(in->dtype, in->data, i);
        if (k < 0 && c->opset >= 11) k += depth;
        if (k < 0 || k >= depth) continue;
        const int64_t to = (i / inner * depth + k) * inner + i % inner;
        memcpy((char *)out->data + (size_t)to * bytes, (const char *)values->data + bytes, bytes);
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "i64{0,2,1} i64[]{3} f32{2,5} = f32[3,3]{5,2,2,2,2,5,2,5,2}",
    "i64[2,2]{1,9,2,4} i64[]{10} f32{1,3} axis=1",
    "i64{0,-1,-4,3} i64{3} i64{0,1} = i64[4,3]{1,0,0,0,0,1,0,0,0,0,0,0}",
    "i64{0,-1} i64{2} i64{0,1} @9 = i64[2,2]{1,0,0,0}",
    "f32{0,1} f32{2} i32{0,1} axis=0 = i32[2,2]{1,0,0,1}",
    "i64[2,3] c:i64[]{4} f32{0,1} axis=-2",
    "i64[] i64[]{2} f32{0,1}",
    "i64[2] i64[]{0} f32{0,1}",
    "i64[0] i64[]{3} f32{0,1}",
    "u8{1} i32[]{2} f16{0,1}",
    "i64{1} i64[]{2} str{\"n\",\"y\"} = str[1,2]{\"n\",\"y\"}",
    "i64{1} i64[]{-2} f32{0,1} ! depth is -2",
    "i64{1} i64[]{2} f32{0,1} axis=2 ! axis 2 is out of range for rank 2",
    "i64{1} i64[]{2} f32{0} ! values must hold two elements",
    "i64[2] i64[]{4611686018427387904} f32{0,1} !",
    NULL,
};

const ig_op ig_op_one_hot = {
    .onnx = "OneHot",
    .since = { 9, 11, 28 },
    .n_in = { 3, 3 },
    .n_out = { 1, 1 },
    .types = IG_T_NUMERIC,
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
