/* SPDX-License-Identifier: Apache-2.0 */
/* ms_range.c: com.microsoft Range, ONNX's with a delta that may be absent: 1. */
#include "ops/same.h"
#include "ops/strided.h"

#define RANGE_OPSET 11

extern const ig_op ig_op_range;

typedef struct one {
    double memory; /* room and alignment for any number */
    ig_tensor tensor;
} one;

static void one_of(ingot_dtype dtype, one *o)
{
    *o = (one){ .tensor = { .kind = INGOT_KIND_TENSOR, .dtype = dtype, .data = &o->memory } };
    ig_set_f64(dtype, &o->memory, 0, 1);
}

static ig_status infer(ig_infer *c)
{
    one o;
    ig_info delta = { .rank = 0 };
    IG_TRY(ig_infer_tensors(c, 2));
    const ig_info *in[3] = { c->in[0], c->in[1], c->n_in > 2 ? c->in[2] : NULL };
    if (!in[2]) {
        one_of(in[0]->type.dtype, &o);
        ig_info_set_shape(&delta, in[0]->type.dtype, 0, NULL);
        delta.data = &o.tensor;
        in[2] = &delta;
    }
    ig_infer as = *c;
    as.in = in;
    as.n_in = 3;
    as.opset = RANGE_OPSET;
    return ig_op_range.infer(&as);
}

static ig_status ref(ig_call *c)
{
    one o;
    const ig_tensor *const *given = c->in;
    const ig_tensor *in[3] = { given[0], given[1], c->n_in > 2 ? given[2] : NULL };
    const int n_in = c->n_in;
    if (!in[2]) {
        one_of(in[0]->dtype, &o);
        in[2] = &o.tensor;
    }
    c->in = in;
    c->n_in = 3;
    const ig_status status = ig_op_range.ref(c);
    c->in = given;
    c->n_in = n_in;
    return status;
}

static const char *const cases[] = {
    "f32[]{1} f32[]{4} = f32{1,2,3}",
    "i32[]{10} i32[1]{6} i32[]{-3} = i32{10,7}",
    "c:i64[]{3} c:i64[]{9} = i64{3,4,5,6,7,8}",
    "f64[]{0} f64[]{1} f64[]{0.25}",
    "i16[]{5} i16[]{2} = i16{}",
    "i64[]{0} i64[]{5} i64[]{0} ! delta is 0",
    "i64[]{0} i32[]{5} ! input 1 has element type int32",
    NULL,
};

const ig_op ig_op_ms_range = {
    .onnx = "Range",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 3 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_DOUBLE) | IG_T(INGOT_INT16) | IG_T(INGOT_INT32) |
             IG_T(INGOT_INT64),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
