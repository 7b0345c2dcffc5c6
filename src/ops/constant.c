/* SPDX-License-Identifier: Apache-2.0 */
/* constant.c: the tensor of an attribute. The importer turns these nodes into constants; this is
 * for those that reach the graph some other way. */
#include <string.h>

#include "ops/strided.h"

/* The attribute as a tensor in the arena. */
static ig_status make(const ig_node *node, ig_arena *arena, const ig_tensor **out, ig_error *err)
{
    static const struct form {
        const char *name;
        ig_attr_kind kind;
        ingot_dtype dtype;
        int rank;
    } forms[] = {
        { "value_float", IG_ATTR_FLOAT, INGOT_FLOAT, 0 },
        { "value_floats", IG_ATTR_FLOATS, INGOT_FLOAT, 1 },
        { "value_int", IG_ATTR_INT, INGOT_INT64, 0 },
        { "value_ints", IG_ATTR_INTS, INGOT_INT64, 1 },
        { "value_string", IG_ATTR_STRING, INGOT_STRING, 0 },
        { "value_strings", IG_ATTR_STRINGS, INGOT_STRING, 1 },
    };
    const ig_attr *a = ig_node_attr(node, "value");
    if (a && a->kind == IG_ATTR_TENSOR) {
        *out = a->t;
        return INGOT_OK;
    }
    for (size_t i = 0; i < IG_COUNT(forms); i++) {
        const struct form *f = &forms[i];
        a = ig_node_attr(node, f->name);
        if (!a || a->kind != f->kind) continue;
        const int64_t dims[1] = { f->rank ? (int64_t)a->n : 1 };
        ig_tensor *t;
        size_t bytes;
        IG_TRY(ig_tensor_in_arena(arena, f->dtype, f->rank, dims, NULL, &t, err));
        const void *from = a->ints;
        if (f->rank == 0)
            from = f->dtype == INGOT_FLOAT   ? (const void *)&a->f
                   : f->dtype == INGOT_INT64 ? (const void *)&a->i
                                             : (const void *)&a->s;
        if (ig_tensor_bytes(t, &bytes) && bytes > 0) memcpy(t->data, from, bytes);
        *out = t;
        return INGOT_OK;
    }
    if (ig_node_attr(node, "sparse_value"))
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "sparse constants are not supported");
    return ig_fail(err, INGOT_ERR_INVALID, "the constant has no value attribute");
}

static ig_status infer(ig_infer *c)
{
    const ig_tensor *t = NULL;
    IG_TRY(make(c->node, c->arena, &t, c->err));
    ig_info_set_shape(&c->out[0], t->dtype, t->rank, t->dims);
    c->out[0].data = t;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *t = NULL;
    size_t bytes;
    IG_TRY(make(c->node, c->scratch, &t, c->err));
    IG_TRY(ig_call_output(c, 0, t->dtype, t->rank, t->dims));
    if (ig_tensor_bytes(t, &bytes) && bytes > 0) memcpy(c->out[0]->data, t->data, bytes);
    return INGOT_OK;
}

static const char *const cases[] = {
    "value=f32[2]{1,2} = f32[2]{1,2}",
    "value_float=1.5 = f32[]{1.5}",
    "value_floats=[1.0,2.0] = f32{1,2}",
    "value_int=7 = i64[]{7}",
    "@12 value_ints=[1,2,3] = i64{1,2,3}",
    "value_string=\"ab\" = str[]{\"ab\"}",
    "@13 ! no value attribute",
    NULL,
};

const ig_op ig_op_constant = {
    .onnx = "Constant",
    .since = { 1, 9, 11, 12, 13, 19, 21, 23, 24, 25 },
    .n_in = { 0, 0 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
