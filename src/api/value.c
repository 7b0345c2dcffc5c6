/* SPDX-License-Identifier: Apache-2.0 */
/* value.c: tensors, sequences, maps and optionals of the public API. */
#include <stdint.h>
#include <string.h>

#include "ingot.h"
#include "ir/tensor.h"

static ig_status check_shape(ingot_dtype dtype, int rank, const int64_t *dims, size_t *bytes,
                             ig_error *err)
{
    char text[128];
    if (dtype <= INGOT_UNDEFINED || dtype >= INGOT_N_DTYPES)
        return ig_fail(err, INGOT_ERR_INVALID, "%d is not an element type", (int)dtype);
    if (rank < 0 || rank > INGOT_MAX_RANK)
        return ig_fail(err, INGOT_ERR_LIMIT, "rank %d is outside 0 to %d", rank, INGOT_MAX_RANK);
    const int64_t n = ig_count(rank, dims);
    if (n < 0 || !ig_dtype_bytes(dtype, n, bytes))
        return ig_fail(err, INGOT_ERR_SHAPE, "%s is no shape: negative, or too large to address",
                       ig_shape_format(dtype, rank, dims, text, sizeof text));
    return INGOT_OK;
}

/* A zeroed value whose own memory, and that of what it owns, comes from the default allocator. */
static ig_status create(ingot_kind kind, ingot_value **out, ig_error *err)
{
    ig_alloc *alloc = ig_alloc_default();
    ingot_value *v = ig_alloc_get(alloc, sizeof *v, _Alignof(ingot_value), INGOT_MEM_VALUE);
    *out = NULL;
    if (!v) return IG_NOMEM(err, sizeof *v);
    *v = (ingot_value){ .kind = kind, .owner = alloc, .tag = INGOT_MEM_VALUE };
    *out = v;
    return INGOT_OK;
}

ingot_status ingot_tensor_create(ingot_dtype dtype, int rank, const int64_t *dims,
                                 ingot_value **out, ingot_error *err)
{
    size_t bytes = 0;
    ig_error_clear(err);
    *out = NULL;
    IG_TRY(check_shape(dtype, rank, dims, &bytes, err));
    return ig_tensor_create(ig_alloc_default(), INGOT_MEM_VALUE, dtype, rank, dims, out, err);
}

ingot_status ingot_tensor_wrap(ingot_dtype dtype, int rank, const int64_t *dims, void *data,
                               size_t data_bytes, ingot_value **out, ingot_error *err)
{
    char text[128];
    size_t bytes = 0;
    ig_error_clear(err);
    *out = NULL;
    IG_TRY(check_shape(dtype, rank, dims, &bytes, err));
    if (data_bytes != bytes || (!data && bytes))
        return ig_fail(err, INGOT_ERR_SHAPE, "%s takes %zu bytes, %zu were given",
                       ig_shape_format(dtype, rank, dims, text, sizeof text), bytes,
                       data ? data_bytes : (size_t)0);
    IG_TRY(create(INGOT_KIND_TENSOR, out, err));
    ingot_value *v = *out;
    v->dtype = dtype;
    v->rank = (int16_t)rank;
    for (int d = 0; d < rank; d++) v->dims[d] = dims[d];
    v->data = data;
    v->borrows_data = true;
    return INGOT_OK;
}

ingot_status ingot_tensor_set_string(ingot_value *tensor, int64_t i, const char *text, size_t bytes,
                                     ingot_error *err)
{
    ig_error_clear(err);
    if (tensor->kind != INGOT_KIND_TENSOR || tensor->dtype != INGOT_STRING || !tensor->owns_strings)
        return ig_fail(err, INGOT_ERR_INVALID, "not an owned string tensor");
    if (i < 0 || i >= ig_tensor_count(tensor))
        return ig_fail(err, INGOT_ERR_INVALID, "element %lld is outside the tensor", (long long)i);
    ingot_string *s = (ingot_string *)tensor->data + i;
    char *copy = ig_alloc_get(tensor->owner, bytes, 1, INGOT_MEM_VALUE);
    if (!copy) return IG_NOMEM(err, bytes);
    if (bytes) memcpy(copy, text, bytes);
    ig_alloc_put(tensor->owner, (void *)(uintptr_t)s->data, s->bytes, INGOT_MEM_VALUE);
    *s = (ingot_string){ copy, bytes };
    return INGOT_OK;
}

ingot_status ingot_sequence_create(ingot_value **out, ingot_error *err)
{
    ig_error_clear(err);
    return create(INGOT_KIND_SEQUENCE, out, err);
}

