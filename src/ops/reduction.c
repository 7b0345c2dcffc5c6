/* SPDX-License-Identifier: Apache-2.0 */
/* reduction.c: axes, shapes, reference and lowering of the Reduce… operators. */
#include "ops/reduction.h"

#include <string.h>

#include "ops/strided.h"

/* Axes as bits. n_axes -1: not known yet (a run-time input). */
static ig_status read_axes(const ig_node *node, const ig_info *axes_info, bool has_axes_input,
                           int rank, uint64_t *axes, bool *is_known, ig_error *err)
{
    int64_t list[IG_MAX_RANK] = { 0 };
    size_t n_attr = 0;
    int n = 0;
    const int64_t *attr = ig_attr_ints(node, "axes", &n_attr);
    *is_known = true;
    *axes = 0;
    if (has_axes_input) {
        if (!ig_info_ints(axes_info, list, IG_MAX_RANK, &n)) {
            *is_known = false;
            return INGOT_OK;
        }
    } else if (attr) {
        if (n_attr > IG_MAX_RANK)
            return ig_fail(err, INGOT_ERR_INVALID, "%zu axes for rank %d", n_attr, rank);
        n = (int)n_attr;
        memcpy(list, attr, n_attr * sizeof *attr);
    }
    for (int i = 0; i < n; i++) {
        int axis = 0;
        IG_TRY(ig_axis(list[i], rank, &axis, err));
        *axes |= (uint64_t)1 << axis;
    }
    if (n == 0 && !ig_attr_int(node, "noop_with_empty_axes", 0)) *axes = ((uint64_t)1 << rank) - 1;
    return INGOT_OK;
}

static bool has_axes_input(const ig_node *node)
{
    return node->n_inputs > 1 && node->inputs[1] != IG_NONE;
}

static ig_status carry_elems(ig_infer *c, ig_dim (*combine)(ig_dims *t, ig_dim a, ig_dim b))
{
    ig_dim elems[IG_MAX_ELEMS];
    int n = 0;
    if (!combine || c->in[0]->rank != 1 || !ig_infer_elems(c, 0, elems, &n) || n == 0)
        return INGOT_OK;
    for (int i = 1; i < n; i++) elems[0] = combine(c->dims, elems[0], elems[i]);
    return ig_infer_set_elems(c, 0, elems, 1);
}

ig_status ig_infer_reduction(ig_infer *c, ig_dim (*combine)(ig_dims *t, ig_dim a, ig_dim b))
{
    const ig_info *x = c->in[0];
    const bool keep = ig_attr_int(c->node, "keepdims", 1) != 0;
    ig_dim dims[IG_MAX_RANK];
    uint64_t axes = 0;
    bool is_known = false;
    int rank = 0;
    if (x->rank < 0) return INGOT_OK;
    const bool from_input = c->n_in > 1 && c->in[1];
    IG_TRY(read_axes(c->node, from_input ? c->in[1] : NULL, from_input, x->rank, &axes, &is_known,
                     c->err));
    if (!is_known && !keep) return INGOT_OK;
    for (int d = 0; d < x->rank; d++) {
        if (!is_known)
            dims[rank++] = x->dims[d] == 1 ? 1 : ig_dim_born(c->dims);
        else if (!(axes >> d & 1))
            dims[rank++] = x->dims[d];
        else if (keep)
            dims[rank++] = 1;
    }
    ig_info_set_shape(&c->out[0], x->type.dtype, rank, dims);
    return axes == 1 ? carry_elems(c, combine) : INGOT_OK;
}

/* ---- reference ---- */

/* Element strides of the kept dimensions in the dense output. */
static void out_strides(const ig_tensor *x, uint64_t axes, int64_t strides[IG_MAX_RANK])
{
    int64_t step = 1;
    for (int d = x->rank - 1; d >= 0; d--) {
        strides[d] = axes >> d & 1 ? 0 : step;
        if (!(axes >> d & 1)) step *= x->dims[d];
    }
}

