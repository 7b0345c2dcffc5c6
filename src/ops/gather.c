/* SPDX-License-Identifier: Apache-2.0 */
/* gather.c: rows of `data` along `axis`, chosen by indices of any shape. Negative indices count
 * from the end. */
#include <string.h>

#include "ops/moves.h"
#include "ops/strided.h"

#define MAX_CONST_ROWS 16 /* constant indices that become separate copies */

static ig_status out_of_range(int64_t index, int64_t dim, int axis, ig_error *err)
{
    return ig_fail(err, INGOT_ERR_INVALID,
                   "index %lld is out of range for dimension %lld at axis %d", (long long)index,
                   (long long)dim, axis);
}

static ig_status infer_elems(ig_infer *c, int axis)
{
    const ig_info *data = c->in[0];
    ig_dim elems[IG_MAX_ELEMS], chosen[IG_MAX_ELEMS];
    int64_t index[IG_MAX_ELEMS];
    int n, n_index;
    if (!ig_info_ints(c->in[1], index, IG_MAX_ELEMS, &n_index)) return INGOT_OK;
    const ig_dim dim = data->dims[axis];
    for (int i = 0; i < n_index && ig_dim_is_const(dim); i++)
        if (index[i] < -dim || index[i] >= dim) return out_of_range(index[i], dim, axis, c->err);
    if (data->rank != 1 || !ig_infer_elems(c, 0, elems, &n)) return INGOT_OK;
    for (int i = 0; i < n_index; i++) {
        if (index[i] < -n || index[i] >= n) return INGOT_OK;
        chosen[i] = elems[index[i] + (index[i] < 0 ? n : 0)];
    }
    return ig_infer_give_elems(c, 0, chosen, n_index);
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(ig_infer_is_int(c, 1, "indices"));
    const ig_info *data = c->in[0], *indices = c->in[1];
    ig_dim dims[IG_MAX_RANK];
    int axis, n = 0;
    if (data->rank < 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), data->rank, &axis, c->err));
    if (indices->rank < 0) return INGOT_OK;
    if (data->rank - 1 + indices->rank > IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "output would have rank %d, at most %d",
                       data->rank - 1 + indices->rank, IG_MAX_RANK);
    for (int d = 0; d < axis; d++) dims[n++] = data->dims[d];
    for (int d = 0; d < indices->rank; d++) dims[n++] = indices->dims[d];
    for (int d = axis + 1; d < data->rank; d++) dims[n++] = data->dims[d];
    ig_info_set_shape(&c->out[0], data->type.dtype, n, dims);
    return infer_elems(c, axis);
}

typedef struct rows {
    const int64_t *index;
    const char *src;
    char *dst;
    int64_t n_index, dim;
    size_t row_bytes;
} rows;

static void copy_rows(void *ctx, ig_part part)
{
    const rows *r = ctx;
    for (int64_t i = part.begin; i < part.end; i++) {
        const int64_t from = i / r->n_index * r->dim + r->index[i % r->n_index];
        memcpy(r->dst + (size_t)i * r->row_bytes, r->src + (size_t)from * r->row_bytes,
               r->row_bytes);
    }
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *data = c->in[0], *indices = c->in[1];
    int axis;
    size_t bytes;
    IG_TRY(ig_movable_bytes(data->dtype, &bytes, c->err));
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), data->rank, &axis, c->err));
    const int64_t n = ig_tensor_count(indices), dim = data->dims[axis];
    int64_t *index = ig_arena_array(c->scratch, (size_t)n, sizeof *index);
    if (!index) return IG_NOMEM(c->err, (size_t)n * sizeof *index);
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = ig_get_i64(indices->dtype, indices->data, i);
        if (k < -dim || k >= dim) return out_of_range(k, dim, axis, c->err);
        index[i] = k + (k < 0 ? dim : 0);
    }
    const int64_t outer = ig_count(axis, data->dims);
    const int64_t inner = ig_count(data->rank - axis - 1, data->dims + axis + 1);
    rows r = { .index = index,
               .src = data->data,
               .dst = c->out[0]->data,
               .n_index = n,
               .dim = dim,
               .row_bytes = (size_t)inner * bytes };
    if (n > 0 && outer > 0 && inner > 0)
        ig_run_rows(c->team, copy_rows, &r, outer * n, r.row_bytes);
    return INGOT_OK;
}