static ig_status push(ingot_value *v, ingot_value *item, ig_error *err)
{
    if (v->n_items == v->cap_items) {
        const size_t cap = v->cap_items ? v->cap_items * 2 : 4;
        ingot_value **items =
            ig_alloc_get(v->owner, cap * sizeof *items, _Alignof(ingot_value *), INGOT_MEM_VALUE);
        if (!items) return IG_NOMEM(err, cap * sizeof *items);
        if (v->n_items) memcpy(items, v->items, v->n_items * sizeof *items);
        ig_alloc_put(v->owner, v->items, v->cap_items * sizeof *items, INGOT_MEM_VALUE);
        v->items = items;
        v->cap_items = cap;
    }
    v->items[v->n_items++] = item;
    if (v->dtype == INGOT_UNDEFINED) v->dtype = item->dtype;
    return INGOT_OK;
}

ingot_status ingot_sequence_push(ingot_value *sequence, ingot_value *item, ingot_error *err)
{
    ig_error_clear(err);
    if (sequence->kind != INGOT_KIND_SEQUENCE || !item)
        return ig_fail(err, INGOT_ERR_INVALID, "not a sequence, or nothing to push");
    if (sequence->n_items && item->dtype != sequence->dtype)
        return ig_fail(err, INGOT_ERR_SHAPE, "the sequence holds %s, the item %s",
                       ingot_dtype_name(sequence->dtype), ingot_dtype_name(item->dtype));
    return push(sequence, item, err);
}

ingot_status ingot_optional_create(ingot_value *item, ingot_value **out, ingot_error *err)
{
    ig_error_clear(err);
    IG_TRY(create(INGOT_KIND_OPTIONAL, out, err));
    if (!item) return INGOT_OK;
    const ig_status status = push(*out, item, err);
    if (status) {
        ig_tensor_destroy(*out);
        *out = NULL;
    }
    return status;
}

static ig_status check_map(const ingot_value *keys, const ingot_value *values, ig_error *err)
{
    if (!keys || !values || keys->kind != INGOT_KIND_TENSOR || values->kind != INGOT_KIND_TENSOR)
        return ig_fail(err, INGOT_ERR_INVALID, "keys and values of a map are two tensors");
    if (!(IG_T(keys->dtype) & (IG_T_INTS | IG_T_STRING)))
        return ig_fail(err, INGOT_ERR_INVALID, "keys are %s, they must be integers or strings",
                       ingot_dtype_name(keys->dtype));
    if (keys->rank != 1 || values->rank != 1 || keys->dims[0] != values->dims[0])
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "%lld keys and %lld values of rank %d and %d: as many of each are wanted, "
                       "of rank 1",
                       (long long)ig_tensor_count(keys), (long long)ig_tensor_count(values),
                       keys->rank, values->rank);
    return INGOT_OK;
}

ingot_status ingot_map_create(ingot_value *keys, ingot_value *values, ingot_value **out,
                              ingot_error *err)
{
    ig_error_clear(err);
    *out = NULL;
    IG_TRY(check_map(keys, values, err));
    IG_TRY(create(INGOT_KIND_MAP, out, err));
    ig_status status = push(*out, keys, err);
    if (!status) status = push(*out, values, err);
    if (status) {
        (*out)->n_items = 0; /* the keys stay the caller's */
        ig_tensor_destroy(*out);
        *out = NULL;
        return status;
    }
    (*out)->dtype = values->dtype;
    return INGOT_OK;
}

ingot_status ingot_value_copy(const ingot_value *value, ingot_value **out, ingot_error *err)
{
    ig_error_clear(err);
    return ig_tensor_copy(ig_alloc_default(), INGOT_MEM_VALUE, value, out, err);
}

void ingot_value_destroy(ingot_value *value) { ig_tensor_destroy(value); }

ingot_kind ingot_value_kind(const ingot_value *value) { return value->kind; }
ingot_dtype ingot_tensor_dtype(const ingot_value *tensor) { return tensor->dtype; }
int ingot_tensor_rank(const ingot_value *tensor) { return tensor->rank; }
const int64_t *ingot_tensor_dims(const ingot_value *tensor) { return tensor->dims; }
const void *ingot_tensor_data(const ingot_value *tensor) { return tensor->data; }
void *ingot_tensor_data_mutable(ingot_value *tensor) { return tensor->data; }

int64_t ingot_tensor_count(const ingot_value *tensor)
{
    return tensor->kind == INGOT_KIND_TENSOR ? ig_tensor_count(tensor) : 0;
}

size_t ingot_tensor_bytes(const ingot_value *tensor)
{
    size_t bytes = 0;
    return tensor->kind == INGOT_KIND_TENSOR && ig_tensor_bytes(tensor, &bytes) ? bytes : 0;
}

size_t ingot_value_n_items(const ingot_value *value) { return value->n_items; }

const ingot_value *ingot_value_item(const ingot_value *value, size_t i)
{
    return i < value->n_items ? value->items[i] : NULL;
}
