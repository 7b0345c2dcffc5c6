/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roi_align.c: regions of a picture, sampled bilinearly and pooled to a fixed size.
 *
 * Opset 16 added coordinate_transformation_mode with the default half_pixel; 10 is
 * output_half_pixel. Maximum pooling takes the largest weighted pixel, not the largest sample.
 */
#include <math.h>

#include "ops/strided.h"

#define MAX_SAMPLES 1024 /* of a bin in one direction */

enum { IN_X, IN_ROIS, IN_BATCH };

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_X], *rois = c->in[IN_ROIS], *batch = c->in[IN_BATCH];
    const ig_dim height = ig_attr_int(c->node, "output_height", 1),
                 width = ig_attr_int(c->node, "output_width", 1);
    IG_TRY(ig_infer_tensors(c, 3));
    IG_TRY(ig_infer_is_int(c, IN_BATCH, "batch_indices"));
    if (ig_attr_int(c->node, "sampling_ratio", 0) > MAX_SAMPLES)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "sampling_ratio is %lld, at most %d is supported",
                       (long long)ig_attr_int(c->node, "sampling_ratio", 0), MAX_SAMPLES);
    if (height < 1 || width < 1)
        return ig_fail(c->err, INGOT_ERR_INVALID, "output size is %lld x %lld", (long long)height,
                       (long long)width);
    if (!ig_attr_is(c->node, "mode", "avg", true) && !ig_attr_is(c->node, "mode", "max", true))
        return ig_fail(c->err, INGOT_ERR_INVALID, "mode is none of avg, max");
    if (x->rank < 0 || rois->rank < 0) return INGOT_OK;
    if (x->rank != 4 || rois->rank != 2 || (ig_dim_is_const(rois->dims[1]) && rois->dims[1] != 4))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input must be [N,C,H,W], rois [number,4]");
    ig_dim n = rois->dims[0];
    if (batch->rank == 1)
        IG_TRY(ig_dim_unify(n, batch->dims[0], "rois and batch_indices", &n, c->err));
    const ig_dim dims[4] = { n, x->dims[1], height, width };
    ig_info_set_shape(&c->out[0], x->type.dtype, 4, dims);
    return INGOT_OK;
}

typedef struct axis {
    double start, bin;
    int64_t n_samples, n; /* samples a bin; pixels */
} axis;

static axis make_axis(const ig_call *c, const ig_tensor *rois, int64_t r, int k, int64_t n,
                      int64_t n_bins)
{
    const bool is_half =
        c->opset >= 16 && ig_attr_is(c->node, "coordinate_transformation_mode", "half_pixel", true);
    const double scale = (double)ig_attr_float(c->node, "spatial_scale", 1);
    const double offset = is_half ? 0.5 : 0;
    const double start = ig_get_f64(rois->dtype, rois->data, r * 4 + k) * scale - offset;
    double size = ig_get_f64(rois->dtype, rois->data, r * 4 + 2 + k) * scale - offset - start;
    if (!is_half && !(size > 1)) size = 1;
    const double samples = ceil(size / (double)n_bins);
    int64_t n_samples = ig_attr_int(c->node, "sampling_ratio", 0);
    if (n_samples <= 0) n_samples = samples > 0 ? (int64_t)fmin(samples, MAX_SAMPLES) : 0;
    return (axis){ .start = start, .bin = size / (double)n_bins, .n_samples = n_samples, .n = n };
}

/* The two pixels of a sample, or false: outside. */
static bool locate(const axis *a, int64_t bin, int64_t i, int64_t at[2], double w[2])
{
    double x = a->start + (double)bin * a->bin + ((double)i + 0.5) * a->bin / (double)a->n_samples;
    if (!(x >= -1 && x <= (double)a->n)) return false;
    if (x < 0) x = 0;
    at[0] = (int64_t)x;
    at[1] = at[0] + 1;
    if (at[0] >= a->n - 1) {
        at[0] = at[1] = a->n - 1;
        x = (double)at[0];
    }
    w[1] = x - (double)at[0];
    w[0] = 1 - w[1];
    return true;
}

static double pool(const ig_tensor *x, int64_t plane, const axis *h, const axis *w, int64_t by,
                   int64_t bx, bool is_max)
{
    double sum = 0, max = 0;
    for (int64_t i = 0; i < h->n_samples; i++)
        for (int64_t j = 0; j < w->n_samples; j++) {
            int64_t y[2], z[2];
            double wy[2], wz[2], largest = -INFINITY, value = 0;
            const bool is_inside = locate(h, by, i, y, wy) && locate(w, bx, j, z, wz);
            for (int k = 0; is_inside && k < 4; k++) {
                const double part =
                    wy[k / 2] * wz[k % 2] *
                    ig_get_f64(x->dtype, x->data, plane + y[k / 2] * w->n + z[k % 2]);
                value += part;
                largest = fmax(largest, part);
            }
            if (!is_inside) largest = 0;
            max = (i == 0 && j == 0) || largest > max ? largest : max;
            sum += value;
        }
    const int64_t n = h->n_samples * w->n_samples;
    return is_max ? max : sum / (double)(n > 0 ? n : 1);
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *rois = c->in[IN_ROIS], *batch = c->in[IN_BATCH];
    const ig_tensor *out = c->out[0];
    const bool is_max = ig_attr_is(c->node, "mode", "max", false);
    IG_TRY(ig_call_ready(c));
    const int64_t n_channels = x->dims[1], height = out->dims[2], width = out->dims[3];
    if (ig_tensor_count(out) > 0 && ig_tensor_count(x) == 0)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "there is no pixel to sample");
    for (int64_t r = 0; r < out->dims[0]; r++) {
        const int64_t b = ig_get_i64(batch->dtype, batch->data, r);
        if (b < 0 || b >= x->dims[0])
            return ig_fail(c->err, INGOT_ERR_INVALID, "batch index %lld, batch %lld", (long long)b,
                           (long long)x->dims[0]);
        const axis h = make_axis(c, rois, r, 1, x->dims[2], height);
        const axis w = make_axis(c, rois, r, 0, x->dims[3], width);
        for (int64_t k = 0; k < n_channels * height * width; k++) {
            const int64_t plane = (b * n_channels + k / (height * width)) * x->dims[2] * x->dims[3];
            ig_set_f64(out->dtype, out->data, r * n_channels * height * width + k,
                       pool(x, plane, &h, &w, k / width % height, k % width, is_max));
        }
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,1,2,2]{1,2,3,4} f32[1,4]{0,0,2,2} i64[1]{0} = f32[1,1,1,1]{2.5}",
    "f32[2,3,8,9] f32[3,4]{0,1,5,6,1,1,8,7,-3,2,4,20} i64[3]{1,0,1} output_height=3 output_width=2",
    "f32[2,3,8,9] f32[2,4]{0,1,5,6,1,1,8,7} i64[2]{1,0} output_height=3 output_width=2 "
    "mode=\"max\" "
    "sampling_ratio=2 spatial_scale=0.5 @16",
    "f32[2,3,8,9] f32[2,4]{0,1,5,6,1,1,1,1} i64[2]{1,0} output_height=2 output_width=2 @10",
    "f32[1,1,8,9] f32[1,4]{0,1,5,6} i64[1]{0} output_height=2 "
    "coordinate_transformation_mode=\"output_half_pixel\" @16",
    "f32[1,1,2,2] f32[1,4] i64[1]{1} ! batch index 1",
    NULL,
};

const ig_op ig_op_roi_align = {
    .onnx = "RoiAlign",
    .since = { 10, 16, 22 },
    .n_in = { 3, 3 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
