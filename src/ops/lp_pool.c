/* SPDX-License-Identifier: Apache-2.0 */
/* lp_pool.c: (sum of |x|^p)^(1/p) over the pixels under each window. p: a float in opset 1. */
#include <math.h>

#include "ops/pooling.h"

static double exponent(const ig_node *node)
{
    return node->opset < 2 ? (double)ig_attr_float(node, "p", 2)
                           : (double)ig_attr_int(node, "p", 2);
}

static double norm(const ig_call *c, const ig_pool_view *v, int64_t x, const int64_t start[3],
                   const int64_t from[3], const int64_t to[3], int64_t *index)
{
    const ig_tensor *t = c->in[0];
    const double p = exponent(c->node);
    double sum = 0;
    (void)index;
    for (int64_t a = from[0]; a < to[0]; a++)
        for (int64_t b = from[1]; b < to[1]; b++)
            for (int64_t d = from[2]; d < to[2]; d++)
                sum += pow(fabs(ig_get_f64(t->dtype, t->data,
                                           x + (start[0] + a * v->w.dilation[0]) * v->x_s[0] +
                                               (start[1] + b * v->w.dilation[1]) * v->x_s[1] +
                                               (start[2] + d * v->w.dilation[2]) * v->x_s[2])),
                           p);
    return pow(sum, 1 / p);
}

static ig_status ref(ig_call *c) { return ig_ref_pool(c, false, norm); }

static const char *const cases[] = {
    "f32[1,1,2,2]{1,-2,3,4} kernel_shape=[2,2] p=1 = f32[1,1,1,1]{10}",
    "f32[1,1,1,4]{3,-4,6,8} kernel_shape=[1,2] strides=[1,2] = f32[1,1,1,2]{5,10}",
    "f32[2,3,8,7] kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1] p=3",
    "f32[1,2,6,6] kernel_shape=[2,2] dilations=[2,2]",
    "f32[1,2,5] kernel_shape=[3] auto_pad=\"SAME_UPPER\"",
    NULL,
};

const ig_op ig_op_lp_pool = {
    .onnx = "LpPool",
    .since = { 1, 2, 11, 18, 22 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = ig_infer_pool,
    .ref = ref,
    .cases = cases,
};
