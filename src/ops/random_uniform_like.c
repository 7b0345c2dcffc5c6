/* SPDX-License-Identifier: Apache-2.0 */
/* random_uniform_like.c: numbers uniform in [low, high), in the shape of the input; see random.h.
 */
#include "ops/random.h"

static ig_status ref(ig_call *c)
{
    const double low = (double)ig_attr_float(c->node, "low", 0.0f);
    const double high = (double)ig_attr_float(c->node, "high", 1.0f);
    return ig_random_like_ref(c, ig_random_uniform, low, high - low);
}

static const char *const cases[] = {
    "f32[2,3]", "f32[5] seed=1.5 low=2.0 high=3.0",  "f64[0]", "i32[4]", "i32[4] dtype=11",
    "f16[4]",   "f32[4] dtype=7 ! not a float type", NULL
};

const ig_op ig_op_random_uniform_like = { .onnx = "RandomUniformLike",
                                          .since = { 1, 22 },
                                          .n_in = { 1, 1 },
                                          .n_out = { 1, 1 },
                                          .flags = IG_RANDOM | IG_SHAPE_ONLY | IG_OWN_HALF,
                                          .infer = ig_random_like_infer,
                                          .ref = ref,
                                          .cases = cases };
