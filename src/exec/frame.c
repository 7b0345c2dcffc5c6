/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c: bindings, slab and child frames. The run loop is in run.c. */
#include "exec/frame.h"

#include <string.h>

#include "exec/run.h"

#define MAX_BINDINGS 8
#define MAX_FRAME_DEPTH 32
#define SLAB_ALIGN_BYTES 64

ig_status ig_frame_create(ig_run_context *context, const ig_graph *graph, int depth, ig_frame **out,
                          ig_error *err)
{
    ig_alloc *alloc = context->plan->alloc;
    *out = NULL;
    if (depth > MAX_FRAME_DEPTH)
        return ig_fail(err, INGOT_ERR_LIMIT, "subgraphs are nested deeper than %d",
                       MAX_FRAME_DEPTH);
    ig_frame *f = ig_alloc_get(alloc, sizeof *f, _Alignof(ig_frame), INGOT_MEM_PLAN);
    if (!f) return IG_NOMEM(err, sizeof *f);
    *f = (ig_frame){ .context = context, .graph = graph, .depth = depth };
    ig_arena_init(&f->scratch, alloc, INGOT_MEM_OTHER);
    ig_arena_init(&f->children_arena, alloc, INGOT_MEM_PLAN);
    *out = f;
    return INGOT_OK;
}

static void free_heap_values(ig_frame *f)
{
    if (!f->binding) return;
    for (size_t v = 0; v < f->graph->n_values; v++)
        if (f->binding->spots[v].place == IG_AT_HEAP) ig_frame_release(f, (uint32_t)v);
}

void ig_frame_destroy(ig_frame *f)
{
    if (!f) return;
    ig_alloc *alloc = f->context->plan->alloc;
    free_heap_values(f);
    for (size_t i = 0; i < f->n_children; i++) {
        ig_frame_destroy(f->children[i].frames[0]);
        ig_frame_destroy(f->children[i].frames[1]);
    }
    for (ig_binding *b = f->bindings; b;) {
        ig_binding *next = b->next;
        ig_binding_destroy(b);
        b = next;
    }
    ig_alloc_put(alloc, f->slab, f->slab_bytes, INGOT_MEM_SLAB);
    ig_arena_deinit(&f->scratch);
    ig_arena_deinit(&f->children_arena);
    ig_alloc_put(alloc, f, sizeof *f, INGOT_MEM_PLAN);
}

static ig_binding *find_binding(ig_frame *f, const ig_tensor *const *inputs)
{
    ig_binding **link = &f->bindings;
    for (ig_binding *b = f->bindings; b; link = &b->next, b = b->next) {
        if (!ig_binding_matches(b, inputs)) continue;
        *link = b->next;
        b->next = f->bindings;
        f->bindings = b;
        return b;
    }
    return NULL;
}

static void drop_oldest_bindings(ig_frame *f)
{
    size_t n = 0;
    for (ig_binding **link = &f->bindings; *link;) {
        ig_binding *b = *link;
        if (++n < MAX_BINDINGS) {
            link = &b->next;
            continue;
        }
        *link = b->next;
        ig_binding_destroy(b);
    }
}

static ig_status fit_slab(ig_frame *f, size_t bytes, ig_error *err)
{
    if (bytes <= f->slab_bytes && f->slab) return INGOT_OK;
    ig_alloc *alloc = f->context->plan->alloc;
    ig_alloc_put(alloc, f->slab, f->slab_bytes, INGOT_MEM_SLAB);
    f->slab_bytes = 0;
    f->slab = ig_alloc_get(alloc, bytes, SLAB_ALIGN_BYTES, INGOT_MEM_SLAB);
    if (!f->slab) return IG_NOMEM(err, bytes);
    f->slab_bytes = bytes;
    return INGOT_OK;
}

ig_status ig_frame_bind(ig_frame *f, const ig_tensor *const *inputs, ig_error *err)
{
    free_heap_values(f);
    f->binding = NULL;
    f->has_run = false;
    ig_binding *b = find_binding(f, inputs);
    if (!b) {
        drop_oldest_bindings(f);
        const int n_threads = f->context->team ? ig_team_n_threads(f->context->team) : 1;
        IG_TRY(ig_binding_create(f->context->plan, f->graph, inputs, n_threads, &b, err));
        b->next = f->bindings;
        f->bindings = b;
    }
    IG_TRY(fit_slab(f, b->slab_bytes ? b->slab_bytes : 1, err));
    if (b->slab != f->slab) ig_binding_set_slab(b, f->slab);
    f->binding = b;
    return INGOT_OK;
}

const ig_tensor *ig_frame_output(const ig_frame *f, size_t i)
{
    return f->has_run ? &f->binding->tensors[f->graph->outputs[i]] : NULL;
}

bool ig_frame_output_is_borrowed(const ig_frame *f, size_t i)
{
    return f->binding->spots[f->graph->outputs[i]].place == IG_AT_INPUT;
}

ig_binding *ig_frame_binding(const ig_frame *f) { return f->binding; }

size_t ig_frame_slab_bytes(const ig_frame *f)
{
    size_t bytes = f->slab_bytes;
    for (size_t i = 0; i < f->n_children; i++)
        for (int k = 0; k < 2; k++)
            if (f->children[i].frames[k]) bytes += ig_frame_slab_bytes(f->children[i].frames[k]);
    return bytes;
}

/* ---- subgraphs ---- */

ig_status ig_frame_child(ig_frame *f, const ig_graph *graph, ig_frame **out, ig_error *err)
{
    size_t i = 0;
    while (i < f->n_children && f->children[i].graph != graph) i++;
    if (i == f->n_children) {
        const ig_child child = { .graph = graph };
        if (!IG_ARENA_PUSH(&f->children_arena, f->children, f->n_children, f->cap_children, child))
            return IG_NOMEM(err, sizeof child);
    }
    ig_child *child = &f->children[i];
    child->turn = !child->turn;
    ig_frame **slot = &child->frames[child->turn];
    if (!*slot) IG_TRY(ig_frame_create(f->context, graph, f->depth + 1, slot, err));
    *out = *slot;
    return INGOT_OK;
}
