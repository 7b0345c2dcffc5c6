/* SPDX-License-Identifier: Apache-2.0 */
/* center_crop_pad.c: cut to, or pad with zeros to, the sizes that input 1 holds, about the centre:
 * of an odd difference the larger half is cut, or added, at the end. */
#include <string.h>

#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(ig_infer_is_int(c, 1, "shape"));
    const ig_info *in = c->in[0];
    ig_ints list;
    ig_dim dims[IG_MAX_RANK], want[IG_MAX_RANK];
    int axes[IG_MAX_RANK], n;
    if (in->rank < 0) return INGOT_OK;
    IG_TRY(ig_infer_list(c, "axes", -1, &list));
    if (list.n < 0) {
        list.n = in->rank;
        for (int d = 0; d < in->rank; d++) list.v[d] = d;
    }
    IG_TRY(ig_axes(&list, in->rank, axes, c->err));
    const bool known = ig_infer_ints(c, 1, want, IG_MAX_RANK, &n);
    if (known && n != list.n)
        return ig_fail(c->err, INGOT_ERR_INVALID, "shape has %d entries for %d axes", n, list.n);
    for (int d = 0; d < in->rank; d++) dims[d] = in->dims[d];
    for (int i = 0; i < list.n; i++) {
        dims[axes[i]] = known ? want[i] : ig_dim_born(c->dims);
        if (ig_dim_is_const(dims[axes[i]]) && dims[axes[i]] < 0)
            return ig_fail(c->err, INGOT_ERR_INVALID, "shape holds %lld at index %d",
                           (long long)dims[axes[i]], i);
    }
    ig_info_set_shape(&c->out[0], in->type.dtype, in->rank, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    ig_tensor *out = c->out[0];
    int64_t box[IG_MAX_RANK], from[IG_MAX_RANK], to[IG_MAX_RANK], src = 0, dst = 0;
    const char zero[16] = { 0 };
    size_t bytes;
    bool pads = false;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    ig_row_major(in->rank, in->dims, from);
    ig_row_major(out->rank, out->dims, to);
    for (int d = 0; d < in->rank; d++) {
        const int64_t more = out->dims[d] - in->dims[d];
        box[d] = more > 0 ? in->dims[d] : out->dims[d];
        if (more > 0)
            dst += more / 2 * to[d];
        else
            src += -more / 2 * from[d];
        pads = pads || more > 0;
    }
    if (ig_tensor_count(out) == 0) return INGOT_OK;
    if (pads) ig_fill(bytes, out->data, ig_tensor_count(out), zero);
    ig_copy_box(bytes, in->rank, box, (char *)out->data + (size_t)dst * bytes, to,
                (const char *)in->data + (size_t)src * bytes, from);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[5]{1,2,3,4,5} i64{2} = f32{2,3}",
    "f32[2]{1,2} i64{5} = f32{0,1,2,0,0}",
    "f32[20,10,3] i64{10,7,3}",
    "f32[10,7,3] i64{20,10,3}",
    "f32[20,8,3] i32{10,10,3}",
    "f32[20,8,3] i64{10,9} axes=[0,1]",
    "f32[20,8,3] i64{10,9} axes=[-3,-2]",
    "f32[3] i64{0}",
    "f32[0] i64{2} = f32{0,0}",
    "i8[4,4] c:i64{2,6}",
    "f16[3] i64{4}",
    "f32[3,4] i64{2} ! shape has 1 entries for 2 axes",
    "f32[3] i64{-2} ! shape holds -2 at index 0",
    "f32[3,4] i64{2} axes=[2] ! axis 2 is out of range for rank 2",
    NULL,
};

const ig_op ig_op_center_crop_pad = {
    .onnx = "CenterCropPad",
    .since = { 18 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
