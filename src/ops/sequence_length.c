/* SPDX-License-Identifier: Apache-2.0 */
/* sequence_length.c: the number of items of a sequence. */
#include "ops/sequence.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_is_sequence(c, 0));
    ig_info_set_shape(&c->out[0], INGOT_INT64, 0, NULL);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_is_sequence(c, 0));
    IG_TRY(ig_call_output(c, 0, INGOT_INT64, 0, NULL));
    *(int64_t *)c->out[0]->data = (int64_t)c->in[0]->n_items;
    return INGOT_OK;
}

static const char *const cases[] = {
    "seq(f32[2] f32[0]) = i64[]{2}",
    "seq(f32) = i64[]{0}",
    "f32[2] ! input 0 is not a sequence",
    NULL,
};

const ig_op ig_op_sequence_length = {
    .onnx = "SequenceLength",
    .since = { 11 },
    .n_in = { 1, 1 },
    .any_kind = 1 << 0,
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
