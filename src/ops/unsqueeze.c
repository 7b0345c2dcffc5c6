/* SPDX-License-Identifier: Apache-2.0 */
/* unsqueeze.c: new dimensions of size 1 at `axes` of the output (attribute before opset 13, then an
 * input). */
#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    ig_ints list;
    ig_dim dims[IG_MAX_RANK];
    int axes[2 * IG_MAX_RANK];
    IG_TRY(ig_infer_list(c, c->opset < 13 ? "axes" : NULL, c->opset < 13 ? -1 : 1, &list));
    if (list.n == -1) return ig_fail(c->err, INGOT_ERR_INVALID, "axes are missing");
    if (in->rank < 0 || list.n_known < -1 || (list.n == -2 && list.n_known < 0)) return INGOT_OK;
    const int n_new = list.n >= 0 ? list.n : list.n_known, rank = in->rank + n_new;
    if (rank > IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "output would have rank %d, at most %d", rank,
                       IG_MAX_RANK);
    unsigned is_new = 0;
    if (list.n >= 0) IG_TRY(ig_axes(&list, rank, axes, c->err));
    for (int i = 0; i < list.n; i++) is_new |= 1u << axes[i];
    for (int d = 0, from = 0; d < rank; d++)
        dims[d] = list.n < 0 ? ig_dim_born(c->dims) : (is_new >> d & 1) ? 1 : in->dims[from++];
    ig_info_set_shape(&c->out[0], in->type.dtype, rank, dims);
    return list.n < 0 ? INGOT_OK : ig_infer_keep_elems(c);
}

static const char *const cases[] = {
    "f32[3,2] c:i64{0}",
    "f32[3,2] i64{-1}",
    "f32[3,2] i64{1,3}",
    "f32[3,2] i64{4,0,1}",
    "f32[] i64{0}",
    "f32[0] i64{1}",
    "f32[3] @1 axes=[1]",
    "f32[3] @11 axes=[-1]",
    "i64[2] i64{0}",
    "f16[2] i64{0}",
    "f32[3] i64{4} ! axis 4 is out of range for rank 2",
    "f32[3] i64{0,0} ! given twice",
    "f32[1,1,1,1,1,1,1,1] i64{0} ! rank 9",
    NULL,
};

const ig_op ig_op_unsqueeze = {
    .onnx = "Unsqueeze",
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
