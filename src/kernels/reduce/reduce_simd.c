/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_simd.c: the reduction kernel, compiled once per instruction set. */
#include "kernels/reduce/lanes.h"
#include "kernels/reduce/reduce.h"

void IG_KERNEL(ig_k_reduce_f32)(const void *params, void *const *operands, ig_part part);

static bool is_sum(ig_reduce_op op) { return op < IG_REDUCE_PROD; }

static ig_lane_map map_of(ig_reduce_op op)
{
    switch (op) {
    case IG_REDUCE_SUM_SQUARE:
    case IG_REDUCE_L2: return IG_LANE_SQUARE;
    case IG_REDUCE_L1: return IG_LANE_ABS;
    case IG_REDUCE_LOG_SUM_EXP: return IG_LANE_EXP;
    default: return IG_LANE_X;
    }
}

static float neutral_of(ig_reduce_op op)
{
    return op == IG_REDUCE_MIN ? INFINITY : op == IG_REDUCE_PROD ? 1.0f : -INFINITY;
}

/* From a sum of doubles to the result. */
static float finish(const ig_reduce_params *p, double sum, float shift)
{
    switch (p->op) {
    case IG_REDUCE_MEAN: return (float)(sum / (double)p->n_terms);
    case IG_REDUCE_L2: return (float)sqrt(sum);
    case IG_REDUCE_LOG_SUM: return (float)log(sum);
    case IG_REDUCE_LOG_SUM_EXP: return (float)(log(sum) + (double)shift);
    default: return (float)sum;
    }
}

/* Infinite maxima need no shift: the sum is 0 or infinite by itself. */
static float finite_shift(float max)
{
    return fabsf(max) <= 3.40282347e38f || max != max ? max : 0;
}

/* Walks the outer reduced dimensions. */
typedef struct walk {
    int64_t index[INGOT_MAX_RANK], offset;
} walk;

/* Go n steps (within the last dimension) on; carries. */
static void walk_on(const ig_reduce_params *p, walk *w, int64_t n)
{
    int d = p->n_reduced - 1;
    if (d < 0) return;
    w->index[d] += n;
    w->offset += n * p->reduced_strides[d];
    for (; d > 0 && w->index[d] == p->reduced_dims[d]; d--) {
        w->offset += p->reduced_strides[d - 1] - p->reduced_strides[d] * p->reduced_dims[d];
        w->index[d] = 0;
        w->index[d - 1]++;
    }
}

static int64_t kept_offset(const ig_reduce_params *p, int64_t i)
{
    int64_t offset = 0;
    for (int d = p->n_kept - 1; d >= 0; d--) {
        offset += i % p->kept_dims[d] * p->kept_strides[d];
        i /= p->kept_dims[d];
    }
    return offset;
}

/* n elements, contiguous: where they lie, or gathered. */
static const float *contiguous(const float *x, int64_t stride, int64_t n, float *space)
{
    if (stride == 1) return x;
    for (int64_t i = 0; i < n; i++) space[i] = x[i * stride];
    return space;
}

/* ---- runs ---- */

static double sum_of(ig_lane_map map, const float *x, int64_t n, float shift)
{
    switch (map) {
    case IG_LANE_SQUARE: return run_sum(x, n, IG_LANE_SQUARE, 0);
    case IG_LANE_ABS: return run_sum(x, n, IG_LANE_ABS, 0);
    case IG_LANE_EXP: return run_sum(x, n, IG_LANE_EXP, shift);
    default: return run_sum(x, n, IG_LANE_X, 0);
    }
}

static float prod_of(const float *x, int64_t n)
{
    vf a = vf_set1(1), b = a;
    int64_t i = 0;
    for (; i + 2 * IG_VF <= n; i += 2 * IG_VF) {
        a *= vf_load(x + i);
        b *= vf_load(x + i + IG_VF);
    }
    for (; i < n; i += IG_VF) {
        const int m = n - i < IG_VF ? (int)(n - i) : IG_VF;
        a *= vf_select(lane_mask(m), vf_load_n(x + i, m), vf_set1(1));
    }
    a *= b;
    float y = a[0];
    for (int k = 1; k < IG_VF; k++) y *= a[k];
    return y;
}

static float extreme_of(const float *x, int64_t n, bool is_min)
{
    return is_min ? run_extreme(x, n, true) : run_extreme(x, n, false);
}

