/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crop_and_resize.c: com.microsoft CropAndResize: each region [y1, x1, y2, x2] (0 to 1 is the
 * picture, corner pixel to corner pixel; it may be mirrored) of the picture that batch_indices
 * names, sampled to crop_size. What lies outside is extrapolation_value.
 */
#include <math.h>

#include "ops/strided.h"

enum { IN_X, IN_ROIS, IN_BATCH, IN_SIZE };

static ig_status infer(ig_infer *c)
{
    static const int ranks[] = { 4, 2, 1, 1 };
    const ig_info *x = c->in[IN_X], *rois = c->in[IN_ROIS];
    ig_dim dims[4], size[IG_MAX_ELEMS];
    int n = 0;
    IG_TRY(ig_infer_tensors(c, 4));
    IG_TRY(ig_infer_is_int(c, IN_BATCH, "batch_indices"));
    IG_TRY(ig_infer_is_int(c, IN_SIZE, "crop_size"));
    if (!ig_attr_is(c->node, "mode", "bilinear", true) &&
        !ig_attr_is(c->node, "mode", "nearest", false))
        return ig_fail(c->err, INGOT_ERR_INVALID, "mode is none of bilinear, nearest");
    for (int i = 0; i < 4; i++)
        if (c->in[i]->rank >= 0 && c->in[i]->rank != ranks[i])
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d has rank %d, not %d", i,
                           c->in[i]->rank, ranks[i]);
    if (rois->type.dtype != x->type.dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "X is %s, rois are %s",
                       ingot_dtype_name(x->type.dtype), ingot_dtype_name(rois->type.dtype));
    dims[0] = ig_dim_born(c->dims);
    if (rois->rank == 2) {
        dims[0] = rois->dims[0];
        if (ig_dim_is_const(rois->dims[1]) && rois->dims[1] != 4)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "regions have %lld numbers, not 4",
                           (long long)rois->dims[1]);
        if (c->in[IN_BATCH]->rank == 1)
            IG_TRY(ig_dim_unify(rois->dims[0], c->in[IN_BATCH]->dims[0],
                                "number of regions and of batch_indices", &dims[0], c->err));
    }
    dims[1] = x->rank == 4 ? x->dims[1] : ig_dim_born(c->dims);
    const bool is_known = ig_infer_elems(c, IN_SIZE, size, &n);
    if (is_known && n != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "crop_size has %d numbers, not 2", n);
    for (int d = 0; d < 2; d++) {
        dims[2 + d] = is_known ? size[d] : ig_dim_born(c->dims);
        if (ig_dim_is_const(dims[2 + d]) && dims[2 + d] < 1)
            return ig_fail(c->err, INGOT_ERR_INVALID, "crop_size[%d] is %lld, not positive", d,
                           (long long)dims[2 + d]);
    }
    ig_info_set_shape(&c->out[0], x->type.dtype, 4, dims);
    return INGOT_OK;
}

typedef struct crops {
    const ig_tensor *x, *rois;
    const int64_t *batch;
    ig_tensor *y;
    bool is_nearest;
    double outside;
} crops;

/* Position in the picture (n pixels along the axis) of pixel i of n_out. */
static double position(double begin, double end, int64_t n, int64_t n_out, int64_t i)
{
    const double last = (double)(n - 1);
    if (n_out == 1) return 0.5 * (begin + end) * last;
    return begin * last + (double)i * ((end - begin) * last / (double)(n_out - 1));
}

static double sample(const crops *j, int64_t plane, double y, double x)
{
    const int64_t h = j->x->dims[2], w = j->x->dims[3];
    /* false for NaN too */
    if (!(y >= 0 && y <= (double)(h - 1) && x >= 0 && x <= (double)(w - 1))) return j->outside;
    const ingot_dtype dtype = j->x->dtype;
    const int64_t base = plane * h * w;
    if (j->is_nearest)
        return ig_get_f64(dtype, j->x->data, base + (int64_t)round(y) * w + (int64_t)round(x));
    const int64_t y0 = (int64_t)floor(y), x0 = (int64_t)floor(x);
    const int64_t y1 = (int64_t)ceil(y), x1 = (int64_t)ceil(x);
    const double fy = y - (double)y0, fx = x - (double)x0;
    const double a = ig_get_f64(dtype, j->x->data, base + y0 * w + x0);
    const double b = ig_get_f64(dtype, j->x->data, base + y0 * w + x1);
    const double c = ig_get_f64(dtype, j->x->data, base + y1 * w + x0);
    const double d = ig_get_f64(dtype, j->x->data, base + y1 * w + x1);
    const double top = a + (b - a) * fx, bottom = c + (d - c) * fx;
    return top + (bottom - top) * fy;
}

