/* SPDX-License-Identifier: Apache-2.0 */
/* pb_write.c: values → TensorProto, SequenceProto, MapProto and OptionalProto files. */
#include <string.h>

#include "ir/tensor.h"

#define MAX_VALUE_DEPTH 16

/* Where bytes go. Without a write function they are only counted, which gives the lengths that the
 * format wants in front of each message. */
typedef struct sink {
    ingot_write_fn write;
    void *ctx;
    size_t n;
    bool has_stopped;
} sink;

static void put(sink *s, const void *data, size_t n)
{
    s->n += n;
    if (s->write && n && !s->has_stopped && s->write(s->ctx, data, n)) s->has_stopped = true;
}

static void put_varint(sink *s, uint64_t value)
{
    uint8_t bytes[10];
    size_t n = 0;

    do {
        bytes[n] = (uint8_t)(value & 0x7f);
        value >>= 7;
        if (value) bytes[n] |= 0x80;
        n++;
    } while (value);
    put(s, bytes, n);
}

static void put_int(sink *s, uint32_t field, int64_t value)
{
    put_varint(s, (uint64_t)field << 3);
    put_varint(s, (uint64_t)value);
}

static void put_bytes(sink *s, uint32_t field, const void *data, size_t n)
{
    put_varint(s, ((uint64_t)field << 3) | 2);
    put_varint(s, n);
    put(s, data, n);
}

static void put_value(sink *s, const ig_tensor *v, const char *name);

/* A message in a field. Counting does not go twice through the nested value. */
static void put_nested(sink *s, uint32_t field, const ig_tensor *v)
{
    sink count = { 0 };

    put_value(&count, v, NULL);
    put_varint(s, ((uint64_t)field << 3) | 2);
    put_varint(s, count.n);
    if (s->write)
        put_value(s, v, NULL);
    else
        s->n += count.n;
}

/* ---- the messages ---- */

static void put_tensor(sink *s, const ig_tensor *t, const char *name)
{
    size_t bytes = 0;
    const ingot_string *strings = t->data;

    for (int d = 0; d < t->rank; d++) put_int(s, 1, t->dims[d]);
    put_int(s, 2, t->dtype);
    if (t->dtype == INGOT_STRING) {
        for (int64_t i = 0, n = ig_tensor_count(t); i < n; i++)
            put_bytes(s, 6, strings[i].data, strings[i].bytes);
    }
    if (name && name[0]) put_bytes(s, 8, name, strlen(name));
    if (t->dtype != INGOT_STRING && ig_tensor_bytes(t, &bytes)) put_bytes(s, 9, t->data, bytes);
}

/* Field numbers and type tags of SequenceProto and OptionalProto by kind of the item. */
static uint32_t tag_of(const ig_tensor *item)
{
    switch (item->kind) {
    case INGOT_KIND_TENSOR: return 1;
    case INGOT_KIND_SEQUENCE: return 3;
    case INGOT_KIND_MAP: return 4;
    default: return 5;
    }
}

static void put_items(sink *s, const ig_tensor *v, const char *name)
{
    if (name && name[0]) put_bytes(s, 1, name, strlen(name));
    if (v->n_items)
        put_int(s, 2, tag_of(v->items[0]));
    else if (v->kind == INGOT_KIND_SEQUENCE)
        put_int(s, 2, 1);
    for (size_t i = 0; i < v->n_items; i++) put_nested(s, tag_of(v->items[i]) + 2, v->items[i]);
}

/* Row i of a map's values as a tensor of one dimension less. */
static ig_tensor row_of(const ig_tensor *values, int64_t i)
{
    ig_tensor row = { .kind = INGOT_KIND_TENSOR, .dtype = values->dtype, .rank = values->rank - 1 };
    size_t bytes = 0;

    for (int d = 0; d < row.rank; d++) row.dims[d] = values->dims[d + 1];
    if (ig_tensor_bytes(&row, &bytes) && values->data)
        row.data = (char *)values->data + bytes * (size_t)i;
    return row;
}

/* A map's values as a SequenceProto. */
static void put_map_values(sink *s, const ig_tensor *values)
{
    if (values->kind != INGOT_KIND_TENSOR) {
        put_items(s, values, NULL);
        return;
    }
    put_int(s, 2, 1);
    for (int64_t i = 0; i < values->dims[0]; i++) {
        ig_tensor row = row_of(values, i);

        put_nested(s, 3, &row);
    }
}

static void put_map(sink *s, const ig_tensor *v, const char *name)
{
    const ig_tensor *keys = v->items[0], *values = v->items[1];
    const ingot_string *strings = keys->data;
    sink count = { 0 };

    if (name && name[0]) put_bytes(s, 1, name, strlen(name));
    put_int(s, 2, keys->dtype);
    for (int64_t i = 0, n = ig_tensor_count(keys); i < n; i++) {
        if (keys->dtype == INGOT_STRING)
            put_bytes(s, 4, strings[i].data, strings[i].bytes);
        else
            put_int(s, 3, ig_get_i64(keys->dtype, keys->data, i));
    }
    put_map_values(&count, values);
    put_varint(s, (5 << 3) | 2);
    put_varint(s, count.n);
    if (s->write)
        put_map_values(s, values);
    else
        s->n += count.n;
}

static void put_value(sink *s, const ig_tensor *v, const char *name)
{
    if (v->kind == INGOT_KIND_TENSOR)
        put_tensor(s, v, name);
    else if (v->kind == INGOT_KIND_MAP)
        put_map(s, v, name);
    else
        put_items(s, v, name);
}

/* ---- checks, so that writing cannot fail half way ---- */

static ig_status check_map(const ig_tensor *v, ig_error *err)
{
    const ig_tensor *keys = v->n_items == 2 ? v->items[0] : NULL;
    const ig_tensor *values = keys ? v->items[1] : NULL;
    int64_t n;

    if (!values || keys->kind != INGOT_KIND_TENSOR || keys->rank != 1)
        return ig_fail(err, INGOT_ERR_INVALID, "map without keys and values");
    n = values->kind == INGOT_KIND_TENSOR     ? (values->rank ? values->dims[0] : -1)
        : values->kind == INGOT_KIND_SEQUENCE ? (int64_t)values->n_items
                                              : -1;
    if (n != keys->dims[0])
        return ig_fail(err, INGOT_ERR_INVALID, "map has %lld keys and %lld values",
                       (long long)keys->dims[0], (long long)n);
    if (values->kind == INGOT_KIND_TENSOR && ig_dtype_size(values->dtype) == 0)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "map values of %s cannot be written",
                       ingot_dtype_name(values->dtype));
    return INGOT_OK;
}

static ig_status check_value(const ig_tensor *v, int depth, ig_error *err)
{
    if (depth > MAX_VALUE_DEPTH)
        return ig_fail(err, INGOT_ERR_LIMIT, "values are nested deeper than %d", MAX_VALUE_DEPTH);
    if (v->kind == INGOT_KIND_MAP) IG_TRY(check_map(v, err));
    for (size_t i = 0; i < v->n_items; i++) IG_TRY(check_value(v->items[i], depth + 1, err));
    return INGOT_OK;
}

ingot_status ingot_value_to_pb(const ingot_value *value, const char *name, ingot_write_fn write,
                               void *ctx, ingot_error *err)
{
    sink s = { .write = write, .ctx = ctx };

    ig_error_clear(err);
    IG_TRY(check_value(value, 0, err));
    put_value(&s, value, name);
    if (s.has_stopped) return ig_fail(err, INGOT_ERR_CANCELLED, "writing was stopped");
    return INGOT_OK;
}
