/* SPDX-License-Identifier: Apache-2.0 */
/* norm_simd.c: layer, instance and group normalisation, compiled once per instruction set. */
#include "kernels/reduce/lanes.h"
#include "kernels/reduce/reduce.h"

void IG_KERNEL(ig_k_layer_norm_f32)(const void *params, void *const *operands, ig_part part);
void IG_KERNEL(ig_k_group_norm_f32)(const void *params, void *const *operands, ig_part part);

/* y = (x - mean) * inverse * scale + bias */
IG_INLINE vf normalise(vf x, vf mean, vf inverse, vf scale, vf bias)
{
    return vf_mla((x - mean) * inverse, scale, bias);
}

static void layer_norm_row(const ig_layer_norm_shape *s, const float *x, const float *scale,
                           const float *bias, float *y, float *mean_out, float *inverse_out)
{
    const double n = (double)s->n;
    const float mean = s->is_rms ? 0 : (float)(run_sum(x, s->n, IG_LANE_X, 0) / n);
    const double variance = (s->is_rms ? run_sum(x, s->n, IG_LANE_SQUARE, 0)
                                       : run_sum(x, s->n, IG_LANE_DEVIATION, mean)) /
                            n;
    const float inverse = (float)(1.0 / sqrt(variance + (double)s->epsilon));
    if (mean_out) *mean_out = mean;
    if (inverse_out) *inverse_out = inverse;
    const vf vmean = vf_set1(mean), vinverse = vf_set1(inverse), one = vf_set1(1);
    int64_t i = 0;
    for (; i + IG_VF <= s->n; i += IG_VF)
        vf_store(y + i, normalise(vf_load(x + i), vmean, vinverse, scale ? vf_load(scale + i) : one,
                                  bias ? vf_load(bias + i) : vf_zero()));
    if (i < s->n) {
        const int m = (int)(s->n - i);
        vf_store_n(y + i,
                   normalise(vf_load_n(x + i, m), vmean, vinverse,
                             scale ? vf_load_n(scale + i, m) : one,
                             bias ? vf_load_n(bias + i, m) : vf_zero()),
                   m);
    }
}

void IG_KERNEL(ig_k_layer_norm_f32)(const void *params, void *const *operands, ig_part part)
{
    const ig_layer_norm_params *p = params;
    const ig_layer_norm_shape *s = &p->shape;
    const float *x = operands[0], *scale = operands[1], *bias = operands[2];
    float *y = operands[3], *mean = operands[4], *inverse = operands[5];
    for (int64_t r = part.begin; r < part.end; r++)
        layer_norm_row(s, x + r * s->n, scale, bias, y + r * s->n, mean ? mean + r : NULL,
                       inverse ? inverse + r : NULL);
}

/* ---- channels first: a group is one contiguous run ---- */

static void group_planes(const ig_group_norm_shape *s, const float *x, const float *scale,
                         const float *bias, float *y, int64_t group)
{
    const int64_t n_channels = s->n_channels / s->n_groups, n = n_channels * s->n_spatial;
    const float mean = (float)(run_sum(x, n, IG_LANE_X, 0) / (double)n);
    const double variance = run_sum(x, n, IG_LANE_DEVIATION, mean) / (double)n;
    const float inverse = (float)(1.0 / sqrt(variance + (double)s->epsilon));
    for (int64_t k = 0; k < n_channels; k++) {
        const int64_t c = group * n_channels + k, first = k * s->n_spatial;
        const vf vscale = vf_set1(scale ? scale[c] : 1), vbias = vf_set1(bias ? bias[c] : 0);
        for (int64_t i = 0; i < s->n_spatial; i += IG_VF) {
            const int m = s->n_spatial - i < IG_VF ? (int)(s->n_spatial - i) : IG_VF;
            const vf v = m == IG_VF ? vf_load(x + first + i) : vf_load_n(x + first + i, m);
            const vf r = normalise(v, vf_set1(mean), vf_set1(inverse), vscale, vbias);
            if (m == IG_VF)
                vf_store(y + first + i, r);
            else
                vf_store_n(y + first + i, r, m);
        }
    }
}

/* ---- channels last: columns, summed up by group ---- */

