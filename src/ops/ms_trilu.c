/* SPDX-License-Identifier: Apache-2.0 */
/* ms_trilu.c: com.microsoft Trilu, as ONNX's. */
#include "ops/same.h"

IG_SAME_AS(trilu, 14)

static const char *const cases[] = {
    "f32[3,3]{1,2,3,4,5,6,7,8,9} i64[]{1} = f32[3,3]{0,2,3,0,0,6,0,0,0}",
    "i64[2,4,5] i64[]{-1} upper=0",
    "bool[3,0]",
    "f32[3] ! input must have rank 2 or more, not 1",
    NULL,
};

const ig_op ig_op_ms_trilu = {
    .onnx = "Trilu",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 1, 2 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF | IG_INPLACE,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
