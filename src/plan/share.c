/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share.c: where the outputs of a node lie: in their input (views), around their inputs (joins),
 * over an input that dies with the step (in place), or in a buffer of their own.
 */
#include "plan/bind.h"

static ig_status value_bytes(ig_binder *k, uint32_t v, size_t *bytes)
{
    const ig_info *info = &k->infos[v];
    int64_t dims[IG_MAX_RANK];
    if (!ig_info_is_static(info, dims) ||
        !ig_dtype_bytes(info->type.dtype, ig_count(info->rank, dims), bytes))
        return ig_fail(k->err, INGOT_ERR_LIMIT, "value '%s' has no size that fits in memory",
                       k->g->values[v]->name);
    return ig_limits_check_tensor(&k->plan->limits, *bytes, k->err);
}

ig_status ig_bind_buffer(ig_binder *k, size_t bytes, uint32_t first, uint32_t last, uint32_t *out)
{
    ig_binding *b = k->b;
    const ig_buffer buffer = { .bytes = bytes, .first = first, .last = last, .parent = IG_NONE };
    *out = (uint32_t)b->n_buffers;
    if (!IG_ARENA_PUSH(&b->arena, b->buffers, b->n_buffers, b->cap_buffers, buffer))
        return IG_NOMEM(k->err, sizeof buffer);
    return INGOT_OK;
}

/* The buffer that others may lie in, in the end. */
static uint32_t root_of(const ig_binding *b, uint32_t i_buffer)
{
    while (b->buffers[i_buffer].parent != IG_NONE) i_buffer = b->buffers[i_buffer].parent;
    return i_buffer;
}

/* Outputs of a view share the place of its input. Inputs and heap values can be viewed as well;
 * a view of a constant is copied: constants have no place that an offset could refer to. */
static bool try_view(ig_binder *k, const ig_node *node, const ig_sharing *sharing)
{
    ig_spot *spots = k->b->spots;
    if (!sharing->is_view || node->inputs[0] == IG_NONE) return false;
    const ig_spot from = spots[node->inputs[0]];
    if (from.place == IG_AT_CONST) return false;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const uint32_t to = node->outputs[i];
        if (to == IG_NONE || spots[to].place == IG_AT_CONST) continue;
        spots[to] = from;
        if (sharing->view_offset_bytes) spots[to].offset_bytes += sharing->view_offset_bytes[i];
        spots[to].last_use = k->last_use[to];
        if (from.place != IG_AT_SLAB) continue;
        ig_buffer *buffer = &k->b->buffers[root_of(k->b, from.i_buffer)];
        if (k->last_use[to] > buffer->last) buffer->last = k->last_use[to];
    }
    return true;
}

/* A whole buffer that lies in no other, used once by this node. */
static bool can_join(const ig_binder *k, const ig_node *node, uint32_t i, size_t bytes)
{
    const ig_spot *spot = &k->b->spots[node->inputs[i]];
    if (spot->place != IG_AT_SLAB || spot->offset_bytes) return false;
    const ig_buffer *buffer = &k->b->buffers[spot->i_buffer];
    if (buffer->parent != IG_NONE || buffer->bytes != bytes) return false;
    for (uint32_t j = 0; j < i; j++) {
        const ig_spot *other = &k->b->spots[node->inputs[j]];
        if (other->place == IG_AT_SLAB && root_of(k->b, other->i_buffer) == spot->i_buffer)
            return false;
    }
    return true;
}

