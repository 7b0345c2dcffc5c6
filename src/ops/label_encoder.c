/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label_encoder.c: ai.onnx.ml LabelEncoder: each element becomes the value beside it in two lists.
 *
 * Version 1 has one list of strings, whose positions are the integers. Version 2 has lists of
 * strings, ints and floats; the first of equal keys counts. Version 4 adds tensors of further
 * types, and the last of equal keys counts. Floats are compared as numbers, but NaN equals NaN.
 */
#include <stdio.h>
#include <string.h>

#include "ops/key_map.h"
#include "ops/strided.h"

/* ---- lists ---- */

/* The list that is there of keys_… or values_…; one at most may have entries. */
static ig_status read_column(const ig_node *node, const char *what, ig_arena *arena, ig_list *out,
                             ig_error *err)
{
    static const char *const kinds[] = { "strings", "int64s", "floats", "tensor" };
    const char *chosen = NULL;
    *out = (ig_list){ .dtype = INGOT_UNDEFINED };
    for (size_t i = 0; i < IG_COUNT(kinds) - (node->opset < 4); i++) {
        char name[32];
        ig_list l;
        snprintf(name, sizeof name, "%s_%s", what, kinds[i]);
        IG_TRY(ig_list_read(node, name, arena, &l, err));
        if (!l.dtype || (chosen && l.n == 0)) continue;
        if (chosen && out->n > 0)
            return ig_fail(err, INGOT_ERR_INVALID, "both %s_%s and %s_%s are given", what, chosen,
                           what, kinds[i]);
        *out = l;
        chosen = kinds[i];
    }
    if (chosen) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "there is no attribute %s_strings, %s_int64s, …", what,
                   what);
}

static ig_status read_lists(const ig_node *node, ingot_dtype from, ig_arena *arena, ig_list *keys,
                            ig_list *values, ig_error *err)
{
    if (node->opset >= 2) {
        IG_TRY(read_column(node, "keys", arena, keys, err));
        IG_TRY(read_column(node, "values", arena, values, err));
    } else {
        ig_list names, numbers;
        IG_TRY(ig_list_read(node, "classes_strings", arena, &names, err));
        if (!names.dtype)
            return ig_fail(err, INGOT_ERR_INVALID, "attribute classes_strings is missing");
        int64_t *positions = ig_arena_array(arena, (size_t)names.n + 1, sizeof *positions);
        if (!positions) return IG_NOMEM(err, (size_t)names.n * sizeof *positions);
        for (int64_t i = 0; i < names.n; i++) positions[i] = i;
        numbers = (ig_list){ INGOT_INT64, names.n, positions };
        *keys = from == INGOT_STRING ? names : numbers;
        *values = from == INGOT_STRING ? numbers : names;
    }
    if (keys->n != values->n)
        return ig_fail(err, INGOT_ERR_INVALID, "%lld keys and %lld values, as many are wanted",
                       (long long)keys->n, (long long)values->n);
    if (!(IG_T(values->dtype) & IG_T_KEYS))
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "values of element type %s are not supported",
                       ingot_dtype_name(values->dtype));
    if (from != INGOT_UNDEFINED && from != keys->dtype)
        return ig_fail(err, INGOT_ERR_INVALID, "the input is %s, the keys are %s",
                       ingot_dtype_name(from), ingot_dtype_name(keys->dtype));
    return INGOT_OK;
}

/* ---- what elements without a key become ---- */

static ig_status default_of_tensor(const ig_tensor *t, ig_key_map *map, ingot_dtype dtype,
                                   ig_error *err)
{
    if (t->dtype != dtype || ig_tensor_count(t) != 1)
        return ig_fail(err, INGOT_ERR_INVALID, "default_tensor must hold one %s",
                       ingot_dtype_name(dtype));
    memcpy(map->fallback.bytes, t->data, map->value_bytes);
    return INGOT_OK;
}

static ig_status read_default(const ig_node *node, ingot_dtype dtype, ig_key_map *map,
                              ig_error *err)
{
    const ig_attr *tensor = node->opset >= 4 ? ig_node_attr(node, "default_tensor") : NULL;
    const ig_attr *text = ig_node_attr(node, "default_string");
    if (tensor && tensor->kind == IG_ATTR_TENSOR && tensor->t)
        return default_of_tensor(tensor->t, map, dtype, err);
    if (dtype == INGOT_STRING) {
        map->fallback.s =
            text && text->kind == IG_ATTR_STRING ? text->s : (ingot_string){ "_Unused", 7 };
    } else if (dtype == INGOT_FLOAT || dtype == INGOT_DOUBLE) {
        ig_set_f64(dtype, map->fallback.bytes, 0,
                   (double)ig_attr_float(node, "default_float", -0.0F));
    } else {
        const int64_t x = ig_attr_int(node, "default_int64", -1);
        ig_set_i64(dtype, map->fallback.bytes, 0, x);
        if (ig_get_i64(dtype, map->fallback.bytes, 0) != x)
            return ig_fail(err, INGOT_ERR_INVALID, "default_int64 is %lld, too large for %s",
                           (long long)x, ingot_dtype_name(dtype));
    }
    return INGOT_OK;
}

static ig_status read_map(const ig_node *node, ingot_dtype from, ig_arena *arena, ig_key_map *map,
                          ig_error *err)
{
    ig_list keys, values;
    IG_TRY(read_lists(node, from, arena, &keys, &values, err));
    *map = (ig_key_map){ .values = values.data };
    IG_TRY(ig_movable_bytes(values.dtype, &map->value_bytes, err));
    IG_TRY(read_default(node, values.dtype, map, err));
    return ig_keys_init(&map->keys, &keys, node->opset == 1 || node->opset >= 4, arena, err);
}

