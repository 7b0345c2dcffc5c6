/* SPDX-License-Identifier: Apache-2.0 */
/* random_normal_like.c: numbers normal with mean and standard deviation `scale`, in the shape of
 * the input; see random.h. */
#include "ops/random.h"

static ig_status ref(ig_call *c)
{
    const double mean = (double)ig_attr_float(c->node, "mean", 0.0f);
    const double scale = (double)ig_attr_float(c->node, "scale", 1.0f);
    return ig_random_like_ref(c, ig_random_normal, mean, scale);
}

static const char *const cases[] = {
    "f32[2,3]", "f32[5] seed=1.5 mean=2.0 scale=3.0", "f64[0]", "i32[4]", "i32[4] dtype=11",
    "f16[4]",   "f32[4] dtype=7 ! not a float type",  NULL
};

const ig_op ig_op_random_normal_like = { .onnx = "RandomNormalLike",
                                         .since = { 1, 22 },
                                         .n_in = { 1, 1 },
                                         .n_out = { 1, 1 },
                                         .flags = IG_RANDOM | IG_SHAPE_ONLY | IG_OWN_HALF,
                                         .infer = ig_random_like_infer,
                                         .ref = ref,
                                         .cases = cases };
