/* SPDX-License-Identifier: Apache-2.0 */
/* sequence_construct.c: a sequence of the inputs, in order. */
#include "ops/sequence.h"
#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, c->n_in));
    for (int i = 1; i < c->n_in; i++)
        if (c->in[i]->type.dtype != c->in[0]->type.dtype)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d has element type %s, input 0 has %s",
                           i, ingot_dtype_name(c->in[i]->type.dtype),
                           ingot_dtype_name(c->in[0]->type.dtype));
    ig_infer_set_sequence(c, c->in[0]->type.dtype);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_items(c, INGOT_KIND_SEQUENCE, c->in[0]->dtype, (size_t)c->n_in));
    for (int i = 0; i < c->n_in; i++) ig_call_set_item(c, (size_t)i, c->in[i]);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1]{1} f32[2]{2,3} = seq(f32[1]{1} f32[2]{2,3})",
    "f32[2,3] f32[4]",
    "i64[]",
    "f32[0] f16[1] ! input 1 has element type float16, input 0 has float32",
    NULL,
};

const ig_op ig_op_sequence_construct = {
    .onnx = "SequenceConstruct",
    .since = { 11 },
    .n_in = { 1, -1 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
