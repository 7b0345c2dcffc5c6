/* SPDX-License-Identifier: Apache-2.0 */
/* map_value.c: see map_value.h. */
#include "ops/map_value.h"

#include <string.h>

static ig_status not_a_map(ig_error *err)
{
    return ig_fail(err, INGOT_ERR_SHAPE, "input 0 is not a map");
}

ig_status ig_infer_is_map(const ig_infer *c)
{
    if (!c->in[0]) return ig_fail(c->err, INGOT_ERR_INVALID, "input 0 is missing");
    return c->in[0]->type.kind == INGOT_KIND_MAP ? INGOT_OK : not_a_map(c->err);
}

/* Files may hold the values as a sequence of tensors of one element. */
static ig_status gather(const ig_call *c, const ig_tensor *values, ig_list *out)
{
    ig_tensor *flat = NULL;
    const int64_t n = (int64_t)values->n_items;
    const ingot_dtype dtype = n ? values->items[0]->dtype : values->dtype;
    const size_t bytes = dtype == INGOT_STRING ? sizeof(ingot_string) : ig_dtype_size(dtype);
    *out = (ig_list){ dtype, n, NULL };
    if (n == 0) return INGOT_OK;
    if (bytes == 0) return not_a_map(c->err);
    IG_TRY(ig_tensor_in_arena(c->scratch, dtype, 1, &n, NULL, &flat, c->err));
    for (int64_t i = 0; i < n; i++) {
        const ig_tensor *t = values->items[i];
        if (t->kind != INGOT_KIND_TENSOR || t->dtype != dtype || ig_tensor_count(t) != 1)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "value %lld of the map is not one %s",
                           (long long)i, ingot_dtype_name(dtype));
        memcpy((char *)flat->data + (size_t)i * bytes, t->data, bytes);
    }
    out->data = flat->data;
    return INGOT_OK;
}

ig_status ig_call_map(const ig_call *c, ig_map_value *out)
{
    const ig_tensor *map = c->in[0];
    if (!map || map->kind != INGOT_KIND_MAP || map->n_items != 2) return not_a_map(c->err);
    const ig_tensor *keys = map->items[0], *values = map->items[1];
    if (keys->kind != INGOT_KIND_TENSOR ||
        (keys->dtype != INGOT_INT64 && keys->dtype != INGOT_STRING))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED,
                       "keys of the map are neither int64 nor string");
    const ig_list list = { keys->dtype, ig_tensor_count(keys), keys->data };
    if (values->kind == INGOT_KIND_TENSOR)
        out->values = (ig_list){ values->dtype, ig_tensor_count(values), values->data };
    else
        IG_TRY(gather(c, values, &out->values));
    if (list.n < 0 || list.n != out->values.n)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "the map has %lld keys and %lld values",
                       (long long)list.n, (long long)out->values.n);
    IG_TRY(ig_keys_init(&out->keys, &list, false, c->scratch, c->err));
    const int64_t twice = ig_keys_twice(&out->keys);
    if (twice >= 0)
        return ig_fail(c->err, INGOT_ERR_INVALID, "the map has the key at position %lld twice",
                       (long long)twice);
    return INGOT_OK;
}
