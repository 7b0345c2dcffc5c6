/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dynamic_slice.c: the experimental operator (opset 1 to 9) that Slice took over in opset 10: its
 * positions and axes are inputs, and there are no steps.
 */
#include "ops/op.h"

/* The first opset in which Slice reads inputs. */
#define SLICE_OPSET 10

extern const ig_op ig_op_slice;

static ig_status infer(ig_infer *c)
{
    ig_infer as = *c;
    as.opset = SLICE_OPSET;
    return ig_op_slice.infer(&as);
}

static ig_status ref(ig_call *c)
{
    ig_call as = *c;
    as.opset = SLICE_OPSET;
    return ig_op_slice.ref(&as);
}

static ig_status lower(ig_lower *l)
{
    const int opset = l->opset;
    l->opset = SLICE_OPSET;
    const ig_status status = ig_op_slice.lower(l);
    l->opset = opset;
    return status;
}

static const char *const cases[] = {
    "f32[5]{1,2,3,4,5} i64{1} i64{3} = f32[2]{2,3}",
    "f32[2,4]{1,2,3,4,5,6,7,8} i64{-2} i64{9} i64{1} = f32[2,2]{3,4,7,8}",
    "f32[3,4,5] i32{0,1} i32{2,-1} i32{2,0} @1",
    "i64[6] c:i64{1} c:i64{5}",
    "str[3]{\"a\",\"b\",\"c\"} i64{2} i64{9} = str[1]{\"c\"}",
    "f32[5] i64{7} i64{9} = f32[0]{}",
    "f16[4] i64{1} i64{3}",
    "f32[5] i64{1} i64{3,4} ! 1 starts, but 2 ends",
    "f32[5] i64{1} i64{3} i64{1} ! axis 1 is out of range for rank 1",
    NULL,
};

const ig_op ig_op_dynamic_slice = {
    .onnx = "DynamicSlice",
    .since = { 1 },
    .until = 9,
    .n_in = { 3, 4 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
