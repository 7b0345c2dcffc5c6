/* SPDX-License-Identifier: Apache-2.0 */
/* axis_simd.c: softmax and arg-reductions along one axis, compiled once per instruction set. */
#include "kernels/reduce/lanes.h"
#include "kernels/reduce/reduce.h"

void IG_KERNEL(ig_k_softmax_f32)(const void *params, void *const *operands, ig_part part);
void IG_KERNEL(ig_k_argmax_f32)(const void *params, void *const *operands, ig_part part);

/* ---- softmax ---- */

/* y = e^(x - max), returns the sum. x may be y. */
static double exp_run(const float *x, float *y, int64_t n, float max_value)
{
    const vf max = vf_set1(max_value);
    vd total = { 0 };
    for (int64_t i = 0; i < n;) {
        const int64_t end = n - i < IG_RUN_BLOCK ? n : i + IG_RUN_BLOCK;
        vf a = { 0 }, b = { 0 };
        for (; i + 2 * IG_VF <= end; i += 2 * IG_VF) {
            const vf e0 = vf_exp(vf_load(x + i) - max), e1 = vf_exp(vf_load(x + i + IG_VF) - max);
            vf_store(y + i, e0);
            vf_store(y + i + IG_VF, e1);
            a += e0, b += e1;
        }
        for (; i < end; i += IG_VF) {
            const int m = end - i < IG_VF ? (int)(end - i) : IG_VF;
            const vf e = vf_exp(vf_load_n(x + i, m) - max);
            vf_store_n(y + i, e, m);
            a += vf_select(lane_mask(m), e, vf_zero());
        }
        i = end;
        total += vd_from_vf(a + b);
    }
    return vd_hsum(total);
}

static void softmax_row(const float *x, float *y, int64_t n, bool is_log)
{
    const float max = run_extreme(x, n, false);
    vf scale = vf_set1(1), shift = vf_zero();
    const float *from = y;
    if (is_log) {
        /* (x - max) - log(sum): one subtraction each, as the definition is evaluated in float */
        shift = vf_set1((float)log(run_sum(x, n, IG_LANE_EXP, max)));
        from = x;
    } else {
        scale = vf_set1((float)(1.0 / exp_run(x, y, n, max)));
    }
    const vf vmax = vf_set1(is_log ? max : 0);
    int64_t i = 0;
    for (; i + IG_VF <= n; i += IG_VF) {
        const vf v = vf_load(from + i);
        vf_store(y + i, is_log ? (v - vmax) - shift : v * scale);
    }
    if (i < n) {
        const int m = (int)(n - i);
        const vf v = vf_load_n(from + i, m);
        vf_store_n(y + i, is_log ? (v - vmax) - shift : v * scale, m);
    }
}

/* rows of n columns, the axis is down */
static void softmax_columns(const float *x, float *y, int64_t n_rows, int64_t stride, int n,
                            bool is_log)
{
    float max[IG_MAX_COLUMNS], factor[IG_MAX_COLUMNS];
    double sums[IG_MAX_COLUMNS] = { 0 };
    for (int c = 0; c < n; c++) max[c] = -INFINITY;
    columns_fold(x, stride, n_rows, n, IG_COLUMN_MAX, max);
    for (int64_t r = 0; r < n_rows; r += IG_COLUMN_ROWS) {
        const int rows = n_rows - r < IG_COLUMN_ROWS ? (int)(n_rows - r) : IG_COLUMN_ROWS;
        if (is_log) {
            columns_sum(x + r * stride, stride, rows, n, IG_LANE_EXP, max, sums);
            continue;
        }
        for (int i = 0; i < rows; i++)
            for (int c = 0; c < n; c += IG_VF) {
                const int m = n - c < IG_VF ? n - c : IG_VF;
                const int64_t at = (r + i) * stride + c;
                vf_store_n(y + at, vf_exp(vf_load_n(x + at, m) - vf_load_n(max + c, m)), m);
            }
        columns_sum(y + r * stride, stride, rows, n, IG_LANE_X, NULL, sums);
    }
    for (int c = 0; c < n; c++) factor[c] = is_log ? (float)log(sums[c]) : (float)(1.0 / sums[c]);
    for (int64_t r = 0; r < n_rows; r++)
        for (int c = 0; c < n; c += IG_VF) {
            const int m = n - c < IG_VF ? n - c : IG_VF;
            const vf f = vf_load_n(factor + c, m), top = vf_load_n(max + c, m);
            const vf v = vf_load_n((is_log ? x : y) + r * stride + c, m);
            vf_store_n(y + r * stride + c, is_log ? (v - top) - f : v * f, m);
        }
}

