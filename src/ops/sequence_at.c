/* SPDX-License-Identifier: Apache-2.0 */
/* sequence_at.c: one item of a sequence; negative positions count from the end. */
#include "ops/sequence.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_is_sequence(c, 0));
    c->out[0].type = (ig_type){ .kind = c->in[0]->type.item_kind,
                                .dtype = c->in[0]->type.dtype,
                                .key_dtype = c->in[0]->type.key_dtype };
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    size_t at;
    IG_TRY(ig_call_is_sequence(c, 0));
    IG_TRY(ig_call_position(c, 1, 0, c->in[0]->n_items, false, &at));
    return ig_call_give(c, c->in[0]->items[at]);
}

static const char *const cases[] = {
    "seq(f32[2]{1,2} f32[3]{3,4,5}) i64[]{-1} = f32[3]{3,4,5}",
    "seq(str[1]{\"a\"} str[2]{\"b\",\"c\"}) i32[]{0} = str[1]{\"a\"}",
    "f32[2] i64[]{0} ! input 0 is not a sequence",
    NULL,
};

const ig_op ig_op_sequence_at = {
    .onnx = "SequenceAt",
    .since = { 11 },
    .n_in = { 2, 2 },
    .any_kind = 1 << 0,
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
