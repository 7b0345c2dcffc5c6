/* SPDX-License-Identifier: Apache-2.0 */
/* sequence_erase.c: a sequence without the item at a position (the last, if none is given). */
#include "ops/sequence.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_is_sequence(c, 0));
    c->out[0].type = c->in[0]->type;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    size_t at;
    IG_TRY(ig_call_is_sequence(c, 0));
    const ig_tensor *in = c->in[0];
    IG_TRY(ig_call_position(c, 1, -1, in->n_items, false, &at));
    IG_TRY(ig_call_items(c, INGOT_KIND_SEQUENCE, in->dtype, in->n_items - 1));
    for (size_t k = 0; k + 1 < in->n_items; k++)
        ig_call_set_item(c, k, in->items[k < at ? k : k + 1]);
    return INGOT_OK;
}

static const char *const cases[] = {
    "seq(f32[1]{1} f32[1]{2}) = seq(f32[1]{1})",
    "seq(f32[1]{1} f32[1]{2}) i64[]{0} = seq(f32[1]{2})",
    "f32[2] ! input 0 is not a sequence",
    NULL,
};

const ig_op ig_op_sequence_erase = {
    .onnx = "SequenceErase",
    .since = { 11 },
    .n_in = { 1, 2 },
    .any_kind = 1 << 0,
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
