/* SPDX-License-Identifier: Apache-2.0 */
/*
 * space_to_depth.c: blocks of pixels become blocks of channels: (row, column, depth), or with mode
 * CRD (since opset 28) (depth, row, column). With channels_last the tensors are NHWC.
 */
#include "ops/blocks.h"

static ig_status infer(ig_infer *c) { return ig_infer_blocks(c, false); }
static ig_status ref(ig_call *c) { return ig_ref_blocks(c, false); }
static ig_status lower(ig_lower *l) { return ig_lower_blocks(l, false); }

static const char *const cases[] = {
    "f32[1,1,2,2]{1,2,3,4} blocksize=2 = f32[1,4,1,1]{1,2,3,4}",
    "f32[1,2,2,2]{1,2,3,4,5,6,7,8} blocksize=2 = f32[1,8,1,1]{1,5,2,6,3,7,4,8}",
    "f32[1,2,2,2]{1,2,3,4,5,6,7,8} @28 blocksize=2 mode=\"CRD\" = "
    "f32[1,8,1,1]{1,2,3,4,5,6,7,8}",
    "f32[2,3,4,6] blocksize=2",
    "f32[2,3,6,9] blocksize=3",
    "f32[2,4,6,3] blocksize=2 channels_last=1",
    "i8[1,1,4,4] @1 blocksize=4",
    "f16[1,1,4,4] blocksize=2",
    "f32[1,0,4,4] blocksize=2",
    "f32[1,1,3,4] blocksize=2 ! 3 x 4 pixels are not a multiple of 2",
    "f32[4,4] blocksize=2 ! input must have rank 4, not 2",
    "f32[1,1,4,4] blocksize=-2 ! blocksize is -2",
    NULL,
};

const ig_op ig_op_space_to_depth = {
    .onnx = "SpaceToDepth",
    .since = { 1, 13, 28 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF | IG_CHANNELS_LAST,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
