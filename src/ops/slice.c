/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slice.c: from start to end (exclusive) by step, on some axes. Attributes before opset 10, inputs
 * since. Negative positions count from the end. Positions are clamped: for positive steps to
 * [0, dim], for negative ones start to [0, dim-1] and end to [-1, dim-1], so that an end far below
 * zero includes element 0.
 */
#include "ops/moves.h"
#include "ops/strided.h"

/* Positions at least this large mean "to the end", whatever the dimension. */
#define FAR ((int64_t)INT32_MAX)

typedef struct slice {
    int64_t start[IG_MAX_RANK], step[IG_MAX_RANK], len[IG_MAX_RANK];
} slice;

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    x = x > high ? high : x;
    return x < low ? low : x;
}

/* One axis with everything known. */
static void resolve(int64_t dim, int64_t start, int64_t end, int64_t step, slice *s, int d)
{
    start += start < 0 ? dim : 0;
    end += end < 0 ? dim : 0;
    if (step > 0) {
        start = clamp(start, 0, dim);
        end = clamp(end, 0, dim);
        s->len[d] = end > start ? (end - start - 1) / step + 1 : 0;
    } else {
        start = clamp(start, 0, dim - 1);
        end = clamp(end, -1, dim - 1);
        s->len[d] = start > end && dim > 0 ? (start - end - 1) / -step + 1 : 0;
    }
    s->start[d] = s->len[d] > 0 ? start : 0;
    s->step[d] = step;
}

/* ---- with expressions ---- */

#define MAX_DEPTH 8

static bool is_nonnegative(const ig_dims *t, ig_dim d, int depth)
{
    const ig_dim_expr *e = ig_dim_expr_of(t, d);
    if (!e) return d >= 0;
    if (e->op == IG_DIM_INPUT || e->op == IG_DIM_BORN) return true;
    if (depth == 0) return false;
    const bool a = is_nonnegative(t, e->a, depth - 1), b = is_nonnegative(t, e->b, depth - 1);
    return e->op == IG_DIM_MAX_OP ? a || b : a && b;
}

/* Clamp a position to [0, dim]; false when its sign is unknown. */
static bool clamp_dim(ig_dims *t, ig_dim x, ig_dim dim, ig_dim *out)
{
    if (is_nonnegative(t, x, MAX_DEPTH))
        *out = ig_dim_is_const(x) && x >= FAR ? dim : ig_dim_min(t, x, dim);
    else if (ig_dim_is_const(x))
        *out = x <= -FAR ? 0 : ig_dim_max(t, ig_dim_add(t, dim, x), 0);
    else
        return false;
    return true;
}

static ig_dim sliced_dim(ig_dims *t, ig_dim dim, ig_dim start, ig_dim end, int64_t step)
{
    ig_dim s, e;
    if (step > 0) {
        if (!clamp_dim(t, start, dim, &s) || !clamp_dim(t, end, dim, &e)) return ig_dim_born(t);
        const ig_dim len = s == 0 ? e : ig_dim_max(t, ig_dim_sub(t, e, s), 0);
        return step == 1 ? len : ig_dim_ceil_div(t, len, step);
    }
    const ig_dim last = ig_dim_add(t, dim, -1);
    if (start == -1 || (ig_dim_is_const(start) && start >= FAR))
        s = last;
    else if (!clamp_dim(t, start, last, &s))
        return ig_dim_born(t);
    else if (ig_dim_is_const(start) && start < 0)
        s = ig_dim_max(t, ig_dim_add(t, dim, start), 0);
    if (ig_dim_is_const(end) && end <= -FAR)
        e = -1;
    else if (ig_dim_is_const(end) && end < 0)
        e = ig_dim_max(t, ig_dim_add(t, dim, end), -1);
    else if (!clamp_dim(t, end, last, &e))
        return ig_dim_born(t);
    const ig_dim len = e == -1 ? ig_dim_add(t, s, 1) : ig_dim_max(t, ig_dim_sub(t, s, e), 0);
    return step == -1 ? len : ig_dim_ceil_div(t, len, -step);
}

/* ---- parameters ---- */

typedef struct params {
    int n;                                        /* axes sliced; -1: unknown */
    bool has_start, has_end, has_axes, has_steps; /* contents are known */
    ig_dim start[IG_MAX_RANK], end[IG_MAX_RANK];
    int axes[IG_MAX_RANK];
    int64_t step[IG_MAX_RANK];
} params;

