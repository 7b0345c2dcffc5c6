/* SPDX-License-Identifier: Apache-2.0 */
/* strided.c: see strided.h. */
#include "ops/strided.h"

#include <string.h>

void ig_row_major(int rank, const int64_t *dims, int64_t *strides)
{
    int64_t step = 1;
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = step;
        step *= dims[d] > 0 ? dims[d] : 1;
    }
}

/* A row of n elements with strides sd and ss. */
static void copy_row(size_t elem_bytes, int64_t n, char *dst, int64_t sd, const char *src,
                     int64_t ss)
{
    if (sd == 1 && ss == 1) {
        memcpy(dst, src, (size_t)n * elem_bytes);
        return;
    }
#define ROW(T)                                                                                     \
    {                                                                                              \
        T *d = (T *)(void *)dst;                                                                   \
        const T *s = (const T *)(const void *)src;                                                 \
        for (int64_t i = 0; i < n; i++) d[i * sd] = s[i * ss];                                     \
        return;                                                                                    \
    }
    switch (elem_bytes) {
    case 1: ROW(uint8_t)
    case 2: ROW(uint16_t)
    case 4: ROW(uint32_t)
    case 8: ROW(uint64_t)
    default: break;
    }
#undef ROW
    const int64_t bytes = (int64_t)elem_bytes;
    for (int64_t i = 0; i < n; i++) memcpy(dst + i * sd * bytes, src + i * ss * bytes, elem_bytes);
}

void ig_copy_box(size_t elem_bytes, int rank, const int64_t *dims, void *dst,
                 const int64_t *dst_strides, const void *src, const int64_t *src_strides)
{
    int64_t n[IG_COPY_MAX_RANK + 1], sd[IG_COPY_MAX_RANK + 1], ss[IG_COPY_MAX_RANK + 1];
    int r = 0;
    for (int d = 0; d < rank; d++) {
        if (dims[d] == 0) return;
        if (dims[d] == 1) continue;
        const bool merges =
            r > 0 && sd[r - 1] == dst_strides[d] * dims[d] && ss[r - 1] == src_strides[d] * dims[d];
        if (merges) {
            n[r - 1] *= dims[d];
            sd[r - 1] = dst_strides[d];
            ss[r - 1] = src_strides[d];
        } else {
            n[r] = dims[d];
            sd[r] = dst_strides[d];
            ss[r++] = src_strides[d];
        }
    }
    if (r == 0) {
        memcpy(dst, src, elem_bytes);
        return;
    }
    const int64_t bytes = (int64_t)elem_bytes;
    int64_t index[IG_COPY_MAX_RANK + 1] = { 0 };
    char *to = dst;
    const char *from = src;
    for (;;) {
        copy_row(elem_bytes, n[r - 1], to, sd[r - 1], from, ss[r - 1]);
        int d = r - 2;
        for (; d >= 0; d--) {
            to += sd[d] * bytes;
            from += ss[d] * bytes;
            if (++index[d] < n[d]) break;
            to -= sd[d] * bytes * n[d];
            from -= ss[d] * bytes * n[d];
            index[d] = 0;
        }
        if (d < 0) return;
    }
}

void ig_fill(size_t elem_bytes, void *dst, int64_t n, const void *value)
{
    char *p = dst;
    if (n <= 0) return;
    if (elem_bytes == 1) {
        memset(p, *(const uint8_t *)value, (size_t)n);
        return;
    }
    /* double what is there: few, long copies */
    size_t have = elem_bytes, all = (size_t)n * elem_bytes;
    memcpy(p, value, elem_bytes);
    while (have < all) {
        const size_t more = have < all - have ? have : all - have;
        memcpy(p + have, p, more);
        have += more;
    }
}

ig_status ig_movable_bytes(ingot_dtype dtype, size_t *out, ig_error *err)
{
    *out = dtype == INGOT_STRING ? sizeof(ingot_string) : ig_dtype_size(dtype);
    if (*out == 0 || *out > 16)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",
                       ingot_dtype_name(dtype));
    return INGOT_OK;
}

ig_status ig_ref_copy(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    size_t bytes;
    if (!ig_tensor_bytes(c->in[0], &bytes))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "size of input 0 overflows");
    if (bytes > 0 && c->out[0]->data != c->in[0]->data)
        memcpy(c->out[0]->data, c->in[0]->data, bytes);
    return INGOT_OK;
}

ig_status ig_lower_view(ig_lower *l)
{
    l->is_view = true;
    l->view_offset_bytes = NULL;
    return INGOT_OK;
}

