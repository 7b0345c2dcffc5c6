/* SPDX-License-Identifier: Apache-2.0 */
/* ms_grid_sample.c: com.microsoft GridSample, as ONNX's. */
#include "ops/same.h"

IG_SAME_AS(grid_sample, 16)

static const char *const cases[] = {
    "f32[1,1,2,2]{0,1,2,3} f32[1,1,2,2]{0,0,-1,1} align_corners=1 = f32[1,1,1,2]{1.5,2}",
    "f32[2,3,5,4] f32[2,3,2,2] mode=\"bicubic\" padding_mode=\"reflection\"",
    "f32[2,3,5,4] f32[2,3,2,2] mode=\"nearest\" padding_mode=\"border\"",
    "f32[2,3,5,4] f32[2,3,2,3] ! grid has 3 coordinates, not 2",
    NULL,
};

const ig_op ig_op_ms_grid_sample = {
    .onnx = "GridSample",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
