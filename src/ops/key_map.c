/* SPDX-License-Identifier: Apache-2.0 */
/* key_map.c: see key_map.h. */
#include "ops/key_map.h"

#include <math.h>
#include <string.h>

#include "ops/strided.h"

/* ---- lists ---- */

static ig_status tensor_list(const ig_tensor *t, ig_arena *arena, ig_list *out, ig_error *err)
{
    size_t bytes = 0;
    const int64_t n = ig_tensor_count(t);
    if (n < 0 || !ig_tensor_bytes(t, &bytes))
        return ig_fail(err, INGOT_ERR_SHAPE, "tensor too large to address");
    *out = (ig_list){ t->dtype, n, t->data };
    if (ig_tensor_is_aligned(t)) return INGOT_OK;
    out->data = ig_arena_copy(arena, t->data, bytes);
    return out->data ? INGOT_OK : IG_NOMEM(err, bytes);
}

ig_status ig_list_read(const ig_node *node, const char *name, ig_arena *arena, ig_list *out,
                       ig_error *err)
{
    const ig_attr *a = ig_node_attr(node, name);
    *out = (ig_list){ .dtype = INGOT_UNDEFINED };
    if (!a) return INGOT_OK;
    const int64_t n = (int64_t)a->n;
    switch ((int)a->kind) {
    case IG_ATTR_STRINGS: *out = (ig_list){ INGOT_STRING, n, a->strings }; return INGOT_OK;
    case IG_ATTR_INTS: *out = (ig_list){ INGOT_INT64, n, a->ints }; return INGOT_OK;
    case IG_ATTR_FLOATS: *out = (ig_list){ INGOT_FLOAT, n, a->floats }; return INGOT_OK;
    case IG_ATTR_TENSOR: return a->t ? tensor_list(a->t, arena, out, err) : INGOT_OK;
    default: return ig_fail(err, INGOT_ERR_INVALID, "attribute %s is not a list", name);
    }
}

/* ---- order ---- */

static int compare_strings(const ingot_string *a, const ingot_string *b)
{
    const size_t n = a->bytes < b->bytes ? a->bytes : b->bytes;
    const int order = n ? memcmp(a->data, b->data, n) : 0;
    return order ? order : (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* NaN comes last, so that there is an order at all. */
static int compare_floats(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int compare(ingot_dtype dtype, const void *a, int64_t i, const void *b, int64_t j)
{
    int64_t x, y;
    switch ((int)dtype) {
    case INGOT_STRING:
        return compare_strings((const ingot_string *)a + i, (const ingot_string *)b + j);
    case INGOT_FLOAT:
        return compare_floats((double)((const float *)a)[i], (double)((const float *)b)[j]);
    case INGOT_DOUBLE: return compare_floats(((const double *)a)[i], ((const double *)b)[j]);
    case INGOT_INT64: x = ((const int64_t *)a)[i], y = ((const int64_t *)b)[j]; break;
    default: x = ig_get_i64(dtype, a, i), y = ig_get_i64(dtype, b, j);
    }
    return (x > y) - (x < y);
}

static bool is_ascending(const ig_list *l)
{
    for (int64_t i = 1; i < l->n; i++)
        if (compare(l->dtype, l->data, i - 1, l->data, i) > 0) return false;
    return true;
}

/* Merge sort from the bottom up: stable, and n log n whatever the keys. */
static void sort(const ig_list *l, uint32_t *order, uint32_t *spare)
{
    const int64_t n = l->n;
    uint32_t *from = order, *to = spare;
    for (int64_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            const int64_t middle = begin + width < n ? begin + width : n;
            const int64_t end = middle + width < n ? middle + width : n;
            int64_t a = begin, b = middle;
            for (int64_t i = begin; i < end; i++) {
                const bool takes_a = a < middle && (b >= end || compare(l->dtype, l->data, from[a],
                                                                        l->data, from[b]) <= 0);
                to[i] = takes_a ? from[a++] : from[b++];
            }
        }
        uint32_t *swap = from;
        from = to, to = swap;
    }
    if (from != order) memcpy(order, from, (size_t)n * sizeof *order);
}

ig_status ig_keys_init(ig_keys *k, const ig_list *list, bool last_wins, ig_arena *arena,
                       ig_error *err)
{
    *k = (ig_keys){ .list = *list, .last_wins = last_wins };
    if (!(IG_T(list->dtype) & IG_T_KEYS))
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "keys of element type %s are not supported",
                       ingot_dtype_name(list->dtype));
    if (list->n > INT32_MAX) return ig_fail(err, INGOT_ERR_LIMIT, "%lld keys", (long long)list->n);
    if (is_ascending(list)) return INGOT_OK;
    const size_t n = (size_t)list->n;
    k->order = ig_arena_array(arena, 2 * n, sizeof *k->order);
    if (!k->order) return IG_NOMEM(err, 2 * n * sizeof *k->order);
    sort(list, k->order, k->order + n);
    return INGOT_OK;
}

/* ---- look-ups ---- */

int64_t ig_keys_find(const ig_keys *k, const void *data, int64_t i)
{
    const ig_list *l = &k->list;
    int64_t low = 0, high = l->n; /* first: the first that is not smaller; last: that is larger */
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const int order = compare(l->dtype, l->data, ig_keys_at(k, middle), data, i);
        if (order < 0 || (order == 0 && k->last_wins))
            low = middle + 1;
        else
            high = middle;
    }
    if (k->last_wins) low--;
    if (low < 0 || low >= l->n) return -1;
    const int64_t at = ig_keys_at(k, low);
    return compare(l->dtype, l->data, at, data, i) == 0 ? at : -1;
}

int64_t ig_keys_twice(const ig_keys *k)
{
    const ig_list *l = &k->list;
    for (int64_t i = 1; i < l->n; i++)
        if (compare(l->dtype, l->data, ig_keys_at(k, i - 1), l->data, ig_keys_at(k, i)) == 0)
            return ig_keys_at(k, i);
    return -1;
}

/* ---- element-wise ---- */

static void run(const ig_key_map *map, const void *in, void *out, int64_t begin, int64_t end)
{
    const size_t bytes = map->value_bytes;
    for (int64_t i = begin; i < end; i++) {
        const int64_t at = ig_keys_find(&map->keys, in, i);
        memcpy((char *)out + (size_t)i * bytes,
               at < 0 ? map->fallback.bytes : (const uint8_t *)map->values + (size_t)at * bytes,
               bytes);
    }
}

ig_status ig_key_map_ref(ig_call *c, const ig_key_map *map)
{
    IG_TRY(ig_call_ready(c));
    run(map, c->in[0]->data, c->out[0]->data, 0, ig_tensor_count(c->in[0]));
    return INGOT_OK;
}

static void k_key_map(const void *params, void *const *operands, ig_part part)
{
    run(params, operands[0], operands[1], part.begin, part.end);
}

void ig_key_map_lower(ig_lower *l, const ig_key_map *map)
{
    int64_t dims[IG_MAX_RANK];
    if (!ig_info_is_static(l->in[0], dims)) return;
    l->params = map;
    l->kernel = k_key_map;
    l->kernel_name = "ig_k_key_map";
    l->n_work = ig_count(l->in[0]->rank, dims);
    l->grain = 512;
}
