/* SPDX-License-Identifier: Apache-2.0 */
/* softmax.c: y = e^(x - max) / sum e^(x - max) along an axis. */
#include <math.h>

#include "ops/softmax_axis.h"

static void run(ingot_dtype dtype, const void *x, void *y, int64_t n, int64_t stride)
{
    double max = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double v = ig_get_f64(dtype, x, i * stride);
        if (v > max || isnan(v)) max = v;
    }
    for (int64_t i = 0; i < n; i++) sum += exp(ig_get_f64(dtype, x, i * stride) - max);
    for (int64_t i = 0; i < n; i++)
        ig_set_f64(dtype, y, i * stride, exp(ig_get_f64(dtype, x, i * stride) - max) / sum);
}

static ig_status ref(ig_call *c) { return ig_ref_softmax(c, run); }
static ig_status lower(ig_lower *l) { return ig_lower_softmax(l, false); }

static const char *const cases[] = {
    "f32[1,3]{0,0,0} = f32[1,3]{0.3333333,0.3333333,0.3333333}",
    "f32[2]{1000,1000} axis=0 = f32[2]{0.5,0.5}",
    "f32[2,3,4] axis=1",
    "f32[2,3,4] axis=-1",
    "f32[2,3,4] axis=1 @11",
    "f32[2,65] axis=1",
    "f32[3,0] axis=1 = f32[3,0]{}",
    "f64[2,3] axis=0",
    "f32[2,3] axis=2 ! axis 2 is out of range",
    NULL,
};

const ig_op ig_op_softmax = {
    .onnx = "Softmax",
    .since = { 1, 11, 13 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .flags = IG_INPLACE,
    .infer = ig_infer_softmax,
    .ref = ref,
    .lower = lower,
    .permute = ig_permute_softmax,
    .cases = cases,
};
