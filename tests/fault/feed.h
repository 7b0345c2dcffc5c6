/* SPDX-License-Identifier: Apache-2.0 */
/* feed.h: inputs for any small model, and one number that stands for all its outputs. */
#ifndef IG_TESTS_FEED_H
#define IG_TESTS_FEED_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ingot.h"

#define FEED_MAX_INPUTS 16
#define FEED_MAX_ELEMENTS 65536

typedef struct feed {
    ingot_value *values[FEED_MAX_INPUTS];
    size_t n;
} feed;

/* Small whole numbers, both signs where the type has them; another seed gives other ones. */
static inline void feed_fill(ingot_value *tensor, unsigned seed)
{
    const int64_t n = ingot_tensor_count(tensor);
    void *data = ingot_tensor_data_mutable(tensor);

    for (int64_t i = 0; i < n; i++) {
        const int x = (int)((i + seed) % 5) - 1;

        switch ((int)ingot_tensor_dtype(tensor)) {
        case INGOT_FLOAT: ((float *)data)[i] = (float)x; break;
        case INGOT_DOUBLE: ((double *)data)[i] = x; break;
        case INGOT_INT64: ((int64_t *)data)[i] = x; break;
        case INGOT_INT32: ((int32_t *)data)[i] = x; break;
        case INGOT_INT8: ((int8_t *)data)[i] = (int8_t)x; break;
        case INGOT_UINT8: ((uint8_t *)data)[i] = (uint8_t)(x + 1); break;
        case INGOT_BOOL: ((uint8_t *)data)[i] = x > 0; break;
        case INGOT_STRING: (void)ingot_tensor_set_string(tensor, i, "a1", 1 + (i & 1), NULL); break;
        default: break; /* zeroes */
        }
    }
}

/* A tensor as the input declares it, with free dimensions of this size; NULL when too large. */
static inline ingot_value *feed_tensor(const ingot_io_info *info, int64_t free_dim, unsigned seed)
{
    int64_t dims[INGOT_MAX_RANK] = { free_dim }, count = 1;
    const int rank = info->rank < 0 ? 1 : info->rank;
    ingot_value *tensor = NULL;

    for (int d = 0; d < rank; d++) {
        dims[d] = info->rank < 0 || info->dims[d] < 0 ? free_dim : info->dims[d];
        if (dims[d] > FEED_MAX_ELEMENTS) return NULL;
        count *= dims[d];
        if (count > FEED_MAX_ELEMENTS) return NULL;
    }
    if (ingot_tensor_create(info->dtype, rank, dims, &tensor, NULL) != INGOT_OK) return NULL;
    feed_fill(tensor, seed);
    return tensor;
}

static inline ingot_value *feed_value(const ingot_io_info *info, int64_t free_dim, unsigned seed)
{
    ingot_value *item = NULL, *value = NULL;

    if (info->kind != INGOT_KIND_MAP) item = feed_tensor(info, free_dim, seed);
    if (!item || info->kind == INGOT_KIND_TENSOR) return item;
    if (info->kind == INGOT_KIND_OPTIONAL) {
        if (ingot_optional_create(item, &value, NULL) == INGOT_OK) return value;
    } else if (ingot_sequence_create(&value, NULL) == INGOT_OK) {
        if (ingot_sequence_push(value, item, NULL) == INGOT_OK) return value;
        ingot_value_destroy(value);
    }
    ingot_value_destroy(item);
    return NULL;
}

/* Inputs that cannot be made stay NULL, which a run refuses. */
static inline void feed_make(feed *f, const ingot_model *model, int64_t free_dim, unsigned seed)
{
    memset(f, 0, sizeof *f);
    f->n = ingot_model_n_inputs(model);
    if (f->n > FEED_MAX_INPUTS) f->n = FEED_MAX_INPUTS;
    for (size_t i = 0; i < f->n; i++) {
        ingot_io_info info;

        ingot_model_input(model, i, &info);
        f->values[i] = feed_value(&info, free_dim, seed);
    }
}

static inline void feed_free(feed *f)
{
    for (size_t i = 0; i < f->n; i++) ingot_value_destroy(f->values[i]);
    f->n = 0;
}

static inline ingot_status feed_run(const feed *f, ingot_session *session, ingot_error *err)
{
    return ingot_session_run(session, (const ingot_value *const *)f->values, f->n, err);
}

static inline uint64_t feed_hash(uint64_t hash, const void *data, size_t n)
{
    for (size_t i = 0; i < n; i++) hash = (hash ^ ((const uint8_t *)data)[i]) * 0x100000001b3u;
    return hash;
}

static inline uint64_t feed_hash_value(uint64_t hash, const ingot_value *value)
{
    const int kind = (int)ingot_value_kind(value);
    const int64_t n = kind == INGOT_KIND_TENSOR ? ingot_tensor_count(value) : 0;

    hash = feed_hash(hash, &kind, sizeof kind);
    for (size_t i = 0; i < ingot_value_n_items(value); i++)
        hash = feed_hash_value(hash, ingot_value_item(value, i));
    if (kind != INGOT_KIND_TENSOR) return hash;
    hash = feed_hash(hash, ingot_tensor_dims(value),
                     (size_t)ingot_tensor_rank(value) * sizeof(int64_t));
    if (ingot_tensor_dtype(value) != INGOT_STRING)
        return feed_hash(hash, ingot_tensor_data(value), ingot_tensor_bytes(value));
    for (int64_t i = 0; i < n; i++) {
        const ingot_string *s = (const ingot_string *)ingot_tensor_data(value) + i;

        hash = feed_hash(hash, s->data, s->bytes);
    }
    return hash;
}

/* All outputs of the last run, bit for bit; 0 when there are none to read. */
static inline uint64_t feed_outputs(const ingot_model *model, const ingot_session *session)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < ingot_model_n_outputs(model); i++) {
        const ingot_value *out = ingot_session_output(session, i);

        if (!out) return 0;
        hash = feed_hash_value(hash, out);
    }
    return hash;
}

/* One line of text with a status to it, and no control bytes. */
static inline bool feed_is_clean_error(const ingot_error *err, ingot_status status)
{
    if (status == INGOT_OK || status >= INGOT_N_STATUS || err->status != status) return false;
    if (!err->message[0] || !memchr(err->message, 0, sizeof err->message)) return false;
    for (const unsigned char *c = (const unsigned char *)err->message; *c; c++)
        if (*c < 0x20 || *c == 0x7f) return false;
    return true;
}

#endif
