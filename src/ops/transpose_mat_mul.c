/* SPDX-License-Identifier: Apache-2.0 */
/* transpose_mat_mul.c: com.microsoft TransposeMatMul, the old name of FusedMatMul. */
#include "ops/same.h"

IG_SAME_AS(fused_mat_mul, 1)

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} f32[2,2]{5,6,7,8} alpha=2.0 = f32[2,2]{38,44,86,100}",
    "f32[2,3,7,5] c:f32[2,3,9,5] transB=1 alpha=0.125",
    "f64[7,5] f64[9,7] transA=1 transB=1",
    "f32[2,3] f32[4,2] ! inner dimensions are 3 and 4",
    NULL,
};

const ig_op ig_op_transpose_mat_mul = {
    .onnx = "TransposeMatMul",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 2 },
    .same_type = 0x2,
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
