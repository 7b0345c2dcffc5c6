/* SPDX-License-Identifier: Apache-2.0 */
/* tensor.c: run-time values: make, copy, destroy. */
#include "ir/tensor.h"

#include <stdio.h>
#include <string.h>

static ig_status check_shape(ingot_dtype dtype, int rank, const int64_t *dims, size_t *bytes,
                             ig_error *err)
{
    char shape[128];
    if (rank < 0 || rank > IG_MAX_RANK)
        return ig_fail(err, INGOT_ERR_LIMIT, "rank %d is not in 0…%d", rank, IG_MAX_RANK);
    if ((unsigned)dtype >= INGOT_N_DTYPES || dtype == INGOT_UNDEFINED)
        return ig_fail(err, INGOT_ERR_INVALID, "%d is no element type", (int)dtype);
    if (!ig_dtype_bytes(dtype, ig_count(rank, dims), bytes))
        return ig_fail(err, INGOT_ERR_SHAPE, "%s has a negative dimension or too many elements",
                       ig_shape_format(dtype, rank, dims, shape, sizeof shape));
    return INGOT_OK;
}

static void set_shape(ig_tensor *t, ingot_dtype dtype, int rank, const int64_t *dims)
{
    t->kind = INGOT_KIND_TENSOR;
    t->dtype = dtype;
    t->rank = (int16_t)rank;
    for (int i = 0; i < rank; i++) t->dims[i] = dims[i];
}

static ig_tensor *new_value(ig_alloc *alloc, ingot_mem_tag tag)
{
    ig_tensor *t = ig_alloc_get(alloc, sizeof *t, 0, tag);
    if (t) *t = (ig_tensor){ .owner = alloc, .tag = tag };
    return t;
}

ig_status ig_tensor_create(ig_alloc *alloc, ingot_mem_tag tag, ingot_dtype dtype, int rank,
                           const int64_t *dims, ig_tensor **out, ig_error *err)
{
    size_t bytes;
    *out = NULL;
    IG_TRY(check_shape(dtype, rank, dims, &bytes, err));
    ig_tensor *t = new_value(alloc, tag);
    if (!t) return IG_NOMEM(err, sizeof *t);
    set_shape(t, dtype, rank, dims);
    t->data = ig_alloc_get(alloc, bytes, 64, tag);
    if (!t->data) {
        ig_alloc_put(alloc, t, sizeof *t, tag);
        return IG_NOMEM(err, bytes);
    }
    memset(t->data, 0, bytes);
    t->data_bytes = bytes;
    t->owns_strings = dtype == INGOT_STRING;
    *out = t;
    return INGOT_OK;
}

ig_status ig_tensor_in_arena(ig_arena *arena, ingot_dtype dtype, int rank, const int64_t *dims,
                             void *data, ig_tensor **out, ig_error *err)
{
    size_t bytes;
    *out = NULL;
    IG_TRY(check_shape(dtype, rank, dims, &bytes, err));
    ig_tensor *t = ig_arena_get(arena, sizeof *t);
    if (!t) return IG_NOMEM(err, sizeof *t);
    set_shape(t, dtype, rank, dims);
    t->data = data ? data : ig_arena_get_aligned(arena, bytes ? bytes : 1, 64);
    if (!t->data) return IG_NOMEM(err, bytes);
    *out = t;
    return INGOT_OK;
}

bool ig_tensor_is_aligned(const ig_tensor *t)
{
    const size_t size = ig_dtype_size(t->dtype);
    if (t->kind != INGOT_KIND_TENSOR || size < 2 || t->dtype == INGOT_STRING) return true;
    const size_t align = size > 8 ? 8 : size;
    return (uintptr_t)t->data % align == 0;
}

void ig_tensor_destroy(ig_tensor *t)
{
    if (!t || !t->owner) return;
    ig_alloc *alloc = t->owner;
    const ingot_mem_tag tag = t->tag;
    if (t->owns_strings) {
        ingot_string *strings = t->data;
        const size_t n = t->data_bytes / sizeof *strings;
        for (size_t i = 0; i < n; i++)
            if (strings[i].data)
                ig_alloc_put(alloc, (void *)strings[i].data, strings[i].bytes, tag);
    }
    if (t->data && !t->borrows_data) ig_alloc_put(alloc, t->data, t->data_bytes, tag);
    for (size_t i = 0; i < t->n_items; i++) ig_tensor_destroy(t->items[i]);
    if (t->items) ig_alloc_put(alloc, t->items, t->cap_items * sizeof *t->items, tag);
    ig_alloc_put(alloc, t, sizeof *t, tag);
}

static ig_status copy_strings(ig_tensor *t, const ig_tensor *src, ig_error *err)
{
    ingot_string *to = t->data;
    const ingot_string *from = src->data;
    const int64_t n = ig_tensor_count(src);
    for (int64_t i = 0; i < n; i++) {
        if (!from[i].bytes) continue;
        char *text = ig_alloc_get(t->owner, from[i].bytes, 1, t->tag);
        if (!text) return IG_NOMEM(err, from[i].bytes);
        memcpy(text, from[i].data, from[i].bytes);
        to[i] = (ingot_string){ text, from[i].bytes };
    }
    return INGOT_OK;
}

static ig_status copy_items(ig_tensor *t, const ig_tensor *src, ig_error *err)
{
    if (!src->n_items) return INGOT_OK;
    t->items = ig_alloc_get(t->owner, src->n_items * sizeof *t->items, 0, t->tag);
    if (!t->items) return IG_NOMEM(err, src->n_items * sizeof *t->items);
    t->cap_items = src->n_items;
    for (size_t i = 0; i < src->n_items; i++) {
        IG_TRY(ig_tensor_copy(t->owner, t->tag, src->items[i], &t->items[i], err));
        t->n_items++;
    }
    return INGOT_OK;
}

ig_status ig_tensor_copy(ig_alloc *alloc, ingot_mem_tag tag, const ig_tensor *src, ig_tensor **out,
                         ig_error *err)
{
    ig_status status = INGOT_OK;
    ig_tensor *t;
    *out = NULL;
    if (src->kind == INGOT_KIND_TENSOR) {
        IG_TRY(ig_tensor_create(alloc, tag, src->dtype, src->rank, src->dims, &t, err));
        if (src->dtype == INGOT_STRING)
            status = copy_strings(t, src, err);
        else if (t->data_bytes)
            memcpy(t->data, src->data, t->data_bytes);
    } else {
        t = new_value(alloc, tag);
        if (!t) return IG_NOMEM(err, sizeof *t);
        t->kind = src->kind;
        t->dtype = src->dtype;
        status = copy_items(t, src, err);
    }
    if (status != INGOT_OK) {
        ig_tensor_destroy(t);
        return status;
    }
    *out = t;
    return INGOT_OK;
}

char *ig_shape_format(ingot_dtype dtype, int rank, const int64_t *dims, char *buf, size_t bytes)
{
    size_t at = 0;
    if (!bytes) return buf;
    buf[0] = 0;
    for (int i = -1; i <= rank && at < bytes; i++) {
        int n;
        if (i == -1)
            n = snprintf(buf, bytes, "%s[", ingot_dtype_name(dtype));
        else if (i == rank)
            n = snprintf(buf + at, bytes - at, "]");
        else if (dims[i] < 0)
            n = snprintf(buf + at, bytes - at, "%s?", i ? "," : "");
        else
            n = snprintf(buf + at, bytes - at, "%s%lld", i ? "," : "", (long long)dims[i]);
        at += n < 0 ? bytes : (size_t)n;
    }
    return buf;
}
