/* SPDX-License-Identifier: Apache-2.0 */
/* scatter.c: the old name (opsets 9 and 10) of ScatterElements without reductions. Models declare
 * later opsets too, so it stays. */
#include "ops/scatter_update.h"

static const char *const cases[] = {
    "f32[3,3]{0} i64[2,3]{1,0,2,0,2,1} f32[2,3]{1,1.1,1.2,2,2.1,2.2} @9 = "
    "f32[3,3]{2,1.1,0,1,0,2.2,0,2.1,1.2}",
    "f32[1,5]{1,2,3,4,5} i64[1,2]{1,3} f32[1,2]{1.1,2.1} @10 axis=1 = f32[1,5]{1,1.1,3,2.1,5}",
    "f32[1,5] i64[1,1]{5} f32[1,1] @9 axis=1 ! index 5 is out of range for dimension 5 at axis 1",
    NULL,
};

const ig_op ig_op_scatter = {
    .onnx = "Scatter",
    .since = { 9, 11 },
    .n_in = { 3, 3 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF | IG_INPLACE,
    .infer = ig_infer_scatter_elements,
    .ref = ig_ref_scatter_elements,
    .cases = cases,
};
