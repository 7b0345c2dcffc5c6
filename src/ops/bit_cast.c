/* SPDX-License-Identifier: Apache-2.0 */
/* bit_cast.c: the same bits seen as another element type of the same width. */
#include <string.h>

#include "ops/op.h"

static ingot_dtype target(const ig_node *node)
{
    const int64_t code = ig_attr_int(node, "to", 0);
    return code > 0 && code < INGOT_N_DTYPES ? (ingot_dtype)code : INGOT_UNDEFINED;
}

static ig_status infer(ig_infer *c)
{
    const ingot_dtype from = c->in[0]->type.dtype, to = target(c->node);
    if (to == INGOT_UNDEFINED)
        return IG_OP_FAIL(c, INGOT_ERR_INVALID, "attribute to is missing or no element type");
    if (from != INGOT_UNDEFINED && (ingot_dtype_bits(from) != ingot_dtype_bits(to) ||
                                    (from == INGOT_STRING) != (to == INGOT_STRING)))
        return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "%s and %s differ in width", ingot_dtype_name(from),
                          ingot_dtype_name(to));
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = to;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    size_t bytes = 0;
    IG_TRY(ig_call_output(c, 0, target(c->node), c->in[0]->rank, c->in[0]->dims));
    if (c->out[0] && ig_tensor_bytes(c->in[0], &bytes) && bytes)
        memmove(c->out[0]->data, c->in[0]->data, bytes);
    return INGOT_OK;
}

static ig_status lower(ig_lower *l)
{
    l->is_view = true;
    return INGOT_OK;
}

static const char *const cases[] = { "f32[2]{1,-0.0} to=6 = i32[2]{1065353216,-2147483648}",
                                     "i8[3]{-1,0,5} to=2 = u8[3]{255,0,5}",
                                     "f64[1]{1} to=13 = u64[1]{4607182418800017408}",
                                     "u16[2]{15360,16256} to=10 = f16[2]{1,1.875}",
                                     "f32[0,2] to=12",
                                     "f32[2] to=7 ! differ in width",
                                     NULL };

const ig_op ig_op_bit_cast = { .onnx = "BitCast",
                               .since = { 26 },
                               .n_in = { 1, 1 },
                               .n_out = { 1, 1 },
                               .flags = IG_ELEMENTWISE | IG_OWN_HALF,
                               .infer = infer,
                               .ref = ref,
                               .lower = lower,
                               .cases = cases };
