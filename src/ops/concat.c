/* SPDX-License-Identifier: Apache-2.0 */
/* concat.c: inputs one after the other along `axis`. */
#include <stdio.h>

#include "ops/moves.h"
#include "ops/strided.h"

static ig_status read_axis(const ig_node *node, int opset, int rank, int *axis, ig_error *err)
{
    if (opset >= 4 && !ig_node_attr(node, "axis"))
        return ig_fail(err, INGOT_ERR_INVALID, "attribute axis is missing");
    return ig_axis(ig_attr_int(node, "axis", 1), rank, axis, err);
}

static ig_status check_input(ig_infer *c, int i, int rank)
{
    const ig_info *in = c->in[i];
    if (!in) return ig_fail(c->err, INGOT_ERR_INVALID, "input %d is missing", i);
    if (in->rank >= 0 && in->rank != rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d has rank %d, input 0 has rank %d", i,
                       in->rank, rank);
    if (in->type.dtype != c->in[0]->type.dtype && in->type.dtype != INGOT_UNDEFINED)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d has element type %s, input 0 has %s", i,
                       ingot_dtype_name(in->type.dtype), ingot_dtype_name(c->in[0]->type.dtype));
    return INGOT_OK;
}

/* Elements of the output, when all inputs are known: copied box by box. */
static ig_status infer_elems(ig_infer *c, int axis)
{
    ig_dim elems[IG_MAX_ELEMS], all[IG_MAX_ELEMS];
    int64_t dims[IG_MAX_RANK], out_strides[IG_MAX_RANK], strides[IG_MAX_RANK], at = 0;
    const ig_info *out = &c->out[0];
    int n, total = 0;
    if (!ig_info_is_static(out, dims) || ig_count(out->rank, dims) > IG_MAX_ELEMS) return INGOT_OK;
    ig_row_major(out->rank, dims, out_strides);
    for (int i = 0; i < c->n_in; i++) {
        if (!ig_info_is_static(c->in[i], dims) || !ig_infer_elems(c, i, elems, &n)) return INGOT_OK;
        ig_row_major(out->rank, dims, strides);
        ig_copy_box(sizeof(ig_dim), out->rank, dims, all + at * out_strides[axis], out_strides,
                    elems, strides);
        at += dims[axis];
        total += n;
    }
    return ig_infer_give_elems(c, 0, all, total);
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, c->n_in));
    ig_dim dims[IG_MAX_RANK];
    int rank = -1, axis;
    bool sum_known = true;
    for (int i = 0; i < c->n_in && rank < 0; i++)
        if (c->in[i]) rank = c->in[i]->rank;
    if (rank < 0) return INGOT_OK;
    if (rank == 0) return ig_fail(c->err, INGOT_ERR_SHAPE, "scalars cannot be concatenated");
    IG_TRY(read_axis(c->node, c->opset, rank, &axis, c->err));
    for (int d = 0; d < rank; d++) dims[d] = d == axis ? 0 : IG_DIM_MAX;
    for (int i = 0; i < c->n_in; i++) {
        IG_TRY(check_input(c, i, rank));
        if (c->in[i]->rank < 0) {
            sum_known = false;
            continue;
        }
        for (int d = 0; d < rank; d++) {
            char what[80];
            if (d == axis) {
                dims[d] = ig_dim_add(c->dims, dims[d], c->in[i]->dims[d]);
            } else if (dims[d] == IG_DIM_MAX) {
                dims[d] = c->in[i]->dims[d];
            } else {
                snprintf(what, sizeof what, "dimension %d of input %d and the ones before it", d,
                         i);
                IG_TRY(ig_dim_unify(dims[d], c->in[i]->dims[d], what, &dims[d], c->err));
            }
        }
    }
    if (!sum_known) dims[axis] = ig_dim_born(c->dims);
    ig_info_set_shape(&c->out[0], c->in[0]->type.dtype, rank, dims);
    return sum_known ? infer_elems(c, axis) : INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    ig_tensor *out = c->out[0];
    int64_t out_strides[IG_MAX_RANK], strides[IG_MAX_RANK];
    int axis;
    size_t bytes;
    IG_TRY(ig_movable_bytes(out->dtype, &bytes, c->err));
    IG_TRY(read_axis(c->node, c->opset, out->rank, &axis, c->err));
    ig_row_major(out->rank, out->dims, out_strides);
    char *to = out->data;
    for (int i = 0; i < c->n_in; i++) {
        const ig_tensor *in = c->in[i];
        ig_row_major(in->rank, in->dims, strides);
        ig_copy_box(bytes, in->rank, in->dims, to, out_strides, in->data, strides);
        to += (int64_t)bytes * in->dims[axis] * out_strides[axis];
    }
    return INGOT_OK;
}

