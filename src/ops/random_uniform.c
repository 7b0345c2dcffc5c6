/* SPDX-License-Identifier: Apache-2.0 */
/* random_uniform.c: numbers uniform in [low, high); see random.h. */
#include "ops/random.h"

static ig_status infer(ig_infer *c)
{
    int64_t dims[IG_MAX_RANK];
    ingot_dtype dtype;
    int rank;
    IG_TRY(ig_random_dtype(c->node, INGOT_FLOAT, &dtype, c->err));
    IG_TRY(ig_random_shape(c->node, &rank, dims, c->err));
    ig_info_set_shape(&c->out[0], dtype, rank, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    int64_t dims[IG_MAX_RANK];
    ingot_dtype dtype;
    int rank;
    const double low = (double)ig_attr_float(c->node, "low", 0.0f);
    const double high = (double)ig_attr_float(c->node, "high", 1.0f);
    IG_TRY(ig_random_dtype(c->node, INGOT_FLOAT, &dtype, c->err));
    IG_TRY(ig_random_shape(c->node, &rank, dims, c->err));
    return ig_random_fill(c, dtype, rank, dims, ig_random_uniform, low, high - low);
}

static const char *const cases[] = { "shape=[2,3]",
                                     "shape=[5] seed=1.5 low=2.0 high=3.0",
                                     "shape=[0]",
                                     "shape=[4] dtype=11",
                                     "shape=[4] dtype=10",
                                     "shape=[4] dtype=7 ! not a float type",
                                     "shape=[-1] ! negative",
                                     NULL };

const ig_op ig_op_random_uniform = { .onnx = "RandomUniform",
                                     .since = { 1, 22 },
                                     .n_in = { 0, 0 },
                                     .n_out = { 1, 1 },
                                     .flags = IG_RANDOM | IG_OWN_HALF,
                                     .infer = infer,
                                     .ref = ref,
                                     .cases = cases };
