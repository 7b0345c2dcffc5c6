/* SPDX-License-Identifier: Apache-2.0 */
/*
 * move.h: copies between strided views of any rank: Transpose, Slice, Concat, Split, Pad, Expand,
 * Tile, layout changes. Works on elements of 1, 2, 4 or 8 bytes, whatever they mean.
 *
 *     dst[dst_offset + sum i_d * dst_stride_d] = src[src_offset + sum i_d * src_stride_d]
 *
 * for all 0 <= i_d < dims_d. Strides are in elements and may be negative (reversed slices) or, for
 * the source, zero (broadcast; all zero: fill with one element). No two indices may hit the same
 * destination element; source and destination do not overlap.
 *
 * Operands:  0 source   1 destination        (no scratch)
 */
#ifndef IG_KERNELS_MOVE_H
#define IG_KERNELS_MOVE_H

#include "kernels/kernel.h"

typedef struct ig_move_shape {
    int rank;          /* 0: one element */
    size_t elem_bytes; /* 1, 2, 4, 8 */
    int64_t dims[INGOT_MAX_RANK];
    int64_t src_strides[INGOT_MAX_RANK], dst_strides[INGOT_MAX_RANK]; /* elements */
    int64_t src_offset, dst_offset;                                   /* elements */
} ig_move_shape;

/* Dense source of these dimensions, permuted: output dimension d is input dimension perm[d]. */
void ig_move_shape_transpose(ig_move_shape *shape, int rank, const int64_t *dims, const int *perm,
                             size_t elem_bytes);

/* How the innermost rectangle is copied. */
typedef enum ig_move_path {
    IG_MOVE_COPY,      /* both contiguous along columns */
    IG_MOVE_FILL,      /* one source element a row */
    IG_MOVE_TRANSPOSE, /* the source is contiguous along rows, the destination along columns */
    IG_MOVE_STRIDED
} ig_move_path;

/* Merged and sorted by destination stride: columns are innermost. Strides, offsets in bytes. A work
 * item is a rectangle of rows_per_item x cols_per_item. */
typedef struct ig_move_params {
    ig_move_path path;
    int n_outer;
    int64_t elem_bytes;
    int64_t outer_dims[INGOT_MAX_RANK], outer_src[INGOT_MAX_RANK], outer_dst[INGOT_MAX_RANK];
    int64_t rows, row_src, row_dst, cols, col_src, col_dst;
    int64_t rows_per_item, row_items, cols_per_item, col_items;
    int64_t src_offset, dst_offset;
    int64_t n_work, grain; /* for ig_team_run */
} ig_move_params;

/* Merge dimensions, choose the loop. IG_ISA_REF is taken as IG_ISA_PORTABLE. Fails with
 * INGOT_ERR_SHAPE (negative dimensions, element size, overflow). Does not know the buffers' sizes:
 * bounds are the caller's. */
ig_status ig_move_plan(const ig_move_shape *shape, ig_isa isa, ig_move_params *params,
                       ig_kernel_fn *fn, ig_error *err) IG_MUST_USE;

#endif