/* Concatenation without a step: the inputs' buffers become pieces of the output's. */
static ig_status try_join(ig_binder *k, const ig_node *node, const ig_sharing *sharing, bool *done)
{
    ig_binding *b = k->b;
    const uint32_t to = node->outputs[0];
    ig_spot spot = { .place = IG_AT_SLAB };
    uint32_t first = UINT32_MAX, last;
    size_t bytes = 0;
    *done = false;
    if (!sharing->join_offset_bytes || to == IG_NONE) return INGOT_OK;
    last = spot.last_use = k->last_use[to];
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        IG_TRY(value_bytes(k, node->inputs[i], &bytes));
        if (bytes && !can_join(k, node, i, bytes)) return INGOT_OK;
    }
    IG_TRY(value_bytes(k, to, &bytes));
    if (bytes == 0) return INGOT_OK;
    IG_TRY(ig_bind_buffer(k, bytes, 0, 0, &spot.i_buffer));
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        IG_TRY(value_bytes(k, node->inputs[i], &bytes));
        if (!bytes) continue;
        ig_buffer *piece = &b->buffers[b->spots[node->inputs[i]].i_buffer];
        piece->parent = spot.i_buffer;
        piece->offset_bytes = sharing->join_offset_bytes[i];
        if (piece->first < first) first = piece->first;
        if (piece->last > last) last = piece->last;
    }
    b->buffers[spot.i_buffer].first = first;
    b->buffers[spot.i_buffer].last = last;
    b->spots[to] = spot;
    *done = true;
    return INGOT_OK;
}

/* An input whose buffer ends with this step and that output 0 may overwrite, or IG_NONE. */
static uint32_t overwritable_input(ig_binder *k, const ig_node *node, uint32_t i_step, size_t bytes)
{
    const uint32_t flags = node->op->flags;
    if (!(flags & IG_INPLACE)) return IG_NONE;
    const uint32_t n = flags & IG_ELEMENTWISE ? node->n_inputs : 1;
    const ig_info *out = &k->infos[node->outputs[0]];
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = node->inputs[i];
        if (v == IG_NONE || k->b->spots[v].place != IG_AT_SLAB) continue;
        const ig_buffer *buffer = &k->b->buffers[k->b->spots[v].i_buffer];
        const ig_info *in = &k->infos[v];
        if (buffer->last != i_step || buffer->parent != IG_NONE || k->b->spots[v].offset_bytes ||
            buffer->bytes != bytes)
            continue;
        bool is_same = in->rank == out->rank && in->type.dtype == out->type.dtype;
        for (int d = 0; is_same && d < out->rank; d++) is_same = in->dims[d] == out->dims[d];
        /* Another operand on the same bytes, seen through a view, could be broadcast: leave it. */
        for (uint32_t j = 0; is_same && j < node->n_inputs; j++)
            is_same =
                j == i || node->inputs[j] == IG_NONE || node->inputs[j] == v ||
                k->b->spots[node->inputs[j]].place != IG_AT_SLAB ||
                root_of(k->b, k->b->spots[node->inputs[j]].i_buffer) != k->b->spots[v].i_buffer;
        if (is_same) return v;
    }
    return IG_NONE;
}

static ig_status place_outputs(ig_binder *k, const ig_node *node, uint32_t i_step)
{
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        const uint32_t v = node->outputs[i];
        size_t bytes = 0;
        if (v == IG_NONE || k->infos[v].data) continue;
        IG_TRY(value_bytes(k, v, &bytes));
        const uint32_t from = i == 0 ? overwritable_input(k, node, i_step, bytes) : IG_NONE;
        ig_spot spot = { .place = IG_AT_SLAB, .last_use = k->last_use[v] };
        if (from != IG_NONE) {
            spot.i_buffer = k->b->spots[from].i_buffer;
            k->b->buffers[spot.i_buffer].last = k->last_use[v];
        } else {
            IG_TRY(ig_bind_buffer(k, bytes, i_step, k->last_use[v], &spot.i_buffer));
        }
        k->b->spots[v] = spot;
    }
    return INGOT_OK;
}

ig_status ig_bind_outputs(ig_binder *k, const ig_node *node, uint32_t i_step,
                          const ig_sharing *sharing, bool *has_step)
{
    bool is_placed = try_view(k, node, sharing);
    if (!is_placed) IG_TRY(try_join(k, node, sharing, &is_placed));
    *has_step = !is_placed;
    return is_placed ? INGOT_OK : place_outputs(k, node, i_step);
}
