/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multinomial.c: sample_size draws a row from the classes whose unnormalised log probabilities are
 * the row of x [batch, classes], by inverting the distribution function at uniform numbers.
 */
#include "ops/random.h"

#include <math.h>

static ig_status sample_size(const ig_node *node, int64_t *n, ingot_dtype *dtype, ig_error *err)
{
    const int64_t type = ig_attr_int(node, "dtype", INGOT_INT32);
    *n = ig_attr_int(node, "sample_size", 1);
    *dtype = (ingot_dtype)type;
    if (type != INGOT_INT32 && type != INGOT_INT64)
        return ig_fail(err, INGOT_ERR_INVALID, "dtype %lld is not int32 or int64", (long long)type);
    if (*n < 0) return ig_fail(err, INGOT_ERR_INVALID, "sample_size is %lld", (long long)*n);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    ingot_dtype dtype;
    int64_t n;
    IG_TRY(sample_size(c->node, &n, &dtype, c->err));
    c->out[0].type = (ig_type){ .kind = INGOT_KIND_TENSOR, .dtype = dtype };
    if (c->in[0]->rank < 0) return INGOT_OK;
    if (c->in[0]->rank != 2)
        return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "the input has rank %d, not 2", c->in[0]->rank);
    const ig_dim dims[] = { c->in[0]->dims[0], n };
    ig_info_set_shape(&c->out[0], dtype, 2, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    ingot_dtype dtype;
    const ig_tensor *in = c->in[0];
    int64_t n;
    IG_TRY(sample_size(c->node, &n, &dtype, c->err));
    if (in->rank != 2) return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "the input has rank %d", in->rank);
    const int64_t batch = in->dims[0], classes = in->dims[1], dims[] = { batch, n };
    if (classes < 1 && batch * n > 0) return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "there are no classes");
    IG_TRY(ig_call_output(c, 0, dtype, 2, dims));
    double *sum = ig_arena_array(c->scratch, (size_t)(classes + 1), sizeof *sum);
    if (!sum) return IG_NOMEM(c->err, (size_t)(classes + 1) * sizeof *sum);
    const uint64_t key = ig_random_key(c);
    for (int64_t row = 0; c->out[0] && row < batch; row++) {
        double max = -(double)INFINITY;
        for (int64_t k = 0; k < classes; k++)
            max = fmax(max, ig_get_f64(in->dtype, in->data, row * classes + k));
        for (int64_t k = 0; k < classes; k++)
            sum[k + 1] = sum[k] + exp(ig_get_f64(in->dtype, in->data, row * classes + k) - max);
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = row * n + i;
            const double u = ig_random_uniform(key, (uint64_t)at) * sum[classes];
            int64_t k = 0;
            while (k < classes - 1 && sum[k + 1] <= u) k++;
            ig_set_i64(dtype, c->out[0]->data, at, k);
        }
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,3]{-1000,0,-1000,-1000,-1000,0} sample_size=2 = i32[2,2]{1,1,2,2}",
    "f32[2,5] sample_size=9 dtype=7",
    "f64[1,4] seed=3.0",
    "f32[0,4]",
    "f32[4] ! rank 1",
    "f32[1,4] dtype=1 ! not int32",
    NULL
};

const ig_op ig_op_multinomial = { .onnx = "Multinomial",
                                  .since = { 7, 22 },
                                  .n_in = { 1, 1 },
                                  .n_out = { 1, 1 },
                                  .types = IG_T_FLOATS,
                                  .flags = IG_RANDOM | IG_OWN_HALF,
                                  .infer = infer,
                                  .ref = ref,
                                  .cases = cases };
