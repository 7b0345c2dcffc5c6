/* SPDX-License-Identifier: Apache-2.0 */
/* category_mapper.c: ai.onnx.ml CategoryMapper: strings to the integers beside them in two lists,
 * or integers to strings. */
#include "ops/key_map.h"
#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    const bool to_ints = c->in[0]->type.dtype == INGOT_STRING;
    IG_TRY(ig_infer_tensors(c, 1));
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = to_ints ? INGOT_INT64 : INGOT_STRING;
    return INGOT_OK;
}

static ig_status read_map(const ig_node *node, ingot_dtype from, ig_arena *arena, ig_key_map *map,
                          ig_error *err)
{
    const bool to_ints = from == INGOT_STRING;
    ig_list strings, ints;
    IG_TRY(ig_list_read(node, "cats_strings", arena, &strings, err));
    IG_TRY(ig_list_read(node, "cats_int64s", arena, &ints, err));
    if (strings.n != ints.n || !strings.dtype || !ints.dtype)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "cats_strings has %lld entries and cats_int64s %lld, as many are wanted",
                       (long long)strings.n, (long long)ints.n);
    *map = (ig_key_map){ .values = to_ints ? ints.data : strings.data,
                         .value_bytes = to_ints ? sizeof(int64_t) : sizeof(ingot_string) };
    if (to_ints) {
        map->fallback.i64 = ig_attr_int(node, "default_int64", -1);
    } else {
        const ig_attr *a = ig_node_attr(node, "default_string");
        map->fallback.s = a && a->kind == IG_ATTR_STRING ? a->s : (ingot_string){ "_Unused", 7 };
    }
    return ig_keys_init(&map->keys, to_ints ? &strings : &ints, true, arena, err);
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
    "str[2,2]{\"b\",\"a\",\"x\",\"b\"} cats_strings=[\"b\",\"a\"] cats_int64s=[5,-7] "
    "default_int64=3 = i64[2,2]{5,-7,3,5}",
    "i64{5,-7,0} cats_strings=[\"b\",\"a\"] cats_int64s=[5,-7] default_string=\"none\" = "
    "str{\"b\",\"a\",\"none\"}",
    "i64{9} cats_strings=[\"b\"] cats_int64s=[5] = str{\"_Unused\"}",
    "str{\"\"} cats_strings=[\"b\"] cats_int64s=[5] = i64{-1}",
    "str{\"b\"} cats_strings=[\"b\",\"b\"] cats_int64s=[5,6] = i64{6}",
    "str[0] cats_strings=[\"b\",\"a\"] cats_int64s=[5,-7]",
    "str[] cats_strings=[\"b\",\"a\"] cats_int64s=[5,-7]",
    "i64[3] cats_strings=[\"b\",\"a\"] cats_int64s=[5] ! cats_strings has 2 entries",
    "i64[3] cats_strings=[\"b\",\"a\"] ! cats_int64s 0",
    "f32[3] cats_strings=[\"b\"] cats_int64s=[5] ! has element type float32",
    NULL,
};

const ig_op ig_op_category_mapper = {
    .onnx = "CategoryMapper",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_STRING | IG_T(INGOT_INT64),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
