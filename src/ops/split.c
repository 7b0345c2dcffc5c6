/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split.c: cut along `axis`. Sizes: attribute `split` before opset 13, an input since; without
 * them equal parts, of which since opset 18 the last may be smaller.
 */
#include "ops/moves.h"
#include "ops/strided.h"

/* Sizes that are given; *n = -1: none are, -2: only a run can tell. */
static ig_status given_sizes(const ig_infer *c, ig_dim *sizes, int *n)
{
    const bool has_input = (c->opset == 1 || c->opset >= 13) && c->n_in > 1 && c->in[1];
    *n = -1;
    if (has_input) {
        IG_TRY(ig_infer_is_int(c, 1, "split"));
        if (!ig_infer_ints(c, 1, sizes, c->n_out, n)) {
            const ig_info *in = c->in[1];
            if (in->data || in->elems ||
                (in->rank == 1 && ig_dim_is_const(in->dims[0]) && in->dims[0] != c->n_out))
                return ig_fail(c->err, INGOT_ERR_INVALID,
                               "input 1 (split) must hold %d integers, one for each output",
                               c->n_out);
            *n = -2;
        }
    } else if (c->opset < 13) {
        size_t count;
        const int64_t *v = ig_attr_ints(c->node, "split", &count);
        if (v && count == (size_t)c->n_out)
            for (size_t i = 0; i < count; i++)
                sizes[i] = v[i] < 0 ? -1 : v[i] > IG_DIM_MAX ? IG_DIM_MAX : v[i];
        if (v) *n = count <= INT32_MAX ? (int)count : INT32_MAX;
    }
    if (*n >= 0 && *n != c->n_out)
        return ig_fail(c->err, INGOT_ERR_INVALID, "split has %d entries for %d outputs", *n,
                       c->n_out);
    return INGOT_OK;
}

static ig_status equal_sizes(ig_infer *c, ig_dim dim, ig_dim *sizes)
{
    const int n = c->n_out;
    const bool is_const = ig_dim_is_const(dim);
    const int64_t wanted = ig_attr_int(c->node, "num_outputs", n);
    if (c->opset >= 18 && wanted != n)
        return ig_fail(c->err, INGOT_ERR_INVALID, "num_outputs is %lld, but there are %d outputs",
                       (long long)wanted, n);
    if (c->opset < 18 && is_const && dim % n != 0)
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "dimension %lld cannot be split into %d equal parts", (long long)dim, n);
    const ig_dim size = is_const ? (dim + n - 1) / n : ig_dim_ceil_div(c->dims, dim, n);
    for (int i = 0; i < n; i++)
        sizes[i] = c->opset < 18 && !is_const ? ig_dim_floor_div(c->dims, dim, n) : size;
    if (c->opset >= 18 && n > 1)
        sizes[n - 1] = ig_dim_sub(c->dims, dim, ig_dim_mul(c->dims, size, n - 1));
    if (is_const && sizes[n - 1] < 0)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "dimension %lld cannot be split into %d parts",
                       (long long)dim, n);
    return INGOT_OK;
}

static ig_status check_sum(const ig_infer *c, const ig_dim *sizes, ig_dim dim)
{
    int64_t sum = 0;
    for (int i = 0; i < c->n_out; i++) {
        if (!ig_dim_is_const(sizes[i])) return INGOT_OK;
        if (sizes[i] < 0)
            return ig_fail(c->err, INGOT_ERR_INVALID, "size of part %d is negative", i);
        if (__builtin_add_overflow(sum, sizes[i], &sum)) sum = INT64_MAX;
    }
    if (ig_dim_is_const(dim) && sum != dim)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "the parts add up to %lld, the dimension is %lld",
                       (long long)sum, (long long)dim);
    return INGOT_OK;
}

/* Sizes of all parts of a dimension; *known false when only a run can tell. */
static ig_status part_sizes(ig_infer *c, ig_dim dim, ig_dim **sizes, bool *known)
{
    int n;
    ig_dim *s = ig_arena_array(c->arena, (size_t)c->n_out, sizeof *s);
    if (!s) return IG_NOMEM(c->err, (size_t)c->n_out * sizeof *s);
    *sizes = s;
    IG_TRY(given_sizes(c, s, &n));
    *known = n != -2;
    if (n == -1) IG_TRY(equal_sizes(c, dim, s));
    return *known ? check_sum(c, s, dim) : INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    ig_dim dims[IG_MAX_RANK], elems[IG_MAX_ELEMS], *sizes;
    int axis, n_elems, at = 0;
    bool known;
    if (in->rank < 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), in->rank, &axis, c->err));
    IG_TRY(part_sizes(c, in->dims[axis], &sizes, &known));
    for (int d = 0; d < in->rank; d++) dims[d] = in->dims[d];
    bool has_elems = known && in->rank == 1 && ig_infer_elems(c, 0, elems, &n_elems);
    for (int i = 0; i < c->n_out; i++) {
        dims[axis] = known ? sizes[i] : ig_dim_born(c->dims);
        ig_info_set_shape(&c->out[i], in->type.dtype, in->rank, dims);
        has_elems = has_elems && ig_dim_is_const(dims[axis]) && at + dims[axis] <= n_elems;
        if (!has_elems) continue; /* where later parts begin is not known either */
        IG_TRY(ig_infer_give_elems(c, i, elems + at, (int)dims[axis]));
        at += (int)dims[axis];
    }
    return INGOT_OK;
}

