/* SPDX-License-Identifier: Apache-2.0 */
/* ref.c: the definitions, in double, one result at a time. */
#include <math.h>

#include "kernels/reduce/reduce.h"

/* ---- reductions ---- */

static double step(ig_reduce_op op, double acc, double x, double max)
{
    switch (op) {
    case IG_REDUCE_SUM_SQUARE:
    case IG_REDUCE_L2: return acc + x * x;
    case IG_REDUCE_L1: return acc + fabs(x);
    case IG_REDUCE_LOG_SUM_EXP: return acc + exp(x - max);
    case IG_REDUCE_PROD: return acc * x;
    case IG_REDUCE_MAX: return x > acc || isnan(x) ? x : acc;
    case IG_REDUCE_MIN: return x < acc || isnan(x) ? x : acc;
    default: return acc + x;
    }
}

static double fold(const ig_reduce_params *p, const float *x, ig_reduce_op op, double max)
{
    double acc = op == IG_REDUCE_PROD  ? 1
                 : op == IG_REDUCE_MAX ? -INFINITY
                 : op == IG_REDUCE_MIN ? INFINITY
                                       : 0;
    const int64_t n_run = p->is_inner_reduced ? p->n_inner : 1;
    for (int64_t r = 0; r < p->n_outer_reduced; r++) {
        int64_t at = 0, rest = r;
        for (int d = p->n_reduced - 1; d >= 0; d--) {
            at += rest % p->reduced_dims[d] * p->reduced_strides[d];
            rest /= p->reduced_dims[d];
        }
        for (int64_t i = 0; i < n_run; i++)
            acc = step(op, acc, (double)x[at + i * p->inner_stride], max);
    }
    return acc;
}

static float reduce_result(const ig_reduce_params *p, const float *x)
{
    double max = 0;
    if (p->op == IG_REDUCE_LOG_SUM_EXP) {
        max = fold(p, x, IG_REDUCE_MAX, 0);
        if (isinf(max)) max = 0;
    }
    const double acc = fold(p, x, p->op, max);
    switch (p->op) {
    case IG_REDUCE_MEAN: return (float)(acc / (double)p->n_terms);
    case IG_REDUCE_L2: return (float)sqrt(acc);
    case IG_REDUCE_LOG_SUM: return (float)log(acc);
    case IG_REDUCE_LOG_SUM_EXP: return (float)(log(acc) + max);
    default: return (float)acc;
    }
}

void ig_k_reduce_ref(const void *params, void *const *operands, ig_part part)
{
    const ig_reduce_params *p = params;
    const float *x = operands[0];
    float *y = operands[1];
    for (int64_t w = part.begin; w < part.end; w++) {
        int64_t at = 0, rest = w / p->n_column_work;
        for (int d = p->n_kept - 1; d >= 0; d--) {
            at += rest % p->kept_dims[d] * p->kept_strides[d];
            rest /= p->kept_dims[d];
        }
        if (p->is_inner_reduced) {
            y[w] = reduce_result(p, x + at);
            continue;
        }
        const int64_t first = w % p->n_column_work * p->n_columns;
        for (int64_t c = first; c < first + p->n_columns && c < p->n_inner; c++)
            y[w / p->n_column_work * p->n_inner + c] =
                reduce_result(p, x + at + c * p->inner_stride);
    }
}

/* ---- one axis ---- */

static void softmax_one(const float *x, float *y, int64_t n, int64_t stride, bool is_log)
{
    double max = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++)
        if ((double)x[i * stride] > max || isnan(x[i * stride])) max = (double)x[i * stride];
    for (int64_t i = 0; i < n; i++) sum += exp((double)x[i * stride] - max);
    for (int64_t i = 0; i < n; i++) {
        const double d = (double)x[i * stride] - max;
        y[i * stride] = (float)(is_log ? d - log(sum) : exp(d) / sum);
    }
}

static int64_t argmax_one(const ig_axis_shape *s, const float *x)
{
    int64_t best = 0;
    for (int64_t i = 1; i < s->n_axis; i++) {
        const float v = x[i * s->n_inner], b = x[best * s->n_inner];
        const bool is_better = s->is_min ? v < b : v > b;
        const bool is_nan_first = isnan(v) && !isnan(b);
        const bool is_tie = v == b || (isnan(v) && isnan(b));
        if (is_better || is_nan_first || (is_tie && s->is_last_of_ties)) best = i;
    }
    return best;
}

