/* SPDX-License-Identifier: Apache-2.0 */
/* sequence_empty.c: a sequence without items, of element type `dtype` (float32 by default). */
#include "ops/sequence.h"

static ig_status read_dtype(const ig_node *node, ingot_dtype *out, ig_error *err)
{
    const int64_t dtype = ig_attr_int(node, "dtype", INGOT_FLOAT);
    if (dtype <= INGOT_UNDEFINED || dtype >= INGOT_N_DTYPES)
        return ig_fail(err, INGOT_ERR_INVALID, "dtype is %lld", (long long)dtype);
    *out = (ingot_dtype)dtype;
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    ingot_dtype dtype = INGOT_FLOAT;
    IG_TRY(read_dtype(c->node, &dtype, c->err));
    ig_infer_set_sequence(c, dtype);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    ingot_dtype dtype = INGOT_FLOAT;
    IG_TRY(read_dtype(c->node, &dtype, c->err));
    return ig_call_items(c, INGOT_KIND_SEQUENCE, dtype, 0);
}

static const char *const cases[] = { "", "dtype=7", "dtype=99 ! dtype is 99", NULL };

const ig_op ig_op_sequence_empty = {
    .onnx = "SequenceEmpty",
    .since = { 11 },
    .n_in = { 0, 0 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
