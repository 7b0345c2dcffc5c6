/* SPDX-License-Identifier: Apache-2.0 */
/* arg_min.c: index of the smallest element along an axis. */
#include "ops/arg_reduce.h"

static ig_status ref(ig_call *c) { return ig_ref_arg(c, false); }

static const char *const cases[] = {
    "f32[2,2]{2,1,3,10} = i64[1,2]{0,0}",
    "f32[2,2]{2,2,3,10} axis=1 select_last_index=1 = i64[2,1]{1,0}",
    "f32[2,2]{2,2,3,10} axis=1 keepdims=0 = i64{0,0}",
    "u8[3,4] axis=0 keepdims=0",
    "f32[2,3,4] axis=1",
    "f32[2,3,4] axis=2 keepdims=0",
    "f32[3,1,5] axis=1",
    "i64[5] keepdims=0",
    "f64[3,4] axis=1 select_last_index=1",
    "f16[3,4] axis=1",
    "f32[0,4] axis=1",
    "f32[2,3] @1 axis=1",
    "f32[2,3] @11 axis=-2",
    "f32[0,4] axis=0 ! axis 0 has no elements",
    "f32[2] axis=1 ! axis 1 is out of range for rank 1",
    NULL,
};

const ig_op ig_op_arg_min = {
    .onnx = "ArgMin",
    .since = { 1, 11, 12, 13 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_NUMERIC,
    .infer = ig_infer_arg,
    .ref = ref,
    .permute = ig_permute_arg,
    .cases = cases,
};
