/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: the compiled model and its packed weights. */
#include "plan/plan.h"

#include <string.h>

#include "base/file.h"

#define PACK_ALIGN_BYTES 64

ig_status ig_plan_init(ig_plan *plan, ig_alloc *alloc, ig_graph *graph, ig_isa isa,
                       const ingot_log *log, const uint8_t *mapped, size_t mapped_bytes,
                       ig_error *err)
{
    *plan = (ig_plan){ .alloc = alloc, .graph = graph, .isa = isa, .log = log };
    if (pthread_mutex_init(&plan->packs.lock, NULL)) {
        *plan = (ig_plan){ 0 };
        return ig_fail(err, INGOT_ERR_NOMEM, "cannot create a lock");
    }
    plan->packs.alloc = alloc;
    plan->packs.mapped = mapped;
    plan->packs.mapped_bytes = mapped_bytes;
    return INGOT_OK;
}

void ig_plan_deinit(ig_plan *plan)
{
    ig_packs *p = &plan->packs;
    if (!plan->alloc) return;
    ig_packs_trim(p);
    for (ig_pack_block *b = p->blocks, *next; b; b = next) {
        next = b->next;
        ig_alloc_put(p->alloc, b->data, b->bytes, INGOT_MEM_WEIGHTS);
        ig_alloc_put(p->alloc, b, sizeof *b, INGOT_MEM_PLAN);
    }
    ig_alloc_put(p->alloc, p->entries, p->cap * sizeof *p->entries, INGOT_MEM_PLAN);
    pthread_mutex_destroy(&p->lock);
    *plan = (ig_plan){ 0 };
}

/* ---- packed weights: a hash table from (bytes of the constant, key) ---- */

static ig_pack_entry *find_slot(ig_pack_entry *entries, size_t cap, const void *source,
                                uint64_t key)
{
    size_t i = (size_t)(((uintptr_t)source >> 4) * 0x9e3779b97f4a7c15u ^ key * 0xd1b54a32d192ed03u);
    for (i &= cap - 1; entries[i].source; i = (i + 1) & (cap - 1))
        if (entries[i].source == source && entries[i].key == key) break;
    return &entries[i];
}

static bool grow(ig_packs *p)
{
    if (p->n * 2 < p->cap) return true;
    const size_t cap = p->cap ? p->cap * 2 : 64;
    ig_pack_entry *entries =
        ig_alloc_get(p->alloc, cap * sizeof *entries, _Alignof(ig_pack_entry), INGOT_MEM_PLAN);
    if (!entries) return false;
    for (size_t i = 0; i < cap; i++) entries[i] = (ig_pack_entry){ 0 };
    for (size_t i = 0; i < p->cap; i++)
        if (p->entries[i].source)
            *find_slot(entries, cap, p->entries[i].source, p->entries[i].key) = p->entries[i];
    ig_alloc_put(p->alloc, p->entries, p->cap * sizeof *p->entries, INGOT_MEM_PLAN);
    p->entries = entries;
    p->cap = cap;
    return true;
}

static void drop_source(const ig_packs *p, const ig_tensor *source)
{
    const uint8_t *data = source->data;
    size_t bytes = 0;
    const bool is_mapped = p->mapped && data >= p->mapped && data < p->mapped + p->mapped_bytes;
    if (is_mapped && ig_tensor_bytes(source, &bytes)) ig_file_drop_pages(data, bytes);
}

/* ---- memory for packed weights ---- */

#define FIRST_BLOCK_BYTES ((size_t)64 << 10)
#define LARGEST_BLOCK_BYTES ((size_t)2 << 20)

static ig_pack_block *add_block(ig_packs *p, size_t bytes)
{
    ig_pack_block *b = ig_alloc_get(p->alloc, sizeof *b, 0, INGOT_MEM_PLAN);
    if (!b) return NULL;
    *b = (ig_pack_block){ .bytes = bytes };
    b->data = ig_alloc_get(p->alloc, bytes, PACK_ALIGN_BYTES, INGOT_MEM_WEIGHTS);
    if (!b->data) {
        ig_alloc_put(p->alloc, b, sizeof *b, INGOT_MEM_PLAN);
        return NULL;
    }
    return b;
}

