/* SPDX-License-Identifier: Apache-2.0 */
/* hann_window.c: a raised cosine that reaches 0. */
#include "ops/taper.h"

static ig_status ref(ig_call *c) { return ig_ref_taper(c, 0.5, 0.5, 0); }

static const char *const cases[] = {
    "i64[]{4} = f32[4]{0,0.5,1,0.5}", "i32[]{7} periodic=0",
    "c:i64[]{5} output_datatype=11",  "i64[]{0}",
    "c:i64[]{-1} ! size is -1",       NULL,
};

const ig_op ig_op_hann_window = {
    .onnx = "HannWindow",
    .since = { 17 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_INT32) | IG_T(INGOT_INT64),
    .infer = ig_infer_taper,
    .ref = ref,
    .cases = cases,
};