ig_status ig_lower_view_at(ig_lower *l, size_t offset_bytes)
{
    size_t *offset = ig_arena_array(l->arena, 1, sizeof *offset);
    if (!offset) return IG_NOMEM(l->err, sizeof *offset);
    *offset = offset_bytes;
    l->is_view = true;
    l->view_offset_bytes = offset;
    return INGOT_OK;
}

ig_status ig_piece_offsets(ig_lower *l, int axis, const ig_info *whole,
                           const ig_info *const *pieces, int n, const size_t **offsets)
{
    const size_t elem_bytes = ig_dtype_size(whole->type.dtype);
    size_t at = 0, bytes;
    *offsets = NULL;
    for (int d = 0; d < axis; d++)
        if (whole->dims[d] != 1) return INGOT_OK;
    if (elem_bytes == 0) return INGOT_OK; /* strings, types below a byte */
    size_t *begin = ig_arena_array(l->arena, (size_t)n, sizeof *begin);
    if (!begin) return IG_NOMEM(l->err, (size_t)n * sizeof *begin);
    for (int i = 0; i < n; i++) {
        if (!pieces[i] || pieces[i]->rank != whole->rank ||
            !ig_dtype_bytes(whole->type.dtype, ig_count(whole->rank, pieces[i]->dims), &bytes))
            return INGOT_OK;
        begin[i] = at;
        at += bytes;
    }
    *offsets = begin;
    return INGOT_OK;
}

bool ig_same_shape(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    (void)node;
    if (!in[0] || in[0]->rank < 0 || in[0]->rank != out->rank) return false;
    for (int d = 0; d < out->rank; d++)
        if (in[0]->dims[d] != out->dims[d]) return false;
    return true;
}

static bool is_index_type(ingot_dtype dtype)
{
    return dtype == INGOT_INT64 || dtype == INGOT_INT32;
}

bool ig_infer_elems(const ig_infer *c, int i, ig_dim *out, int *n)
{
    if (i >= c->n_in || !c->in[i] || !is_index_type(c->in[i]->type.dtype)) return false;
    if (!ig_infer_ints(c, i, out, IG_MAX_ELEMS, n)) return false;
    for (int k = 0; k < *n; k++)
        if (out[k] == IG_DIM_MAX || out[k] == IG_DIM_MIN_CONST) return false;
    return true;
}

ig_status ig_infer_give_elems(ig_infer *c, int i, const ig_dim *elems, int n)
{
    int64_t dims[IG_MAX_RANK];
    if (!is_index_type(c->out[i].type.dtype) || !ig_info_is_static(&c->out[i], dims))
        return INGOT_OK;
    if (n > IG_MAX_ELEMS || ig_count(c->out[i].rank, dims) != n) return INGOT_OK;
    return ig_infer_set_elems(c, i, elems, n);
}

ig_status ig_infer_keep_elems(ig_infer *c)
{
    ig_dim elems[IG_MAX_ELEMS];
    int n;
    if (!ig_infer_elems(c, 0, elems, &n)) return INGOT_OK;
    return ig_infer_give_elems(c, 0, elems, n);
}

static ig_status list_from_attr(const ig_node *node, const char *attr, ig_ints *out, ig_error *err)
{
    size_t n;
    const int64_t *v = attr ? ig_attr_ints(node, attr, &n) : NULL;
    if (!v && !(attr && ig_node_attr(node, attr))) return INGOT_OK;
    if (!v) n = 0;
    if (n > IG_COUNT(out->v))
        return ig_fail(err, INGOT_ERR_INVALID, "attribute %s has %zu entries, at most %zu", attr, n,
                       IG_COUNT(out->v));
    out->n = (int)n;
    if (n) memcpy(out->v, v, n * sizeof *v);
    return INGOT_OK;
}

static ig_status too_long(int i, ig_error *err)
{
    return ig_fail(err, INGOT_ERR_INVALID,
                   "input %d must hold at most %d integers, one for each dimension", i,
                   2 * IG_MAX_RANK);
}