/* Contents of positions from attribute or input; *n = -1 when not even their number is known. */
static ig_status read_positions(const ig_infer *c, const char *attr, int i, ig_dim *out, bool *has,
                                int *n)
{
    ig_ints list;
    IG_TRY(ig_infer_list(c, c->opset < 10 ? attr : NULL, c->opset < 10 ? -1 : i, &list));
    if (list.n == -1) return ig_fail(c->err, INGOT_ERR_INVALID, "%s are missing", attr);
    *n = list.n_known;
    *has = false;
    if (list.n > IG_MAX_RANK || list.n_known > IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_INVALID, "%s has %d entries, at most %d", attr,
                       list.n >= 0 ? list.n : list.n_known, IG_MAX_RANK);
    if (list.n >= 0) {
        for (int k = 0; k < list.n; k++) out[k] = clamp(list.v[k], IG_DIM_MIN_CONST, IG_DIM_MAX);
        *n = list.n;
        *has = true;
    } else {
        int count;
        *has = ig_infer_ints(c, i, out, IG_MAX_RANK, &count);
        if (*has) *n = count;
    }
    return INGOT_OK;
}

static ig_status same_length(const ig_infer *c, int *n, int other, const char *what)
{
    if (*n >= 0 && other >= 0 && *n != other)
        return ig_fail(c->err, INGOT_ERR_INVALID, "%d starts, but %d %s", *n, other, what);
    if (*n < 0) *n = other;
    return INGOT_OK;
}

static ig_status read_params(const ig_infer *c, int rank, params *p)
{
    ig_ints axes, steps = { .n = -1, .n_known = -1 };
    int n_end = -1;
    IG_TRY(read_positions(c, "starts", 1, p->start, &p->has_start, &p->n));
    IG_TRY(read_positions(c, "ends", 2, p->end, &p->has_end, &n_end));
    IG_TRY(same_length(c, &p->n, n_end, "ends"));
    IG_TRY(ig_infer_list(c, c->opset < 10 ? "axes" : NULL, c->opset < 10 ? -1 : 3, &axes));
    if (c->opset >= 10) IG_TRY(ig_infer_list(c, NULL, 4, &steps));
    IG_TRY(same_length(c, &p->n, axes.n >= 0 ? axes.n : axes.n_known, "axes"));
    IG_TRY(same_length(c, &p->n, steps.n >= 0 ? steps.n : steps.n_known, "steps"));
    if (p->n > rank) return ig_fail(c->err, INGOT_ERR_INVALID, "%d starts for rank %d", p->n, rank);
    p->has_axes = axes.n != -2 && p->n >= 0;
    p->has_steps = steps.n != -2;
    if (axes.n >= 0) IG_TRY(ig_axes(&axes, rank, p->axes, c->err));
    for (int i = 0; i < p->n; i++) {
        if (axes.n == -1) p->axes[i] = i;
        p->step[i] = steps.n >= 0 ? steps.v[i] : 1;
        if (p->step[i] == 0)
            return ig_fail(c->err, INGOT_ERR_INVALID, "step of axis %d is 0", p->axes[i]);
    }
    return INGOT_OK;
}

/* Everything known and constant? Then the slice of a shape. */
static bool resolve_all(const params *p, int rank, const int64_t *dims, slice *s)
{
    if (!p->has_axes || !p->has_start || !p->has_end || !p->has_steps) return false;
    for (int d = 0; d < rank; d++) s->start[d] = 0, s->step[d] = 1, s->len[d] = dims[d];
    for (int i = 0; i < p->n; i++) {
        if (!ig_dim_is_const(p->start[i]) || !ig_dim_is_const(p->end[i])) return false;
        resolve(dims[p->axes[i]], p->start[i], p->end[i], p->step[i], s, p->axes[i]);
    }
    return true;
}

/* Offset and strides of the slice in the dense input; 0 and as they come when it is empty. */
static int64_t slice_strides(const slice *s, int rank, const int64_t *in_dims, int64_t *strides)
{
    int64_t offset = 0;
    ig_row_major(rank, in_dims, strides);
    if (ig_count(rank, s->len) == 0) return 0; /* it may begin behind the last element */
    for (int d = 0; d < rank; d++) {
        offset += s->start[d] * strides[d];
        /* a step that is never taken may be absurdly large */
        strides[d] = s->len[d] > 1 ? strides[d] * s->step[d] : 0;
    }
    return offset;
}

