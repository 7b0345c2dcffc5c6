/* SPDX-License-Identifier: Apache-2.0 */
/* tile.c: repeat a tensor repeats[d] times along each axis d; in opset 1 `tiles` times along one
 * axis. */
#include "ops/moves.h"
#include "ops/strided.h"

/* Repeats of each axis as dims; *known false when only a run can tell. */
static ig_status read_repeats(ig_infer *c, int rank, ig_dim *repeats, bool *known)
{
    int n;
    if (c->opset < 6) {
        int64_t tiles, axis;
        int at;
        bool has_axis;
        if (c->n_in < 3) return ig_fail(c->err, INGOT_ERR_INVALID, "input 2 (axis) is missing");
        IG_TRY(ig_infer_scalar(c, 1, 1, known, &tiles));
        IG_TRY(ig_infer_scalar(c, 2, 0, &has_axis, &axis));
        *known = *known && has_axis;
        if (!*known) return INGOT_OK;
        IG_TRY(ig_axis(axis, rank, &at, c->err));
        for (int d = 0; d < rank; d++) repeats[d] = 1;
        repeats[at] = tiles;
    } else {
        const ig_info *in = c->in[1];
        IG_TRY(ig_infer_is_int(c, 1, "repeats"));
        *known = ig_infer_ints(c, 1, repeats, IG_MAX_RANK, &n);
        if (*known ? n != rank
                   : in->rank == 1 && ig_dim_is_const(in->dims[0]) && in->dims[0] != rank)
            return ig_fail(c->err, INGOT_ERR_INVALID, "%lld repeats for rank %d",
                           (long long)(*known ? n : in->dims[0]), rank);
    }
    for (int d = 0; *known && d < rank; d++)
        if (ig_dim_is_const(repeats[d]) && repeats[d] < 0)
            return ig_fail(c->err, INGOT_ERR_INVALID, "repeats of axis %d are %lld", d,
                           (long long)repeats[d]);
    return INGOT_OK;
}

/* The output as repeats[0] x dims[0] x repeats[1] x …: strides 0 for the repeats. */
static void tile_box(int rank, const int64_t *in_dims, const int64_t *out_dims, int64_t *dims,
                     int64_t *dst, int64_t *src)
{
    int64_t in_strides[IG_MAX_RANK], out_strides[IG_MAX_RANK];
    ig_row_major(rank, in_dims, in_strides);
    ig_row_major(rank, out_dims, out_strides);
    for (int d = 0; d < rank; d++) {
        dims[2 * d] = in_dims[d] > 0 ? out_dims[d] / in_dims[d] : 0;
        dims[2 * d + 1] = in_dims[d];
        src[2 * d] = 0;
        src[2 * d + 1] = in_strides[d];
        dst[2 * d] = in_dims[d] * out_strides[d];
        dst[2 * d + 1] = out_strides[d];
    }
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 2));
    const ig_info *in = c->in[0];
    ig_dim dims[IG_MAX_RANK], repeats[IG_MAX_RANK], elems[IG_MAX_ELEMS], all[IG_MAX_ELEMS];
    int64_t box[IG_COPY_MAX_RANK], dst[IG_COPY_MAX_RANK], src[IG_COPY_MAX_RANK];
    bool known;
    int n;
    if (in->rank < 0) return INGOT_OK;
    IG_TRY(read_repeats(c, in->rank, repeats, &known));
    for (int d = 0; d < in->rank; d++)
        dims[d] = known ? ig_dim_mul(c->dims, in->dims[d], repeats[d]) : ig_dim_born(c->dims);
    ig_info_set_shape(&c->out[0], in->type.dtype, in->rank, dims);
    if (!ig_info_is_static(in, NULL) || !ig_info_is_static(&c->out[0], dims)) return INGOT_OK;
    const int64_t count = ig_count(in->rank, dims);
    if (count < 0 || count > IG_MAX_ELEMS || !ig_infer_elems(c, 0, elems, &n)) return INGOT_OK;
    tile_box(in->rank, in->dims, dims, box, dst, src);
    ig_copy_box(sizeof(ig_dim), 2 * in->rank, box, all, dst, elems, src);
    return ig_infer_give_elems(c, 0, all, (int)count);
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    ig_tensor *out = c->out[0];
    int64_t box[IG_COPY_MAX_RANK], dst[IG_COPY_MAX_RANK], src[IG_COPY_MAX_RANK];
    size_t bytes;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    tile_box(in->rank, in->dims, out->dims, box, dst, src);
    ig_copy_box(bytes, 2 * in->rank, box, out->data, dst, in->data, src);
    return INGOT_OK;
}

static ig_status lower(ig_lower *l)
{
    const ig_info *in = l->in[0], *out = &l->out[0];
    ig_move_item item = { .src = 0, .dst = l->n_in };
    int64_t box[IG_COPY_MAX_RANK], dst[IG_COPY_MAX_RANK], src[IG_COPY_MAX_RANK];
    if (ig_same_shape(l->node, l->in, out)) return ig_lower_view(l);
    tile_box(in->rank, in->dims, out->dims, box, dst, src);
    if (!ig_move_shape_of(&item.shape, ig_move_elem_bytes(in->type.dtype), 2 * in->rank, box, dst,
                          src, 0, 0))
        return INGOT_OK;
    return ig_lower_moves(l, &item, 1);
}

static bool permute(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    int64_t v[IG_MAX_RANK], moved[IG_MAX_RANK];
    int n;
    if (node->opset < 6 || !ig_node_ints(g, node, 1, v, IG_MAX_RANK, &n) || n != rank) return false;
    for (int d = 0; d < rank; d++) moved[d] = v[perm[d]];
    return ig_set_ints_input(g, node, 1, moved, rank);
}

static const char *const cases[] = {
    "f32[2,3,4,5] i64{7,6,4,2}",
    "f32[2,2]{0,1,2,3} i64{2,2} = f32[4,4]{0,1,0,1,2,3,2,3,0,1,0,1,2,3,2,3}",
    "f32[2,3] c:i64{1,3}",
    "f32[2,3] c:i64{1,1}",
    "f32[2,3] i64{0,2}",
    "f32[0,3] i64{2,2}",
    "f32[] i64{}",
    "i64[2] i64{2}",
    "i8[3] i64{3}",
    "f16[2] i64{2}",
    "str[2]{\"a\",\"b\"} i64{2} = str[4]{\"a\",\"b\",\"a\",\"b\"}",
    "f32[2,3] f32{2} f32{1} @1",
    "f32[2,3] i64{2} ! 1 repeats for rank 2",
    "f32[2] i64{-1} ! repeats of axis 0 are -1",
    "f32[2,2] i64{2305843009213693951,2} !",
    NULL,
};

const ig_op ig_op_tile = {
    .onnx = "Tile",
    .since = { 1, 6, 13 },
    .n_in = { 2, 3 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .is_identity = ig_same_shape,
    .permute = permute,
    .cases = cases,
};
