/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dict_vectorizer.c: ai.onnx.ml DictVectorizer: the values of a map in the order of a vocabulary of
 * keys, as one row; 0 or "" where the map lacks a key. Keys that the vocabulary lacks are left out.
 */
#include <string.h>

#include "ops/map_value.h"
#include "ops/strided.h"

static ig_status read_vocabulary(const ig_node *node, ig_list *out, ig_error *err)
{
    ig_list ints, strings;
    IG_TRY(ig_list_read(node, "int64_vocabulary", NULL, &ints, err));
    IG_TRY(ig_list_read(node, "string_vocabulary", NULL, &strings, err));
    if ((ints.n > 0) == (strings.n > 0))
        return ig_fail(err, INGOT_ERR_INVALID,
                       "int64_vocabulary has %lld entries and string_vocabulary %lld: one of them "
                       "must have some",
                       (long long)ints.n, (long long)strings.n);
    *out = ints.n > 0 ? ints : strings;
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    ig_list vocabulary;
    IG_TRY(ig_infer_is_map(c));
    IG_TRY(read_vocabulary(c->node, &vocabulary, c->err));
    const ig_dim dims[2] = { 1, vocabulary.n };
    ig_info_set_shape(&c->out[0], c->in[0]->type.dtype, 2, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    ig_list vocabulary;
    ig_map_value map;
    size_t bytes = 0;
    IG_TRY(read_vocabulary(c->node, &vocabulary, c->err));
    IG_TRY(ig_call_map(c, &map));
    if (map.values.dtype == INGOT_UNDEFINED)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED,
                       "the map is empty and does not tell the type of its values");
    if (map.keys.list.dtype != vocabulary.dtype && map.keys.list.n > 0)
        return ig_fail(c->err, INGOT_ERR_INVALID, "keys of the map are %s, of the vocabulary %s",
                       ingot_dtype_name(map.keys.list.dtype), ingot_dtype_name(vocabulary.dtype));
    const int64_t dims[2] = { 1, vocabulary.n };
    IG_TRY(ig_movable_bytes(map.values.dtype, &bytes, c->err));
    IG_TRY(ig_call_output(c, 0, map.values.dtype, 2, dims));
    IG_TRY(ig_call_ready(c));
    char *to = c->out[0]->data;
    memset(to, 0, (size_t)vocabulary.n * bytes);
    for (int64_t i = 0; i < vocabulary.n && map.keys.list.n > 0; i++) {
        const int64_t at = ig_keys_find(&map.keys, vocabulary.data, i);
        if (at >= 0)
            memcpy(to + (size_t)i * bytes, (const char *)map.values.data + (size_t)at * bytes,
                   bytes);
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "map(str{\"c\",\"a\"} f32{8,4}) string_vocabulary=[\"a\",\"c\",\"b\",\"z\"] = "
    "f32[1,4]{4,8,0,0}",
    "map(str{\"a\",\"x\"} i64{8,4}) string_vocabulary=[\"a\",\"c\",\"a\"] = i64[1,3]{8,0,8}",
    "map(str{\"a\",\"\"} f64{8,4}) string_vocabulary=[\"\",\"a\"] = f64[1,2]{4,8}",
    "map(i64{5,-3,2} f32{1,2,3}) int64_vocabulary=[-3,2,7] = f32[1,3]{2,3,0}",
    "map(i64{5,-3} f64{1,2}) int64_vocabulary=[5] = f64[1,1]{1}",
    "map(i64{5,-3} str{\"x\",\"y\"}) int64_vocabulary=[0,5] = str[1,2]{\"\",\"x\"}",
    "map(i64[0] f32[0]) int64_vocabulary=[0,5] = f32[1,2]{0,0}",
    "map(i64{5,5} f32{1,2}) int64_vocabulary=[5] ! the key at position 1 twice",
    "map(i64{5,6} f32{1}) int64_vocabulary=[5] ! 2 keys and 1 values",
    "map(i64{5} f32{1}) string_vocabulary=[\"a\"] ! keys of the map are int64",
    "map(i64{5} f32{1}) ! int64_vocabulary has 0 entries",
    "f32[2] int64_vocabulary=[5] ! is not a map",
    NULL,
};

const ig_op ig_op_dict_vectorizer = {
    .onnx = "DictVectorizer",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .any_kind = 1 << 0,
    .n_out = { 1, 1 },
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