/* Copies for constant indices: one for each run of evenly spaced indices. */
static ig_status lower(ig_lower *l)
{
    const ig_info *data = l->in[0];
    ig_move_item items[MAX_CONST_ROWS] = { 0 };
    int64_t index[IG_MAX_ELEMS];
    int axis, n, n_items = 0;
    const size_t bytes = ig_move_elem_bytes(data->type.dtype);
    if (bytes == 0 || !l->in[1]->data || !ig_info_ints(l->in[1], index, IG_MAX_ELEMS, &n) || n == 0)
        return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(l->node, "axis", 0), data->rank, &axis, l->err));
    const int64_t dim = data->dims[axis], outer = ig_count(axis, data->dims);
    const int64_t inner = ig_count(data->rank - axis - 1, data->dims + axis + 1);
    for (int i = 0; i < n; i++) {
        if (index[i] < -dim || index[i] >= dim) return INGOT_OK; /* the reference's error */
        index[i] += index[i] < 0 ? dim : 0;
    }
    for (int i = 0, next; i < n; i = next) {
        const int64_t step = i + 1 < n ? index[i + 1] - index[i] : 1;
        for (next = i + 1; next < n && index[next] - index[next - 1] == step;) next++;
        if (n_items == MAX_CONST_ROWS) return INGOT_OK;
        ig_move_item *item = &items[n_items++];
        item->dst = l->n_in;
        item->shape = (ig_move_shape){ .rank = 3,
                                       .elem_bytes = bytes,
                                       .dims = { outer, next - i, inner },
                                       .src_strides = { dim * inner, step * inner, 1 },
                                       .dst_strides = { n * inner, inner, 1 },
                                       .src_offset = index[i] * inner,
                                       .dst_offset = i * inner };
    }
    const ig_move_shape *s = &items[0].shape;
    if (n_items == 1 && outer == 1 && inner > 0 && (n == 1 || s->src_strides[1] == inner)) {
        return ig_lower_view_at(l, (size_t)s->src_offset * bytes);
    }
    return ig_lower_moves(l, items, n_items);
}

/* Only with indices of rank 1: the output's dimensions then are the data's. */
static bool permute(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    if (g->values[node->inputs[1]]->info.rank != 1 || rank < 2) return false;
    return ig_permute_axis(g, node, perm, rank, 0);
}

static const char *const cases[] = {
    "f32[5,4,3,2] i64{0,1,3}",
    "f32[5,4,3,2] i64{0,1,3} axis=1",
    "f32[3,3] i64[1,2]{0,2} axis=1",
    "f32[4]{1,2,3,4} i64{-1,0,-4} = f32[3]{4,1,1}",
    "f32[4,3] c:i64[]{1}",
    "f32[4,3] c:i64{1,2}",
    "f32[4,3] c:i64{3,1,0} axis=1 ! index 3 is out of range for dimension 3 at axis 1",
    "f32[4,6] c:i64{0,2,4,5,1} axis=1",
    "f32[4,3] i32[]{2} axis=-1",
    "f32[300,64] i64[7,5]",
    "f32[0,3] i64{}",
    "f32[4,3] i64[2,0]",
    "i64[4] i64{2}",
    "f16[4,2] i64{1,1}",
    "bool[4] i64{3}",
    "str[2]{\"a\",\"b\"} i64{1,0,1} = str[3]{\"b\",\"a\",\"b\"}",
    "f32[3,2] i64{0} @1 axis=1",
    "f32[10] i64{12} ! index 12 is out of range for dimension 10 at axis 0",
    "f32[10] i64{-11} ! index -11 is out of range",
    "f32[0] i64{0} ! index 0 is out of range for dimension 0",
    "f32[3] i64{0} axis=1 ! axis 1 is out of range for rank 1",
    NULL,
};

const ig_op ig_op_gather = {
    .onnx = "Gather",
    .since = { 1, 11, 13 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF | IG_BYTES,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .permute = permute,
    .cases = cases,
};
