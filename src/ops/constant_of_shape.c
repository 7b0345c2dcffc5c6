/* SPDX-License-Identifier: Apache-2.0 */
/* constant_of_shape.c: a tensor of the shape that input 0 holds, filled with `value` (float32 0
 * without it). */
#include "ops/strided.h"

static ig_status read_value(const ig_node *node, const ig_tensor **value, ig_error *err)
{
    const ig_attr *a = ig_node_attr(node, "value");
    *value = a && a->kind == IG_ATTR_TENSOR ? a->t : NULL;
    if (*value && ig_tensor_count(*value) != 1)
        return ig_fail(err, INGOT_ERR_INVALID, "attribute value must hold one element");
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    IG_TRY(ig_infer_is_int(c, 0, "shape"));
    const ig_info *shape = c->in[0];
    ig_dim dims[IG_MAX_RANK], elems[IG_MAX_ELEMS];
    int64_t concrete[IG_MAX_RANK];
    const ig_tensor *value;
    int n = -1, n_known;
    IG_TRY(read_value(c->node, &value, c->err));
    const ingot_dtype dtype = value ? value->dtype : INGOT_FLOAT;
    c->out[0].type.dtype = dtype;
    if (shape->rank >= 0 && shape->rank != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "shape must have rank 1, not %d", shape->rank);
    if (shape->rank == 1 && ig_dim_is_const(shape->dims[0])) {
        if (shape->dims[0] > IG_MAX_RANK)
            return ig_fail(c->err, INGOT_ERR_LIMIT, "shape has %lld dimensions, at most %d",
                           (long long)shape->dims[0], IG_MAX_RANK);
        n = (int)shape->dims[0];
    }
    const bool known = ig_infer_ints(c, 0, dims, IG_MAX_RANK, &n_known);
    if (known) n = n_known;
    if (n < 0) return INGOT_OK;
    for (int d = 0; d < n; d++) {
        if (!known) dims[d] = ig_dim_born(c->dims);
        if (ig_dim_is_const(dims[d]) && dims[d] < 0)
            return ig_fail(c->err, INGOT_ERR_INVALID, "shape holds %lld at index %d",
                           (long long)dims[d], d);
    }
    ig_info_set_shape(&c->out[0], dtype, n, dims);
    if (!value || dtype == INGOT_STRING || !ig_info_is_static(&c->out[0], concrete))
        return INGOT_OK;
    const int64_t count = ig_count(n, concrete), x = ig_get_i64(dtype, value->data, 0);
    if (count < 0 || count > IG_MAX_ELEMS || x >= IG_DIM_MAX || x <= IG_DIM_MIN_CONST)
        return INGOT_OK;
    for (int i = 0; i < count; i++) elems[i] = x;
    return ig_infer_give_elems(c, 0, elems, (int)count);
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    static const char zero[16] = { 0 };
    const ig_tensor *value;
    ig_tensor *out = c->out[0];
    size_t bytes;
    IG_TRY(read_value(c->node, &value, c->err));
    IG_TRY(ig_movable_bytes(out->dtype, &bytes, c->err));
    ig_fill(bytes, out->data, ig_tensor_count(out), value ? value->data : zero);
    return INGOT_OK;
}

static const char *const cases[] = {
    "i64{2} value=i64[1]{7} = i64[2]{7,7}",
    "i64{2,3} = f32[2,3]{0}",
    "c:i64{4} = f32[4]{0}",
    "i64{} = f32[]{0}",
    "i64{0,3} @9",
    "i64{2,-1} ! shape holds -1 at index 1",
    "i64[1,2]{1} ! shape must have rank 1, not 2",
    "i64{4294967296,4294967296} !",
    NULL,
};

const ig_op ig_op_constant_of_shape = {
    .onnx = "ConstantOfShape",
    .since = { 9, 20, 21, 23, 24, 25 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_INT64),
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