ig_status ig_infer_list(const ig_infer *c, const char *attr, int i_in, ig_ints *out)
{
    out->n = out->n_known = -1;
    IG_TRY(list_from_attr(c->node, attr, out, c->err));
    if (out->n >= 0 || i_in < 0 || i_in >= c->n_in || !c->in[i_in]) return INGOT_OK;
    const ig_info *info = c->in[i_in];
    IG_TRY(ig_infer_is_int(c, i_in, attr ? attr : "axes, steps and the like"));
    if (info->rank > 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d must have rank 1, not %d", i_in,
                       info->rank);
    if (info->rank == 0) out->n_known = 1;
    if (info->rank == 1 && ig_dim_is_const(info->dims[0])) {
        if (info->dims[0] > (int64_t)IG_COUNT(out->v)) return too_long(i_in, c->err);
        out->n_known = (int)info->dims[0];
    }
    if (info->data ? ig_tensor_ints(info->data, out->v, IG_COUNT(out->v), &out->n)
                   : ig_info_ints(info, out->v, IG_COUNT(out->v), &out->n)) {
        out->n_known = out->n;
        return INGOT_OK;
    }
    out->n = -2;
    return INGOT_OK;
}

ig_status ig_infer_tensors(const ig_infer *c, int n)
{
    for (int i = 0; i < c->n_in || i < n; i++) {
        const ig_info *in = i < c->n_in ? c->in[i] : NULL;
        if (!in && i < n) return ig_fail(c->err, INGOT_ERR_INVALID, "input %d is missing", i);
        if (in && in->type.kind != INGOT_KIND_TENSOR)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d is not a tensor", i);
    }
    return INGOT_OK;
}

ig_status ig_infer_is_int(const ig_infer *c, int i, const char *what)
{
    const ig_info *in = i < c->n_in ? c->in[i] : NULL;
    if (!in || in->type.dtype == INGOT_UNDEFINED || (IG_T(in->type.dtype) & IG_T_INTS))
        return INGOT_OK;
    return ig_fail(c->err, INGOT_ERR_SHAPE, "%s must be integers, not %s", what,
                   ingot_dtype_name(in->type.dtype));
}

ig_status ig_call_ready(const ig_call *c)
{
    for (int i = 0; i < c->n_out; i++)
        if (c->out[i] && !c->out[i]->data && ig_tensor_count(c->out[i]) != 0)
            return ig_fail(c->err, INGOT_ERR_SHAPE,
                           "the shape of output %d cannot be found out from these inputs", i);
    return INGOT_OK;
}

void ig_infer_of_call(const ig_call *c, ig_info *infos, const ig_info **ins, int max, ig_infer *out)
{
    const int n = c->n_in < max ? c->n_in : max;
    for (int i = 0; i < n; i++) {
        const ig_tensor *t = c->in[i];
        ins[i] = t ? &infos[i] : NULL;
        if (!t) continue;
        infos[i] = (ig_info){ .type = { .kind = t->kind, .dtype = t->dtype }, .rank = t->rank };
        for (int d = 0; d < t->rank; d++) infos[i].dims[d] = t->dims[d];
        infos[i].data = t;
    }
    *out = (ig_infer){ .node = c->node,
                       .opset = c->opset,
                       .n_in = n,
                       .n_out = c->n_out,
                       .in = ins,
                       .arena = c->scratch,
                       .err = c->err };
}

ig_status ig_axes(const ig_ints *list, int rank, int *axes, ig_error *err)
{
    unsigned seen = 0;
    if (list->n > rank)
        return ig_fail(err, INGOT_ERR_INVALID, "%d axes for rank %d", list->n, rank);
    for (int i = 0; i < list->n; i++) {
        IG_TRY(ig_axis(list->v[i], rank, &axes[i], err));
        if (seen & 1u << axes[i])
            return ig_fail(err, INGOT_ERR_INVALID, "axis %d is given twice", axes[i]);
        seen |= 1u << axes[i];
    }
    return INGOT_OK;
}