/* Sizes when the input's shape is known: from outputs, or for unwanted ones from the node again. */
static ig_status call_sizes(ig_call *c, int64_t dim, int64_t **sizes)
{
    ig_dims dims; /* sizes are constant: it stays empty */
    ig_info infos[2];
    const ig_info *ins[2];
    ig_infer f;
    bool known;
    ig_dims_init(&dims, c->scratch);
    ig_infer_of_call(c, infos, ins, 2, &f);
    f.dims = &dims;
    return part_sizes(&f, dim, sizes, &known);
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    int64_t in_strides[IG_MAX_RANK], strides[IG_MAX_RANK], *sizes;
    int axis;
    size_t bytes;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", 0), in->rank, &axis, c->err));
    IG_TRY(call_sizes(c, in->dims[axis], &sizes));
    ig_row_major(in->rank, in->dims, in_strides);
    const char *from = in->data;
    for (int i = 0; i < c->n_out; i++) {
        ig_tensor *out = c->out[i];
        if (out) {
            ig_row_major(out->rank, out->dims, strides);
            ig_copy_box(bytes, out->rank, out->dims, out->data, strides, from, in_strides);
        }
        from += (int64_t)bytes * sizes[i] * in_strides[axis];
    }
    return INGOT_OK;
}

static ig_status lower(ig_lower *l)
{
    const ig_info *in = l->in[0];
    int axis;
    if (l->n_out == 1) return ig_lower_view(l);
    IG_TRY(ig_axis(ig_attr_int(l->node, "axis", 0), in->rank, &axis, l->err));
    ig_move_item *items = ig_arena_array(l->arena, (size_t)l->n_out, sizeof *items);
    const ig_info **pieces = ig_arena_array(l->arena, (size_t)l->n_out, sizeof *pieces);
    if (!items || !pieces) return IG_NOMEM(l->err, (size_t)l->n_out * sizeof *items);
    for (int i = 0; i < l->n_out; i++) pieces[i] = &l->out[i];
    IG_TRY(ig_piece_offsets(l, axis, in, pieces, l->n_out, &l->view_offset_bytes));
    l->is_view = l->view_offset_bytes != NULL;
    int64_t at = 0;
    int n = 0;
    for (int i = 0; i < l->n_out; i++) {
        const ig_info *out = &l->out[i];
        if (out->rank != in->rank) return INGOT_OK;
        if (l->node->outputs[i] != IG_NONE) {
            ig_move_shape *s = &items[n].shape;
            s->rank = out->rank;
            s->elem_bytes = ig_move_elem_bytes(in->type.dtype);
            for (int d = 0; d < out->rank; d++) s->dims[d] = out->dims[d];
            ig_row_major(out->rank, s->dims, s->dst_strides);
            ig_row_major(out->rank, in->dims, s->src_strides);
            s->src_offset = at * s->src_strides[axis];
            items[n].src = 0;
            items[n++].dst = l->n_in + i;
        }
        at += out->dims[axis];
    }
    return ig_lower_moves(l, items, n);
}

static bool is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    (void)in;
    (void)out;
    return node->n_outputs == 1;
}

static bool permute(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    return ig_permute_axis(g, node, perm, rank, 0);
}

static const char *const cases[] = {
    "f32[6] num_outputs=3 -> 3",
    "f32[7]{1,2,3,4,5,6,7} num_outputs=3 -> 3 = f32[3]{1,2,3} f32[3]{4,5,6} f32[1]{7}",
    "f32[2,6] i64{2,4} axis=1 -> 2",
    "f32[2,6] c:i64{1,0,5} axis=-1 -> 3",
    "f32[4,6,2] @13 axis=1 -> 3",
    "f32[4,6] @11 axis=1 split=[2,4] -> 2",
    "f32[1,6,3] @13 c:i64{1,3,2} axis=1 -> 3",
    "f32[4,6] @2 -> 2",
    "f32[4,6] @1 axis=0 split=[1,3] -> 2",
    "f32[0] i64{0,0} -> 2",
    "i64[4] i64{2,2} -> 2",
    "f16[3,4] i64{2,2} axis=1 -> 2",
    "f32[3,5,4] i64{5} axis=1 -> 1",
    "str[2]{\"a\",\"b\"} @13 -> 2",
    "f32[7] @13 -> 3 ! dimension 7 cannot be split into 3 equal parts",
    "f32[2,6] i64{2,3} axis=1 -> 2 ! the parts add up to 5, the dimension is 6",
    "f32[2,6] i64{-2,8} axis=1 -> 2 ! size of part 0 is negative",
    "f32[2,6] i64{2,2,2} axis=1 -> 2 ! must hold 2 integers",
    "f32[6] num_outputs=2 -> 3 ! num_outputs is 2, but there are 3 outputs",
    "f32[2] num_outputs=4 -> 4 ! dimension 2 cannot be split into 4 parts",
    "f32[6] axis=1 num_outputs=2 -> 2 ! axis 1 is out of range for rank 1",
    NULL,
};

const ig_op ig_op_split = {
    .onnx = "Split",
    .since = { 1, 2, 11, 13, 18 },
    .n_in = { 1, 2 },
    .n_out = { 1, -1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .is_identity = is_identity,
    .permute = permute,
    .cases = cases,
};