/* uint64 in the order of int64. */
static int64_t flipped(ingot_dtype dtype, bool is_extreme, int64_t x)
{
    return is_extreme && dtype == INGOT_UINT64 ? x ^ INT64_MIN : x;
}

static int64_t prepared(ingot_dtype dtype, const ig_reduction *r, int64_t x)
{
    if (r->is_magnitude && dtype != INGOT_UINT64 && x < 0) return (int64_t)(0 - (uint64_t)x);
    return flipped(dtype, r->is_extreme, x);
}

/* The nearest value of an integer type below 64 bits. */
static int64_t within(ingot_dtype dtype, int64_t x)
{
    const int bits = dtype == INGOT_BOOL ? 1 : ingot_dtype_bits(dtype);
    const bool is_signed = IG_T(dtype) & (IG_T(INGOT_INT8) | IG_T(INGOT_INT16) | IG_T(INGOT_INT32));
    if (bits == 64) return x;
    const int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    const int64_t high = low + ((int64_t)1 << bits) - 1;
    return x < low ? low : x > high ? high : x;
}

/* The mean of n integers, of which each adds its n-th part: the sum might not fit. |rest| < n. */
typedef struct mean {
    int64_t whole, rest;
} mean;

static void add_part(mean *m, ingot_dtype dtype, int64_t x, int64_t n)
{
    const bool is_wide = dtype == INGOT_UINT64; /* the others are in int64 what they are */
    uint64_t whole = (uint64_t)m->whole;
    whole += is_wide ? (uint64_t)x / (uint64_t)n : (uint64_t)(x / n);
    m->rest += is_wide ? (int64_t)((uint64_t)x % (uint64_t)n) : x % n;
    if (m->rest >= n) whole++, m->rest -= n;
    if (m->rest <= -n) whole--, m->rest += n;
    m->whole = (int64_t)whole;
}

static int64_t mean_of(const mean *m, ingot_dtype dtype)
{
    if (dtype == INGOT_UINT64) return m->whole;
    if (m->whole > 0 && m->rest < 0) return m->whole - 1;
    return m->whole < 0 && m->rest > 0 ? m->whole + 1 : m->whole;
}

/* Results so far: one of them is there, [outputs] long. */
typedef struct folds {
    double *real;
    int64_t *whole;
    mean *means;
} folds;

static void fold_all(const ig_tensor *x, uint64_t axes, const ig_reduction *r, int64_t n_each,
                     const folds *f)
{
    int64_t strides[IG_MAX_RANK], index[IG_MAX_RANK] = { 0 }, at = 0;
    const int64_t n = ig_tensor_count(x);
    out_strides(x, axes, strides);
    for (int64_t i = 0; i < n; i++) {
        if (f->means)
            add_part(&f->means[at], x->dtype, ig_get_i64(x->dtype, x->data, i), n_each);
        else if (f->whole)
            f->whole[at] =
                r->i64_step(f->whole[at], prepared(x->dtype, r, ig_get_i64(x->dtype, x->data, i)));
        else
            f->real[at] = r->step(f->real[at], ig_get_f64(x->dtype, x->data, i));
        for (int d = x->rank - 1; d >= 0; d--) {
            at += strides[d];
            if (++index[d] < x->dims[d]) break;
            at -= strides[d] * x->dims[d];
            index[d] = 0;
        }
    }
}

static ig_status begin(ig_call *c, const ig_reduction *r, int64_t n_out, folds *f)
{
    const bool is_int = IG_T(c->in[0]->dtype) & (IG_T_INTS | IG_T_BOOL);
    const size_t n = (size_t)n_out + 1;
    *f = (folds){ 0 };
    if (is_int && r->is_mean)
        f->means = ig_arena_array(c->scratch, n, sizeof *f->means);
    else if (is_int && r->i64_step)
        f->whole = ig_arena_array(c->scratch, n, sizeof *f->whole);
    else
        f->real = ig_arena_array(c->scratch, n, sizeof *f->real);
    if (!f->means && !f->whole && !f->real) return IG_NOMEM(c->err, n * sizeof *f->means);
    for (int64_t i = 0; i < n_out; i++) {
        if (f->real) f->real[i] = r->init;
        if (f->whole) f->whole[i] = r->i64_init;
    }
    return INGOT_OK;
}

