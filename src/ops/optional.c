/* SPDX-License-Identifier: Apache-2.0 */
/* optional.c: an optional that holds the input, or (without one) nothing of the type `type`. */
#include "ops/sequence.h"

static ig_status infer(ig_infer *c)
{
    const ig_info *in = c->n_in > 0 ? c->in[0] : NULL;
    const ig_attr *a = ig_node_attr(c->node, "type");
    ig_type held = { .kind = INGOT_KIND_TENSOR };
    if (in)
        held = in->type;
    else if (a && a->kind == IG_ATTR_TYPE)
        held = a->type;
    else
        return ig_fail(c->err, INGOT_ERR_INVALID, "has neither an input nor the attribute type");
    if (held.kind == INGOT_KIND_OPTIONAL)
        return ig_fail(c->err, INGOT_ERR_INVALID, "an optional cannot hold an optional");
    c->out[0].type = (ig_type){ .kind = INGOT_KIND_OPTIONAL,
                                .dtype = held.dtype,
                                .item_kind = held.kind,
                                .key_dtype = held.key_dtype };
    c->out[0].rank = -1;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->n_in > 0 ? c->in[0] : NULL;
    const ig_attr *a = ig_node_attr(c->node, "type");
    const ingot_dtype dtype = in ? in->dtype : a ? a->type.dtype : INGOT_UNDEFINED;
    IG_TRY(ig_call_items(c, INGOT_KIND_OPTIONAL, dtype, in ? 1 : 0));
    if (in) ig_call_set_item(c, 0, in);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2]{1,2} = opt(f32[2]{1,2})",
    "f32[2,3]",
    "str[2]",
    "! neither an input nor the attribute type",
    NULL,
};

const ig_op ig_op_optional = {
    .onnx = "Optional",
    .since = { 15, 28 },
    .n_in = { 0, 1 },
    .any_kind = 1 << 0,
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
