/* SPDX-License-Identifier: Apache-2.0 */
/*
 * optional_has_element.c: does the optional hold something? Since opset 18 tensors and sequences
 * do, and an absent input does not. They do before, too: the state of a Loop may begin as an
 * optional and go on as what it holds.
 */
#include "ops/sequence.h"

static ig_status infer(ig_infer *c)
{
    if (c->opset < 18 && (c->n_in == 0 || !c->in[0]))
        return ig_fail(c->err, INGOT_ERR_INVALID, "input 0 is missing");
    ig_info_set_shape(&c->out[0], INGOT_BOOL, 0, NULL);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->n_in > 0 ? c->in[0] : NULL;
    IG_TRY(ig_call_output(c, 0, INGOT_BOOL, 0, NULL));
    *(bool *)c->out[0]->data = in && (in->kind != INGOT_KIND_OPTIONAL || in->n_items > 0);
    return INGOT_OK;
}

static const char *const cases[] = {
    "opt(f32) @15 = bool[]{0}",
    "opt(f32[2]) @15 = bool[]{1}",
    "f32[2] = bool[]{1}",
    "= bool[]{0}",
    "_ = bool[]{0}",
    "f32[2] @15 = bool[]{1}",
    "seq(f32) @16 = bool[]{1}",
    "_ @15 ! input 0 is missing",
    NULL,
};

const ig_op ig_op_optional_has_element = {
    .onnx = "OptionalHasElement",
    .since = { 15, 18, 28 },
    .n_in = { 0, 1 },
    .any_kind = 1 << 0,
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