ig_status ig_ref_reduction(ig_call *c, const ig_reduction *r)
{
    const ig_tensor *x = c->in[0];
    const ig_tensor *axes_tensor = c->n_in > 1 ? c->in[1] : NULL;
    const ig_info axes_info = { .data = axes_tensor };
    uint64_t axes = 0;
    bool is_known = false;
    IG_TRY(read_axes(c->node, &axes_info, axes_tensor != NULL, x->rank, &axes, &is_known, c->err));
    if (!is_known)
        return ig_fail(c->err, INGOT_ERR_INVALID, "axes is no list of at most %d integers",
                       IG_MAX_RANK);
    ig_tensor *y = c->out[0];
    const int64_t n_out = ig_tensor_count(y), n_in = ig_tensor_count(x);
    const int64_t n = n_out ? n_in / n_out : 0;
    folds f;
    IG_TRY(begin(c, r, n_out, &f));
    fold_all(x, axes, r, n, &f);
    for (int64_t i = 0; i < n_out; i++) {
        if (f.means)
            ig_set_i64(y->dtype, y->data, i, mean_of(&f.means[i], y->dtype));
        else if (f.whole && r->is_extreme)
            ig_set_i64(y->dtype, y->data, i, within(y->dtype, flipped(y->dtype, true, f.whole[i])));
        else if (f.whole)
            ig_set_i64(y->dtype, y->data, i, f.whole[i]);
        else
            ig_set_f64(y->dtype, y->data, i, r->finish ? r->finish(f.real[i], n) : f.real[i]);
    }
    return INGOT_OK;
}

/* ---- lowering ---- */

ig_status ig_lower_reduction(ig_lower *l, ig_reduce_op op)
{
    const ig_info *x = l->in[0];
    ig_reduce_shape s;
    uint64_t axes = 0;
    int64_t dims[IG_MAX_RANK];
    bool is_known = false;
    const bool from_input = l->n_in > 1 && l->in[1];
    if (x->type.dtype != INGOT_FLOAT || !ig_info_is_static(x, dims) || x->rank == 0)
        return INGOT_OK;
    IG_TRY(read_axes(l->node, from_input ? l->in[1] : NULL, from_input, x->rank, &axes, &is_known,
                     l->err));
    if (!is_known) return INGOT_OK;
    ig_reduce_shape_init(&s, op, x->rank, dims, axes);
    ig_reduce_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_reduce_plan(&s, l->isa, p, &l->kernel, l->err));
    l->kernel_name =
        ig_arena_printf(l->arena, "ig_k_%s_f32__%s", l->node->op_type, ig_isa_name(l->isa));
    l->params = p;
    l->n_operand_in = 1;
    l->n_work = p->n_work;
    l->grain = p->grain;
    return INGOT_OK;
}

bool ig_permute_reduction(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    int64_t moved[IG_MAX_RANK];
    uint64_t axes = 0;
    bool is_known = false;
    size_t n = 0;
    if (!ig_attr_int(node, "keepdims", 1)) return false;
    const ig_info *axes_info = has_axes_input(node) ? &g->values[node->inputs[1]]->info : NULL;
    if (read_axes(node, axes_info, axes_info != NULL, rank, &axes, &is_known, NULL) || !is_known)
        return false;
    if (axes == ((uint64_t)1 << rank) - 1 || axes == 0) return true;
    for (int d = 0; d < rank; d++)
        if (axes >> perm[d] & 1) moved[n++] = d;
    if (axes_info) {
        const int64_t count = (int64_t)n;
        ig_tensor *t = NULL;
        if (ig_tensor_in_arena(g->arena, INGOT_INT64, 1, &count, NULL, &t, NULL)) return false;
        memcpy(t->data, moved, n * sizeof *moved);
        const uint32_t v = ig_graph_add_constant(g, "", t);
        return v != IG_NONE && ig_node_set_input(g, node, 1, v);
    }
    return ig_node_set_ints(g, node, "axes", moved, n);
}
