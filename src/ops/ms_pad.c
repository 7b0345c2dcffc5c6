/* SPDX-License-Identifier: Apache-2.0 */
/* ms_pad.c: com.microsoft Pad, as ONNX's of opset 13, but that pads may be one row of a matrix. */
#include "ops/same.h"

extern const ig_op ig_op_pad;

/* A row, to be seen as the vector that ONNX asks for. */
static bool is_row(int rank, const ig_dim *dims)
{
    return rank == 2 && (dims[0] == 1 || !ig_dim_is_const(dims[0]));
}

static ig_status infer(ig_infer *c)
{
    const ig_info *pads = c->in[1], *in[3] = { c->in[0], pads, c->n_in > 2 ? c->in[2] : NULL };
    ig_info vector;
    ig_tensor data;
    if (pads && is_row(pads->rank, pads->dims)) {
        vector = *pads;
        vector.rank = 1;
        vector.dims[0] = pads->dims[1];
        if (pads->data) {
            data = *pads->data;
            data.rank = 1;
            data.dims[0] = pads->dims[1];
            vector.data = &data;
        }
        in[1] = &vector;
    }
    ig_infer as = *c;
    as.in = in;
    as.opset = 13;
    return ig_op_pad.infer(&as);
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *pads = c->in[1], *in[3] = { c->in[0], pads, c->n_in > 2 ? c->in[2] : NULL };
    const ig_tensor *const *given = c->in;
    ig_tensor vector;
    if (is_row(pads->rank, pads->dims)) {
        vector = *pads;
        vector.rank = 1;
        vector.dims[0] = pads->dims[1];
        in[1] = &vector;
    }
    const int opset = c->opset;
    c->in = in;
    c->opset = 13;
    const ig_status status = ig_op_pad.ref(c);
    c->in = given;
    c->opset = opset;
    return status;
}

static ig_status lower(ig_lower *l)
{
    if (l->in[1]->rank != 1) return INGOT_OK;
    IG_SAME_CALL_(l, 13, ig_op_pad.lower(l))
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} i64{0,1,1,0} f32[1]{9} = f32[3,3]{9,1,2,9,3,4,9,9,9}",
    "f32[2,3] c:i64[1,4]{1,0,0,2}",
    "f64[2,3] i64[1,4]{1,0,0,2} f64[]{0.5}",
    "f32[3,4] c:i64{1,1,0,2} mode=\"reflect\"",
    "f32[3,4] c:i64{1,-1,0,2} mode=\"edge\"",
    "f16[2] c:i64{1,1}",
    "f32[2,3] i64{1,1} ! 2 pads for 2 axes, expected 4",
    "f32[2,3] i64[2,2]{1,1,1,1} ! must have rank 1",
    "f32[2] c:i64{1,1} mode=\"foo\" ! mode is none of",
    NULL,
};

const ig_op ig_op_ms_pad = {
    .onnx = "Pad",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 3 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
