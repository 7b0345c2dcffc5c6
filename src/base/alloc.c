/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define MIN_ALIGN 16

/* Big blocks start on a huge page, and only whole huge pages inside them are asked for, so that no
 * more memory becomes resident than the caller wants. */
static void *system_alloc(void *ctx, size_t bytes, size_t align, ingot_mem_tag tag)
{
    (void)ctx;
    (void)tag;
    const bool is_huge = bytes >= HUGE_PAGE_BYTES;
    if (is_huge && align < HUGE_PAGE_BYTES) align = HUGE_PAGE_BYTES;
    void *ptr = NULL;
    if (bytes > PTRDIFF_MAX || posix_memalign(&ptr, align, bytes) != 0) return NULL;
#ifdef MADV_HUGEPAGE
    if (is_huge) (void)madvise(ptr, bytes & ~(HUGE_PAGE_BYTES - 1), MADV_HUGEPAGE);
#endif
    return ptr;
}

static void system_free(void *ctx, void *ptr, size_t bytes, ingot_mem_tag tag)
{
    (void)ctx;
    (void)bytes;
    (void)tag;
    free(ptr);
}

void ig_alloc_init(ig_alloc *a, const ingot_allocator *user, size_t limit_bytes)
{
    memset(a, 0, sizeof *a);
    a->user = user ? *user : (ingot_allocator){ NULL, system_alloc, system_free };
    a->limit_bytes = limit_bytes;
}

/* Counts down to the allocation that has to fail; true from that one on. */
static bool must_fail(ig_alloc *a)
{
    if (atomic_load_explicit(&a->is_failing, memory_order_relaxed)) return true;
    int_least64_t left = atomic_load_explicit(&a->fail_countdown, memory_order_relaxed);
    while (left > 0) {
        if (!atomic_compare_exchange_weak(&a->fail_countdown, &left, left - 1)) continue;
        if (left > 1) return false;
        atomic_store(&a->is_failing, true);
        return true;
    }
    return false;
}

/* Adds to the total if it stays within the limit; *now is the new total. */
static bool reserve(ig_alloc *a, size_t bytes, size_t *now)
{
    size_t total = atomic_load_explicit(&a->total, memory_order_relaxed);
    const size_t limit = a->limit_bytes ? a->limit_bytes : SIZE_MAX;
    do {
        if (total > limit || bytes > limit - total) return false;
    } while (!atomic_compare_exchange_weak_explicit(&a->total, &total, total + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    *now = total + bytes;
    return true;
}

static void raise_peak(atomic_size_t *peak, size_t now)
{
    size_t old = atomic_load_explicit(peak, memory_order_relaxed);
    while (old < now && !atomic_compare_exchange_weak_explicit(
                            peak, &old, now, memory_order_relaxed, memory_order_relaxed)) {}
}

void *ig_alloc_get(ig_alloc *a, size_t bytes, size_t align, ingot_mem_tag tag)
{
    size_t total;
    if (bytes == 0) bytes = 1;
    if (align < MIN_ALIGN) align = MIN_ALIGN;
    if (must_fail(a)) return NULL;
    if (!reserve(a, bytes, &total)) {
        atomic_store_explicit(&a->has_met_limit, true, memory_order_relaxed);
        return NULL;
    }
    void *ptr = a->user.alloc(a->user.ctx, bytes, align, tag);
    if (!ptr) {
        atomic_fetch_sub_explicit(&a->total, bytes, memory_order_relaxed);
        return NULL;
    }
    const size_t before = atomic_fetch_add_explicit(&a->current[tag], bytes, memory_order_relaxed);
    raise_peak(&a->peak[tag], before + bytes);
    raise_peak(&a->total_peak, total);
    return ptr;
}

void ig_alloc_put(ig_alloc *a, void *ptr, size_t bytes, ingot_mem_tag tag)
{
    if (!ptr) return;
    if (bytes == 0) bytes = 1;
    a->user.free(a->user.ctx, ptr, bytes, tag);
    atomic_fetch_sub_explicit(&a->current[tag], bytes, memory_order_relaxed);
    atomic_fetch_sub_explicit(&a->total, bytes, memory_order_relaxed);
}

void ig_alloc_stats(const ig_alloc *a, ingot_memory_stats *stats)
{
    for (int i = 0; i < INGOT_N_MEM_TAGS; i++) {
        stats->current_bytes[i] = atomic_load_explicit(&a->current[i], memory_order_relaxed);
        stats->peak_bytes[i] = atomic_load_explicit(&a->peak[i], memory_order_relaxed);
    }
    stats->total_current_bytes = atomic_load_explicit(&a->total, memory_order_relaxed);
    stats->total_peak_bytes = atomic_load_explicit(&a->total_peak, memory_order_relaxed);
}

ig_alloc *ig_alloc_default(void)
{
    static ig_alloc default_alloc = { .user = { NULL, system_alloc, system_free } };
    return &default_alloc;
}

bool ig_size_mul(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }

bool ig_size_add(size_t a, size_t b, size_t *out) { return !__builtin_add_overflow(a, b, out); }
