/* SPDX-License-Identifier: Apache-2.0 */
/*
 * average_pool.c: mean of the pixels under each window; count_include_pad divides by the taps
 * inside the padded picture instead.
 */
#include "ops/pooling.h"

/* Taps inside the padded picture: those that ceil_mode puts beyond the padding never count. */
static int64_t padded_taps(const ig_pool_view *v, const int64_t start[3])
{
    int64_t n = 1;
    for (int d = 0; d < 3; d++) {
        const int64_t end = v->in[d] + v->w.pad_end[d];
        int64_t taps =
            start[d] >= end ? 0 : (end - start[d] + v->w.dilation[d] - 1) / v->w.dilation[d];
        if (taps > v->w.kernel[d]) taps = v->w.kernel[d];
        n *= taps;
    }
    return n;
}

static double mean(const ig_call *c, const ig_pool_view *v, int64_t x, const int64_t start[3],
                   const int64_t from[3], const int64_t to[3], int64_t *index)
{
    const ig_tensor *t = c->in[0];
    double sum = 0;
    (void)index;
    for (int64_t a = from[0]; a < to[0]; a++)
        for (int64_t b = from[1]; b < to[1]; b++)
            for (int64_t d = from[2]; d < to[2]; d++)
                sum += ig_get_f64(t->dtype, t->data,
                                  x + (start[0] + a * v->w.dilation[0]) * v->x_s[0] +
                                      (start[1] + b * v->w.dilation[1]) * v->x_s[1] +
                                      (start[2] + d * v->w.dilation[2]) * v->x_s[2]);
    const int64_t n = ig_attr_int(c->node, "count_include_pad", 0)
                          ? padded_taps(v, start)
                          : (to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]);
    return n ? sum / (double)n : 0;
}

static ig_status ref(ig_call *c) { return ig_ref_pool(c, false, mean); }
static ig_status lower(ig_lower *l) { return ig_lower_pool(l, IG_POOL_AVERAGE, false); }

static const char *const cases[] = {
    "f32[1,1,3,3]{1,2,3,4,5,6,7,8,9} kernel_shape=[2,2] = f32[1,1,2,2]{3,4,6,7}",
    "f32[1,1,2,2]{1,2,3,4} kernel_shape=[2,2] pads=[1,1,1,1] strides=[2,2] = f32[1,1,2,2]{1,2,3,4}",
    "f32[1,1,2,2]{1,2,3,4} kernel_shape=[2,2] pads=[1,1,1,1] strides=[2,2] count_include_pad=1 "
    "= f32[1,1,2,2]{0.25,0.5,0.75,1}",
    "f32[2,3,8,7] kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] ceil_mode=1 @10",
    "f32[2,8,7,5] channels_last=1 kernel_shape=[3,2] strides=[2,1] pads=[1,0,1,1] "
    "count_include_pad=1",
    "f32[1,2,6,6] kernel_shape=[2,2] dilations=[2,2] @19",
    "f32[1,2,5,5] kernel_shape=[3,3] auto_pad=\"SAME_LOWER\"",
    "f32[1,2,9] kernel_shape=[4] strides=[3]",
    NULL,
};

const ig_op ig_op_average_pool = {
    .onnx = "AveragePool",
    .since = { 1, 7, 10, 11, 19, 22 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .flags = IG_CHANNELS_LAST,
    .infer = ig_infer_pool,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
