/* SPDX-License-Identifier: Apache-2.0 */
/* map.h: string → uint32, open addressing, keys borrowed (they must outlive the map), memory from
 * an arena. */
#ifndef IG_BASE_MAP_H
#define IG_BASE_MAP_H

#include "base/arena.h"

typedef struct ig_map_slot {
    const char *key; /* NULL: free */
    uint32_t key_bytes, value;
} ig_map_slot;

typedef struct ig_map {
    ig_arena *arena;
    ig_map_slot *slots;
    size_t n, cap; /* cap is a power of two or 0 */
} ig_map;

#define IG_MAP_NONE UINT32_MAX

void ig_map_init(ig_map *map, ig_arena *arena);
/* Make room for n entries in all, so that adding them copies nothing. False when out of memory. */
bool ig_map_reserve(ig_map *map, size_t n) IG_MUST_USE;
/* Insert or replace; false when out of memory. */
bool ig_map_put(ig_map *map, const char *key, size_t key_bytes, uint32_t value) IG_MUST_USE;
/* Value, or IG_MAP_NONE. */
uint32_t ig_map_get(const ig_map *map, const char *key, size_t key_bytes);

/* 64-bit content hash (not cryptographic; same on every machine). */
uint64_t ig_hash(const void *data, size_t bytes, uint64_t seed);
/* For tables of what files hold: who does not know the key cannot choose data that collides. An
 * address will do for a key. Other values than ig_hash. */
uint64_t ig_hash_keyed(const void *data, size_t bytes, uint64_t key);

#endif
