/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split_to_sequence.c: pieces of a tensor along `axis` as a sequence. A scalar `split` is the size
 * of each (the last may be smaller), a list their sizes; without it each is of size 1, and
 * keepdims = 0 drops the axis.
 */
#include "ops/sequence.h"
#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    int axis;
    IG_TRY(ig_infer_tensors(c, 1));
    IG_TRY(ig_infer_is_int(c, 1, "split"));
    if (c->in[0]->rank >= 0)
        IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), c->in[0]->rank, &axis, c->err));
    ig_infer_set_sequence(c, c->in[0]->type.dtype);
    return INGOT_OK;
}

/* Size of piece k; the pieces are checked to make up the dimension. */
static int64_t piece(const ig_tensor *split, int64_t dim, int64_t k)
{
    if (!split) return 1;
    const int64_t size = ig_get_i64(split->dtype, split->data, split->rank == 0 ? 0 : k);
    return split->rank == 0 && dim - k * size < size ? dim - k * size : size;
}

static ig_status count_pieces(const ig_call *c, const ig_tensor *split, int64_t dim, int64_t *n)
{
    int64_t sum = 0;
    *n = dim;
    if (!split) return INGOT_OK;
    if (split->rank == 0) {
        const int64_t size = ig_get_i64(split->dtype, split->data, 0);
        if (size < 1) return ig_fail(c->err, INGOT_ERR_INVALID, "split is %lld", (long long)size);
        *n = dim / size + (dim % size != 0);
        return INGOT_OK;
    }
    *n = ig_tensor_count(split);
    for (int64_t k = 0; k < *n; k++) {
        const int64_t size = ig_get_i64(split->dtype, split->data, k);
        if (size < 0 || size > dim - sum) {
            sum = -1;
            break;
        }
        sum += size;
    }
    if (sum != dim)
        return ig_fail(c->err, INGOT_ERR_INVALID,
                       "the sizes in split do not make up the dimension, %lld", (long long)dim);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0], *split = c->n_in > 1 ? c->in[1] : NULL;
    const bool drops = !split && ig_attr_int(c->node, "keepdims", 1) == 0;
    int64_t n, strides[IG_MAX_RANK], dense[IG_MAX_RANK], dims[IG_MAX_RANK];
    int axis;
    size_t bytes;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), in->rank, &axis, c->err));
    IG_TRY(count_pieces(c, split, in->dims[axis], &n));
    IG_TRY(ig_call_items(c, INGOT_KIND_SEQUENCE, in->dtype, (size_t)n));
    ig_row_major(in->rank, in->dims, strides);
    const char *from = in->data;
    for (int64_t k = 0; k < n; k++) {
        int64_t item_dims[IG_MAX_RANK];
        int rank = 0;
        ig_tensor *t;
        for (int d = 0; d < in->rank; d++) {
            dims[d] = d == axis ? piece(split, in->dims[d], k) : in->dims[d];
            if (d != axis || !drops) item_dims[rank++] = dims[d];
        }
        IG_TRY(ig_tensor_in_arena(c->scratch, in->dtype, rank, item_dims, NULL, &t, c->err));
        ig_row_major(in->rank, dims, dense);
        ig_copy_box(bytes, in->rank, dims, t->data, dense, from, strides);
        ig_call_set_item(c, (size_t)k, t);
        from += (int64_t)bytes * dims[axis] * strides[axis];
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[5,2] i64[]{2}",
    "f32[5,2] i64{1,0,4}",
    "f32[3,4] axis=1 keepdims=0",
    "f32[0,4]",
    "f16[3]",
    "f32[4] i64[]{0} ! split is 0",
    "f32[4] i64{1,2} ! do not make up the dimension, 4",
    "f32[4] i64{5,-1} ! do not make up the dimension, 4",
    "f32[4] axis=1 ! axis 1 is out of range for rank 1",
    NULL,
};

const ig_op ig_op_split_to_sequence = {
    .onnx = "SplitToSequence",
    .since = { 11, 24 },
    .n_in = { 1, 2 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
