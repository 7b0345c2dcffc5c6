/* SPDX-License-Identifier: Apache-2.0 */
/* arena.h: memory that is given back all at once. Not thread-safe. */
#ifndef IG_BASE_ARENA_H
#define IG_BASE_ARENA_H

#include "base/alloc.h"

typedef struct ig_arena_block ig_arena_block;

typedef struct ig_arena {
    ig_alloc *alloc;
    ingot_mem_tag tag;
    ig_arena_block *head; /* newest block first */
    size_t block_bytes;   /* of the next block; grows */
} ig_arena;

void ig_arena_init(ig_arena *arena, ig_alloc *alloc, ingot_mem_tag tag);
/* Frees everything; the arena may be used again. Accepts a zeroed arena. */
void ig_arena_deinit(ig_arena *arena);
/* Forget all contents but keep one block for reuse. */
void ig_arena_reset(ig_arena *arena);

/* Zeroed memory, aligned to 16 bytes (get) or `align`; NULL when out of memory. */
void *ig_arena_get(ig_arena *arena, size_t bytes) IG_MUST_USE;
void *ig_arena_get_aligned(ig_arena *arena, size_t bytes, size_t align) IG_MUST_USE;
/* n elements of `bytes`; NULL on overflow too. */
void *ig_arena_array(ig_arena *arena, size_t n, size_t bytes) IG_MUST_USE;
void *ig_arena_copy(ig_arena *arena, const void *data, size_t bytes) IG_MUST_USE;
/* NUL-terminated copy of n bytes. */
char *ig_arena_strndup(ig_arena *arena, const char *s, size_t n) IG_MUST_USE;
char *ig_arena_strdup(ig_arena *arena, const char *s) IG_MUST_USE;
char *ig_arena_printf(ig_arena *arena, const char *format, ...) IG_PRINTF(2, 3) IG_MUST_USE;

/* `bytes` at ptr, as they were asked for at the least alignment, are no longer needed. Large ones
 * are freed at once, if nothing else came to lie behind them; the rest goes with the arena. */
void ig_arena_give_back(ig_arena *arena, const void *ptr, size_t bytes);

/* Make room for one more element in an arena-backed growing array {T *items; n; cap}. The old copy
 * is given back: nothing may point into it. Returns false when out of memory. */
bool ig_arena_grow(ig_arena *arena, void **items, size_t n, size_t *cap,
                   size_t elem_bytes) IG_MUST_USE;

/* Append to an array kept in three fields: items, n (size_t), cap (size_t). Evaluates to false when
 * out of memory. */
#define IG_ARENA_PUSH(arena, items, n, cap, value)                                                 \
    (ig_arena_grow((arena), (void **)&(items), (n), &(cap), sizeof *(items))                       \
         ? ((items)[(n)++] = (value), true)                                                        \
         : false)

#endif
