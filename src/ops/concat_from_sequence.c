/* SPDX-License-Identifier: Apache-2.0 */
/* concat_from_sequence.c: the tensors of a sequence one after the other along `axis`, or with
 * new_axis stacked along an axis of their own. */
#include "ops/sequence.h"
#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_is_sequence(c, 0));
    if (!ig_node_attr(c->node, "axis"))
        return ig_fail(c->err, INGOT_ERR_INVALID, "attribute axis is missing");
    c->out[0].type = (ig_type){ .kind = INGOT_KIND_TENSOR, .dtype = c->in[0]->type.dtype };
    return INGOT_OK;
}

/* Dimensions of an item, with the new axis. */
static ig_status item_dims(const ig_call *c, const ig_tensor *item, bool stacks, int64_t *dims,
                           int *rank, int *axis)
{
    if (item->kind != INGOT_KIND_TENSOR)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "an item is not a tensor");
    *rank = item->rank + stacks;
    if (*rank > IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "output would have rank %d, at most %d", *rank,
                       IG_MAX_RANK);
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), *rank, axis, c->err));
    for (int d = 0, from = 0; d < *rank; d++)
        dims[d] = stacks && d == *axis ? 1 : item->dims[from++];
    return INGOT_OK;
}

static ig_status output_dims(const ig_call *c, bool stacks, int64_t *dims, int *rank, int *axis)
{
    const ig_tensor *in = c->in[0];
    IG_TRY(item_dims(c, in->items[0], stacks, dims, rank, axis));
    for (size_t k = 1; k < in->n_items; k++) {
        int64_t other[IG_MAX_RANK];
        int other_rank, other_axis;
        IG_TRY(item_dims(c, in->items[k], stacks, other, &other_rank, &other_axis));
        bool fits = other_rank == *rank && in->items[k]->dtype == in->items[0]->dtype;
        for (int d = 0; fits && d < *rank; d++) fits = d == *axis || other[d] == dims[d];
        if (!fits) return ig_fail(c->err, INGOT_ERR_SHAPE, "item %zu does not fit item 0", k);
        if (__builtin_add_overflow(dims[*axis], other[*axis], &dims[*axis]))
            return ig_fail(c->err, INGOT_ERR_SHAPE, "dimension %d overflows", *axis);
    }
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const bool stacks = ig_attr_int(c->node, "new_axis", 0) != 0;
    int64_t dims[IG_MAX_RANK], out_strides[IG_MAX_RANK], strides[IG_MAX_RANK];
    int rank, axis;
    size_t bytes;
    IG_TRY(ig_call_is_sequence(c, 0));
    const ig_tensor *in = c->in[0];
    if (in->n_items == 0) return ig_fail(c->err, INGOT_ERR_SHAPE, "the sequence is empty");
    IG_TRY(output_dims(c, stacks, dims, &rank, &axis));
    IG_TRY(ig_movable_bytes(in->items[0]->dtype, &bytes, c->err));
    IG_TRY(ig_call_output(c, 0, in->items[0]->dtype, rank, dims));
    ig_row_major(rank, dims, out_strides);
    char *to = c->out[0]->data;
    for (size_t k = 0; k < in->n_items; k++) {
        IG_TRY(item_dims(c, in->items[k], stacks, dims, &rank, &axis));
        ig_row_major(rank, dims, strides);
        ig_copy_box(bytes, rank, dims, to, out_strides, in->items[k]->data, strides);
        to += (int64_t)bytes * dims[axis] * out_strides[axis];
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "seq(f32[2]{1,2} f32[1]{3}) axis=0 = f32[3]{1,2,3}",
    "seq(f32[2]{1,2} f32[2]{3,4}) axis=1 new_axis=1 = f32[2,2]{1,3,2,4}",
    "seq(f32) axis=0 ! the sequence is empty",
    "f32[2] axis=0 ! input 0 is not a sequence",
    NULL,
};

const ig_op ig_op_concat_from_sequence = {
    .onnx = "ConcatFromSequence",
    .since = { 11 },
    .n_in = { 1, 1 },
    .any_kind = 1 << 0,
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
