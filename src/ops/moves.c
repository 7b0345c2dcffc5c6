/* SPDX-License-Identifier: Apache-2.0 */
/* moves.c: see moves.h. */
#include "ops/moves.h"

typedef struct move_part {
    ig_move_params params;
    ig_kernel_fn fn;
    int src, dst;
    int64_t first; /* of this copy in the step's iteration space, whose items are grains */
    uint64_t value;
} move_part;

typedef struct moves_params {
    int n;
    int64_t n_work;
    move_part parts[];
} moves_params;

static void run_moves(const void *params, void *const *operands, ig_part part)
{
    const moves_params *p = params;
    for (int k = 0; k < p->n; k++) {
        const move_part *m = &p->parts[k];
        const int64_t end = k + 1 < p->n ? p->parts[k + 1].first : p->n_work;
        const int64_t from = part.begin > m->first ? part.begin : m->first;
        const int64_t to = part.end < end ? part.end : end;
        if (from >= to) continue;
        uint64_t value = m->value;
        void *const two[2] = { m->src == IG_MOVE_VALUE ? (void *)&value : operands[m->src],
                               operands[m->dst] };
        ig_part sub = { (from - m->first) * m->params.grain, (to - m->first) * m->params.grain,
                        part.i_thread };
        if (sub.end > m->params.n_work) sub.end = m->params.n_work;
        m->fn(&m->params, two, sub);
    }
}

size_t ig_move_elem_bytes(ingot_dtype dtype)
{
    const size_t bytes = dtype == INGOT_STRING ? 0 : ig_dtype_size(dtype);
    return bytes <= 8 ? bytes : 0;
}

static bool is_empty(const ig_move_shape *shape)
{
    for (int d = 0; d < shape->rank; d++)
        if (shape->dims[d] == 0) return true;
    return false;
}

ig_status ig_lower_moves(ig_lower *l, const ig_move_item *items, int n)
{
    if (l->isa == IG_ISA_REF) return INGOT_OK;
    const size_t bytes = sizeof(moves_params) + (size_t)n * sizeof(move_part);
    moves_params *p = ig_arena_get(l->arena, bytes);
    if (!p) return IG_NOMEM(l->err, bytes);
    for (int i = 0; i < n; i++) {
        if (items[i].shape.elem_bytes == 0) return INGOT_OK;
        if (is_empty(&items[i].shape)) continue;
        move_part *m = &p->parts[p->n++];
        *m = (move_part){
            .src = items[i].src, .dst = items[i].dst, .first = p->n_work, .value = items[i].value
        };
        IG_TRY(ig_move_plan(&items[i].shape, l->isa, &m->params, &m->fn, l->err));
        p->n_work += (m->params.n_work + m->params.grain - 1) / m->params.grain;
    }
    if (p->n_work == 0) return INGOT_OK; /* nothing to copy: the reference does it */
    char *name = ig_arena_printf(l->arena, "ig_k_move_x%d__%s", 8 * (int)items[0].shape.elem_bytes,
                                 ig_isa_name(l->isa));
    if (!name) return IG_NOMEM(l->err, 32);
    l->kernel = run_moves;
    l->kernel_name = name;
    l->params = p;
    l->n_work = p->n_work;
    l->grain = 1;
    return INGOT_OK;
}

bool ig_move_shape_of(ig_move_shape *shape, size_t elem_bytes, int rank, const int64_t *dims,
                      const int64_t *dst_strides, const int64_t *src_strides, int64_t dst_offset,
                      int64_t src_offset)
{
    *shape = (ig_move_shape){ .elem_bytes = elem_bytes,
                              .src_offset = src_offset,
                              .dst_offset = dst_offset };
    int r = 0;
    for (int d = 0; d < rank; d++) {
        if (dims[d] == 1) continue;
        if (r > 0 && dims[d] > 0 && shape->dst_strides[r - 1] == dst_strides[d] * dims[d] &&
            shape->src_strides[r - 1] == src_strides[d] * dims[d]) {
            shape->dims[r - 1] *= dims[d];
        } else {
            if (r == IG_MAX_RANK) return false;
            shape->dims[r++] = dims[d];
        }
        shape->dst_strides[r - 1] = dst_strides[d];
        shape->src_strides[r - 1] = src_strides[d];
    }
    shape->rank = r;
    return true;
}
