/* SPDX-License-Identifier: Apache-2.0 */
/* expand.c: broadcast to the shape that input 1 holds, both ways: a 1 there keeps the input's
 * dimension. */
#include "ops/moves.h"
#include "ops/strided.h"

/* Strides of the input aligned with the output, 0 where it repeats. */
static void repeat_strides(int rank, int in_rank, const int64_t *in_dims, int64_t *strides)
{
    int64_t s[IG_MAX_RANK];
    ig_row_major(in_rank, in_dims, s);
    for (int d = 0; d < rank; d++) {
        const int k = d - (rank - in_rank);
        strides[d] = k < 0 || in_dims[k] == 1 ? 0 : s[k];
    }
}

static ig_status infer_elems(ig_infer *c)
{
    const ig_info *in = c->in[0], *out = &c->out[0];
    ig_dim elems[IG_MAX_ELEMS], all[IG_MAX_ELEMS];
    int64_t dims[IG_MAX_RANK], dense[IG_MAX_RANK], strides[IG_MAX_RANK];
    int n;
    if (!ig_info_is_static(out, dims) || !ig_info_is_static(in, NULL)) return INGOT_OK;
    const int64_t count = ig_count(out->rank, dims);
    if (count < 0 || count > IG_MAX_ELEMS || !ig_infer_elems(c, 0, elems, &n)) return INGOT_OK;
    repeat_strides(out->rank, in->rank, in->dims, strides);
    ig_row_major(out->rank, dims, dense);
    ig_copy_box(sizeof(ig_dim), out->rank, dims, all, dense, elems, strides);
    return ig_infer_give_elems(c, 0, all, (int)count);
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(ig_infer_is_int(c, 1, "shape"));
    const ig_info *in = c->in[0], *shape = c->in[1];
    ig_dim want[IG_MAX_RANK], dims[IG_MAX_RANK];
    int n = -1;
    if (shape->rank >= 0 && shape->rank != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "shape must have rank 1, not %d", shape->rank);
    if (shape->rank == 1 && ig_dim_is_const(shape->dims[0])) {
        if (shape->dims[0] > IG_MAX_RANK)
            return ig_fail(c->err, INGOT_ERR_LIMIT, "shape has %lld dimensions, at most %d",
                           (long long)shape->dims[0], IG_MAX_RANK);
        n = (int)shape->dims[0];
    }
    int n_known;
    const bool known = ig_infer_ints(c, 1, want, IG_MAX_RANK, &n_known);
    if (known) n = n_known;
    if (in->rank < 0 || n < 0) return INGOT_OK;
    const int rank = n > in->rank ? n : in->rank;
    for (int d = 0; d < rank; d++) {
        const int i = d - (rank - in->rank), k = d - (rank - n);
        if (k < 0) {
            dims[d] = in->dims[i];
        } else if (!known) {
            dims[d] = i >= 0 && ig_dim_is_const(in->dims[i]) && in->dims[i] > 1
                          ? in->dims[i]
                          : ig_dim_born(c->dims);
        } else {
            if (ig_dim_is_const(want[k]) && want[k] < 0)
                return ig_fail(c->err, INGOT_ERR_INVALID, "shape holds %lld at index %d",
                               (long long)want[k], k);
            IG_TRY(ig_dim_broadcast(c->dims, i >= 0 ? in->dims[i] : 1, want[k], &dims[d], c->err));
        }
    }
    ig_info_set_shape(&c->out[0], in->type.dtype, rank, dims);
    return infer_elems(c);
}

/* Inference cannot see into a shape that only a run brings, and may have found the output's size
 * without it. */
static ig_status check_shape(const ig_call *c)
{
    const ig_tensor *out = c->out[0];
    int64_t want[IG_MAX_RANK];
    int n;
    if (!ig_tensor_ints(c->in[1], want, IG_MAX_RANK, &n)) return INGOT_OK;
    for (int k = 0; k < n; k++) {
        const int64_t have = out->dims[out->rank - n + k];
        if (want[k] < 0)
            return ig_fail(c->err, INGOT_ERR_INVALID, "shape holds %lld at index %d",
                           (long long)want[k], k);
        if (want[k] != 1 && want[k] != have)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld and %lld cannot be broadcast",
                           (long long)have, (long long)want[k]);
    }
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    IG_TRY(check_shape(c));
    const ig_tensor *in = c->in[0];
    ig_tensor *out = c->out[0];
    int64_t dense[IG_MAX_RANK], strides[IG_MAX_RANK];
    size_t bytes;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    repeat_strides(out->rank, in->rank, in->dims, strides);
    ig_row_major(out->rank, out->dims, dense);
    ig_copy_box(bytes, out->rank, out->dims, out->data, dense, in->data, strides);
    return INGOT_OK;
}

static ig_status lower(ig_lower *l)
{
    const ig_info *in = l->in[0], *out = &l->out[0];
    ig_move_item item = { .src = 0, .dst = l->n_in };
    if (!l->in[1]->data && !l->in[1]->elems) return INGOT_OK; /* the reference checks the shape */
    if (ig_count(in->rank, in->dims) == ig_count(out->rank, out->dims)) return ig_lower_view(l);
    item.shape.rank = out->rank;
    item.shape.elem_bytes = ig_move_elem_bytes(in->type.dtype);
    for (int d = 0; d < out->rank; d++) item.shape.dims[d] = out->dims[d];
    ig_row_major(out->rank, out->dims, item.shape.dst_strides);
    repeat_strides(out->rank, in->rank, in->dims, item.shape.src_strides);
    return ig_lower_moves(l, &item, 1);
}

static const char *const cases[] = {
    "f32[3,1] i64{2,1,6}",
    "f32[3,1] c:i64{3,4}",
    "f32[3,1] i64{1}",
    "f32[3,1] i64{1,1}",
    "f32[]{5} i64{2,2} = f32[2,2]{5,5,5,5}",
    "f32[1] i64{0}",
    "f32[2,1]{1,2} i64{1,2} = f32[2,2]{1,1,2,2}",
    "i64[1] i64{4}",
    "f16[1,2] i64{3,1}",
    "bool[1] i64{3}",
    "str[1]{\"a\"} i64{2} = str[2]{\"a\",\"a\"}",
    "f32[3] i64{} ",
    "f32[3,2] i64{2,3} ! cannot be broadcast",
    "f32[3] i64{-1} ! shape holds -1 at index 0",
    "f32[1] i64{4294967296,4294967296} !",
    NULL,
};

const ig_op ig_op_expand = {
    .onnx = "Expand",
    .since = { 8, 13 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .is_identity = ig_same_shape,
    .cases = cases,
};