static ig_status infer_elems(ig_infer *c, const slice *s)
{
    const ig_info *in = c->in[0];
    ig_dim elems[IG_MAX_ELEMS], cut[IG_MAX_ELEMS];
    int64_t strides[IG_MAX_RANK], dense[IG_MAX_RANK];
    int n;
    if (!ig_infer_elems(c, 0, elems, &n)) return INGOT_OK;
    const int64_t offset = slice_strides(s, in->rank, in->dims, strides);
    ig_row_major(in->rank, s->len, dense);
    const int64_t count = ig_count(in->rank, s->len);
    ig_copy_box(sizeof(ig_dim), in->rank, s->len, cut, dense, elems + offset, strides);
    return ig_infer_give_elems(c, 0, cut, (int)count);
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    ig_dim dims[IG_MAX_RANK];
    params p;
    slice s;
    if (in->rank < 0) return INGOT_OK;
    IG_TRY(read_params(c, in->rank, &p));
    const bool is_static = ig_info_is_static(in, dims);
    for (int d = 0; d < in->rank; d++) dims[d] = in->dims[d];
    if (is_static && resolve_all(&p, in->rank, in->dims, &s)) {
        ig_info_set_shape(&c->out[0], in->type.dtype, in->rank, s.len);
        return infer_elems(c, &s);
    }
    if (!p.has_axes)
        for (int d = 0; d < in->rank; d++) dims[d] = ig_dim_born(c->dims);
    for (int i = 0; p.has_axes && i < p.n; i++) {
        const int d = p.axes[i];
        if (!p.has_start || !p.has_end || !p.has_steps) {
            dims[d] = ig_dim_born(c->dims);
        } else if (ig_dim_is_const(dims[d]) && ig_dim_is_const(p.start[i]) &&
                   ig_dim_is_const(p.end[i])) {
            resolve(dims[d], p.start[i], p.end[i], p.step[i], &s, d);
            dims[d] = s.len[d];
        } else {
            dims[d] = sliced_dim(c->dims, dims[d], p.start[i], p.end[i], p.step[i]);
        }
    }
    ig_info_set_shape(&c->out[0], in->type.dtype, in->rank, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    ig_tensor *out = c->out[0];
    ig_info infos[5];
    const ig_info *ins[5];
    ig_infer f;
    int64_t strides[IG_MAX_RANK], dense[IG_MAX_RANK];
    params p;
    slice s;
    size_t bytes;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    ig_infer_of_call(c, infos, ins, 5, &f);
    IG_TRY(read_params(&f, in->rank, &p));
    if (!resolve_all(&p, in->rank, in->dims, &s))
        return ig_fail(c->err, INGOT_ERR_INVALID, "starts, ends, axes and steps must be integers");
    const int64_t offset = slice_strides(&s, in->rank, in->dims, strides);
    ig_row_major(out->rank, out->dims, dense);
    ig_copy_box(bytes, out->rank, out->dims, out->data, dense,
                (const char *)in->data + offset * (int64_t)bytes, strides);
    return INGOT_OK;
}

/* Is the slice one run of memory? Only the last sliced axis may keep more than one index. */
static bool is_contiguous(const slice *s, int rank, const int64_t *dims)
{
    int last = -1;
    for (int d = 0; d < rank; d++)
        if (s->len[d] != dims[d] || s->step[d] != 1) last = d;
    for (int d = 0; d < last; d++)
        if (s->len[d] != 1) return false;
    return last < 0 || s->step[last] == 1 || s->len[last] == 1;
}

static ig_status lower(ig_lower *l)
{
    const ig_info *in = l->in[0];
    ig_infer f = {
        .node = l->node, .opset = l->opset, .n_in = l->n_in, .in = l->in, .err = l->err
    };
    ig_move_item item = { .src = 0, .dst = l->n_in };
    int64_t dims[IG_MAX_RANK];
    params p;
    slice s;
    const size_t bytes = ig_move_elem_bytes(in->type.dtype);
    IG_TRY(read_params(&f, in->rank, &p));
    if (bytes == 0 || !ig_info_is_static(in, dims) || !resolve_all(&p, in->rank, dims, &s))
        return INGOT_OK;
    item.shape.rank = in->rank;
    item.shape.elem_bytes = bytes;
    item.shape.src_offset = slice_strides(&s, in->rank, dims, item.shape.src_strides);
    ig_row_major(in->rank, s.len, item.shape.dst_strides);
    for (int d = 0; d < in->rank; d++) item.shape.dims[d] = s.len[d];
    if (ig_count(in->rank, s.len) > 0 && is_contiguous(&s, in->rank, dims)) {
        return ig_lower_view_at(l, (size_t)item.shape.src_offset * bytes);
    }
    return ig_lower_moves(l, &item, 1);
}

/* Same shape means same contents, unless a step reverses. */
static bool is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    ig_infer f = { .node = node, .opset = node->opset, .n_in = (int)node->n_inputs, .in = in };
    params p;
    if (!ig_same_shape(node, in, out) || read_params(&f, in[0]->rank, &p) != INGOT_OK) return false;
    if (!p.has_steps) return false;
    for (int i = 0; i < p.n; i++)
        if (p.step[i] < 0) return false;
    return true;
}