/* Adds to sums[group of column] for n columns (at most IG_MAX_COLUMNS) of all pixels. */
static void group_sums(const ig_group_norm_shape *s, const float *x, int n, int64_t n_channels,
                       const float *means, double *sums)
{
    double columns[IG_MAX_COLUMNS] = { 0 };
    for (int64_t r = 0; r < s->n_spatial; r += IG_COLUMN_ROWS) {
        const int rows =
            s->n_spatial - r < IG_COLUMN_ROWS ? (int)(s->n_spatial - r) : IG_COLUMN_ROWS;
        if (means)
            columns_sum(x + r * s->x_pitch, s->x_pitch, rows, n, IG_LANE_DEVIATION, means, columns);
        else
            columns_sum(x + r * s->x_pitch, s->x_pitch, rows, n, IG_LANE_X, NULL, columns);
    }
    for (int c = 0; c < n; c++) sums[c / n_channels] += columns[c];
}

static void apply_columns(const ig_group_norm_shape *s, const float *x, int n, const float *means,
                          const float *inverses, const float *scale, const float *bias, float *y)
{
    for (int64_t r = 0; r < s->n_spatial; r++)
        for (int c = 0; c < n; c += IG_VF) {
            const int m = n - c < IG_VF ? n - c : IG_VF;
            vf_store_n(y + r * s->y_pitch + c,
                       normalise(vf_load_n(x + r * s->x_pitch + c, m), vf_load_n(means + c, m),
                                 vf_load_n(inverses + c, m),
                                 scale ? vf_load_n(scale + c, m) : vf_set1(1),
                                 bias ? vf_load_n(bias + c, m) : vf_zero()),
                       m);
        }
}

/* n_groups whole groups from channel `first` on; either all fit into IG_MAX_COLUMNS or it is one.
 */
static void group_columns(const ig_group_norm_shape *s, const float *x, const float *scale,
                          const float *bias, float *y, int64_t n_groups)
{
    const int64_t n_channels = s->n_channels / s->n_groups, width = n_groups * n_channels;
    const double n = (double)(n_channels * s->n_spatial);
    double sums[IG_MAX_COLUMNS] = { 0 }, squares[IG_MAX_COLUMNS] = { 0 };
    float means[IG_MAX_COLUMNS], inverses[IG_MAX_COLUMNS];
    for (int pass = 0; pass < 3; pass++)
        for (int64_t c = 0; c < width; c += IG_MAX_COLUMNS) {
            const int m = width - c < IG_MAX_COLUMNS ? (int)(width - c) : IG_MAX_COLUMNS;
            for (int k = 0; pass > 0 && k < m; k++) {
                means[k] = (float)(sums[(c + k) / n_channels] / n);
                const double variance = squares[(c + k) / n_channels] / n;
                inverses[k] = (float)(1.0 / sqrt(variance + (double)s->epsilon));
            }
            /* groups count from column c: a wide group starts at every block */
            if (pass == 0)
                group_sums(s, x + c, m, n_channels, NULL, sums);
            else if (pass == 1)
                group_sums(s, x + c, m, n_channels, means, squares);
            else
                apply_columns(s, x + c, m, means, inverses, scale ? scale + c : NULL,
                              bias ? bias + c : NULL, y + c);
        }
}

void IG_KERNEL(ig_k_group_norm_f32)(const void *params, void *const *operands, ig_part part)
{
    const ig_group_norm_params *p = params;
    const ig_group_norm_shape *s = &p->shape;
    const float *x = operands[0], *scale = operands[1], *bias = operands[2];
    float *y = operands[3];
    const int64_t n_channels = s->n_channels / s->n_groups;
    const int64_t n_items = (s->n_groups + p->n_group_work - 1) / p->n_group_work;
    for (int64_t w = part.begin; w < part.end; w++) {
        const int64_t batch = w / n_items, group = w % n_items * p->n_group_work;
        if (!s->is_channels_last) {
            const int64_t at = (batch * s->n_channels + group * n_channels) * s->n_spatial;
            group_planes(s, x + at, scale, bias, y + at, group);
            continue;
        }
        const int64_t n =
            s->n_groups - group < p->n_group_work ? s->n_groups - group : p->n_group_work;
        const int64_t c = group * n_channels;
        group_columns(s, x + batch * s->n_spatial * s->x_pitch + c, scale ? scale + c : NULL,
                      bias ? bias + c : NULL, y + batch * s->n_spatial * s->y_pitch + c, n);
    }
}
