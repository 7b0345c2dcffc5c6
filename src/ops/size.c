/* SPDX-License-Identifier: Apache-2.0 */
/* size.c: the number of elements of a tensor. */
#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    ig_info_set_shape(&c->out[0], INGOT_INT64, 0, NULL);
    if (c->in[0]->rank < 0) return INGOT_OK;
    const ig_dim n = ig_info_count(c->dims, c->in[0]);
    return ig_infer_give_elems(c, 0, &n, 1);
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    *(int64_t *)c->out[0]->data = ig_tensor_count(c->in[0]);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[3,4,5] = i64[]{60}", "f32[] = i64[]{1}",  "f32[0,2] = i64[]{0}",
    "f16[7] @1 = i64[]{7}",   "str[2] = i64[]{2}", NULL,
};

const ig_op ig_op_size = {
    .onnx = "Size",
    .since = { 1, 13, 19, 21, 23, 24, 25 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .flags = IG_SHAPE_ONLY | IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
