/* SPDX-License-Identifier: Apache-2.0 */
/* move.c: planning a copy: dimensions merged and ordered, the loop chosen, the work cut up. */
#include "kernels/move/move.h"

#include <stdlib.h>

#include "kernels/isa_table.h"

#define ITEM_BYTES 16384  /* of a work item: half of L1 with its source */
#define GRAIN_BYTES 65536 /* less is not worth a second thread */
#define ROW_STEP 16       /* rows of a transposing item: whole cache lines of the source */
#define COL_STEP 64

#define IG_MOVE_KERNEL(name)                                                                       \
    IG_ISA_DECLARE(void, ig_k_##name, (const void *, void *const *, ig_part))                      \
    static const ig_kernel_fn name##_kernels[IG_N_ISAS] = IG_ISA_TABLE(ig_k_##name);
#include "kernels/move/kernels.inc"

void ig_move_shape_transpose(ig_move_shape *shape, int rank, const int64_t *dims, const int *perm,
                             size_t elem_bytes)
{
    *shape = (ig_move_shape){ .rank = rank, .elem_bytes = elem_bytes };
    uint64_t in_strides[INGOT_MAX_RANK], stride = 1; /* may wrap: the plan refuses such sizes */
    for (int d = rank - 1; d >= 0; d--) {
        in_strides[d] = stride;
        stride *= (uint64_t)dims[d];
    }
    stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
        shape->dims[d] = dims[perm[d]];
        shape->src_strides[d] = (int64_t)in_strides[perm[d]];
        shape->dst_strides[d] = (int64_t)stride;
        stride *= (uint64_t)shape->dims[d];
    }
}

typedef struct dim {
    int64_t n, src, dst;
} dim;

static bool scale(int64_t a, int64_t b, int64_t *out) { return !__builtin_mul_overflow(a, b, out); }

/* Dimensions other than 1 in bytes, largest destination stride first. */
static ig_status collect(const ig_move_shape *s, dim *dims, int *n_dims, bool *is_empty,
                         ig_error *err)
{
    const int64_t e = (int64_t)s->elem_bytes;
    if (e != 1 && e != 2 && e != 4 && e != 8)
        return ig_fail(err, INGOT_ERR_SHAPE, "copy: elements of %zu bytes", s->elem_bytes);
    if (s->rank < 0 || s->rank > INGOT_MAX_RANK)
        return ig_fail(err, INGOT_ERR_SHAPE, "copy: rank %d is not supported", s->rank);
    int n = 0;
    int64_t total = e, extent;
    for (int d = 0; d < s->rank; d++) {
        dim x = { s->dims[d], 0, 0 };
        if (x.n < 0 || !scale(total, x.n ? x.n : 1, &total) ||
            !scale(s->src_strides[d], e, &x.src) || !scale(s->dst_strides[d], e, &x.dst) ||
            !scale(x.src, x.n, &extent) || !scale(x.dst, x.n, &extent))
            return ig_fail(err, INGOT_ERR_SHAPE, "copy: dimension %d of %lld is too large", d,
                           (long long)x.n);
        if (x.n == 0) *is_empty = true;
        if (x.n == 1) continue;
        int at = n++;
        for (; at > 0 && llabs(dims[at - 1].dst) < llabs(x.dst); at--) dims[at] = dims[at - 1];
        dims[at] = x;
    }
    *n_dims = n;
    return INGOT_OK;
}

static int merge(dim *dims, int n)
{
    int m = 0;
    for (int d = 0; d < n; d++) {
        dim *last = m > 0 ? &dims[m - 1] : NULL;
        if (last && last->src == dims[d].src * dims[d].n && last->dst == dims[d].dst * dims[d].n)
            *last = (dim){ last->n * dims[d].n, dims[d].src, dims[d].dst };
        else
            dims[m++] = dims[d];
    }
    return m;
}

/* Columns are the last dimension. Rows: for a transpose the one along which the source is
 * contiguous, else the next. */
static void choose_path(ig_move_params *p, dim *dims, int n)
{
    const int64_t e = p->elem_bytes;
    const dim one = { 1, e, e };
    const dim cols = n > 0 ? dims[--n] : one;
    int i_row = n - 1;
    if (cols.src == e && cols.dst == e) {
        p->path = IG_MOVE_COPY;
    } else if (cols.src == 0 && cols.dst == e) {
        p->path = IG_MOVE_FILL;
    } else {
        p->path = IG_MOVE_STRIDED;
        for (int d = 0; d < n && cols.dst == e; d++)
            if (dims[d].src == e) p->path = IG_MOVE_TRANSPOSE, i_row = d;
    }
    const dim rows = i_row >= 0 ? dims[i_row] : one;
    p->rows = rows.n, p->row_src = rows.src, p->row_dst = rows.dst;
    p->cols = cols.n, p->col_src = cols.src, p->col_dst = cols.dst;
    p->n_outer = 0;
    for (int d = 0; d < n; d++) {
        if (d == i_row) continue;
        p->outer_dims[p->n_outer] = dims[d].n;
        p->outer_src[p->n_outer] = dims[d].src;
        p->outer_dst[p->n_outer++] = dims[d].dst;
    }
}

static int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

static void cut_up(ig_move_params *p)
{
    const int64_t elems = ITEM_BYTES / p->elem_bytes;
    const int64_t row_step = p->path == IG_MOVE_TRANSPOSE ? ROW_STEP : 1;
    const int64_t rows = p->rows < row_step ? p->rows : row_step;
    p->cols_per_item = p->cols;
    if (p->cols > elems / rows) p->cols_per_item = round_up(elems / rows, COL_STEP);
    if (p->cols_per_item > p->cols) p->cols_per_item = p->cols;
    p->rows_per_item = round_up(elems / p->cols_per_item + 1, row_step);
    if (p->rows_per_item > p->rows) p->rows_per_item = p->rows;
    p->row_items = (p->rows + p->rows_per_item - 1) / p->rows_per_item;
    p->col_items = (p->cols + p->cols_per_item - 1) / p->cols_per_item;
    p->n_work = p->row_items * p->col_items;
    for (int d = 0; d < p->n_outer; d++) p->n_work *= p->outer_dims[d];
    p->grain = GRAIN_BYTES / (p->rows_per_item * p->cols_per_item * p->elem_bytes);
    if (p->grain < 1) p->grain = 1;
}

ig_status ig_move_plan(const ig_move_shape *shape, ig_isa isa, ig_move_params *params,
                       ig_kernel_fn *fn, ig_error *err)
{
    dim dims[INGOT_MAX_RANK];
    int n;
    bool is_empty = false;
    IG_TRY(collect(shape, dims, &n, &is_empty, err));
    ig_move_params *p = params;
    *p = (ig_move_params){ .elem_bytes = (int64_t)shape->elem_bytes, .grain = 1 };
    *fn = IG_ISA_PICK(move_kernels, isa);
    if (!scale(shape->src_offset, p->elem_bytes, &p->src_offset) ||
        !scale(shape->dst_offset, p->elem_bytes, &p->dst_offset))
        return ig_fail(err, INGOT_ERR_SHAPE, "copy: offset is too large");
    if (is_empty) return INGOT_OK;
    choose_path(p, dims, merge(dims, n));
    cut_up(p);
    return INGOT_OK;
}