/* ---- the operator ---- */

static ig_status infer(ig_infer *c)
{
    ig_list keys, values;
    IG_TRY(ig_infer_tensors(c, 1));
    IG_TRY(read_lists(c->node, c->in[0]->type.dtype, c->arena, &keys, &values, c->err));
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = values.dtype;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    ig_key_map map;
    IG_TRY(read_map(c->node, c->in[0]->dtype, c->scratch, &map, c->err));
    return ig_key_map_ref(c, &map);
}

static ig_status lower(ig_lower *l)
{
    if (l->out[0].type.dtype == INGOT_STRING) return INGOT_OK; /* the reference owns strings */
    ig_key_map *map = ig_arena_get(l->arena, sizeof *map);
    if (!map) return IG_NOMEM(l->err, sizeof *map);
    IG_TRY(read_map(l->node, l->in[0]->type.dtype, l->arena, map, l->err));
    ig_key_map_lower(l, map);
    return INGOT_OK;
}

static const char *const cases[] = {
    /* version 1 */
    "str{\"b\",\"x\",\"a\"} @1 classes_strings=[\"a\",\"b\"] default_int64=-1 default_string=\"\" "
    "= i64{1,-1,0}",
    "i64[2,2]{1,0,2,-1} @1 classes_strings=[\"a\",\"b\"] default_string=\"?\" default_int64=-1 = "
    "str[2,2]{\"b\",\"a\",\"?\",\"?\"}",
    "str{\"a\"} @1 ! attribute classes_strings is missing",
    /* version 2 */
    "str{\"b\",\"x\",\"a\"} @2 keys_strings=[\"b\",\"a\"] values_int64s=[5,6] = i64{5,-1,6}",
    "str{\"b\",\"x\",\"a\"} @2 keys_strings=[\"b\",\"a\"] values_floats=[0.5,1.5] "
    "default_float=9.0 = f32{0.5,9,1.5}",
    "str{\"b\",\"x\"} @4 keys_strings=[\"b\",\"a\"] values_strings=[\"B\",\"A\"] = "
    "str{\"B\",\"_Unused\"}",
    "i64{3,1,2} @2 keys_int64s=[1,2] values_strings=[\"one\",\"two\"] default_string=\"more\" = "
    "str{\"more\",\"one\",\"two\"}",
    "i64{3,1,2} @2 keys_int64s=[2,1] values_floats=[2.5,1.5] = f32{0,1.5,2.5}",
    "i64{3,1,2} @4 keys_int64s=[2,1] values_int64s=[20,10] default_int64=7 = i64{7,10,20}",
    "f32{3,1,-0} @2 keys_floats=[0.0,1.0] values_int64s=[2,4] = i64{-1,4,2}",
    "f32{3,1} @2 keys_floats=[0.0,1.0] values_strings=[\"a\",\"b\"] = str{\"_Unused\",\"b\"}",
    "f32{nan,1} @4 keys_floats=[nan,1.0] values_floats=[5.0,6.0] = f32{5,6}",
    "i64{1} @2 keys_int64s=[1,1] values_floats=[2.0,3.0] = f32{2}",
    "i64{1} @4 keys_int64s=[1,1] values_floats=[2.0,3.0] = f32{3}",
    "i64[0] @2 keys_int64s=[1,1] values_floats=[2.0,3.0]",
    "str[200] @2 keys_strings=[\"x s\",\"bc\",\"\",\"a\"] values_int64s=[1,2,3,4]",
    /* version 4 */
    "i16{3,1} @4 keys_tensor=i16{1,2} values_tensor=f64{0.5,1.5} default_tensor=f64{2.5} = "
    "f64{2.5,0.5}",
    "f64{nan,2} @4 keys_tensor=f64{nan,1} values_tensor=i16{4,5} = i16{4,-1}",
    "i32[2,1]{2,1} @4 keys_tensor=i32{1} values_tensor=i32{7} default_int64=-3 = i32[2,1]{-3,7}",
    "str{\"a\",\"b\"} @4 keys_tensor=str{\"a\"} values_tensor=i32{7} = i32{7,-1}",
    "str{\"a\",\"b\"} @4 keys_strings=[\"a\"] values_tensor=str{\"A\"} default_tensor=str{\"z\"} = "
    "str{\"A\",\"z\"}",
    /* refusals */
    "i64{1} @2 keys_int64s=[1,2] values_floats=[2.0] ! 2 keys and 1 values",
    "i64{1} @2 keys_strings=[\"a\"] values_floats=[2.0] ! the input is int64, the keys are string",
    "i64{1} @4 keys_int64s=[1] keys_tensor=i64{1} values_floats=[2.0] ! both keys_int64s and "
    "keys_tensor",
    "i64{1} @4 keys_int64s=[1] ! there is no attribute values_strings",
    "i64{1} @4 keys_int64s=[1] values_tensor=u8{1} ! values of element type uint8",
    "i16{1} @4 keys_tensor=i16{1} values_tensor=i16{1} default_int64=99999 ! too large for int16",
    "i64{1} @4 keys_int64s=[1] values_tensor=i32{1} default_tensor=i64{1} ! must hold one int32",
    NULL,
};

const ig_op ig_op_label_encoder = {
    .onnx = "LabelEncoder",
    .domain = "ai.onnx.ml",
    .since = { 1, 2, 4 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_KEYS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
