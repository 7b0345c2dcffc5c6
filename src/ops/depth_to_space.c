/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depth_to_space.c: blocks of channels become blocks of pixels. Mode DCR: a channel is (row,
 * column, depth); CRD (since opset 11): (depth, row, column). With channels_last the tensors are
 * NHWC.
 */
#include "ops/blocks.h"

static ig_status infer(ig_infer *c) { return ig_infer_blocks(c, true); }
static ig_status ref(ig_call *c) { return ig_ref_blocks(c, true); }
static ig_status lower(ig_lower *l) { return ig_lower_blocks(l, true); }

static const char *const cases[] = {
    "f32[1,8,2,3]{0,1,2,3,4,5,9,10,11,12,13,14,18,19,20,21,22,23,27,28,29,30,31,32,36,37,38,39,40,"
    "41,45,46,47,48,49,50,54,55,56,57,58,59,63,64,65,66,67,68} blocksize=2 = "
    "f32[1,2,4,6]{0,18,1,19,2,20,36,54,37,55,38,56,3,21,4,22,5,23,39,57,40,58,41,59,9,27,10,28,11,"
    "29,45,63,46,64,47,65,12,30,13,31,14,32,48,66,49,67,50,68}",
    "f32[1,4,1,1]{1,2,3,4} blocksize=2 mode=\"CRD\" = f32[1,1,2,2]{1,2,3,4}",
    "f32[2,12,3,5] blocksize=2 mode=\"CRD\"",
    "f32[2,9,3,5] blocksize=3",
    "f32[2,3,5,8] blocksize=2 channels_last=1",
    "f32[2,3,5,8] blocksize=2 channels_last=1 mode=\"CRD\"",
    "f32[1,3,2,2] blocksize=1",
    "i8[1,4,2,2] @1 blocksize=2",
    "f16[1,4,2,2] @11 blocksize=2",
    "f32[0,4,2,2] blocksize=2",
    "f32[1,6,2,2] blocksize=2 ! 6 channels are not a multiple of 4",
    "f32[1,4,2] blocksize=2 ! input must have rank 4, not 3",
    "f32[1,4,2,2] blocksize=0 ! blocksize is 0",
    "f32[1,4,2,2] ! attribute blocksize is missing",
    "f32[1,4,2,2] blocksize=2 mode=\"X\" ! mode is neither DCR nor CRD",
    NULL,
};

const ig_op ig_op_depth_to_space = {
    .onnx = "DepthToSpace",
    .since = { 1, 11, 13, 28 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF | IG_CHANNELS_LAST,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
