/* SPDX-License-Identifier: Apache-2.0 */
/*
 * max_pool.c: the largest pixel under each window, and (output 1) its index in the flattened NC…
 * input; storage_order 1 counts the last two spatial dimensions column by column. Pixels outside
 * the picture do not take part.
 */
#include <math.h>

#include "ops/pooling.h"

static double largest(const ig_call *c, const ig_pool_view *v, int64_t x, const int64_t start[3],
                      const int64_t from[3], const int64_t to[3], int64_t *index)
{
    const ig_tensor *t = c->in[0];
    double best = -INFINITY;
    int64_t at[3] = { 0 };
    bool has_one = false;
    if (t->dtype == INGOT_INT8) best = -128;
    if (t->dtype == INGOT_UINT8) best = 0;
    for (int64_t a = from[0]; a < to[0]; a++)
        for (int64_t b = from[1]; b < to[1]; b++)
            for (int64_t d = from[2]; d < to[2]; d++) {
                const int64_t p[3] = { start[0] + a * v->w.dilation[0],
                                       start[1] + b * v->w.dilation[1],
                                       start[2] + d * v->w.dilation[2] };
                const double value = ig_get_f64(
                    t->dtype, t->data, x + p[0] * v->x_s[0] + p[1] * v->x_s[1] + p[2] * v->x_s[2]);
                if (has_one && !(value > best) && !(isnan(value) && !isnan(best))) continue;
                if (has_one && isnan(best)) continue;
                has_one = true;
                best = value;
                for (int i = 0; i < 3; i++) at[i] = p[i];
            }
    if (!has_one) return best; /* nothing but padding, the picture may even be empty */
    /* The index is that of the plain layout, whatever the layout here. */
    const int64_t plane = x / v->x_n * v->channels + x % v->x_n / v->x_c;
    const int64_t pixels = v->in[0] * v->in[1] * v->in[2];
    *index = plane * pixels + at[0] * v->in[1] * v->in[2];
    *index += ig_attr_int(c->node, "storage_order", 0) ? at[2] * v->in[1] + at[1]
                                                       : at[1] * v->in[2] + at[2];
    return best;
}

static ig_status ref(ig_call *c) { return ig_ref_pool(c, false, largest); }
static ig_status lower(ig_lower *l) { return ig_lower_pool(l, IG_POOL_MAX, false); }

static const char *const cases[] = {
    "f32[1,1,3,3]{1,2,3,4,5,6,7,8,9} kernel_shape=[2,2] = f32[1,1,2,2]{5,6,8,9}",
    "f32[1,1,4,4]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16} kernel_shape=[3,3] strides=[2,2] "
    "ceil_mode=1 @10 "
    "= f32[1,1,2,2]{11,12,15,16}",
    "f32[1,1,5]{1,3,2,5,4} kernel_shape=[3] pads=[1,1] -> 2 = f32[1,1,5]{3,3,5,5,5} "
    "i64[1,1,5]{1,1,3,3,3}",
    "f32[2,3,8,7] kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]",
    "f32[2,8,7,5] channels_last=1 kernel_shape=[3,2] strides=[2,1] pads=[1,0,1,1]",
    "f32[1,2,6,6] kernel_shape=[2,2] dilations=[2,2]",
    "f32[1,2,5,5] kernel_shape=[3,3] auto_pad=\"SAME_UPPER\"",
    "f32[1,2,4,5,6] kernel_shape=[2,2,2] strides=[2,2,2]",
    "u8[1,1,3,3]{1,2,3,4,5,6,7,8,9} kernel_shape=[2,2] @12 = u8[1,1,2,2]{5,6,8,9}",
    "f32[1,1,0] kernel_shape=[2] pads=[1,1] -> 2 = f32[1,1,1]{-inf} i64[1,1,1]{0}",
    "f32[1,1,2,2] ! kernel_shape is missing",
    NULL,
};

const ig_op ig_op_max_pool = {
    .onnx = "MaxPool",
    .since = { 1, 8, 10, 11, 12, 22 },
    .n_in = { 1, 1 },
    .n_out = { 1, 2 },
    .types = IG_T_FLOATS | IG_T(INGOT_INT8) | IG_T(INGOT_UINT8),
    .flags = IG_CHANNELS_LAST,
    .infer = ig_infer_pool,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