ig_status ig_infer_scalar(const ig_infer *c, int i, int64_t fallback, bool *known, int64_t *out)
{
    *known = true;
    *out = fallback;
    if (i >= c->n_in || !c->in[i]) return INGOT_OK;
    const ig_info *info = c->in[i];
    int64_t dims[IG_MAX_RANK];
    if (info->type.dtype == INGOT_STRING)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d must be a number", i);
    if (ig_info_is_static(info, dims) && ig_count(info->rank, dims) != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d must hold one element", i);
    if (info->data) {
        *out = ig_get_i64(info->data->dtype, info->data->data, 0);
        return INGOT_OK;
    }
    int n;
    *known = ig_info_ints(info, out, 1, &n) && n == 1;
    return INGOT_OK;
}

ig_status ig_call_scalar(const ig_call *c, int i, int64_t fallback, int64_t *out)
{
    *out = fallback;
    if (i >= c->n_in || !c->in[i]) return INGOT_OK;
    if (ig_tensor_count(c->in[i]) != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d must hold one element", i);
    *out = ig_get_i64(c->in[i]->dtype, c->in[i]->data, 0);
    return INGOT_OK;
}

ig_status ig_dim_broadcast(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out, ig_error *err)
{
    if (a == b || b == 1)
        *out = a;
    else if (a == 1)
        *out = b;
    else if (ig_dim_is_const(a) && ig_dim_is_const(b))
        return ig_fail(err, INGOT_ERR_SHAPE, "dimensions %lld and %lld cannot be broadcast",
                       (long long)a, (long long)b);
    else if (ig_dim_is_const(a) || ig_dim_is_const(b))
        *out = ig_dim_is_const(a) ? a : b; /* the other one is equal, or 1 */
    else
        *out = ig_dim_max(t, a, b);
    return INGOT_OK;
}

ig_status ig_dim_unify(ig_dim a, ig_dim b, const char *what, ig_dim *out, ig_error *err)
{
    *out = ig_dim_is_const(a) ? a : ig_dim_is_const(b) ? b : a;
    if (a != b && ig_dim_is_const(a) && ig_dim_is_const(b))
        return ig_fail(err, INGOT_ERR_SHAPE, "%s: %lld and %lld differ", what, (long long)a,
                       (long long)b);
    return INGOT_OK;
}

void ig_run_rows(ig_team *team, ig_team_fn fn, void *ctx, int64_t n, size_t row_bytes)
{
    const int64_t grain = 65536 / (int64_t)(row_bytes > 65536 ? 65536 : row_bytes + 1);
    ig_team_run(team, fn, ctx, n, grain > 0 ? grain : 1);
}

int ig_renamed_axis(const int *perm, int rank, int axis)
{
    for (int d = 0; d < rank; d++)
        if (perm[d] == axis) return d;
    return axis;
}

bool ig_permute_axis(ig_graph *g, ig_node *node, const int *perm, int rank, int64_t fallback)
{
    int axis;
    if (ig_axis(ig_attr_int(node, "axis", fallback), rank, &axis, NULL) != INGOT_OK) return false;
    return ig_node_set_int(g, node, "axis", ig_renamed_axis(perm, rank, axis));
}

bool ig_set_ints_input(ig_graph *g, ig_node *node, int i, const int64_t *v, int n)
{
    const int64_t dims[1] = { n };
    int64_t *copy = ig_arena_copy(g->arena, v, (size_t)n * sizeof *v);
    ig_tensor *t;
    if (!copy || ig_tensor_in_arena(g->arena, INGOT_INT64, 1, dims, copy, &t, NULL) != INGOT_OK)
        return false;
    const uint32_t id = ig_graph_add_constant(g, NULL, t);
    return id != IG_NONE && ig_node_set_input(g, node, (uint32_t)i, id);
}

bool ig_node_ints(const ig_graph *g, const ig_node *node, int i, int64_t *out, int max, int *n)
{
    if ((uint32_t)i >= node->n_inputs || node->inputs[i] == IG_NONE) return false;
    const ig_value *v = g->values[node->inputs[i]];
    return v->info.data && ig_tensor_ints(v->info.data, out, max, n);
}

static uint64_t float_key(double x)
{
    if (x != x) return UINT64_MAX;
    if (x == 0) x = 0; /* -0 too */
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

bool ig_sort_keys(ingot_dtype dtype, const void *data, int64_t first, int64_t step, int64_t n,
                  uint64_t *keys)
{
    switch ((int)dtype) {
    case INGOT_FLOAT: {
        const float *x = data;
        for (int64_t i = 0; i < n; i++) keys[i] = float_key((double)x[first + i * step]);
        return true;
    }
    case INGOT_UINT64: {
        const uint64_t *x = data;
        for (int64_t i = 0; i < n; i++) keys[i] = x[first + i * step];
        return true;
    }
    case INGOT_DOUBLE:
    case INGOT_FLOAT16:
    case INGOT_BFLOAT16:
        for (int64_t i = 0; i < n; i++)
            keys[i] = float_key(ig_get_f64(dtype, data, first + i * step));
        return true;
    case INGOT_BOOL:
    case INGOT_INT8:
    case INGOT_INT16:
    case INGOT_INT32:
    case INGOT_INT64:
    case INGOT_UINT8:
    case INGOT_UINT16:
    case INGOT_UINT32:
        for (int64_t i = 0; i < n; i++)
            keys[i] = (uint64_t)ig_get_i64(dtype, data, first + i * step) ^ (uint64_t)1 << 63;
        return true;
    default: return false;
    }
}
