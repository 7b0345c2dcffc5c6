/* SPDX-License-Identifier: Apache-2.0 */
/*
 * max_roi_pool.c: regions of a picture, cut into a fixed number of bins; the largest pixel of each.
 *
 * A region is [batch, x1, y1, x2, y2]. Its corners are scaled, rounded to pixels (halves away from
 * zero) and both belong to it; it is at least one pixel large. Bins overlap by the pixels that
 * they share, and one without a pixel gives 0.
 */
#include <math.h>

#include "ops/strided.h"

/* Coordinates beyond this are off any picture; within it, products with the number of bins fit. */
#define FAR ((int64_t)1 << 30)
#define MAX_BINS ((int64_t)1 << 30)

enum { IN_X, IN_ROIS };

static ig_status read_bins(const ig_node *node, const int64_t **bins, ig_error *err)
{
    size_t n;
    *bins = ig_attr_ints(node, "pooled_shape", &n);
    if (!*bins || n != 2)
        return ig_fail(err, INGOT_ERR_INVALID, "pooled_shape has %zu entries, 2 are needed", n);
    for (int k = 0; k < 2; k++)
        if ((*bins)[k] < 1 || (*bins)[k] > MAX_BINS)
            return ig_fail(err, INGOT_ERR_INVALID, "pooled_shape[%d] = %lld is out of range", k,
                           (long long)(*bins)[k]);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_X], *rois = c->in[IN_ROIS];
    const int64_t *bins;
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(read_bins(c->node, &bins, c->err));
    if (rois->type.dtype != x->type.dtype && rois->type.dtype != INGOT_UNDEFINED &&
        x->type.dtype != INGOT_UNDEFINED)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input is %s, rois are %s",
                       ingot_dtype_name(x->type.dtype), ingot_dtype_name(rois->type.dtype));
    if (x->rank >= 0 && x->rank != 4)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input has rank %d, not 4", x->rank);
    if (rois->rank >= 0 &&
        (rois->rank != 2 || (ig_dim_is_const(rois->dims[1]) && rois->dims[1] != 5)))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "rois must be [number,5]");
    if (x->rank < 0 || rois->rank < 0) return INGOT_OK;
    const ig_dim dims[4] = { rois->dims[0], x->dims[1], bins[0], bins[1] };
    ig_info_set_shape(&c->out[0], x->type.dtype, 4, dims);
    return INGOT_OK;
}

/* One direction of a region: its first pixel, its pixels, the bins, the pixels of the picture. */
typedef struct span {
    int64_t first, n, n_bins, n_pixels;
} span;

static int64_t pixel_of(double x)
{
    if (!(x > -(double)FAR)) return -FAR;
    return x < (double)FAR ? llround(x) : FAR;
}

static span make_span(const ig_call *c, int64_t roi, int k, int64_t n_bins, int64_t n_pixels)
{
    const ig_tensor *rois = c->in[IN_ROIS];
    const double scale = (double)ig_attr_float(c->node, "spatial_scale", 1);
    const int64_t first = pixel_of(ig_get_f64(rois->dtype, rois->data, roi * 5 + 1 + k) * scale);
    const int64_t last = pixel_of(ig_get_f64(rois->dtype, rois->data, roi * 5 + 3 + k) * scale);
    return (span){ .first = first,
                   .n = last > first ? last - first + 1 : 1,
                   .n_bins = n_bins,
                   .n_pixels = n_pixels };
}

/* Pixels [*from, *to) of a bin inside the picture. */
static void bin_of(const span *s, int64_t bin, int64_t *from, int64_t *to)
{
    *from = s->first + bin * s->n / s->n_bins;
    *to = s->first + ((bin + 1) * s->n + s->n_bins - 1) / s->n_bins;
    if (*from < 0) *from = 0;
    if (*to > s->n_pixels) *to = s->n_pixels;
}

