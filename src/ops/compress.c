/* SPDX-License-Identifier: Apache-2.0 */
/* compress.c: the slices along `axis` (without it: the elements of the flattened input) whose
 * condition is true. The condition may be shorter than the axis. */
#include <string.h>

#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 2));
    const ig_info *in = c->in[0];
    ig_dim dims[IG_MAX_RANK];
    int axis;
    if (c->in[1]->rank >= 0 && c->in[1]->rank != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "condition must have rank 1, not %d",
                       c->in[1]->rank);
    if (!ig_node_attr(c->node, "axis")) {
        dims[0] = ig_dim_born(c->dims);
        ig_info_set_shape(&c->out[0], in->type.dtype, 1, dims);
        return INGOT_OK;
    }
    if (in->rank < 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), in->rank, &axis, c->err));
    for (int d = 0; d < in->rank; d++) dims[d] = d == axis ? ig_dim_born(c->dims) : in->dims[d];
    ig_info_set_shape(&c->out[0], in->type.dtype, in->rank, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0], *condition = c->in[1];
    const bool *keep = condition->data;
    int64_t dims[IG_MAX_RANK] = { 0 }, n = ig_tensor_count(in), outer = 1, inner = 1;
    int rank = 1, axis = 0;
    size_t bytes;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    if (condition->dtype != INGOT_BOOL)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "condition must be bool, not %s",
                       ingot_dtype_name(condition->dtype));
    if (ig_node_attr(c->node, "axis")) {
        IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), in->rank, &axis, c->err));
        rank = in->rank;
        for (int d = 0; d < rank; d++) dims[d] = in->dims[d];
        n = in->dims[axis];
        outer = ig_count(axis, in->dims);
        inner = ig_count(in->rank - axis - 1, in->dims + axis + 1);
    }
    const int64_t n_condition = ig_tensor_count(condition);
    dims[axis] = 0;
    for (int64_t i = 0; i < n_condition; i++) {
        if (!keep[i]) continue;
        if (i >= n)
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "condition is true at index %lld, there are %lld", (long long)i,
                           (long long)n);
        dims[axis]++;
    }
    IG_TRY(ig_call_output(c, 0, in->dtype, rank, dims));
    const size_t row = (size_t)inner * bytes;
    const char *src = in->data;
    char *dst = c->out[0]->data;
    for (int64_t o = 0; o < outer && row > 0; o++, src += (size_t)n * row)
        for (int64_t i = 0; i < n && i < n_condition; i++) {
            if (!keep[i]) continue;
            memcpy(dst, src + (size_t)i * row, row);
            dst += row;
        }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[3,2]{1,2,3,4,5,6} bool{0,1,1} axis=0 = f32[2,2]{3,4,5,6}",
    "f32[3,2]{1,2,3,4,5,6} bool{0,1} axis=1 = f32[3,1]{2,4,6}",
    "f32[3,2]{1,2,3,4,5,6} bool{0,1,0,0,1} = f32{2,5}",
    "f32[3,2] bool{0,1} axis=-1",
    "f32[3,2] bool{} axis=0",
    "i64[4] bool{1,0,1} @9 axis=0",
    "f16[4] bool{1,0,0,1}",
    "str{\"a\",\"b\"} bool{0,1} = str{\"b\"}",
    "f32[0,2] bool{0} axis=0",
    "f32[2] bool{0,0,1} ! condition is true at index 2, there are 2",
    "f32[2] bool[1,2]{1} ! condition must have rank 1, not 2",
    NULL,
};

const ig_op ig_op_compress = {
    .onnx = "Compress",
    .since = { 9, 11, 28 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