/* One pass over everything that makes one result. For a sum *sum is added to, else *best folded. */
static void reduce_runs(const ig_reduce_params *p, const float *x, ig_reduce_op op, float shift,
                        double *sum, float *best)
{
    float space[IG_RUN_BLOCK];
    walk w = { { 0 }, 0 };
    for (int64_t r = 0; r < p->n_outer_reduced; r++, walk_on(p, &w, 1)) {
        const int64_t step = p->inner_stride == 1 ? p->n_inner : IG_RUN_BLOCK;
        for (int64_t i = 0; i < p->n_inner; i += step) {
            const int64_t n = p->n_inner - i < step ? p->n_inner - i : step;
            const float *run =
                contiguous(x + w.offset + i * p->inner_stride, p->inner_stride, n, space);
            if (is_sum(op)) {
                *sum += sum_of(map_of(op), run, n, shift);
            } else if (op == IG_REDUCE_PROD) {
                *best *= prod_of(run, n);
            } else {
                const float e = extreme_of(run, n, op == IG_REDUCE_MIN);
                const bool is_better = op == IG_REDUCE_MIN ? e < *best : e > *best;
                if (is_better || e != e) *best = e;
            }
        }
    }
}

static float reduce_one(const ig_reduce_params *p, const float *x)
{
    double sum = 0;
    float best = neutral_of(p->op);
    if (p->op == IG_REDUCE_LOG_SUM_EXP) {
        reduce_runs(p, x, IG_REDUCE_MAX, 0, &sum, &best);
        best = finite_shift(best);
    }
    reduce_runs(p, x, p->op, best, &sum, &best);
    return is_sum(p->op) ? finish(p, sum, best) : best;
}

/* ---- columns ---- */

static void sum_columns(ig_lane_map map, const float *x, int64_t stride, int n_rows, int n,
                        const float *shifts, double *sums)
{
    switch (map) {
    case IG_LANE_SQUARE: columns_sum(x, stride, n_rows, n, IG_LANE_SQUARE, NULL, sums); break;
    case IG_LANE_ABS: columns_sum(x, stride, n_rows, n, IG_LANE_ABS, NULL, sums); break;
    case IG_LANE_EXP: columns_sum(x, stride, n_rows, n, IG_LANE_EXP, shifts, sums); break;
    default: columns_sum(x, stride, n_rows, n, IG_LANE_X, NULL, sums); break;
    }
}

static void fold_columns(ig_reduce_op op, const float *x, int64_t stride, int n_rows, int n,
                         float *best)
{
    switch (op) {
    case IG_REDUCE_MAX: columns_fold(x, stride, n_rows, n, IG_COLUMN_MAX, best); break;
    case IG_REDUCE_MIN: columns_fold(x, stride, n_rows, n, IG_COLUMN_MIN, best); break;
    default: columns_fold(x, stride, n_rows, n, IG_COLUMN_PROD, best); break;
    }
}

static void reduce_columns(const ig_reduce_params *p, const float *x, int n, ig_reduce_op op,
                           double *sums, float *best)
{
    float space[IG_MAX_COLUMNS];
    walk w = { { 0 }, 0 };
    const int last = p->n_reduced - 1;
    const bool is_strided = p->inner_stride != 1 && n > 1;
    for (int64_t r = 0; r < p->n_outer_reduced;) {
        int64_t rows = last >= 0 ? p->reduced_dims[last] - w.index[last] : 1;
        if (rows > IG_COLUMN_ROWS) rows = IG_COLUMN_ROWS;
        if (is_strided) rows = 1;
        const float *block = contiguous(x + w.offset, is_strided ? p->inner_stride : 1, n, space);
        const int64_t stride = last >= 0 ? p->reduced_strides[last] : 0;
        if (is_sum(op))
            sum_columns(map_of(op), block, stride, (int)rows, n, best, sums);
        else
            fold_columns(op, block, stride, (int)rows, n, best);
        walk_on(p, &w, rows);
        r += rows;
    }
}

static void reduce_block(const ig_reduce_params *p, const float *x, int n, float *y)
{
    double sums[IG_MAX_COLUMNS] = { 0 };
    float best[IG_MAX_COLUMNS];
    for (int c = 0; c < n; c++) best[c] = neutral_of(p->op);
    if (p->op == IG_REDUCE_LOG_SUM_EXP) {
        reduce_columns(p, x, n, IG_REDUCE_MAX, sums, best);
        for (int c = 0; c < n; c++) best[c] = finite_shift(best[c]);
    }
    reduce_columns(p, x, n, p->op, sums, best);
    for (int c = 0; c < n; c++) y[c] = is_sum(p->op) ? finish(p, sums[c], best[c]) : best[c];
}

void IG_KERNEL(ig_k_reduce_f32)(const void *params, void *const *operands, ig_part part)
{
    const ig_reduce_params *p = params;
    const float *x = operands[0];
    float *y = operands[1];
    for (int64_t w = part.begin; w < part.end; w++) {
        if (p->is_inner_reduced) {
            y[w] = reduce_one(p, x + kept_offset(p, w));
            continue;
        }
        const int64_t i = w / p->n_column_work, c = w % p->n_column_work * p->n_columns;
        const int64_t n = p->n_inner - c < p->n_columns ? p->n_inner - c : p->n_columns;
        reduce_block(p, x + kept_offset(p, i) + c * p->inner_stride, (int)n,
                     y + i * p->n_inner + c);
    }
}
