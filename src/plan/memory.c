/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c: place buffers with known lives in one slab.
 *
 * Greedy by an order, each at the lowest offset where it fits among those already placed that live
 * at the same time (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference",
 * arXiv 2001.03288). Several orders are tried, the smallest slab wins.
 */
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"

#define BUFFER_ALIGN_BYTES 64
/* Beyond this many buffers only one order is tried, the search being quadratic. */
#define MANY_BUFFERS 3000
/* Beyond this many there is no search. */
#define TOO_MANY_BUFFERS 10000
#define N_CLASSES 256

typedef struct item {
    uint32_t i_buffer;
    size_t key;
    uint32_t first;
} item;

static int by_key_descending(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? 1 : -1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->i_buffer < y->i_buffer ? -1 : 1;
}

static bool lives_overlap(const ig_buffer *a, const ig_buffer *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* placed: indices of placed buffers in order of offset. Returns the slab's size. */
static size_t place_in_order(ig_buffer *buffers, const item *items, size_t n, uint32_t *placed)
{
    size_t slab_bytes = 0;
    for (size_t k = 0; k < n; k++) {
        ig_buffer *b = &buffers[items[k].i_buffer];
        const size_t bytes = ig_align_up(b->bytes, BUFFER_ALIGN_BYTES);
        size_t offset = 0;
        for (size_t p = 0; p < k; p++) {
            const ig_buffer *other = &buffers[placed[p]];
            if (!lives_overlap(b, other)) continue;
            if (offset + bytes <= other->offset_bytes) break;
            const size_t end = other->offset_bytes + ig_align_up(other->bytes, BUFFER_ALIGN_BYTES);
            if (end > offset) offset = end;
        }
        b->offset_bytes = offset;
        if (offset + bytes > slab_bytes) slab_bytes = offset + bytes;
        size_t at = k;
        for (; at > 0 && buffers[placed[at - 1]].offset_bytes > offset; at--)
            placed[at] = placed[at - 1];
        placed[at] = items[k].i_buffer;
    }
    return slab_bytes;
}

/* ---- without a search ---- */

/* Blocks have sizes of two significant bits more than the highest, so that a freed one fits others:
 * class 4 e + k is (4 + k) 2^e units. */
static unsigned class_of(size_t bytes, size_t *class_bytes)
{
    size_t units = bytes / BUFFER_ALIGN_BYTES;
    unsigned e = 0;
    while (units >= 8) {
        units = (units + 1) / 2;
        e++;
    }
    if (units < 4) units = 4;
    *class_bytes = (units << e) * BUFFER_ALIGN_BYTES;
    return (4 * e + (unsigned)units - 4) % N_CLASSES;
}

static int by_last(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->i_buffer < y->i_buffer ? -1 : 1;
}

static int by_first(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->i_buffer < y->i_buffer ? -1 : 1;
}

/* In order of time; a buffer takes a block of its class that nobody needs any more, or a new one.
 * next: room for one number a buffer. */
static size_t place_in_time(ig_buffer *buffers, item *items, item *ends, size_t n, uint32_t *next)
{
    uint32_t is_free[N_CLASSES];
    size_t slab_bytes = 0, bytes, i_end = 0;
    memset(is_free, 0xff, sizeof is_free);
    for (size_t k = 0; k < n; k++) {
        ends[k] = items[k];
        ends[k].key = buffers[items[k].i_buffer].last;
    }
    qsort(items, n, sizeof *items, by_first);
    qsort(ends, n, sizeof *ends, by_last);
    for (size_t k = 0; k < n; k++) {
        for (; ends[i_end].key < items[k].first; i_end++) {
            const uint32_t old = ends[i_end].i_buffer;
            uint32_t *list =
                &is_free[class_of(ig_align_up(buffers[old].bytes, BUFFER_ALIGN_BYTES), &bytes)];
            next[old] = *list;
            *list = old;
        }
        ig_buffer *b = &buffers[items[k].i_buffer];
        uint32_t *list = &is_free[class_of(ig_align_up(b->bytes, BUFFER_ALIGN_BYTES), &bytes)];
        if (*list != IG_NONE) {
            b->offset_bytes = buffers[*list].offset_bytes;
            *list = next[*list];
        } else {
            b->offset_bytes = slab_bytes;
            /* What no memory can hold stays too large. */
            slab_bytes = bytes > SIZE_MAX / 2 - slab_bytes ? SIZE_MAX / 2 : slab_bytes + bytes;
        }
    }
    return slab_bytes;
}

/* ---- all ---- */

static size_t order_key(const ig_buffer *b, int order)
{
    switch (order) {
    case 0: return b->bytes;
    case 1: return b->bytes * ((size_t)b->last - b->first + 1);
    default: return (size_t)b->last - b->first;
    }
}

ig_status ig_memory_place(ig_buffer *buffers, size_t n, ig_arena *scratch, size_t *slab_bytes,
                          ig_error *err)
{
    item *items = ig_arena_array(scratch, n + 1, sizeof *items);
    uint32_t *placed = ig_arena_array(scratch, n + 1, sizeof *placed);
    size_t *best = ig_arena_array(scratch, n + 1, sizeof *best);
    if (!items || !placed || !best) return IG_NOMEM(err, n * sizeof *items);
    item *ends = n > TOO_MANY_BUFFERS ? ig_arena_array(scratch, n + 1, sizeof *ends) : NULL;
    if (n > TOO_MANY_BUFFERS && !ends) return IG_NOMEM(err, n * sizeof *ends);
    const int n_orders = n > MANY_BUFFERS ? 1 : 3;
    *slab_bytes = SIZE_MAX;
    for (int order = 0; order < n_orders; order++) {
        size_t n_items = 0;
        for (size_t i = 0; i < n; i++)
            if (buffers[i].parent == IG_NONE)
                items[n_items++] =
                    (item){ (uint32_t)i, order_key(&buffers[i], order), buffers[i].first };
        qsort(items, n_items, sizeof *items, by_key_descending);
        const size_t bytes = ends ? place_in_time(buffers, items, ends, n_items, placed)
                                  : place_in_order(buffers, items, n_items, placed);
        if (bytes >= *slab_bytes) continue;
        *slab_bytes = bytes;
        for (size_t i = 0; i < n; i++) best[i] = buffers[i].offset_bytes;
    }
    for (size_t i = n; i-- > 0;) {
        ig_buffer *b = &buffers[i];
        b->offset_bytes = best[i] + (b->parent == IG_NONE ? 0 : buffers[b->parent].offset_bytes);
    }
    return INGOT_OK;
}
