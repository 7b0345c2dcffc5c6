/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduce.h: float32 kernels that combine elements along axes: reductions, arg-reductions, softmax,
 * and normalisation by statistics.
 *
 * How to use one: fill the family's shape, plan it (…_plan checks the shape, fills params and
 * names the kernel), run the kernel over [0, params.n_work) with the operands written beside it.
 * Params hold no pointers and may be copied. IG_ISA_REF is taken as IG_ISA_PORTABLE. No scratch.
 *
 * Sums: at most 512 elements of a run go into float lanes (4 vectors for contiguous runs; one chain
 * a column otherwise, of at most 16 rows), the blocks are then added in double. So the relative
 * error of a sum of n positive terms is below about 36 * 2^-24 for any n (20 with 8 lanes or more),
 * and the bits depend on the instruction set, never on how the work is split. Models that take a
 * variance as E[x^2] - E[x]^2 magnify this error: longer chains were seen to spoil their scores.
 */
#ifndef IG_KERNELS_REDUCE_H
#define IG_KERNELS_REDUCE_H

#include "kernels/kernel.h"

/* ---- reductions ---- */

typedef enum ig_reduce_op {
    IG_REDUCE_SUM = 0,
    IG_REDUCE_MEAN,
    IG_REDUCE_SUM_SQUARE,  /* sum of x^2 */
    IG_REDUCE_L1,          /* sum of |x| */
    IG_REDUCE_L2,          /* sqrt of the sum of x^2 */
    IG_REDUCE_LOG_SUM,     /* log of the sum */
    IG_REDUCE_LOG_SUM_EXP, /* log of the sum of e^x, shifted by the maximum: no overflow */
    IG_REDUCE_PROD,        /* float, in lanes */
    IG_REDUCE_MAX,         /* NaN wins */
    IG_REDUCE_MIN,
    IG_N_REDUCE_OPS
} ig_reduce_op;

typedef struct ig_reduce_shape {
    ig_reduce_op op;
    int rank;
    int64_t dims[INGOT_MAX_RANK];
    int64_t strides[INGOT_MAX_RANK]; /* of the input, in elements; may exceed the dense ones */
    bool is_reduced[INGOT_MAX_RANK]; /* axes to combine; none: the op of each single element */
} ig_reduce_shape;

/* A dense input. axes: a bit an axis. */
void ig_reduce_shape_init(ig_reduce_shape *shape, ig_reduce_op op, int rank, const int64_t *dims,
                          uint64_t axes);

/* Merged: kept and reduced dimensions apart; the innermost one is contiguous or one of them has
 * stride 1. */
typedef struct ig_reduce_params {
    ig_reduce_op op;
    bool is_inner_reduced; /* runs of n_inner elements are summed up; else n_inner columns */
    int n_kept, n_reduced; /* outer dimensions of each kind */
    int64_t kept_dims[INGOT_MAX_RANK], kept_strides[INGOT_MAX_RANK];
    int64_t reduced_dims[INGOT_MAX_RANK], reduced_strides[INGOT_MAX_RANK];
    int64_t n_inner, inner_stride;
    int64_t n_outer_reduced;          /* product of reduced_dims */
    int64_t n_terms;                  /* elements that make one result */
    int64_t n_columns, n_column_work; /* columns of a work item; work items of a row */
    int64_t n_work, grain;            /* for ig_team_run */
} ig_reduce_params;

/* The result is dense over the kept axes in their order. Reducing nothing gives the neutral element
 * (0, 1, -inf, +inf; mean: NaN). Operands:  0 X   1 Y. Fails with INGOT_ERR_SHAPE. */
ig_status ig_reduce_plan(const ig_reduce_shape *shape, ig_isa isa, ig_reduce_params *params,
                         ig_kernel_fn *fn, ig_error *err) IG_MUST_USE;

/* Plain loops in double, same params, operands and iteration space. */
void ig_k_reduce_ref(const void *params, void *const *operands, ig_part part);

/* ---- along one axis of a dense [n_outer, n_axis, n_inner] ---- */

typedef struct ig_axis_shape {
    int64_t n_outer, n_axis, n_inner;
    bool is_log;          /* softmax: log-softmax */
    bool is_min;          /* arg-reduction: index of the smallest */
    bool is_last_of_ties; /* arg-reduction: select_last_index */
} ig_axis_shape;

typedef struct ig_axis_params {
    ig_axis_shape shape;
    int64_t n_columns, n_column_work; /* n_inner > 1: columns of a work item, items of one outer */
    int64_t n_work, grain;
} ig_axis_params;

/* y = e^(x - max) / sum e^(x - max), or its logarithm. Operands:  0 X   1 Y (may be X). */
ig_status ig_softmax_plan(const ig_axis_shape *shape, ig_isa isa, ig_axis_params *params,
                          ig_kernel_fn *fn, ig_error *err) IG_MUST_USE;
void ig_k_softmax_ref(const void *params, void *const *operands, ig_part part);

/* ArgMax, ArgMin: int64 [n_outer, n_inner]. The first (or last) NaN wins, as in NumPy. n_axis must
 * be in [1, 2^31). Operands:  0 X   1 Y (int64). */
ig_status ig_argmax_plan(const ig_axis_shape *shape, ig_isa isa, ig_axis_params *params,
                         ig_kernel_fn *fn, ig_error *err) IG_MUST_USE;
void ig_k_argmax_ref(const void *params, void *const *operands, ig_part part);

/* ---- normalisation ---- */

/* Rows of n elements:  y = (x - mean) / sqrt(variance + epsilon) * scale + bias
 * (rms: y = x / sqrt(mean of x^2 + epsilon) * scale + bias). Variance in two passes. */
typedef struct ig_layer_norm_shape {
    int64_t n_rows, n;
    float epsilon;
    bool is_rms;
} ig_layer_norm_shape;

typedef struct ig_layer_norm_params {
    ig_layer_norm_shape shape;
    int64_t n_work, grain;
} ig_layer_norm_params;

/* Operands:  0 X   1 scale [n] or NULL   2 bias [n] or NULL   3 Y (may be X)
 * 4 mean [n_rows] or NULL   5 inverse standard deviation [n_rows] or NULL. */
ig_status ig_layer_norm_plan(const ig_layer_norm_shape *shape, ig_isa isa,
                             ig_layer_norm_params *params, ig_kernel_fn *fn,
                             ig_error *err) IG_MUST_USE;
void ig_k_layer_norm_ref(const void *params, void *const *operands, ig_part part);

/* Instance and group normalisation: statistics over n_spatial and the channels of a group, for each
 * picture; scale and bias per channel. Instance: n_groups == n_channels. */
typedef struct ig_group_norm_shape {
    int64_t n_batch, n_channels, n_groups, n_spatial;
    bool is_channels_last;    /* [batch, spatial, C], else [batch, C, spatial] */
    int64_t x_pitch, y_pitch; /* channels last: elements from pixel to pixel, >= n_channels */
    float epsilon;
} ig_group_norm_shape;

typedef struct ig_group_norm_params {
    ig_group_norm_shape shape;
    int64_t n_group_work; /* groups of one work item (channels last, small groups) */
    int64_t n_work, grain;
} ig_group_norm_params;

/* Operands:  0 X   1 scale [C] or NULL   2 bias [C] or NULL   3 Y (may be X, same pitch). */
ig_status ig_group_norm_plan(const ig_group_norm_shape *shape, ig_isa isa,
                             ig_group_norm_params *params, ig_kernel_fn *fn,
                             ig_error *err) IG_MUST_USE;
void ig_k_group_norm_ref(const void *params, void *const *operands, ig_part part);

#endif