static double pool(const ig_tensor *x, int64_t plane, const span *h, const span *w, int64_t by,
                   int64_t bx)
{
    int64_t y0, y1, x0, x1;
    bin_of(h, by, &y0, &y1);
    bin_of(w, bx, &x0, &x1);
    if (y0 >= y1 || x0 >= x1) return 0;
    double best = -INFINITY;
    for (int64_t i = y0; i < y1; i++)
        for (int64_t j = x0; j < x1; j++) {
            const double v = ig_get_f64(x->dtype, x->data, plane + i * w->n_pixels + j);
            if (v > best || isnan(v)) best = v;
            if (isnan(best)) return best;
        }
    return best;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *x = c->in[IN_X], *rois = c->in[IN_ROIS], *y = c->out[0];
    const int64_t *bins;
    IG_TRY(read_bins(c->node, &bins, c->err));
    if (ig_tensor_count(y) == 0) return INGOT_OK;
    const int64_t n_roi = x->dims[1] * bins[0] * bins[1], n_plane = x->dims[2] * x->dims[3];
    for (int64_t r = 0; r < y->dims[0]; r++) {
        const double batch = ig_get_f64(rois->dtype, rois->data, r * 5);
        if (!(batch >= 0 && batch < (double)x->dims[0]))
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "region %lld is of picture %g, there are %lld", (long long)r, batch,
                           (long long)x->dims[0]);
        const span h = make_span(c, r, 1, bins[0], x->dims[2]);
        const span w = make_span(c, r, 0, bins[1], x->dims[3]);
        for (int64_t k = 0; k < n_roi; k++) {
            const int64_t channel = (int64_t)batch * x->dims[1] + k / (bins[0] * bins[1]);
            ig_set_f64(y->dtype, y->data, r * n_roi + k,
                       pool(x, channel * n_plane, &h, &w, k / bins[1] % bins[0], k % bins[1]));
        }
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,1,3,3]{1,2,3,4,5,6,7,8,9} f32[1,5]{0,0,0,2,2} pooled_shape=[2,2] "
    "= f32[1,1,2,2]{5,6,8,9}",
    "f32[2,1,2,2]{1,2,3,4,5,6,7,8} f32[2,5]{1,0,0,1,1,0,1,0,1,5} pooled_shape=[1,1] @1 "
    "= f32[2,1,1,1]{8,4}",
    "f32[1,1,2,2]{1,2,3,4} f32[2,5]{0,5,5,6,6,0,-9,-9,-8,-8} pooled_shape=[1,2] "
    "= f32[2,1,1,2]{0}",
    "f32[1,1,1,4]{1,-2,nan,4} f32[1,5]{0,0,0,3,0} pooled_shape=[1,2] = f32[1,1,1,2]{1,nan}",
    "f64[1,1,4,4] f64[1,5]{0,2,2,6,6} pooled_shape=[2,3] spatial_scale=0.5",
    "f32[2,3,8,7] f32[3,5]{0,1,1,6,5,1,3,0,2,7,0,0,0,0,0} pooled_shape=[3,2]",
    "f16[1,2,4,4] f16[1,5]{0,0,1,3,3} pooled_shape=[2,2]",
    "f32[1,1,2,2]{1,2,3,4} f32[1,5]{0,-1e30,-1e30,1e30,nan} pooled_shape=[1,1] "
    "= f32[1,1,1,1]{0}",
    "f32[1,1,2,2] f32[0,5] pooled_shape=[2,2]",
    "f32[1,1,2,2] f32[1,5]{1,0,0,1,1} pooled_shape=[1,1] ! region 0 is of picture 1, there are 1",
    "f32[1,1,2,2] f32[1,5]{nan,0,0,1,1} pooled_shape=[1,1] ! of picture",
    "f32[1,1,2,2] f32[1,4] pooled_shape=[1,1] ! rois must be [number,5]",
    "f32[1,1,2] f32[1,5] pooled_shape=[1,1] ! input has rank 3, not 4",
    "f32[1,1,2,2] f64[1,5] pooled_shape=[1,1] ! input is float32, rois are float64",
    "f32[1,1,2,2] f32[1,5] ! pooled_shape has 0 entries",
    "f32[1,1,2,2] f32[1,5] pooled_shape=[1,0] ! pooled_shape[1] = 0 is out of range",
    NULL,
};

const ig_op ig_op_max_roi_pool = {
    .onnx = "MaxRoiPool",
    .since = { 1, 22 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
