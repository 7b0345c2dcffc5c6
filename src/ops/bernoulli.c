/* SPDX-License-Identifier: Apache-2.0 */
/* bernoulli.c: 1 with probability x, else 0, drawn from the uniform numbers of random.h. */
#include "ops/random.h"

static ig_status target(const ig_node *node, ingot_dtype input, ingot_dtype *out, ig_error *err)
{
    const int64_t dtype = ig_attr_int(node, "dtype", input);
    *out = input;
    if (dtype <= 0 || dtype >= INGOT_N_DTYPES || !(IG_T(dtype) & (IG_T_NUMERIC | IG_T_BOOL)))
        return ig_fail(err, INGOT_ERR_INVALID, "dtype %lld is no number type", (long long)dtype);
    *out = (ingot_dtype)dtype;
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    ingot_dtype dtype;
    IG_TRY(target(c->node, c->in[0]->type.dtype, &dtype, c->err));
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = dtype;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    ingot_dtype dtype;
    const ig_tensor *in = c->in[0];
    const int64_t n = ig_tensor_count(in);
    const uint64_t key = ig_random_key(c);
    IG_TRY(target(c->node, in->dtype, &dtype, c->err));
    IG_TRY(ig_call_output(c, 0, dtype, in->rank, in->dims));
    for (int64_t i = 0; c->out[0] && i < n; i++) {
        const double p = ig_get_f64(in->dtype, in->data, i);
        ig_set_i64(dtype, c->out[0]->data, i, ig_random_uniform(key, (uint64_t)i) < p);
    }
    return INGOT_OK;
}

static const char *const cases[] = { "f32[4]{0,1,0,1} = f32[4]{0,1,0,1}",
                                     "f64[2]{0,1} dtype=9 = bool[2]{0,1}",
                                     "f32[8]{0.5} seed=2.0 dtype=7",
                                     "f16[3]{1} dtype=10 = f16[3]{1}",
                                     "f32[0]",
                                     "f32[2]{0.5} dtype=8 ! no number type",
                                     NULL };

const ig_op ig_op_bernoulli = { .onnx = "Bernoulli",
                                .since = { 15, 22 },
                                .n_in = { 1, 1 },
                                .n_out = { 1, 1 },
                                .types = IG_T_FLOATS,
                                .flags = IG_RANDOM | IG_OWN_HALF,
                                .infer = infer,
                                .ref = ref,
                                .cases = cases };
