/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc.h: the one door to memory. Wraps the user's ingot_allocator, counts bytes per purpose,
 * bounds the total, and can fail the k-th allocation on purpose (tests).
 */
#ifndef IG_BASE_ALLOC_H
#define IG_BASE_ALLOC_H

#include <stdatomic.h>

#include "base/error.h"

typedef struct ig_alloc {
    ingot_allocator user;
    size_t limit_bytes; /* 0: none */
    atomic_size_t current[INGOT_N_MEM_TAGS], peak[INGOT_N_MEM_TAGS];
    atomic_size_t total, total_peak;
    atomic_int_least64_t
        fail_countdown; /* > 0: allocations until one fails (and all after it); 0: never */
    atomic_bool is_failing;
    atomic_bool has_met_limit; /* limit_bytes refused an allocation; who asks clears it */
} ig_alloc;

/* user may be NULL: aligned malloc. limit_bytes 0: no bound. */
void ig_alloc_init(ig_alloc *a, const ingot_allocator *user, size_t limit_bytes);

/* Not zeroed. align is a power of two; 0 means 16. NULL when out of memory or over the limit. bytes
 * 0 gives a unique pointer. */
void *ig_alloc_get(ig_alloc *a, size_t bytes, size_t align, ingot_mem_tag tag) IG_MUST_USE;
/* bytes and tag as given to ig_alloc_get; ptr may be NULL. */
void ig_alloc_put(ig_alloc *a, void *ptr, size_t bytes, ingot_mem_tag tag);
void ig_alloc_stats(const ig_alloc *a, ingot_memory_stats *stats);

/* A process-wide allocator (malloc, no bound) for values made through the public API. */
ig_alloc *ig_alloc_default(void);

/* a*b and a+b on sizes; false on overflow. */
bool ig_size_mul(size_t a, size_t b, size_t *out);
bool ig_size_add(size_t a, size_t b, size_t *out);

static inline size_t ig_align_up(size_t n, size_t align) { return (n + align - 1) & ~(align - 1); }

#endif
