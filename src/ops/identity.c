/* SPDX-License-Identifier: Apache-2.0 */
/* identity.c: y = x, of any kind. */
#include <string.h>

#include "ops/unary.h"

static ig_status infer(ig_infer *c)
{
    c->out[0] = *c->in[0];
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0];
    size_t bytes = 0;
    if (!c->out[0]) return INGOT_OK;
    if (in->kind != INGOT_KIND_TENSOR) { /* items are borrowed */
        ig_tensor *out = c->out[0];
        out->kind = in->kind;
        out->dtype = in->dtype;
        out->items = in->items;
        out->n_items = in->n_items;
        return INGOT_OK;
    }
    IG_TRY(ig_call_output(c, 0, in->dtype, in->rank, in->dims));
    if (ig_tensor_bytes(in, &bytes) && bytes) memmove(c->out[0]->data, in->data, bytes);
    return INGOT_OK;
}

static const char *const cases[] = { "f32[2]{1,nan} = f32[2]{1,nan}",
                                     "i64[2,3]",
                                     "str[2]{\"a\",\"\"} = str[2]{\"a\",\"\"}",
                                     "bool[0]",
                                     "f16[3] @1",
                                     "u8[]",
                                     NULL };

const ig_op ig_op_identity = { .onnx = "Identity",
                               .since = { 1, 13, 14, 16, 19, 21, 23, 24, 25 },
                               .n_in = { 1, 1 },
                               .any_kind = 1 << 0,
                               .n_out = { 1, 1 },
                               .flags = IG_VIEW | IG_IDENTITY | IG_OWN_HALF,
                               .infer = infer,
                               .ref = ref,
                               .is_identity = ig_always_identity,
                               .cases = cases };
