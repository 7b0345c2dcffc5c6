/* SPDX-License-Identifier: Apache-2.0 */
/* flatten.c: two dimensions, split before `axis`. */
#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    const int64_t axis = ig_attr_int(c->node, "axis", 1);
    ig_dim dims[2] = { 1, 1 };
    if (in->rank < 0) {
        dims[0] = ig_dim_born(c->dims);
        dims[1] = ig_dim_born(c->dims);
        ig_info_set_shape(&c->out[0], in->type.dtype, 2, dims);
        return INGOT_OK;
    }
    if (axis < -in->rank || axis > in->rank)
        return ig_fail(c->err, INGOT_ERR_INVALID, "axis %lld is out of range for rank %d",
                       (long long)axis, in->rank);
    const int at = (int)(axis < 0 ? axis + in->rank : axis);
    for (int d = 0; d < in->rank; d++)
        dims[d >= at] = ig_dim_mul(c->dims, dims[d >= at], in->dims[d]);
    ig_info_set_shape(&c->out[0], in->type.dtype, 2, dims);
    return ig_infer_keep_elems(c);
}

static const char *const cases[] = {
    "f32[2,3,4]",
    "f32[2,3,4] axis=0",
    "f32[2,3,4] axis=3",
    "f32[2,3,4] axis=-1",
    "f32[5]",
    "f32[] axis=0",
    "f32[0,3,4] axis=2",
    "f16[2,2,2] @13",
    "i8[2,3] @9",
    "f32[2,3] axis=3 ! axis 3 is out of range for rank 2",
    NULL,
};

const ig_op ig_op_flatten = {
    .onnx = "Flatten",
    .since = { 1, 9, 11, 13, 21, 23, 24, 25 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .flags = IG_VIEW | IG_OWN_HALF,
    .infer = infer,
    .ref = ig_ref_copy,
    .lower = ig_lower_view,
    .is_identity = ig_same_shape,
    .cases = cases,
};
