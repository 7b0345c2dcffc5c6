/* SPDX-License-Identifier: Apache-2.0 */
/* random_normal.c: numbers normal with mean and standard deviation `scale`; see random.h. */
#include "ops/random.h"

static ig_status ref(ig_call *c)
{
    const double mean = (double)ig_attr_float(c->node, "mean", 0.0f);
    const double scale = (double)ig_attr_float(c->node, "scale", 1.0f);
    return ig_random_ref(c, ig_random_normal, mean, scale);
}

static const char *const cases[] = { "shape=[2,3]",
                                     "shape=[5] seed=1.5 mean=2.0 scale=3.0",
                                     "shape=[0]",
                                     "shape=[4] dtype=11",
                                     "shape=[4] dtype=10",
                                     "shape=[4] dtype=7 ! not a float type",
                                     "shape=[-1] ! negative",
                                     NULL };

const ig_op ig_op_random_normal = { .onnx = "RandomNormal",
                                    .since = { 1, 22 },
                                    .n_in = { 0, 0 },
                                    .n_out = { 1, 1 },
                                    .flags = IG_RANDOM | IG_OWN_HALF,
                                    .infer = ig_random_infer,
                                    .ref = ref,
                                    .cases = cases };
