/* SPDX-License-Identifier: Apache-2.0 */
/* sequence_insert.c: a sequence with one more tensor before a position (at the end without one). */
#include "ops/sequence.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_is_sequence(c, 0));
    if (!c->in[1] || c->in[1]->type.kind != INGOT_KIND_TENSOR)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input 1 is not a tensor");
    if (c->in[1]->type.dtype != c->in[0]->type.dtype && c->in[0]->type.dtype != INGOT_UNDEFINED)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "a tensor of %s does not go into a sequence of %s",
                       ingot_dtype_name(c->in[1]->type.dtype),
                       ingot_dtype_name(c->in[0]->type.dtype));
    ig_infer_set_sequence(c, c->in[1]->type.dtype);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    size_t at;
    IG_TRY(ig_call_is_sequence(c, 0));
    const ig_tensor *in = c->in[0];
    IG_TRY(ig_call_position(c, 2, (int64_t)in->n_items, in->n_items, true, &at));
    IG_TRY(ig_call_items(c, INGOT_KIND_SEQUENCE, c->in[1]->dtype, in->n_items + 1));
    for (size_t k = 0; k < at; k++) ig_call_set_item(c, k, in->items[k]);
    ig_call_set_item(c, at, c->in[1]);
    for (size_t k = at; k < in->n_items; k++) ig_call_set_item(c, k + 1, in->items[k]);
    return INGOT_OK;
}

static const char *const cases[] = {
    "seq(f32[1]{1}) f32[2]{2,3} i64[]{0} = seq(f32[2]{2,3} f32[1]{1})",
    "seq(f32) f32[2]{2,3} = seq(f32[2]{2,3})",
    "f32[2] f32[2] ! input 0 is not a sequence",
    "seq(f32[1]{1}) f32[2] seq(i64[]{0}) ! input 2 is not a tensor",
    NULL,
};

const ig_op ig_op_sequence_insert = {
    .onnx = "SequenceInsert",
    .since = { 11 },
    .n_in = { 2, 3 },
    .any_kind = 1 << 0,
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