/* Calls `each` for all columns of a work item. */
static void each_column(const ig_axis_params *p, void *const *operands, ig_part part, bool is_arg)
{
    const ig_axis_shape *s = &p->shape;
    const float *x = operands[0];
    for (int64_t w = part.begin; w < part.end; w++) {
        const int64_t outer = w / p->n_column_work, first = w % p->n_column_work * p->n_columns;
        for (int64_t c = first; c < first + p->n_columns && c < s->n_inner; c++) {
            const int64_t at = outer * s->n_axis * s->n_inner + c;
            if (is_arg)
                ((int64_t *)operands[1])[outer * s->n_inner + c] = argmax_one(s, x + at);
            else
                softmax_one(x + at, (float *)operands[1] + at, s->n_axis, s->n_inner, s->is_log);
        }
    }
}

void ig_k_softmax_ref(const void *params, void *const *operands, ig_part part)
{
    each_column(params, operands, part, false);
}
void ig_k_argmax_ref(const void *params, void *const *operands, ig_part part)
{
    each_column(params, operands, part, true);
}

/* ---- normalisation ---- */

void ig_k_layer_norm_ref(const void *params, void *const *operands, ig_part part)
{
    const ig_layer_norm_params *p = params;
    const int64_t n = p->shape.n;
    const float *scale = operands[1], *bias = operands[2];
    for (int64_t r = part.begin; r < part.end; r++) {
        const float *x = (const float *)operands[0] + r * n;
        float *y = (float *)operands[3] + r * n;
        double mean = 0, square = 0;
        for (int64_t i = 0; i < n; i++) mean += (double)x[i] / (double)n;
        if (p->shape.is_rms) mean = 0;
        for (int64_t i = 0; i < n; i++) square += ((double)x[i] - mean) * ((double)x[i] - mean);
        const double inverse = 1 / sqrt(square / (double)n + (double)p->shape.epsilon);
        if (operands[4]) ((float *)operands[4])[r] = (float)mean;
        if (operands[5]) ((float *)operands[5])[r] = (float)inverse;
        for (int64_t i = 0; i < n; i++)
            y[i] = (float)(((double)x[i] - mean) * inverse * (scale ? (double)scale[i] : 1) +
                           (bias ? (double)bias[i] : 0));
    }
}

/* Where element i of a group lies, and its channel. */
static int64_t group_at(const ig_group_norm_shape *s, int64_t batch, int64_t group, int64_t i,
                        int64_t pitch, int64_t *channel)
{
    const int64_t n_channels = s->n_channels / s->n_groups;
    const int64_t pixel = i % s->n_spatial;
    *channel = group * n_channels + i / s->n_spatial;
    return s->is_channels_last ? (batch * s->n_spatial + pixel) * pitch + *channel
                               : (batch * s->n_channels + *channel) * s->n_spatial + pixel;
}

static void group_norm_one(const ig_group_norm_shape *s, void *const *operands, int64_t batch,
                           int64_t group)
{
    const float *x = operands[0], *scale = operands[1], *bias = operands[2];
    float *y = operands[3];
    const int64_t n = s->n_channels / s->n_groups * s->n_spatial;
    int64_t c;
    double mean = 0, square = 0;
    for (int64_t i = 0; i < n; i++)
        mean += (double)x[group_at(s, batch, group, i, s->x_pitch, &c)] / (double)n;
    for (int64_t i = 0; i < n; i++) {
        const double d = (double)x[group_at(s, batch, group, i, s->x_pitch, &c)] - mean;
        square += d * d;
    }
    const double inverse = 1 / sqrt(square / (double)n + (double)s->epsilon);
    for (int64_t i = 0; i < n; i++) {
        const double d = (double)x[group_at(s, batch, group, i, s->x_pitch, &c)] - mean;
        y[group_at(s, batch, group, i, s->y_pitch, &c)] =
            (float)(d * inverse * (scale ? (double)scale[c] : 1) + (bias ? (double)bias[c] : 0));
    }
}

void ig_k_group_norm_ref(const void *params, void *const *operands, ig_part part)
{
    const ig_group_norm_params *p = params;
    const int64_t n_items = (p->shape.n_groups + p->n_group_work - 1) / p->n_group_work;
    for (int64_t w = part.begin; w < part.end; w++) {
        const int64_t first = w % n_items * p->n_group_work;
        for (int64_t g = first; g < first + p->n_group_work && g < p->shape.n_groups; g++)
            group_norm_one(&p->shape, operands, w / n_items, g);
    }
}
