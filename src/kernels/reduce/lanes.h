/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.h: sums and extremes over contiguous runs and over columns, in the fixed order that
 * reduce.h promises. For the SIMD sources of this family.
 */
#ifndef IG_KERNELS_REDUCE_LANES_H
#define IG_KERNELS_REDUCE_LANES_H

#include <stdbool.h>

#include "base/simd_math.h"

#define IG_RUN_BLOCK 512   /* elements of a run that are added in float */
#define IG_COLUMN_ROWS 16  /* rows of a column that are added in float */
#define IG_MAX_COLUMNS 512 /* columns that a work item accumulates at a time */

/* What is added up. Known at compile time where it is used. */
typedef enum ig_lane_map {
    IG_LANE_X,
    IG_LANE_SQUARE,
    IG_LANE_ABS,
    IG_LANE_EXP,      /* e^(x - shift) */
    IG_LANE_DEVIATION /* (x - shift)^2 */
} ig_lane_map;

IG_INLINE vf lane_apply(ig_lane_map map, vf x, vf shift)
{
    switch (map) {
    case IG_LANE_SQUARE: return x * x;
    case IG_LANE_ABS: return vf_abs(x);
    case IG_LANE_EXP: return vf_exp(x - shift);
    case IG_LANE_DEVIATION: return (x - shift) * (x - shift);
    default: return x;
    }
}

IG_INLINE double vd_hsum(vd v)
{
    double a[IG_VF];
    memcpy(a, &v, sizeof v);
    for (int h = IG_VF / 2; h > 0; h /= 2)
        for (int i = 0; i < h; i++) a[i] += a[i + h];
    return a[0];
}

IG_INLINE vi lane_mask(int n) { return vi_iota() < n; }

/* Sum over x[0 … n) */
IG_INLINE double run_sum(const float *x, int64_t n, ig_lane_map map, float shift_value)
{
    const vf shift = vf_set1(shift_value);
    vd total = { 0 };
    while (n > 0) {
        const int64_t m = n < IG_RUN_BLOCK ? n : IG_RUN_BLOCK;
        vf a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
        int64_t i = 0;
        for (; i + 4 * IG_VF <= m; i += 4 * IG_VF) {
            a += lane_apply(map, vf_load(x + i), shift);
            b += lane_apply(map, vf_load(x + i + IG_VF), shift);
            c += lane_apply(map, vf_load(x + i + 2 * IG_VF), shift);
            d += lane_apply(map, vf_load(x + i + 3 * IG_VF), shift);
        }
        for (; i + IG_VF <= m; i += IG_VF) a += lane_apply(map, vf_load(x + i), shift);
        if (i < m) {
            const int rest = (int)(m - i);
            const vf y = lane_apply(map, vf_load_n(x + i, rest), shift);
            b += vf_select(lane_mask(rest), y, vf_zero());
        }
        total += vd_from_vf((a + b) + (c + d));
        x += m, n -= m;
    }
    return vd_hsum(total);
}

IG_INLINE vf lane_extreme(bool is_min, vf a, vf b)
{
    return is_min ? vf_min_nan(a, b) : vf_max_nan(a, b);
}

/* Largest or smallest of x[0 … n), NaN wins; ∓infinity if n is 0. */
IG_INLINE float run_extreme(const float *x, int64_t n, bool is_min)
{
    const vf neutral = vf_set1(is_min ? INFINITY : -INFINITY);
    vf a = neutral, b = neutral, c = neutral, d = neutral;
    int64_t i = 0;
    for (; i + 4 * IG_VF <= n; i += 4 * IG_VF) {
        a = lane_extreme(is_min, a, vf_load(x + i));
        b = lane_extreme(is_min, b, vf_load(x + i + IG_VF));
        c = lane_extreme(is_min, c, vf_load(x + i + 2 * IG_VF));
        d = lane_extreme(is_min, d, vf_load(x + i + 3 * IG_VF));
    }
    for (; i + IG_VF <= n; i += IG_VF) a = lane_extreme(is_min, a, vf_load(x + i));
    if (i < n) {
        const int rest = (int)(n - i);
        b = lane_extreme(is_min, b, vf_select(lane_mask(rest), vf_load_n(x + i, rest), neutral));
    }
    a = lane_extreme(is_min, lane_extreme(is_min, a, b), lane_extreme(is_min, c, d));
    return is_min ? vf_hmin(a) : vf_hmax(a);
}

/* sums[c] += sum over n_rows (at most IG_COLUMN_ROWS) of column c; shift per column, or NULL */
IG_INLINE void columns_sum(const float *x, int64_t stride, int n_rows, int n_columns,
                           ig_lane_map map, const float *shifts, double *sums)
{
    int c = 0;
    for (; c + 2 * IG_VF <= n_columns; c += 2 * IG_VF) {
        const vf s0 = shifts ? vf_load(shifts + c) : vf_zero();
        const vf s1 = shifts ? vf_load(shifts + c + IG_VF) : vf_zero();
        vf a = { 0 }, b = { 0 };
        for (int r = 0; r < n_rows; r++) {
            a += lane_apply(map, vf_load(x + r * stride + c), s0);
            b += lane_apply(map, vf_load(x + r * stride + c + IG_VF), s1);
        }
        for (int i = 0; i < IG_VF; i++) sums[c + i] += (double)a[i];
        for (int i = 0; i < IG_VF; i++) sums[c + IG_VF + i] += (double)b[i];
    }
    for (; c < n_columns; c += IG_VF) {
        const int m = n_columns - c < IG_VF ? n_columns - c : IG_VF;
        const vf s = shifts ? vf_load_n(shifts + c, m) : vf_zero();
        vf a = { 0 };
        for (int r = 0; r < n_rows; r++) a += lane_apply(map, vf_load_n(x + r * stride + c, m), s);
        for (int i = 0; i < m; i++) sums[c + i] += (double)a[i];
    }
}

typedef enum ig_column_op { IG_COLUMN_MAX, IG_COLUMN_MIN, IG_COLUMN_PROD } ig_column_op;

IG_INLINE vf column_step(ig_column_op op, vf a, vf x)
{
    if (op == IG_COLUMN_PROD) return a * x;
    return lane_extreme(op == IG_COLUMN_MIN, a, x);
}

/* acc[c] = op(acc[c], each of n_rows elements of column c) */
IG_INLINE void columns_fold(const float *x, int64_t stride, int64_t n_rows, int n_columns,
                            ig_column_op op, float *acc)
{
    int c = 0;
    for (; c + 2 * IG_VF <= n_columns; c += 2 * IG_VF) {
        vf a = vf_load(acc + c), b = vf_load(acc + c + IG_VF);
        for (int64_t r = 0; r < n_rows; r++) {
            a = column_step(op, a, vf_load(x + r * stride + c));
            b = column_step(op, b, vf_load(x + r * stride + c + IG_VF));
        }
        vf_store(acc + c, a);
        vf_store(acc + c + IG_VF, b);
    }
    for (; c < n_columns; c += IG_VF) {
        const int m = n_columns - c < IG_VF ? n_columns - c : IG_VF;
        vf a = vf_load_n(acc + c, m);
        for (int64_t r = 0; r < n_rows; r++)
            a = column_step(op, a, vf_load_n(x + r * stride + c, m));
        vf_store_n(acc + c, a, m);
    }
}

#endif
