/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include <string.h>

#define FIRST_CAP 16

void ig_map_init(ig_map *map, ig_arena *arena) { *map = (ig_map){ .arena = arena }; }

/* The slot that holds the key, or the free one where it belongs. Hashes are not kept: with a slot
 * in four free, few keys but the right one are ever compared. Where the slots lie seeds the hash,
 * so that no file can choose names that meet in one place. */
static ig_map_slot *find(ig_map_slot *slots, size_t cap, const char *key, size_t key_bytes)
{
    const uint64_t hash = ig_hash_keyed(key, key_bytes, (uintptr_t)slots);
    for (size_t i = (size_t)hash & (cap - 1);; i = (i + 1) & (cap - 1)) {
        ig_map_slot *slot = &slots[i];
        if (!slot->key) return slot;
        if (slot->key_bytes == key_bytes && memcmp(slot->key, key, key_bytes) == 0) return slot;
    }
}

static size_t room_of(size_t cap) { return cap / 4 * 3; }

static bool resize(ig_map *map, size_t cap)
{
    ig_map_slot *slots = ig_arena_array(map->arena, cap, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < map->cap; i++) {
        const ig_map_slot *old = &map->slots[i];
        if (old->key) *find(slots, cap, old->key, old->key_bytes) = *old;
    }
    ig_arena_give_back(map->arena, map->slots, map->cap * sizeof *slots);
    map->slots = slots;
    map->cap = cap;
    return true;
}

bool ig_map_reserve(ig_map *map, size_t n)
{
    size_t cap = map->cap ? map->cap : FIRST_CAP;
    while (room_of(cap) < n)
        if (!ig_size_mul(cap, 2, &cap)) return false;
    return cap == map->cap || resize(map, cap);
}

bool ig_map_put(ig_map *map, const char *key, size_t key_bytes, uint32_t value)
{
    if (key_bytes > UINT32_MAX) return false;
    if (!key) key = ""; /* NULL marks a free slot */
    if (!ig_map_reserve(map, map->n + 1)) return false;
    ig_map_slot *slot = find(map->slots, map->cap, key, key_bytes);
    if (!slot->key) map->n++;
    *slot = (ig_map_slot){ key, (uint32_t)key_bytes, value };
    return true;
}

uint32_t ig_map_get(const ig_map *map, const char *key, size_t key_bytes)
{
    if (map->n == 0) return IG_MAP_NONE;
    if (!key) key = "";
    const ig_map_slot *slot = find(map->slots, map->cap, key, key_bytes);
    return slot->key ? slot->value : IG_MAP_NONE;
}

/* Four odd constants with about as many ones as zeros: fractional bits of the square roots of 2, 3,
 * 5 and 7. */
static const uint64_t hash_keys[4] = { 0x6a09e667f3bcc909u, 0xbb67ae8584caa73bu,
                                       0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u };

static uint64_t load_le64(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* High and low half of the 128-bit product, folded: every input bit reaches every output bit. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 u128;
    const u128 product = (u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A product with a factor of zero forgets the other factor: key_a and key_b decide which data that
 * happens to. */
static uint64_t hash(const void *data, size_t bytes, uint64_t seed, uint64_t key_a, uint64_t key_b)
{
    const uint8_t *p = data;
    /* Two independent chains, so that multiplications overlap. */
    uint64_t a = seed ^ hash_keys[0], b = seed ^ hash_keys[1];
    size_t left = bytes;
    for (; left >= 32; left -= 32, p += 32) {
        a = mix(load_le64(p) ^ a, load_le64(p + 8) ^ key_a) + a;
        b = mix(load_le64(p + 16) ^ b, load_le64(p + 24) ^ key_b) + b;
    }
    uint8_t tail[32] = { 0 };
    if (left) memcpy(tail, p, left);
    a = mix(load_le64(tail) ^ a, load_le64(tail + 8) ^ key_a);
    b = mix(load_le64(tail + 16) ^ b, load_le64(tail + 24) ^ key_b);
    return mix(a ^ hash_keys[1] ^ (uint64_t)bytes, b ^ hash_keys[0]);
}

uint64_t ig_hash(const void *data, size_t bytes, uint64_t seed)
{
    return hash(data, bytes, seed, hash_keys[2], hash_keys[3]);
}

uint64_t ig_hash_keyed(const void *data, size_t bytes, uint64_t key)
{
    return hash(data, bytes, key, mix(key ^ hash_keys[2], hash_keys[1]),
                mix(key ^ hash_keys[3], hash_keys[0]));
}
