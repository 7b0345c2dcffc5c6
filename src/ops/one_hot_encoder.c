/* SPDX-License-Identifier: Apache-2.0 */
/*
 * one_hot_encoder.c: ai.onnx.ml OneHotEncoder: a further dimension with 1 at the place of the
 * element in the list of categories, else 0. Numbers count without their fraction.
 */
#include <math.h>
#include <string.h>

#include "ops/key_map.h"
#include "ops/strided.h"

static ig_status read_categories(const ig_node *node, ingot_dtype from, ig_list *out, ig_error *err)
{
    ig_list ints, strings;
    IG_TRY(ig_list_read(node, "cats_int64s", NULL, &ints, err));
    IG_TRY(ig_list_read(node, "cats_strings", NULL, &strings, err));
    if ((ints.n > 0) == (strings.n > 0))
        return ig_fail(err, INGOT_ERR_INVALID,
                       "cats_int64s has %lld entries and cats_strings %lld: one of them must have "
                       "some",
                       (long long)ints.n, (long long)strings.n);
    *out = ints.n > 0 ? ints : strings;
    if (from != INGOT_UNDEFINED && (from == INGOT_STRING) != (out->dtype == INGOT_STRING))
        return ig_fail(err, INGOT_ERR_INVALID, "the input is %s, the categories are %s",
                       ingot_dtype_name(from), ingot_dtype_name(out->dtype));
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    ig_list categories;
    const ig_info *x = c->in[0];
    ig_dim dims[IG_MAX_RANK + 1];
    IG_TRY(ig_infer_tensors(c, 1));
    IG_TRY(read_categories(c->node, x->type.dtype, &categories, c->err));
    c->out[0].type.dtype = INGOT_FLOAT;
    if (x->rank < 0) return INGOT_OK;
    if (x->rank == IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "the output would have rank %d", x->rank + 1);
    for (int d = 0; d < x->rank; d++) dims[d] = x->dims[d];
    dims[x->rank] = categories.n;
    ig_info_set_shape(&c->out[0], INGOT_FLOAT, x->rank + 1, dims);
    return INGOT_OK;
}

/* Place of element i; -1: none. Floats that no int64 equals without their fraction have none. */
static int64_t place_of(const ig_keys *k, const ig_tensor *x, int64_t i)
{
    int64_t key;
    if (x->dtype == INGOT_STRING || x->dtype == INGOT_INT64) return ig_keys_find(k, x->data, i);
    if (x->dtype != INGOT_INT32) {
        const double v = ig_get_f64(x->dtype, x->data, i);
        if (!(fabs(v) < 9223372036854775808.0)) return -1;
    }
    key = ig_get_i64(x->dtype, x->data, i);
    return ig_keys_find(k, &key, 0);
}

static ig_status ref(ig_call *c)
{
    ig_list categories;
    ig_keys keys;
    const ig_tensor *x = c->in[0];
    const int64_t n = ig_tensor_count(x);
    const bool may_miss = ig_attr_int(c->node, "zeros", 1) != 0;
    size_t bytes = 0;
    IG_TRY(ig_call_ready(c));
    IG_TRY(read_categories(c->node, x->dtype, &categories, c->err));
    IG_TRY(ig_keys_init(&keys, &categories, true, c->scratch, c->err));
    if (ig_tensor_bytes(c->out[0], &bytes) && bytes) memset(c->out[0]->data, 0, bytes);
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = place_of(&keys, x, i);
        if (k >= 0)
            ((float *)c->out[0]->data)[i * categories.n + k] = 1;
        else if (!may_miss)
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "element %lld of the input is in no category, and zeros is 0",
                           (long long)i);
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "i64[2]{4,9} cats_int64s=[3,4] = f32[2,2]{0,1,0,0}",
    "i64[1,2]{7,-1} cats_int64s=[7,8,-1] zeros=0 = f32[1,2,3]{1,0,0,0,0,1}",
    "str[2]{\"b\",\"x\"} cats_strings=[\"b\",\"a\"] = f32[2,2]{1,0,0,0}",
    "f32[4]{1.9,-1.9,nan,1e30} cats_int64s=[1,-1,0] = f32[4,3]{1,0,0,0,1,0,0,0,0,0,0,0}",
    "f64[2]{2.5,3} cats_int64s=[3,2] = f32[2,2]{0,1,1,0}",
    "i32[2]{3,2} cats_int64s=[3,2] = f32[2,2]{1,0,0,1}",
    "i64[1]{3} cats_int64s=[3,3] = f32[1,2]{0,1}",
    "i64[] cats_int64s=[3,3]",
    "i64[0,2] cats_int64s=[3,3]",
    "i64[2]{4,9} cats_int64s=[3,4] zeros=0 ! element 1 of the input is in no category",
    "i64[2] ! cats_int64s has 0 entries",
    "i64[2] cats_int64s=[1] cats_strings=[\"a\"] ! one of them must have some",
    "i64[2] cats_strings=[\"a\"] ! the input is int64, the categories are string",
    "i64[1,1,1,1,1,1,1,1] cats_int64s=[3] ! would have rank 9",
    NULL,
};

const ig_op ig_op_one_hot_encoder = {
    .onnx = "OneHotEncoder",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_STRING | IG_T(INGOT_INT64) | IG_T(INGOT_INT32) | IG_T(INGOT_FLOAT) |
             IG_T(INGOT_DOUBLE),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