/* Planes of the output. */
static void crop_planes(void *ctx, ig_part part)
{
    const crops *j = ctx;
    const int64_t channels = j->y->dims[1], h = j->y->dims[2], w = j->y->dims[3];
    for (int64_t p = part.begin; p < part.end; p++) {
        const int64_t r = p / channels;
        double box[4];
        for (int i = 0; i < 4; i++) box[i] = ig_get_f64(j->rois->dtype, j->rois->data, 4 * r + i);
        for (int64_t i = 0; i < h * w; i++) {
            const double y = position(box[0], box[2], j->x->dims[2], h, i / w);
            const double x = position(box[1], box[3], j->x->dims[3], w, i % w);
            ig_set_f64(j->y->dtype, j->y->data, p * h * w + i,
                       sample(j, j->batch[r] * channels + p % channels, y, x));
        }
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *rois = c->in[IN_ROIS], *batch = c->in[IN_BATCH];
    const int64_t n = rois->dims[0];
    int64_t size[2];
    int n_size = 0;
    if (!ig_tensor_ints(c->in[IN_SIZE], size, 2, &n_size) || n_size != 2 || size[0] < 1 ||
        size[1] < 1)
        return ig_fail(c->err, INGOT_ERR_INVALID, "crop_size is not two positive numbers");
    if (ig_tensor_count(batch) != n)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld batch_indices for %lld regions",
                       (long long)ig_tensor_count(batch), (long long)n);
    const int64_t dims[4] = { n, x->dims[1], size[0], size[1] };
    IG_TRY(ig_call_output(c, 0, x->dtype, 4, dims));
    int64_t *pictures = ig_arena_array(c->scratch, (size_t)n + 1, sizeof *pictures);
    if (!pictures) return IG_NOMEM(c->err, (size_t)n * sizeof *pictures);
    for (int64_t i = 0; i < n; i++) {
        pictures[i] = ig_get_i64(batch->dtype, batch->data, i);
        if (pictures[i] < 0 || pictures[i] >= x->dims[0])
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "batch_indices[%lld] is %lld; there are %lld pictures", (long long)i,
                           (long long)pictures[i], (long long)x->dims[0]);
    }
    crops j = { .x = x,
                .rois = rois,
                .batch = pictures,
                .y = c->out[0],
                .is_nearest = ig_attr_is(c->node, "mode", "nearest", false),
                .outside = (double)ig_attr_float(c->node, "extrapolation_value", 0) };
    if (!c->out[0] || ig_tensor_count(c->out[0]) == 0) return INGOT_OK;
    ig_team_run(c->team, crop_planes, &j, n * x->dims[1], 1);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,1,2,2]{1,2,3,4} f32[1,4]{0,0,1,1} i32[1]{0} c:i32{3,3} = "
    "f32[1,1,3,3]{1,1.5,2,2,2.5,3,3,3.5,4}",
    "f32[1,1,2,2]{1,2,3,4} f32[2,4]{0,0,1,1,1,1,0,0} i32[2]{0,0} i32{1,2}",
    "f32[2,3,5,6] f32[3,4]{0.1,0.2,0.7,0.9,-0.3,0,1.2,0.5,0.9,0.8,0.2,0.1} i32{1,0,1} i32{4,3} "
    "extrapolation_value=7.5",
    "f32[2,3,5,6] f32[3,4]{0.1,0.2,0.7,0.88,-0.3,0,1.2,0.5,0.9,0.8,0.2,0.1} i32{1,0,1} c:i32{4,3} "
    "mode=\"nearest\"",
    "f32[1,1,1,3]{1,2,3} f32[1,4]{0,0,1,1} i32[1]{0} c:i32{1,5} mode=\"nearest\"",
    "f64[1,1,2,2] f64[1,4]{0,0,1,1} i32[1]{0} c:i32{3,3}",
    "f16[1,1,2,2] f16[1,4]{0,0,1,1} i32[1]{0} c:i32{3,3}",
    "f32[1,1,2,2] f32[0,4] i32[0] c:i32{3,3}",
    "f32[1,1,2,2] f32[1,4] i32[1]{1} c:i32{3,3} ! batch_indices[0] is 1; there are 1 pictures",
    "f32[1,1,2,2] f32[1,4] i32[1]{0} c:i32{3,0} ! crop_size",
    "f32[1,1,2,2] f32[1,5] i32[1]{0} c:i32{3,3} ! regions have 5 numbers, not 4",
    "f32[1,1,2,2] f32[1,4] i32[2]{0} c:i32{3,3} ! number of regions and of batch_indices",
    "f32[1,2,2] f32[1,4] i32[1]{0} c:i32{3,3} ! input 0 has rank 3, not 4",
    "f32[1,1,2,2] f32[1,4] i32[1]{0} c:i32{3,3} mode=\"cubic\" ! mode is none of",
    NULL,
};

const ig_op ig_op_crop_and_resize = {
    .onnx = "CropAndResize",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 4, 4 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
