/* SPDX-License-Identifier: Apache-2.0 */
/* connect.c: the binding in memory: places in the slab, then a pointer for every operand. */
#include <string.h>

#include "plan/bind.h"

static ig_status add_patch(ig_binder *k, void **pointer, const ig_spot *spot)
{
    ig_binding *b = k->b;
    const ig_patch patch = { .pointer = pointer,
                             .i_input = spot->i_input,
                             .offset_bytes = spot->offset_bytes };
    if (!IG_ARENA_PUSH(&b->arena, b->patches, b->n_patches, b->cap_patches, patch))
        return IG_NOMEM(k->err, sizeof patch);
    return INGOT_OK;
}

static ig_status describe_values(ig_binder *k)
{
    ig_binding *b = k->b;
    for (size_t v = 0; v < k->g->n_values; v++) {
        const ig_info *info = &k->infos[v];
        ig_spot *spot = &b->spots[v];
        ig_tensor *t = &b->tensors[v];
        *t = (ig_tensor){ .kind = info->type.kind, .dtype = info->type.dtype };
        if (spot->place == IG_AT_CONST) {
            *t = *info->data;
            t->owner = NULL;
        } else if (spot->place != IG_AT_NOWHERE && ig_info_is_static(info, t->dims)) {
            t->rank = info->rank;
        }
        if (spot->place == IG_AT_INPUT) IG_TRY(add_patch(k, &t->data, spot));
        if (spot->place == IG_AT_SLAB)
            spot->offset_bytes += b->buffers[spot->i_buffer].offset_bytes;
    }
    return INGOT_OK;
}

static void copy_bytes(const void *ctx, const ig_tensor *src, void *dst)
{
    memcpy(dst, src->data, *(const size_t *)ctx);
}

/* A constant that a step reads as it is must be aligned; those that are only packed may lie
 * anywhere. */
static ig_status align_constant(ig_binder *k, uint32_t v)
{
    ig_tensor *t = &k->b->tensors[v];
    const void *aligned = NULL;
    size_t bytes = 0;
    if (k->b->spots[v].place != IG_AT_CONST || ig_tensor_is_aligned(t) ||
        !ig_tensor_bytes(t, &bytes))
        return INGOT_OK;
    IG_TRY(ig_packs_get(&k->plan->packs, t, ig_hash("align", 5, 0), bytes, copy_bytes, &bytes,
                        &aligned, k->err));
    t->data = (void *)(uintptr_t)aligned;
    return INGOT_OK;
}

static ig_status connect_step(ig_binder *k, ig_step *step)
{
    const ig_node *node = step->node;
    ig_binding *b = k->b;
    step->n_operands = step->n_operand_in + step->n_operand_out + 1;
    const size_t n_pointers = (size_t)step->n_operands + node->n_inputs + node->n_outputs;
    void **pointers = ig_bind_array(k, n_pointers, sizeof *pointers);
    if (!pointers) return INGOT_ERR_NOMEM;
    step->operands = pointers;
    step->in = (const ig_tensor **)(pointers + step->n_operands);
    step->out = (ig_tensor **)(pointers + step->n_operands + node->n_inputs);
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] != IG_NONE) {
            step->in[i] = &b->tensors[node->inputs[i]];
            const bool is_packed = step->operand_const && step->operand_const[i];
            const bool is_moved = i == 0 && (node->op->flags & IG_BYTES) && !step->kernel;
            if (!is_packed && !is_moved) IG_TRY(align_constant(k, node->inputs[i]));
        }
    for (uint32_t k_in = 0; k_in < step->n_operand_in; k_in++) {
        const uint32_t i = ig_step_input_of(step, k_in);
        if (i == IG_NONE || node->inputs[i] == IG_NONE) continue;
        const ig_spot *spot = &b->spots[node->inputs[i]];
        if (spot->place == IG_AT_INPUT) IG_TRY(add_patch(k, &step->operands[k_in], spot));
    }
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const uint32_t v = node->outputs[i];
        /* An output that inference knows already is not written; a kernel still needs somewhere to
         * write, which cannot happen: nodes with kernels have their outputs in the slab. */
        if (v != IG_NONE && b->spots[v].place != IG_AT_CONST) step->out[i] = &b->tensors[v];
    }
    return INGOT_OK;
}

void ig_binding_set_slab(ig_binding *b, void *slab)
{
    uint8_t *base = slab;
    b->slab = slab;
    for (size_t v = 0; v < b->graph->n_values; v++)
        if (b->spots[v].place == IG_AT_SLAB) b->tensors[v].data = base + b->spots[v].offset_bytes;
    for (size_t s = 0; s < b->n_steps; s++) {
        ig_step *step = &b->steps[s];
        for (uint32_t k = 0; k < step->n_operand_in; k++) {
            const uint32_t i = ig_step_input_of(step, k);
            if (i == IG_NONE || !step->in[i]) continue;
            if (b->spots[step->node->inputs[i]].place != IG_AT_INPUT)
                step->operands[k] = step->in[i]->data;
            if (step->operand_const && step->operand_const[i])
                step->operands[k] = (void *)(uintptr_t)step->operand_const[i];
        }
        for (uint32_t i = 0; i < step->node->n_outputs; i++)
            step->operands[step->n_operand_in + i] = step->out[i] ? step->out[i]->data : NULL;
        if (step->scratch_bytes)
            step->operands[step->n_operands - 1] =
                base + b->buffers[step->scratch_buffer].offset_bytes;
    }
}

static void drop_view_steps(ig_binding *b)
{
    size_t n = 0;
    for (size_t s = 0; s < b->n_steps; s++)
        if (b->steps[s].kernel_name) b->steps[n++] = b->steps[s];
    b->n_steps = n;
}

ig_status ig_bind_connect(ig_binder *k)
{
    ig_binding *b = k->b;
    IG_TRY(ig_memory_place(b->buffers, b->n_buffers, &k->scratch, &b->slab_bytes, k->err));
    IG_TRY(describe_values(k));
    drop_view_steps(b);
    for (size_t s = 0; s < b->n_steps; s++) IG_TRY(connect_step(k, &b->steps[s]));
    return INGOT_OK;
}
