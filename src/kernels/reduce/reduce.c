/* SPDX-License-Identifier: Apache-2.0 */
/* reduce.c: planning: shapes checked and merged, work cut up, kernels chosen. */
#include "kernels/reduce/reduce.h"

#include <string.h>

#include "kernels/isa_table.h"

#define MIN_GRAIN_ELEMS 16384 /* less is not worth a second thread */
#define MAX_COLUMNS 512       /* IG_MAX_COLUMNS of the kernels */
#define COLUMN_STEP 32        /* columns of an item are a multiple: whole vectors everywhere */
#define GROUP_COLUMNS 64      /* channels that a work item of a group norm aims at */

#define IG_REDUCE_KERNEL(name)                                                                     \
    IG_ISA_DECLARE(void, ig_k_##name##_f32, (const void *, void *const *, ig_part))                \
    static const ig_kernel_fn name##_kernels[IG_N_ISAS] = IG_ISA_TABLE(ig_k_##name##_f32);
#include "kernels/reduce/kernels.inc"

static int64_t grain_for(int64_t elems_per_item)
{
    if (elems_per_item >= MIN_GRAIN_ELEMS) return 1;
    return elems_per_item < 1 ? MIN_GRAIN_ELEMS
                              : (MIN_GRAIN_ELEMS + elems_per_item - 1) / elems_per_item;
}

/* ---- reductions ---- */

void ig_reduce_shape_init(ig_reduce_shape *shape, ig_reduce_op op, int rank, const int64_t *dims,
                          uint64_t axes)
{
    *shape = (ig_reduce_shape){ .op = op, .rank = rank };
    uint64_t stride = 1; /* may wrap: ig_reduce_plan refuses such dimensions */
    for (int d = rank < INGOT_MAX_RANK ? rank - 1 : INGOT_MAX_RANK - 1; d >= 0; d--) {
        shape->dims[d] = dims[d];
        shape->strides[d] = (int64_t)stride;
        shape->is_reduced[d] = axes >> d & 1;
        stride *= (uint64_t)dims[d];
    }
}

static ig_status check_reduce(const ig_reduce_shape *s, ig_error *err)
{
    if (s->rank < 0 || s->rank > INGOT_MAX_RANK)
        return ig_fail(err, INGOT_ERR_SHAPE, "reduction of rank %d is not supported", s->rank);
    int64_t n = 4;
    for (int d = 0; d < s->rank; d++) {
        if (s->dims[d] < 0)
            return ig_fail(err, INGOT_ERR_SHAPE, "reduction: dimension %d is negative", d);
        if (__builtin_mul_overflow(n, s->dims[d] ? s->dims[d] : 1, &n))
            return ig_fail(err, INGOT_ERR_SHAPE, "reduction: too many elements");
    }
    if ((unsigned)s->op >= IG_N_REDUCE_OPS)
        return ig_fail(err, INGOT_ERR_INTERNAL, "reduction: no such operation (%d)", (int)s->op);
    return INGOT_OK;
}

/* Drop dimensions of 1, join neighbours of one kind that lie one after another. */
static int merge(const ig_reduce_shape *s, ig_reduce_shape *m)
{
    int n = 0;
    for (int d = 0; d < s->rank; d++) {
        if (s->dims[d] == 1) continue;
        if (n > 0 && m->is_reduced[n - 1] == s->is_reduced[d] &&
            m->strides[n - 1] == s->strides[d] * s->dims[d]) {
            m->dims[n - 1] *= s->dims[d];
            m->strides[n - 1] = s->strides[d];
            continue;
        }
        m->dims[n] = s->dims[d];
        m->strides[n] = s->strides[d];
        m->is_reduced[n++] = s->is_reduced[d];
    }
    return n;
}

ig_status ig_reduce_plan(const ig_reduce_shape *shape, ig_isa isa, ig_reduce_params *params,
                         ig_kernel_fn *fn, ig_error *err)
{
    IG_TRY(check_reduce(shape, err));
    ig_reduce_shape m;
    const int n = merge(shape, &m);
    ig_reduce_params *p = params;
    *p = (ig_reduce_params){ .op = shape->op,
                             .is_inner_reduced = n == 0 || m.is_reduced[n - 1],
                             .n_inner = 1,
                             .inner_stride = 1,
                             .n_outer_reduced = 1,
                             .n_terms = 1 };
    int64_t n_results = 1;
    for (int d = 0; d < n; d++) {
        if (d == n - 1) {
            p->n_inner = m.dims[d], p->inner_stride = m.strides[d];
        } else if (m.is_reduced[d]) {
            p->reduced_dims[p->n_reduced] = m.dims[d];
            p->reduced_strides[p->n_reduced++] = m.strides[d];
            p->n_outer_reduced *= m.dims[d];
        } else {
            p->kept_dims[p->n_kept] = m.dims[d];
            p->kept_strides[p->n_kept++] = m.strides[d];
            n_results *= m.dims[d];
        }
    }
    p->n_terms = p->n_outer_reduced * (p->is_inner_reduced ? p->n_inner : 1);
    p->n_columns = p->n_column_work = 1;
    if (!p->is_inner_reduced) {
        p->n_columns = p->n_inner < MAX_COLUMNS ? p->n_inner : MAX_COLUMNS;
        p->n_column_work = p->n_columns ? (p->n_inner + p->n_columns - 1) / p->n_columns : 0;
    }
    p->n_work = n_results * p->n_column_work;
    p->grain = grain_for(p->n_terms * p->n_columns);
    *fn = IG_ISA_PICK(reduce_kernels, isa);
    return INGOT_OK;
}

/* ---- one axis ---- */

static ig_status plan_axis(const ig_axis_shape *shape, const char *what, ig_axis_params *params,
                           ig_error *err)
{
    int64_t n;
    if (shape->n_outer < 0 || shape->n_axis < 0 || shape->n_inner < 0 ||
        __builtin_mul_overflow(shape->n_outer, shape->n_axis, &n) ||
        __builtin_mul_overflow(n, shape->n_inner, &n) || n > INT64_MAX / 8)
        return ig_fail(err, INGOT_ERR_SHAPE, "%s over [%lld, %lld, %lld]: bad size", what,
                       (long long)shape->n_outer, (long long)shape->n_axis,
                       (long long)shape->n_inner);
    *params = (ig_axis_params){ .shape = *shape, .n_columns = 1, .n_column_work = 1 };
    if (shape->n_inner != 1) {
        /* a work item's columns should stay in L2 between its passes */
        int64_t columns = 32768 / (shape->n_axis + 1) / COLUMN_STEP * COLUMN_STEP;
        if (columns < COLUMN_STEP) columns = COLUMN_STEP;
        if (columns > MAX_COLUMNS) columns = MAX_COLUMNS;
        params->n_columns = columns;
        params->n_column_work = (shape->n_inner + columns - 1) / columns;
    }
    params->n_work = shape->n_axis == 0 ? 0 : shape->n_outer * params->n_column_work;
    params->grain = grain_for(shape->n_axis * params->n_columns);
    return INGOT_OK;
}

ig_status ig_softmax_plan(const ig_axis_shape *shape, ig_isa isa, ig_axis_params *params,
                          ig_kernel_fn *fn, ig_error *err)
{
    IG_TRY(plan_axis(shape, "softmax", params, err));
    *fn = IG_ISA_PICK(softmax_kernels, isa);
    return INGOT_OK;
}

ig_status ig_argmax_plan(const ig_axis_shape *shape, ig_isa isa, ig_axis_params *params,
                         ig_kernel_fn *fn, ig_error *err)
{
    IG_TRY(plan_axis(shape, "arg-reduction", params, err));
    if (shape->n_axis < 1 || shape->n_axis > INT32_MAX)
        return ig_fail(err, INGOT_ERR_SHAPE, "arg-reduction over an axis of %lld elements",
                       (long long)shape->n_axis);
    *fn = IG_ISA_PICK(argmax_kernels, isa);
    return INGOT_OK;
}

/* ---- normalisation ---- */

ig_status ig_layer_norm_plan(const ig_layer_norm_shape *shape, ig_isa isa,
                             ig_layer_norm_params *params, ig_kernel_fn *fn, ig_error *err)
{
    int64_t n;
    if (shape->n_rows < 0 || shape->n < 1 || __builtin_mul_overflow(shape->n_rows, shape->n, &n))
        return ig_fail(err, INGOT_ERR_SHAPE, "layer norm over %lld rows of %lld: bad size",
                       (long long)shape->n_rows, (long long)shape->n);
    *params = (ig_layer_norm_params){ .shape = *shape,
                                      .n_work = shape->n_rows,
                                      .grain = grain_for(shape->n) };
    *fn = IG_ISA_PICK(layer_norm_kernels, isa);
    return INGOT_OK;
}

ig_status ig_group_norm_plan(const ig_group_norm_shape *shape, ig_isa isa,
                             ig_group_norm_params *params, ig_kernel_fn *fn, ig_error *err)
{
    const ig_group_norm_shape *s = shape;
    int64_t n;
    if (s->n_batch < 0 || s->n_channels < 1 || s->n_spatial < 1 || s->n_groups < 1 ||
        s->n_channels % s->n_groups != 0 ||
        (s->is_channels_last && (s->x_pitch < s->n_channels || s->y_pitch < s->n_channels)) ||
        __builtin_mul_overflow(s->n_batch, s->n_channels, &n) ||
        __builtin_mul_overflow(n, s->n_spatial, &n))
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "group norm over %lld channels in %lld groups, %lld pixels: bad size",
                       (long long)s->n_channels, (long long)s->n_groups, (long long)s->n_spatial);
    const int64_t n_channels = s->n_channels / s->n_groups;
    *params = (ig_group_norm_params){ .shape = *s, .n_group_work = 1 };
    if (s->is_channels_last && n_channels < GROUP_COLUMNS)
        params->n_group_work = GROUP_COLUMNS / n_channels;
    const int64_t n_items = (s->n_groups + params->n_group_work - 1) / params->n_group_work;
    params->n_work = s->n_batch * n_items;
    params->grain = grain_for(params->n_group_work * n_channels * s->n_spatial);
    *fn = IG_ISA_PICK(group_norm_kernels, isa);
    return INGOT_OK;
}
