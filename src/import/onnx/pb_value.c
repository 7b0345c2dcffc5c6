/* SPDX-License-Identifier: Apache-2.0 */
/* pb_value.c: TensorProto, SequenceProto, MapProto and OptionalProto files → values. */
#include <string.h>

#include "import/onnx/importer.h"

#define MAX_VALUE_DEPTH 16

/* What a field of SequenceProto (repeated) or OptionalProto (single) holds. */
enum { FIELD_TENSOR = 3, FIELD_SPARSE, FIELD_SEQUENCE, FIELD_MAP, FIELD_OPTIONAL };

static ig_status read_value(ig_onnx_importer *m, ig_pb_bytes message, ingot_kind kind, int depth,
                            ig_tensor **out);

static ig_status new_value(ig_onnx_importer *m, ingot_kind kind, ig_tensor **out)
{
    *out = ig_arena_get(m->arena, sizeof **out);
    if (!*out) return IG_NOMEM(m->err, sizeof **out);
    (*out)->kind = kind;
    return INGOT_OK;
}

static ig_status add_item(ig_onnx_importer *m, ig_tensor *to, ig_tensor *item)
{
    if (to->n_items == 0) to->dtype = item->dtype;
    if (!IG_ARENA_PUSH(m->arena, to->items, to->n_items, to->cap_items, item))
        return IG_NOMEM(m->err, sizeof item);
    return INGOT_OK;
}

/* The items of a SequenceProto or OptionalProto. */
static ig_status read_items(ig_onnx_importer *m, ig_pb_bytes message, int depth, ig_tensor *to)
{
    static const ingot_kind kinds[] = { [FIELD_SEQUENCE] = INGOT_KIND_SEQUENCE,
                                        [FIELD_MAP] = INGOT_KIND_MAP,
                                        [FIELD_OPTIONAL] = INGOT_KIND_OPTIONAL };
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        const ig_tensor *tensor = NULL;
        ig_tensor *item = NULL;

        if (f.number < FIELD_TENSOR || f.number > FIELD_OPTIONAL) continue;
        if (f.number == FIELD_TENSOR) {
            IG_TRY(ig_onnx_tensor_import(m, ig_pb_span(&r, &f), NULL, &tensor));
        } else if (f.number == FIELD_SPARSE) {
            IG_TRY(ig_onnx_sparse_import(m, ig_pb_span(&r, &f), NULL, &tensor));
        } else {
            IG_TRY(read_value(m, ig_pb_span(&r, &f), kinds[f.number], depth + 1, &item));
        }
        if (tensor) item = (ig_tensor *)tensor; /* the arena's, made just now */
        if (to->kind == INGOT_KIND_OPTIONAL && to->n_items == 1)
            return ig_fail(m->err, INGOT_ERR_INVALID, "optional with more than one value");
        IG_TRY(add_item(m, to, item));
    }
    return r.status;
}

/* The keys of a MapProto: integers or strings, into one tensor. */
static ig_status read_keys(ig_onnx_importer *m, ig_pb_bytes message, ingot_dtype dtype, int64_t n,
                           ig_tensor **out)
{
    uint32_t number = dtype == INGOT_STRING ? 4 : 3;
    int64_t i = 0;
    ig_pb r;
    ig_pb_field f;

    IG_TRY(ig_onnx_tensor_make(m, dtype, 1, &n, NULL, out));
    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        size_t at = 0;
        uint64_t value;

        if (f.number != number) continue;
        if (dtype == INGOT_STRING) {
            ((ingot_string *)(*out)->data)[i++] =
                (ingot_string){ (const char *)f.bytes.data, f.bytes.n };
            continue;
        }
        while (ig_pb_next_varint(&r, &f, &at, &value))
            ((int64_t *)(*out)->data)[i++] = (int64_t)value;
    }
    return r.status;
}

/* A sequence of scalars of one type becomes a tensor of one dimension; others stay. */
static ig_status stack_scalars(ig_onnx_importer *m, ig_tensor **values)
{
    ig_tensor *from = *values, *to;
    int64_t n = (int64_t)from->n_items;
    size_t size = n ? ig_dtype_size(from->items[0]->dtype) : 0;

    if (size == 0) return INGOT_OK;
    for (int64_t i = 0; i < n; i++)
        if (from->items[i]->kind != INGOT_KIND_TENSOR || from->items[i]->rank != 0 ||
            from->items[i]->dtype != from->items[0]->dtype)
            return INGOT_OK;
    IG_TRY(ig_onnx_tensor_make(m, from->items[0]->dtype, 1, &n, NULL, &to));
    for (int64_t i = 0; i < n; i++)
        memcpy((char *)to->data + (size_t)i * size, from->items[i]->data, size);
    *values = to;
    return INGOT_OK;
}

static ig_status read_map(ig_onnx_importer *m, ig_pb_bytes message, int depth, ig_tensor *to)
{
    size_t n_ints = 0, n_strings = 0, n;
    ig_tensor *keys, *values = NULL;
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 3) n_ints += ig_pb_count_varints(&r, &f);
        if (f.number == 4) n_strings += ig_pb_span(&r, &f).data != NULL;
        if (f.number == 5)
            IG_TRY(read_value(m, ig_pb_span(&r, &f), INGOT_KIND_SEQUENCE, depth + 1, &values));
    }
    IG_TRY(r.status);
    n = n_ints + n_strings;
    if (!values) IG_TRY(new_value(m, INGOT_KIND_SEQUENCE, &values));
    if ((n_ints && n_strings) || n != values->n_items)
        return ig_fail(m->err, INGOT_ERR_INVALID, "map has %zu keys and %zu values", n,
                       values->n_items);
    IG_TRY(read_keys(m, message, n_strings ? INGOT_STRING : INGOT_INT64, (int64_t)n, &keys));
    IG_TRY(stack_scalars(m, &values));
    IG_TRY(add_item(m, to, keys));
    IG_TRY(add_item(m, to, values));
    to->dtype = values->dtype;
    return INGOT_OK;
}

static ig_status read_value(ig_onnx_importer *m, ig_pb_bytes message, ingot_kind kind, int depth,
                            ig_tensor **out)
{
    if (depth > MAX_VALUE_DEPTH)
        return ig_fail(m->err, INGOT_ERR_LIMIT, "values are nested deeper than %d",
                       MAX_VALUE_DEPTH);
    if (kind == INGOT_KIND_TENSOR) {
        const ig_tensor *tensor = NULL;
        ig_status status = ig_onnx_tensor_import(m, message, NULL, &tensor);

        *out = (ig_tensor *)tensor;
        return status;
    }
    IG_TRY(new_value(m, kind, out));
    if (kind == INGOT_KIND_MAP) return read_map(m, message, depth, *out);
    return read_items(m, message, depth, *out);
}

ingot_status ingot_value_from_pb(const void *bytes, size_t n, ingot_kind kind, ingot_value **out,
                                 ingot_error *err)
{
    ig_arena arena;
    ig_onnx_importer m = { .data = bytes, .data_bytes = n, .arena = &arena, .err = err };
    ig_tensor *value = NULL;
    ig_status status;

    *out = NULL;
    ig_error_clear(err);
    ig_arena_init(&arena, ig_alloc_default(), INGOT_MEM_VALUE);
    status = read_value(&m, (ig_pb_bytes){ bytes, n }, kind, 0, &value);
    if (!status) status = ig_tensor_copy(ig_alloc_default(), INGOT_MEM_VALUE, value, out, err);
    ig_arena_deinit(&arena);
    return status;
}