static bool permute(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    int64_t v[IG_MAX_RANK];
    int n = 0, axis;
    if (node->opset < 10) {
        size_t count;
        const int64_t *axes = ig_attr_ints(node, "axes", &count);
        if (!axes) (void)ig_attr_ints(node, "starts", &count);
        if (count > IG_MAX_RANK) return false;
        n = (int)count;
        for (int i = 0; i < n; i++) v[i] = axes ? axes[i] : i;
    } else if (node->n_inputs > 3 && node->inputs[3] != IG_NONE) {
        if (!ig_node_ints(g, node, 3, v, IG_MAX_RANK, &n)) return false;
    } else {
        const ig_info *starts = &g->values[node->inputs[1]]->info;
        if (starts->rank != 1 || !ig_dim_is_const(starts->dims[0]) || starts->dims[0] > rank)
            return false;
        n = (int)starts->dims[0];
        for (int i = 0; i < n; i++) v[i] = i;
    }
    for (int i = 0; i < n; i++) {
        if (ig_axis(v[i], rank, &axis, NULL) != INGOT_OK) return false;
        v[i] = ig_renamed_axis(perm, rank, axis);
    }
    return node->opset < 10 ? ig_node_set_ints(g, node, "axes", v, (size_t)n)
                            : ig_set_ints_input(g, node, 3, v, n);
}

static const char *const cases[] = {
    "f32[20,10,5] i64{0,0} i64{3,10} i64{0,1} i64{1,1}",
    "f32[20,10,5] c:i64{0,0,3} c:i64{20,10,4}",
    "f32[20,10,5] i64{1} i64{1000} i64{1} i64{1}",
    "f32[20,10,5] i64{0} i64{-1} i64{1} i64{1}",
    "f32[20,10,5] i64{1000} i64{1000} i64{1} i64{1}",
    "f32[5]{1,2,3,4,5} i64{-1} i64{-1000} i64{0} i64{-1} = f32[5]{5,4,3,2,1}",
    "f32[5]{1,2,3,4,5} i64{-10} i64{-9223372036854775808} i64{0} i64{-1} = f32[1]{1}",
    "f32[5]{1,2,3,4,5} i64{3} i64{0} i64{0} i64{-2} = f32[2]{4,2}",
    "f32[20,10,5] i64{20,10,4} i64{0,0,1} i64{0,1,2} i64{-1,-3,-2}",
    "f32[5]{1,2,3,4,5} i64{1} i64{9223372036854775807} _ i64{3} = f32[2]{2,5}",
    "f32[4]{1,2,3,4} i64{0} i64{4} i64{0} i64{9223372036854775807} = f32[1]{1}",
    "f32[4] i32{1} i32{2147483647}",
    "f32[4] i32{3} i32{-2147483648} i32{-1} i32{-1}",
    "f32[1,4,3] c:i64{1} c:i64{3} c:i64{1}",
    "f32[4,3] c:i64{1,1} c:i64{2,3}",
    "f32[4,3] i64{} i64{}",
    "f32[0,3] i64{0} i64{5} i64{0} i64{-1}",
    "f32[4,3] @1 starts=[1,0] ends=[-1,2]",
    "f32[4,3] @1 starts=[1] ends=[1000] axes=[1]",
    "f16[4,3] i64{1} i64{3}",
    "i64[4] i64{1} i64{3}",
    "str[3]{\"a\",\"b\",\"c\"} i64{2} i64{0} i64{0} i64{-1} = str[2]{\"c\",\"b\"}",
    "f32[4] i64{0} i64{4} i64{0} i64{0} ! step of axis 0 is 0",
    "f32[4] i64{0} i64{4} i64{1} ! axis 1 is out of range for rank 1",
    "f32[4] i64{0,0} i64{4} ! 2 starts, but 1 ends",
    "f32[4,4] i64{0,0} i64{4,4} i64{0,-2} ! given twice",
    NULL,
};

const ig_op ig_op_slice = {
    .onnx = "Slice",
    .since = { 1, 10, 11, 13 },
    .n_in = { 1, 5 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .is_identity = is_identity,
    .permute = permute,
    .cases = cases,
};
