/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c: blocks that end or begin at a page that nobody may touch. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "opcheck.h"

#define GARBAGE 0xa5

void *oc_guard_get(oc_guard *g, size_t bytes, size_t align)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t inner = ig_align_up(bytes ? bytes : 1, page), all = inner + 2 * page;
    if (g->n >= (int)IG_COUNT(g->blocks)) return NULL;
    uint8_t *map = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return NULL;
    g->blocks[g->n].map = map;
    g->blocks[g->n++].map_bytes = all;
    if (mprotect(map + page, inner, PROT_READ | PROT_WRITE)) return NULL;
    memset(map + page, GARBAGE, inner);
    if (g->is_before) return map + page;
    const uintptr_t end = (uintptr_t)(map + page + inner) - bytes;
    return (void *)(align > 1 ? end & ~(uintptr_t)(align - 1) : end);
}

void oc_guard_free(oc_guard *g)
{
    for (int i = 0; i < g->n; i++) munmap(g->blocks[i].map, g->blocks[i].map_bytes);
    g->n = 0;
}