/* A block with room for `bytes`: the newest, a new one, or, for large weights, one of their own. */
static ig_pack_block *find_block(ig_packs *p, size_t bytes)
{
    ig_pack_block *newest = p->blocks;
    if (newest && newest->bytes - newest->used_bytes >= bytes) return newest;
    if (bytes > LARGEST_BLOCK_BYTES / 4) {
        ig_pack_block *own = add_block(p, bytes);
        if (!own) return NULL;
        /* Behind the newest, which keeps its room. */
        own->next = newest ? newest->next : NULL;
        *(newest ? &newest->next : &p->blocks) = own;
        return own;
    }
    size_t size =
        newest && newest->bytes >= FIRST_BLOCK_BYTES ? newest->bytes * 2 : FIRST_BLOCK_BYTES;
    if (size > LARGEST_BLOCK_BYTES) size = LARGEST_BLOCK_BYTES;
    ig_pack_block *b = add_block(p, size > bytes ? size : bytes);
    if (!b) return NULL;
    b->next = newest;
    p->blocks = b;
    return b;
}

void ig_packs_trim(ig_packs *packs)
{
    pthread_mutex_lock(&packs->lock);
    ig_alloc_put(packs->alloc, packs->staging, packs->staging_bytes, INGOT_MEM_WEIGHTS);
    packs->staging = NULL;
    packs->staging_bytes = 0;
    pthread_mutex_unlock(&packs->lock);
}

/* Packers read arrays of the element type: a misaligned source is copied for them. */
static ig_status pack_aligned(ig_packs *p, const ig_tensor *source, ig_pack_fn fn, const void *ctx,
                              void *dst, ig_error *err)
{
    ig_tensor copy = *source;
    size_t bytes = 0;
    if (ig_tensor_is_aligned(source) || !ig_tensor_bytes(source, &bytes)) {
        fn(ctx, source, dst);
        return INGOT_OK;
    }
    if (bytes > p->staging_bytes) {
        ig_alloc_put(p->alloc, p->staging, p->staging_bytes, INGOT_MEM_WEIGHTS);
        p->staging_bytes = 0;
        p->staging = ig_alloc_get(p->alloc, bytes, PACK_ALIGN_BYTES, INGOT_MEM_WEIGHTS);
        if (!p->staging) return IG_NOMEM(err, bytes);
        p->staging_bytes = bytes;
    }
    copy.data = p->staging;
    memcpy(copy.data, source->data, bytes);
    fn(ctx, &copy, dst);
    return INGOT_OK;
}

static ig_status get_locked(ig_packs *p, const ig_tensor *source, uint64_t key, size_t bytes,
                            ig_pack_fn fn, const void *ctx, const void **packed, ig_error *err)
{
    if (!grow(p)) return IG_NOMEM(err, sizeof *p->entries);
    ig_pack_entry *slot = find_slot(p->entries, p->cap, source->data, key);
    if (!slot->source) {
        const size_t room_bytes = ig_align_up(bytes, PACK_ALIGN_BYTES);
        ig_pack_block *block = find_block(p, room_bytes);
        if (!block) return IG_NOMEM(err, bytes);
        void *memory = block->data + block->used_bytes;
        IG_TRY(pack_aligned(p, source, fn, ctx, memory, err));
        block->used_bytes += room_bytes;
        drop_source(p, source);
        *slot = (ig_pack_entry){ source->data, key, memory };
        p->n++;
        p->packed_bytes += bytes;
    }
    *packed = slot->packed;
    return INGOT_OK;
}

ig_status ig_packs_get(ig_packs *packs, const ig_tensor *source, uint64_t key, size_t bytes,
                       ig_pack_fn fn, const void *ctx, const void **packed, ig_error *err)
{
    pthread_mutex_lock(&packs->lock);
    const ig_status status = get_locked(packs, source, key, bytes, fn, ctx, packed, err);
    pthread_mutex_unlock(&packs->lock);
    return status;
}
