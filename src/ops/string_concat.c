/* SPDX-License-Identifier: Apache-2.0 */
/* string_concat.c: strings of two tensors joined, element by element, with broadcasting. */
#include <string.h>

#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 2));
    if (c->in[1]->type.dtype != INGOT_STRING)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input 1 must be strings, not %s",
                       ingot_dtype_name(c->in[1]->type.dtype));
    return ig_infer_broadcast(c);
}

static ig_status ref(ig_call *c)
{
    ig_walk w;
    IG_TRY(ig_call_ready(c));
    const ingot_string *x = c->in[0]->data, *y = c->in[1]->data;
    ingot_string *z = c->out[0]->data;
    int64_t i = 0;
    ig_walk_begin(&w, c->out[0], c->in, 2);
    for (bool more = w.left > 0; more; more = ig_walk_next(&w), i++) {
        const ingot_string a = x[w.at[0]], b = y[w.at[1]];
        char *text = ig_arena_get(c->scratch, a.bytes + b.bytes + 1);
        if (!text) return IG_NOMEM(c->err, a.bytes + b.bytes);
        if (a.bytes) memcpy(text, a.data, a.bytes);
        if (b.bytes) memcpy(text + a.bytes, b.data, b.bytes);
        z[i] = (ingot_string){ text, a.bytes + b.bytes };
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "str{\"abc\",\"de\"} str{\".com\",\".net\"} = str{\"abc.com\",\"de.net\"}",
    "str{\"a\",\"b\"} str[]{\"x\"} = str{\"ax\",\"bx\"}",
    "str[2,1]{\"a\",\"b\"} str[2]{\"\",\"y\"} = str[2,2]{\"a\",\"ay\",\"b\",\"by\"}",
    "str[0] str[1]",
    "str[2] str[3] ! do not broadcast",
    "str[2] f32[2] ! input 1 must be strings, not float32",
    NULL,
};

const ig_op ig_op_string_concat = {
    .onnx = "StringConcat",
    .since = { 20 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .types = IG_T_STRING,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