static ig_status lower(ig_lower *l)
{
    const ig_info *out = &l->out[0];
    int axis;
    if (l->n_in == 1) return ig_lower_view(l);
    IG_TRY(read_axis(l->node, l->opset, out->rank, &axis, l->err));
    IG_TRY(ig_piece_offsets(l, axis, out, l->in, l->n_in, &l->join_offset_bytes));
    ig_move_item *items = ig_arena_array(l->arena, (size_t)l->n_in, sizeof *items);
    if (!items) return IG_NOMEM(l->err, (size_t)l->n_in * sizeof *items);
    int64_t at = 0;
    for (int i = 0; i < l->n_in; i++) {
        ig_move_shape *s = &items[i].shape;
        s->rank = out->rank;
        s->elem_bytes = ig_move_elem_bytes(out->type.dtype);
        for (int d = 0; d < out->rank; d++) s->dims[d] = l->in[i]->dims[d];
        ig_row_major(out->rank, s->dims, s->src_strides);
        ig_row_major(out->rank, out->dims, s->dst_strides);
        s->dst_offset = at * s->dst_strides[axis];
        at += s->dims[axis];
        items[i].src = i;
        items[i].dst = l->n_in;
    }
    return ig_lower_moves(l, items, l->n_in);
}

static bool is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    (void)in;
    (void)out;
    return node->n_inputs == 1;
}

static bool permute(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    return ig_permute_axis(g, node, perm, rank, 1);
}

static const char *const cases[] = {
    "f32[2,3] f32[2,4] axis=1",
    "f32[2]{1,2} f32[1]{3} axis=0 = f32[3]{1,2,3}",
    "f32[2,3,4] f32[1,3,4] f32[5,3,4] axis=0",
    "f32[1,1,3,4] f32[1,1,0,4] f32[1,1,2,4] axis=2",
    "f32[2,3,4] f32[2,3,1] axis=-1",
    "f32[2,0,4] f32[2,3,4] axis=1",
    "f32[0] f32[0] axis=0",
    "f32[2,3] axis=0",
    "f32[2,3] f32[2,1] @1",
    "f32[2,3] f32[2,1] @4 axis=1",
    "i64[2] c:i64{3,4} axis=0",
    "i8[3,5] i8[3,2] axis=1",
    "f16[2] f16[3] axis=0",
    "bool[2,2] bool[2,2] axis=-2",
    "str[1]{\"a\"} str[2]{\"b\",\"c\"} axis=0 = str[3]{\"a\",\"b\",\"c\"}",
    "f32[2,3] f32[3,3] axis=1 ! dimension 0 of input 1",
    "f32[2,3] f32[2,3] axis=2 ! axis 2 is out of range for rank 2",
    "f32[2,3] f32[2] axis=0 ! input 1 has rank 1, input 0 has rank 2",
    "f32[] f32[] axis=0 ! scalars cannot be concatenated",
    "f32[2] f32[2] @13 ! attribute axis is missing",
    NULL,
};

const ig_op ig_op_concat = {
    .onnx = "Concat",
    .since = { 1, 4, 11, 13 },
    .n_in = { 1, -1 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .is_identity = is_identity,
    .permute = permute,
    .cases = cases,
};
