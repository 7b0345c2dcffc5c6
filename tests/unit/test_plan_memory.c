/* SPDX-License-Identifier: Apache-2.0 */
/* Placing buffers: what lives at the same time must not overlap, however many there are. */
#include <stdlib.h>

#include "check.h"
#include "plan/plan.h"

static uint32_t state = 1;
static uint32_t number(uint32_t n) { return (state = state * 1664525u + 1013904223u) / 7 % n; }

static int by_offset(const void *a, const void *b)
{
    const ig_buffer *x = *(const ig_buffer *const *)a, *y = *(const ig_buffer *const *)b;
    return x->offset_bytes < y->offset_bytes ? -1 : x->offset_bytes > y->offset_bytes;
}

/* At one step: the buffers that live then, in order of offset, end before the next begins. */
static bool is_clean_at(ig_buffer *buffers, size_t n, uint32_t step, size_t slab_bytes,
                        const ig_buffer **live)
{
    size_t n_live = 0, end = 0;
    for (size_t i = 0; i < n; i++)
        if (buffers[i].first <= step && step <= buffers[i].last) live[n_live++] = &buffers[i];
    qsort(live, n_live, sizeof *live, by_offset);
    for (size_t i = 0; i < n_live; i++) {
        if (live[i]->offset_bytes < end || live[i]->offset_bytes % 64) return false;
        end = live[i]->offset_bytes + live[i]->bytes;
    }
    return end <= slab_bytes;
}

static void place(size_t n, uint32_t n_steps, uint32_t max_life, uint32_t max_bytes)
{
    ig_buffer *buffers = calloc(n + 1, sizeof *buffers);
    const ig_buffer **live = calloc(n + 1, sizeof *live);
    size_t slab_bytes = 0, sum = 0;
    ig_error err = { 0 };
    ig_alloc alloc;
    ig_arena arena;
    ig_alloc_init(&alloc, NULL, 0);
    ig_arena_init(&arena, &alloc, INGOT_MEM_PLAN);
    for (size_t i = 0; i < n; i++) {
        const uint32_t first = number(n_steps), life = number(max_life);
        buffers[i] = (ig_buffer){
            .bytes = number(max_bytes), .first = first, .last = first + life, .parent = IG_NONE
        };
        sum += buffers[i].bytes + 64;
    }
    CHECK(ig_memory_place(buffers, n, &arena, &slab_bytes, &err) == INGOT_OK);
    for (uint32_t step = 0; step < n_steps + max_life; step += 1 + n_steps / 200)
        CHECK(is_clean_at(buffers, n, step, slab_bytes, live));
    CHECK(slab_bytes <= sum + sum / 2);
    ig_arena_deinit(&arena);
    free(live);
    free(buffers);
}

int main(void)
{
    place(0, 1, 1, 1);
    place(1, 1, 1, 1000);
    place(300, 50, 20, 5000);
    place(4000, 4000, 10, 100000);
    place(20000, 5000, 30, 1000);
    place(20000, 20000, 4, 3000000);
    place(20000, 3, 3, 100);
    return check_report();
}
