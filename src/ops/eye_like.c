/* SPDX-License-Identifier: Apache-2.0 */
/* eye_like.c: ones on the diagonal k (upwards positive) of a matrix shaped like the input. */
#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    const int64_t dtype = ig_attr_int(c->node, "dtype", in->type.dtype);
    if (in->rank >= 0 && in->rank != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input must have rank 2, not %d", in->rank);
    if (dtype <= INGOT_UNDEFINED || dtype >= INGOT_N_DTYPES || dtype == INGOT_STRING ||
        ig_dtype_size((ingot_dtype)dtype) == 0)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "dtype %lld is not supported",
                       (long long)dtype);
    ig_dim dims[2];
    for (int d = 0; d < 2; d++) dims[d] = in->rank < 0 ? ig_dim_born(c->dims) : in->dims[d];
    ig_info_set_shape(&c->out[0], (ingot_dtype)dtype, 2, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    ig_tensor *out = c->out[0];
    const int64_t k = ig_attr_int(c->node, "k", 0), rows = out->dims[0], cols = out->dims[1];
    const char zero[16] = { 0 };
    size_t bytes;
    IG_TRY(ig_movable_bytes(out->dtype, &bytes, c->err));
    ig_fill(bytes, out->data, rows * cols, zero);
    if (k <= -rows || k >= cols) return INGOT_OK;
    for (int64_t i = k < 0 ? -k : 0; i < rows && i + k < cols; i++)
        ig_set_f64(out->dtype, out->data, i * cols + i + k, 1);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,3] = f32[2,3]{1,0,0,0,1,0}",
    "i32[3,3] k=1 dtype=1 = f32[3,3]{0,1,0,0,0,1,0,0,0}",
    "f32[3,2] k=-1 dtype=7 = i64[3,2]{0,0,1,0,0,1}",
    "f32[2,2] k=5 = f32[2,2]{0}",
    "f32[2,2] k=-9223372036854775807 @9",
    "bool[2,2]",
    "f16[2,2] dtype=11",
    "f32[0,3]",
    "f32[2] ! input must have rank 2, not 1",
    "f32[2,2] dtype=8 ! dtype 8 is not supported",
    NULL,
};

const ig_op ig_op_eye_like = {
    .onnx = "EyeLike",
    .since = { 9, 22 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .flags = IG_SHAPE_ONLY | IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
