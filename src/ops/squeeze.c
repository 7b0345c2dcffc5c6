/* SPDX-License-Identifier: Apache-2.0 */
/* squeeze.c: drop dimensions of size 1: those of `axes` (attribute before opset 13, then an input),
 * or all of them. */
#include "ops/strided.h"

static ig_status squeeze_all(ig_infer *c)
{
    const ig_info *in = c->in[0];
    ig_dim dims[IG_MAX_RANK];
    int n = 0;
    for (int d = 0; d < in->rank; d++) {
        if (!ig_dim_is_const(in->dims[d])) return INGOT_OK; /* 1 or not: only a run can tell */
        if (in->dims[d] != 1) dims[n++] = in->dims[d];
    }
    ig_info_set_shape(&c->out[0], in->type.dtype, n, dims);
    return ig_infer_keep_elems(c);
}

static ig_status squeeze_axes(ig_infer *c, const ig_ints *list)
{
    const ig_info *in = c->in[0];
    ig_dim dims[IG_MAX_RANK];
    int axes[IG_MAX_RANK], n = 0;
    unsigned drop = 0;
    IG_TRY(ig_axes(list, in->rank, axes, c->err));
    for (int i = 0; i < list->n; i++) {
        const ig_dim d = in->dims[axes[i]];
        if (ig_dim_is_const(d) && d != 1)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "cannot squeeze axis %d of size %lld", axes[i],
                           (long long)d);
        drop |= 1u << axes[i];
    }
    for (int d = 0; d < in->rank; d++)
        if (!(drop >> d & 1)) dims[n++] = in->dims[d];
    ig_info_set_shape(&c->out[0], in->type.dtype, n, dims);
    return ig_infer_keep_elems(c);
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    ig_ints list;
    ig_dim dims[IG_MAX_RANK];
    IG_TRY(ig_infer_list(c, c->opset < 13 ? "axes" : NULL, c->opset < 13 ? -1 : 1, &list));
    if (in->rank < 0) return INGOT_OK;
    if (list.n == -1) return squeeze_all(c);
    if (list.n >= 0) return squeeze_axes(c, &list);
    if (list.n_known >= 0) {
        if (list.n_known > in->rank)
            return ig_fail(c->err, INGOT_ERR_INVALID, "%d axes for rank %d", list.n_known,
                           in->rank);
        const int n = in->rank - list.n_known;
        if (n == 0) return INGOT_OK; /* a scalar, but no run would look at the axes then */
        for (int d = 0; d < n; d++) dims[d] = ig_dim_born(c->dims);
        ig_info_set_shape(&c->out[0], in->type.dtype, n, dims);
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,3,1,2] c:i64{0}",
    "f32[1,3,1,2] i64{-2}",
    "f32[1,3,1,2] i64{0,2}",
    "f32[1,3,1,2]",
    "f32[1,1]",
    "f32[1,0,1] i64{2}",
    "f32[3,2] i64{}",
    "f32[1,3,1] @1 axes=[0]",
    "f32[1,3,1] @11 axes=[-1]",
    "f32[1,3,1] @11",
    "f16[1,2]",
    "f32[1,3] i64{1} ! cannot squeeze axis 1 of size 3",
    "f32[1,3] i64{5} ! axis 5 is out of range for rank 2",
    "f32[1,1] c:i64{0,-2} ! given twice",
    "f32[1,1]{5} i64{1,0} = f32[]{5}",
    "f32[2,1] i64{0,1} ! cannot squeeze axis 0 of size 2",
    "f32[2,1] i64{1,1} ! given twice",
    NULL,
};

const ig_op ig_op_squeeze = {
    .onnx = "Squeeze",
    .since = { 1, 11, 13, 21, 23, 24, 25 },
    .n_in = { 1, 2 },
    .n_out = { 1, 1 },
    .flags = IG_VIEW | IG_OWN_HALF,
    .infer = infer,
    .ref = ig_ref_copy,
    .lower = ig_lower_view,
    .is_identity = ig_same_shape,
    .cases = cases,
};
