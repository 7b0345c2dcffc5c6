/* SPDX-License-Identifier: Apache-2.0 */
/*
 * key_map.h: looking values up by key, for the operators of ai.onnx.ml on categories and labels.
 *
 * Keys are kept in ascending order and found by halving. Who chooses the keys (a model, a map that
 * comes as input) can therefore not make a look-up slow, as one could by flooding a hash table.
 */
#ifndef IG_OPS_KEY_MAP_H
#define IG_OPS_KEY_MAP_H

#include "ops/op.h"

/* Strings, int16, int32, int64, float32 or float64. -0 equals 0, and NaN equals NaN. */
#define IG_T_KEYS                                                                                  \
    (IG_T_STRING | IG_T(INGOT_INT16) | IG_T(INGOT_INT32) | IG_T(INGOT_INT64) | IG_T(INGOT_FLOAT) | \
     IG_T(INGOT_DOUBLE))

/* A list of an attribute: of strings, ints or floats, or a tensor. */
typedef struct ig_list {
    ingot_dtype dtype; /* INGOT_UNDEFINED: the attribute is absent */
    int64_t n;
    const void *data;
} ig_list;
/* Tensors of any rank are lists of their elements. arena: for a copy that is aligned. */
ig_status ig_list_read(const ig_node *node, const char *name, ig_arena *arena, ig_list *out,
                       ig_error *err) IG_MUST_USE;

typedef struct ig_keys {
    ig_list list;
    uint32_t *order; /* positions in the list, ascending by key; NULL: the list is ascending */
    bool last_wins;  /* of equal keys, the last one of the list is found, else the first one */
} ig_keys;

/* Borrows the list. */
ig_status ig_keys_init(ig_keys *k, const ig_list *list, bool last_wins, ig_arena *arena,
                       ig_error *err) IG_MUST_USE;
/* Position in the list of the key that equals element i of `data` (of the list's type); -1: none.
 */
int64_t ig_keys_find(const ig_keys *k, const void *data, int64_t i);
/* Position of a key that comes twice, -1: all differ. */
int64_t ig_keys_twice(const ig_keys *k);
/* Position of the i-th smallest key. */
static inline int64_t ig_keys_at(const ig_keys *k, int64_t i) { return k->order ? k->order[i] : i; }

/* What an element-wise look-up replaces elements by: values of value_bytes each, or the fallback.
 */
typedef struct ig_key_map {
    ig_keys keys;
    const void *values;
    size_t value_bytes;
    union {
        ingot_string s;
        uint8_t bytes[sizeof(ingot_string)];
        int64_t i64;
        float f32;
    } fallback;
} ig_key_map;

/* Output 0 = the values of input 0's elements; its type and shape are inferred. */
ig_status ig_key_map_ref(ig_call *c, const ig_key_map *map) IG_MUST_USE;
/* A kernel for the same. map: in the step's arena, with all that it points to. */
void ig_key_map_lower(ig_lower *l, const ig_key_map *map);

#endif
