/* SPDX-License-Identifier: Apache-2.0 */
/* resize.c: separable resampling with antialiasing, to Pillow's pixels. */
#include <math.h>
#include <string.h>

#include "cli/picture.h"

#define WEIGHT_BITS 22
#define PI 3.14159265358979323846

static double box(double x) { return x > -0.5 && x <= 0.5 ? 1 : 0; }

static double triangle(double x)
{
    x = fabs(x);
    return x < 1 ? 1 - x : 0;
}

static double cubic(double x)
{
    const double a = -0.5;
    x = fabs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
    return 0;
}

static double sinc(double x) { return x == 0 ? 1 : sin(PI * x) / (PI * x); }
static double lanczos(double x) { return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0; }

static const struct {
    double (*weight)(double);
    double radius;
} filters[] = {
    [IG_FILTER_BILINEAR] = { triangle, 1 },
    [IG_FILTER_BICUBIC] = { cubic, 2 },
    [IG_FILTER_LANCZOS] = { lanczos, 3 },
    [IG_FILTER_BOX] = { box, 0.5 },
};

/* Real weights of the outputs' neighbourhoods → fixed point. */
static void set_weights(ig_resample_axis *axis, ig_filter filter, int n_in, double begin,
                        double scale, double *real)
{
    const double widened = scale < 1 ? 1 : scale;
    const double radius = filters[filter].radius * widened;
    for (int i = 0; i < axis->n_out; i++) {
        const double center = begin + (i + 0.5) * scale;
        int first = (int)(center - radius + 0.5), last = (int)(center + radius + 0.5);
        if (first < 0) first = 0;
        if (last > n_in) last = n_in;
        double sum = 0;
        for (int k = 0; k < last - first; k++) {
            real[k] = filters[filter].weight((k + first - center + 0.5) * (1 / widened));
            sum += real[k];
        }
        int32_t *out = axis->weights + (size_t)i * (size_t)axis->n_taps;
        for (int k = 0; k < last - first; k++) {
            const double w = (sum != 0 ? real[k] / sum : real[k]) * (1 << WEIGHT_BITS);
            out[k] = (int32_t)(w < 0 ? w - 0.5 : w + 0.5);
        }
        axis->first[i] = first;
        axis->n[i] = last - first;
    }
}

static void set_nearest(ig_resample_axis *axis, int n_in, double begin, double scale)
{
    double center = begin + 0.5 * scale;
    /* Summed up, not multiplied out: ties then fall where Pillow's do. */
    for (int i = 0; i < axis->n_out; i++, center += scale) {
        const int at = (int)floor(center);
        axis->first[i] = at < 0 ? 0 : at >= n_in ? n_in - 1 : at;
        axis->n[i] = 1;
        axis->weights[i] = 1 << WEIGHT_BITS;
    }
}

ig_status ig_resample_axis_init(ig_resample_axis *axis, ig_alloc *alloc, ig_filter filter, int n_in,
                                double begin, double end, int n_out, ig_error *err)
{
    const double scale = (end - begin) / n_out;
    const double radius =
        filter == IG_FILTER_NEAREST ? 0 : filters[filter].radius * (scale < 1 ? 1 : scale);
    const size_t n = (size_t)n_out, n_taps = (size_t)ceil(radius) * 2 + 1;
    const size_t bytes =
        n * (2 * sizeof(int) + n_taps * sizeof(int32_t)) + (n_taps + 1) * sizeof(double);
    *axis = (ig_resample_axis){ .n_out = n_out, .n_taps = (int)n_taps, .memory_bytes = bytes };
    axis->memory = ig_alloc_get(alloc, bytes, 0, INGOT_MEM_OTHER);
    if (!axis->memory) return IG_NOMEM(err, bytes);
    double *real = axis->memory;
    axis->first = (int *)(real + n_taps + 1);
    axis->n = axis->first + n;
    axis->weights = axis->n + n;
    axis->is_copy = begin == 0 && end == n_in && n_out == n_in;
    if (filter == IG_FILTER_NEAREST)
        set_nearest(axis, n_in, begin, scale);
    else
        set_weights(axis, filter, n_in, begin, scale, real);
    if (axis->is_copy)
        for (int i = 0; i < n_out; i++) {
            axis->first[i] = i;
            axis->n[i] = 1;
        }
    return INGOT_OK;
}

void ig_resample_axis_deinit(ig_resample_axis *axis, ig_alloc *alloc)
{
    if (axis->memory) ig_alloc_put(alloc, axis->memory, axis->memory_bytes, INGOT_MEM_OTHER);
    *axis = (ig_resample_axis){ 0 };
}

static uint8_t to_byte(int32_t sum)
{
    const int32_t value = sum >> WEIGHT_BITS;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

void ig_resample_row(const ig_resample_axis *axis, const uint8_t *in, int n_channels, uint8_t *out)
{
    const int32_t half = 1 << (WEIGHT_BITS - 1);
    if (axis->is_copy) {
        memcpy(out, in, (size_t)axis->n_out * (size_t)n_channels);
        return;
    }
    for (int i = 0; i < axis->n_out; i++) {
        const int32_t *w = axis->weights + (size_t)i * (size_t)axis->n_taps;
        const uint8_t *p = in + (size_t)axis->first[i] * (size_t)n_channels;
        const int n = axis->n[i];
        if (n_channels == 3) {
            int32_t r = half, g = half, b = half;
            for (int k = 0; k < n; k++) {
                r += p[3 * k] * w[k];
                g += p[3 * k + 1] * w[k];
                b += p[3 * k + 2] * w[k];
            }
            out[3 * i] = to_byte(r);
            out[3 * i + 1] = to_byte(g);
            out[3 * i + 2] = to_byte(b);
        } else {
            int32_t sum = half;
            for (int k = 0; k < n; k++) sum += p[k] * w[k];
            out[i] = to_byte(sum);
        }
    }
}

int ig_resample_n_open(const ig_resample_axis *axis)
{
    int most = 1;
    for (int i = 0, end = 0; i < axis->n_out; i++) {
        while (end < axis->n_out && axis->first[end] < axis->first[i] + axis->n[i]) end++;
        if (end - i > most) most = end - i;
    }
    return most;
}

void ig_resample_open(int32_t *sums, size_t n)
{
    for (size_t x = 0; x < n; x++) sums[x] = 1 << (WEIGHT_BITS - 1);
}

void ig_resample_add(int32_t *sums, const uint8_t *row, size_t n, int32_t weight)
{
    for (size_t x = 0; x < n; x++) sums[x] += row[x] * weight;
}

void ig_resample_close(const int32_t *sums, size_t n, uint8_t *out)
{
    for (size_t x = 0; x < n; x++) out[x] = to_byte(sums[x]);
}