void IG_KERNEL(ig_k_softmax_f32)(const void *params, void *const *operands, ig_part part)
{
    const ig_axis_params *p = params;
    const ig_axis_shape *s = &p->shape;
    const float *x = operands[0];
    float *y = operands[1];
    for (int64_t w = part.begin; w < part.end; w++) {
        if (s->n_inner == 1) {
            softmax_row(x + w * s->n_axis, y + w * s->n_axis, s->n_axis, s->is_log);
            continue;
        }
        const int64_t c = w % p->n_column_work * p->n_columns;
        const int64_t at = w / p->n_column_work * s->n_axis * s->n_inner + c;
        const int64_t n = s->n_inner - c < p->n_columns ? s->n_inner - c : p->n_columns;
        softmax_columns(x + at, y + at, s->n_axis, s->n_inner, (int)n, s->is_log);
    }
}

/* ---- arg-reductions ---- */

/* Index of the first (last) element that equals v, or is NaN if v is. There is one. */
static int64_t find(const float *x, int64_t n, float v, bool is_last)
{
    const vf want = vf_set1(v);
    const vi is_nan = vf_is_nan(want);
    const int64_t n_vectors = (n + IG_VF - 1) / IG_VF;
    for (int64_t k = 0; k < n_vectors; k++) {
        const int64_t i = (is_last ? n_vectors - 1 - k : k) * IG_VF;
        const int m = n - i < IG_VF ? (int)(n - i) : IG_VF;
        const vf y = vf_load_n(x + i, m);
        const vi hit = ((y == want) | (is_nan & vf_is_nan(y))) & lane_mask(m);
        if (!vi_any(hit)) continue;
        for (int j = 0; j < m; j++) {
            const int lane = is_last ? m - 1 - j : j;
            if (hit[lane]) return i + lane;
        }
    }
    return 0;
}

static void argmax_columns(const float *x, int64_t n_rows, int64_t stride, int n,
                           const ig_axis_shape *s, int64_t *y)
{
    for (int c = 0; c < n; c += IG_VF) {
        const int m = n - c < IG_VF ? n - c : IG_VF;
        vf best = vf_load_n(x + c, m);
        vi at = { 0 };
        for (int64_t r = 1; r < n_rows; r++) {
            const vf v = vf_load_n(x + r * stride + c, m);
            vi take = s->is_min ? v < best : v > best;
            if (s->is_last_of_ties)
                take |= (v == best) | vf_is_nan(v);
            else
                take |= vf_is_nan(v) & ~vf_is_nan(best);
            best = vf_select(take, v, best);
            at = vi_select(take, vi_set1((int32_t)r), at);
        }
        for (int i = 0; i < m; i++) y[c + i] = at[i];
    }
}

void IG_KERNEL(ig_k_argmax_f32)(const void *params, void *const *operands, ig_part part)
{
    const ig_axis_params *p = params;
    const ig_axis_shape *s = &p->shape;
    const float *x = operands[0];
    int64_t *y = operands[1];
    for (int64_t w = part.begin; w < part.end; w++) {
        if (s->n_inner == 1) {
            const float *row = x + w * s->n_axis;
            const float best =
                s->is_min ? run_extreme(row, s->n_axis, true) : run_extreme(row, s->n_axis, false);
            y[w] = find(row, s->n_axis, best, s->is_last_of_ties);
            continue;
        }
        const int64_t i = w / p->n_column_work, c = w % p->n_column_work * p->n_columns;
        const int64_t n = s->n_inner - c < p->n_columns ? s->n_inner - c : p->n_columns;
        argmax_columns(x + i * s->n_axis * s->n_inner + c, s->n_axis, s->n_inner, (int)n, s,
                       y + i * s->n_inner + c);
    }
}
