/* SPDX-License-Identifier: Apache-2.0 */
/* nhwc_max_pool.c: com.microsoft NhwcMaxPool, MaxPool of 8-bit data with channels last. */
#include "ops/qlinear.h"
#include "ops/same.h"

IG_SAME_WITH(max_pool, "channels_last", 1)

static const char *const cases[] = {
    "u8[1,3,3,1]{1,2,3,4,5,6,7,8,9} kernel_shape=[2,2] = u8[1,2,2,1]{5,6,8,9}",
    "i8[2,8,7,5] kernel_shape=[3,2] strides=[2,1] pads=[1,0,1,1]",
    "i8[1,6,6,2] kernel_shape=[2,2] dilations=[2,2] ceil_mode=1 strides=[3,3]",
    "u8[0,4,4,3] kernel_shape=[2,2]",
    "u8[1,3,3,1] ! kernel_shape is missing",
    NULL,
};

const ig_op ig_op_nhwc_max_pool = {
    .onnx = "NhwcMaxPool",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_8_BIT,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
