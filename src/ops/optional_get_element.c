/* SPDX-License-Identifier: Apache-2.0 */
/* optional_get_element.c: what an optional holds. Tensors and sequences pass through: opset 18 says
 * so, and before it the state of a Loop may begin as an optional and go on as what it holds. */
#include "ops/sequence.h"

static ig_status infer(ig_infer *c)
{
    const ig_info *in = c->in[0];
    if (!in) return ig_fail(c->err, INGOT_ERR_INVALID, "input 0 is missing");
    if (in->type.kind == INGOT_KIND_OPTIONAL) {
        c->out[0].type = (ig_type){ .kind = in->type.item_kind,
                                    .dtype = in->type.dtype,
                                    .key_dtype = in->type.key_dtype };
        return INGOT_OK;
    }
    return ig_infer_same(c);
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0];
    if (in->kind != INGOT_KIND_OPTIONAL) return ig_call_give(c, in);
    if (in->n_items == 0) return ig_fail(c->err, INGOT_ERR_INVALID, "the optional holds nothing");
    return ig_call_give(c, in->items[0]);
}

static const char *const cases[] = {
    "opt(f32[2]{1,2}) @15 = f32[2]{1,2}",
    "opt(f32) @15 ! holds nothing",
    "f32[2,3]",
    "str[2]",
    "f32[2]{1,2} @15 = f32[2]{1,2}",
    NULL,
};

const ig_op ig_op_optional_get_element = {
    .onnx = "OptionalGetElement",
    .since = { 15, 18, 28 },
    .n_in = { 1, 1 },
    .any_kind = 1 << 0,
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
