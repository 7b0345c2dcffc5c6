/* SPDX-License-Identifier: Apache-2.0 */
/* expand_dims.c: com.microsoft ExpandDims, Unsqueeze at one axis. */
#include "ops/same.h"

IG_SAME_AS(unsqueeze, 13)

static const char *const cases[] = {
    "f32[2]{1,2} c:i32[]{0} = f32[1,2]{1,2}",
    "f32[3,2] i32[1]{-1}",
    "f32[3,2] i32[]{1}",
    "str[2] i32[]{0}",
    "f16[] c:i32[]{0}",
    "i64[0] c:i32[]{1}",
    "f32[3] i32[]{3} ! axis 3 is out of range for rank 2",
    NULL,
};

const ig_op ig_op_expand_dims = {
    .onnx = "ExpandDims",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .flags = IG_VIEW | IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
