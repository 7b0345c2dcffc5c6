/* SPDX-License-Identifier: Apache-2.0 */
/* resampling_taps.c: from output indices to input indices and weights. Coordinates are computed in
 * float, as exporters expect: (y + 0.5) / scale must round the same way everywhere. */
#include <math.h>

#include "ops/resampling.h"

static float source_coordinate(ig_resample_coords coords, const ig_resample_axis *a, int64_t index)
{
    const float y = (float)index, last = (float)(a->in - 1);
    switch (coords) {
    case IG_COORDS_ASYMMETRIC: /* where sizes were given, a tie is a tie */
        return a->length == (float)a->out ? (float)((double)y * (double)a->in / (double)a->out)
                                          : y / a->scale;
    case IG_COORDS_TF_HALF_PIXEL_FOR_NN: return (y + 0.5f) / a->scale;
    case IG_COORDS_ALIGN_CORNERS: return a->length == 1 ? 0 : y * last / (a->length - 1);
    case IG_COORDS_PYTORCH_HALF_PIXEL: return a->length > 1 ? (y + 0.5f) / a->scale - 0.5f : 0;
    case IG_COORDS_HALF_PIXEL_SYMMETRIC: {
        const float adjustment = (float)a->out / a->length;
        return (float)a->in / 2 * (1 - adjustment) + (y + 0.5f) / a->scale - 0.5f;
    }
    case IG_COORDS_TF_CROP_AND_RESIZE:
        return a->length == 1
                   ? 0.5f * (a->roi_begin + a->roi_end) * last
                   : a->roi_begin * last + y * (a->roi_end - a->roi_begin) * last / (a->length - 1);
    default: return (y + 0.5f) / a->scale - 0.5f;
    }
}

static int64_t clamp(double x, int64_t n)
{
    if (!(x > 0)) return 0;
    return x >= (double)(n - 1) ? n - 1 : (int64_t)x;
}

static int64_t nearest_index(ig_nearest rule, const ig_resample_axis *a, float x)
{
    switch (rule) {
    case IG_NEAREST_FLOOR: return clamp((double)floorf(x), a->in);
    case IG_NEAREST_CEIL: return clamp((double)ceilf(x), a->in);
    case IG_NEAREST_ROUND_PREFER_CEIL: return clamp(floor((double)x + 0.5), a->in);
    case IG_NEAREST_SIMPLE:
        return clamp(a->scale < 1 ? (double)ceilf(x) : (double)truncf(x), a->in);
    default: return clamp(ceil((double)x - 0.5), a->in);
    }
}

/* The kernel that weighs an element at distance x. */
static double kernel(const ig_resample *r, double x)
{
    x = fabs(x);
    if (r->mode == IG_RESAMPLE_LINEAR) return x < 1 ? 1 - x : 0;
    const double a = (double)r->cubic_a;
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static void weigh(const ig_resample *r, const ig_resample_axis *a, double x, double squeeze,
                  int64_t o, ig_resample_taps *taps)
{
    const double first = floor(x) - taps->n / 2 + 1;
    double sum = 0;
    for (int t = 0; t < taps->n; t++) {
        const double at = first + t;
        const bool is_outside = at < 0 || at > (double)(a->in - 1);
        const double w = r->exclude_outside && is_outside ? 0 : kernel(r, (at - x) * squeeze);
        taps->index[t * a->out + o] = (int32_t)clamp(at, a->in);
        taps->weight[t * a->out + o] = w;
        sum += w;
    }
    if ((squeeze == 1 && !r->exclude_outside) || sum == 0) return;
    for (int t = 0; t < taps->n; t++) taps->weight[t * a->out + o] /= sum;
}

ig_status ig_resample_make_taps(const ig_resample *r, const ig_resample_axis *a, ig_arena *arena,
                                ig_resample_taps *taps, ig_error *err)
{
    const bool is_nearest = r->mode == IG_RESAMPLE_NEAREST;
    const double squeeze = r->antialias && a->scale < 1 ? (double)a->scale : 1;
    const double support = (r->mode == IG_RESAMPLE_LINEAR ? 1 : 2) / squeeze;
    size_t n = 0;
    if (!is_nearest && !(support < INT16_MAX))
        return ig_fail(err, INGOT_ERR_LIMIT, "antialiasing by a scale of %g takes too many taps",
                       (double)a->scale);
    *taps = (ig_resample_taps){ .n = is_nearest ? 1 : 2 * (int)ceil(support) };
    if (a->in > INT32_MAX || !ig_size_mul((size_t)taps->n, (size_t)a->out, &n))
        return ig_fail(err, INGOT_ERR_LIMIT, "an axis of %lld elements is too long to resample",
                       (long long)a->in);
    taps->index = ig_arena_array(arena, n, sizeof *taps->index);
    if (!is_nearest) taps->weight = ig_arena_array(arena, n, sizeof *taps->weight);
    const bool crops = r->coords == IG_COORDS_TF_CROP_AND_RESIZE;
    if (crops) taps->is_outside = ig_arena_array(arena, (size_t)a->out, sizeof *taps->is_outside);
    if (!taps->index || (!is_nearest && !taps->weight) || (crops && !taps->is_outside))
        return IG_NOMEM(err, n * sizeof *taps->weight);
    for (int64_t o = 0; o < a->out; o++) {
        const float x = a->is_same ? (float)o : source_coordinate(r->coords, a, o);
        if (crops) taps->is_outside[o] = !(x >= 0 && x <= (float)(a->in - 1));
        if (is_nearest)
            taps->index[o] = (int32_t)(a->is_same ? o : nearest_index(r->nearest, a, x));
        else
            weigh(r, a, (double)x, squeeze, o, taps);
    }
    return INGOT_OK;
}
