/* SPDX-License-Identifier: Apache-2.0 */
/* cum_sum.c: running sum along an axis. */
#include "ops/cumulative.h"

static ig_status ref(ig_call *c) { return ig_ref_cumulative(c, false); }

static const char *const cases[] = {
    "f32{1,2,3,4,5} i64[]{0} = f32{1,3,6,10,15}",
    "f32{1,2,3,4,5} i32[]{0} exclusive=1 = f32{0,1,3,6,10}",
    "f32{1,2,3,4,5} i32[]{0} reverse=1 = f32{15,14,12,9,5}",
    "f32{1,2,3,4,5} i32[]{0} exclusive=1 reverse=1 = f32{14,12,9,5,0}",
    "i32{2147483647,1} i64[]{0} = i32{2147483647,-2147483648}",
    "f64[2,3] i32{1} @11",
    "f32[2,3] i64[]{0}",
    "f32[2,3,4] i64[]{1} exclusive=1",
    "f32[2,3,4] c:i64[]{-1} reverse=1",
    "i64[3,2] i64[]{0}",
    "f16[4] i64[]{0}",
    "f32[0,3] i64[]{1}",
    "f32[3,0] i64[]{0}",
    "f32[3] i64[]{1} ! axis 1 is out of range for rank 1",
    "f32[3] i64{0,0} ! input 1 must hold one element",
    NULL,
};

const ig_op ig_op_cum_sum = {
    .onnx = "CumSum",
    .since = { 11, 14 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .types = IG_T_NUMERIC,
    .infer = ig_infer_cumulative,
    .ref = ref,
    .permute = ig_permute_cumulative,
    .cases = cases,
};
