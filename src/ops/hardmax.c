/* SPDX-License-Identifier: Apache-2.0 */
/* hardmax.c: 1 at the first largest element along an axis, 0 elsewhere. */
#include "ops/softmax_axis.h"

static void run(ingot_dtype dtype, const void *x, void *y, int64_t n, int64_t stride)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        if (ig_get_f64(dtype, x, i * stride) > ig_get_f64(dtype, x, best * stride)) best = i;
    for (int64_t i = 0; i < n; i++) ig_set_f64(dtype, y, i * stride, i == best);
}

static ig_status ref(ig_call *c) { return ig_ref_softmax(c, run); }

static const char *const cases[] = {
    "f32[2,3]{1,3,2,5,5,4} = f32[2,3]{0,1,0,1,0,0}",
    "f32[2,3,4] axis=1",
    "f32[2,3,4] axis=1 @11",
    NULL,
};

const ig_op ig_op_hardmax = {
    .onnx = "Hardmax",
    .since = { 1, 11, 13 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = ig_infer_softmax,
    .ref = ref,
    .permute = ig_permute_softmax,
    .cases = cases,
};
