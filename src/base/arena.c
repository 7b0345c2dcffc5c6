/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdio.h>
#include <string.h>

#define FIRST_BLOCK_BYTES ((size_t)4 << 10)
#define MAX_BLOCK_BYTES ((size_t)1 << 20)
#define BLOCK_ALIGN 64
#define MIN_ALIGN 16

struct ig_arena_block {
    ig_arena_block *next;
    size_t block_bytes; /* this header included */
    size_t used_bytes;  /* this header included */
};

void ig_arena_init(ig_arena *arena, ig_alloc *alloc, ingot_mem_tag tag)
{
    *arena = (ig_arena){ alloc, tag, NULL, FIRST_BLOCK_BYTES };
}

static void free_blocks(ig_arena *arena, ig_arena_block *block)
{
    while (block) {
        ig_arena_block *next = block->next;
        ig_alloc_put(arena->alloc, block, block->block_bytes, arena->tag);
        block = next;
    }
}

void ig_arena_deinit(ig_arena *arena)
{
    free_blocks(arena, arena->head);
    arena->head = NULL;
    arena->block_bytes = FIRST_BLOCK_BYTES;
}

void ig_arena_reset(ig_arena *arena)
{
    if (!arena->head) return;
    free_blocks(arena, arena->head->next);
    arena->head->next = NULL;
    arena->head->used_bytes = sizeof(ig_arena_block);
}

/* Space in a block, or NULL when it does not fit. */
static void *take(ig_arena_block *block, size_t bytes, size_t align)
{
    const size_t mask = align - 1;
    const uintptr_t base = (uintptr_t)block;
    const size_t pad = (size_t)(-(base + block->used_bytes) & mask);
    const size_t left = block->block_bytes - block->used_bytes;
    if (pad > left || bytes > left - pad) return NULL;
    char *ptr = (char *)block + block->used_bytes + pad;
    block->used_bytes += pad + bytes;
    return ptr;
}

/* A block that holds at least `bytes` at `align`. Requests that would waste much of an ordinary
 * block get one of their own, behind the head, which stays in use. */
static ig_arena_block *add_block(ig_arena *arena, size_t bytes, size_t align)
{
    size_t need;
    const size_t slack = align > BLOCK_ALIGN ? align : 0;
    if (!ig_size_add(bytes, ig_align_up(sizeof(ig_arena_block), BLOCK_ALIGN) + slack, &need))
        return NULL;
    const size_t ordinary = arena->block_bytes ? arena->block_bytes : FIRST_BLOCK_BYTES;
    const bool is_own = need > ordinary / 2;
    const size_t block_bytes = is_own ? need : ordinary;
    ig_arena_block *block = ig_alloc_get(arena->alloc, block_bytes, BLOCK_ALIGN, arena->tag);
    if (!block) return NULL;
    block->block_bytes = block_bytes;
    block->used_bytes = sizeof(ig_arena_block);
    if (is_own && arena->head) {
        block->next = arena->head->next;
        arena->head->next = block;
    } else {
        block->next = arena->head;
        arena->head = block;
    }
    if (ordinary < MAX_BLOCK_BYTES) arena->block_bytes = ordinary * 2;
    return block;
}

void *ig_arena_get_aligned(ig_arena *arena, size_t bytes, size_t align)
{
    if (bytes == 0) bytes = 1; /* a pointer of its own */
    if (align < MIN_ALIGN) align = MIN_ALIGN;
    void *ptr = arena->head ? take(arena->head, bytes, align) : NULL;
    if (!ptr) {
        ig_arena_block *block = add_block(arena, bytes, align);
        if (block) ptr = take(block, bytes, align);
    }
    return ptr ? memset(ptr, 0, bytes) : NULL;
}

void *ig_arena_get(ig_arena *arena, size_t bytes)
{
    return ig_arena_get_aligned(arena, bytes, MIN_ALIGN);
}

void *ig_arena_array(ig_arena *arena, size_t n, size_t bytes)
{
    size_t total;
    return ig_size_mul(n, bytes, &total) ? ig_arena_get(arena, total) : NULL;
}

void *ig_arena_copy(ig_arena *arena, const void *data, size_t bytes)
{
    void *ptr = ig_arena_get(arena, bytes);
    if (ptr && bytes) memcpy(ptr, data, bytes);
    return ptr;
}

char *ig_arena_strndup(ig_arena *arena, const char *s, size_t n)
{
    size_t bytes;
    char *copy = ig_size_add(n, 1, &bytes) ? ig_arena_get(arena, bytes) : NULL;
    if (copy && n) memcpy(copy, s, n);
    return copy;
}

char *ig_arena_strdup(ig_arena *arena, const char *s)
{
    return ig_arena_strndup(arena, s, strlen(s));
}

char *ig_arena_printf(ig_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    char *text = n >= 0 ? ig_arena_get(arena, (size_t)n + 1) : NULL;
    if (text) vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

/* Where the first datum of a block of its own lies. */
static const char *first_byte(const ig_arena_block *block)
{
    return (const char *)block + ig_align_up(sizeof *block, MIN_ALIGN);
}

void ig_arena_give_back(ig_arena *arena, const void *ptr, size_t bytes)
{
    if (bytes < FIRST_BLOCK_BYTES / 2) return; /* never has a block of its own */
    for (ig_arena_block **link = &arena->head; *link; link = &(*link)->next) {
        ig_arena_block *block = *link;
        const char *begin = first_byte(block);
        if (begin != (const char *)ptr) continue;
        if (block->used_bytes == (size_t)(begin - (const char *)block) + bytes) {
            *link = block->next;
            ig_alloc_put(arena->alloc, block, block->block_bytes, arena->tag);
        }
        return;
    }
}

bool ig_arena_grow(ig_arena *arena, void **items, size_t n, size_t *cap, size_t elem_bytes)
{
    if (n < *cap) return true;
    size_t new_cap;
    if (!ig_size_mul(*cap, 2, &new_cap)) return false;
    if (new_cap < 8) new_cap = 8;
    void *grown = ig_arena_array(arena, new_cap, elem_bytes);
    if (!grown) return false;
    if (n) memcpy(grown, *items, n * elem_bytes);
    ig_arena_give_back(arena, *items, *cap * elem_bytes);
    *items = grown;
    *cap = new_cap;
    return true;
}
