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
    for (size_t i = 0; i < p->cap; i++)
        if (p->entries[i].source)
            ig_alloc_put(p->alloc, p->entries[i].packed, p->entries[i].bytes, INGOT_MEM_WEIGHTS);
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
    copy.data = ig_alloc_get(p->alloc, bytes, PACK_ALIGN_BYTES, INGOT_MEM_WEIGHTS);
    if (!copy.data) return IG_NOMEM(err, bytes);
    memcpy(copy.data, source->data, bytes);
    fn(ctx, &copy, dst);
    ig_alloc_put(p->alloc, copy.data, bytes, INGOT_MEM_WEIGHTS);
    return INGOT_OK;
}

static ig_status get_locked(ig_packs *p, const ig_tensor *source, uint64_t key, size_t bytes,
                            ig_pack_fn fn, const void *ctx, const void **packed, ig_error *err)
{
    if (!grow(p)) return IG_NOMEM(err, sizeof *p->entries);
    ig_pack_entry *slot = find_slot(p->entries, p->cap, source->data, key);
    if (!slot->source) {
        void *memory = ig_alloc_get(p->alloc, bytes, PACK_ALIGN_BYTES, INGOT_MEM_WEIGHTS);
        if (!memory) return IG_NOMEM(err, bytes);
        const ig_status status = pack_aligned(p, source, fn, ctx, memory, err);
        if (status) {
            ig_alloc_put(p->alloc, memory, bytes, INGOT_MEM_WEIGHTS);
            return status;
        }
        drop_source(p, source);
        *slot = (ig_pack_entry){ source->data, key, memory, bytes };
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
