/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relative_position_bias.c: com.microsoft RelativePositionBias, T5's: what is added to the score of
 * query i and key j depends on the bucket of their distance. Half of the buckets are for small
 * distances, one each; the others grow with the logarithm up to max_distance. With is_bidirectional
 * keys after the query have buckets of their own. The table [buckets, heads] lies in memory head by
 * head.
 */
#include <math.h>

#include "ops/strided.h"

enum { IN_TABLE, IN_QUERIES, IN_KEYS };

static ig_status infer(ig_infer *c)
{
    const ig_info *table = c->in[IN_TABLE];
    ig_dim dims[4] = { 1, 0, 0, 0 };
    IG_TRY(ig_infer_tensors(c, 3));
    if (ig_attr_int(c->node, "max_distance", 0) < 1)
        return ig_fail(c->err, INGOT_ERR_INVALID, "max_distance is missing or not positive");
    if (table->rank >= 0 && table->rank != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "bias_table has rank %d, not 2", table->rank);
    dims[1] = table->rank == 2 ? table->dims[1] : ig_dim_born(c->dims);
    for (int i = IN_QUERIES; i <= IN_KEYS; i++) {
        ig_dim one[IG_MAX_ELEMS];
        int n = 0;
        IG_TRY(ig_infer_is_int(c, i, "lengths"));
        const bool is_known = ig_infer_elems(c, i, one, &n) && n == 1;
        dims[i + 1] = is_known ? one[0] : ig_dim_born(c->dims);
        if (ig_dim_is_const(dims[i + 1]) && dims[i + 1] < 0)
            return ig_fail(c->err, INGOT_ERR_INVALID, "input %d is %lld, a negative length", i,
                           (long long)dims[i + 1]);
    }
    ig_info_set_shape(&c->out[0], table->type.dtype, 4, dims);
    return INGOT_OK;
}

/* distance: key - query */
static int64_t bucket_of(int64_t distance, int64_t n_buckets, bool is_bidirectional,
                         int64_t max_distance)
{
    int64_t first = 0;
    if (is_bidirectional) {
        n_buckets /= 2;
        if (distance > 0) first = n_buckets;
    } else if (distance > 0) {
        distance = 0;
    }
    if (distance < 0) distance = -distance;
    const int64_t n_exact = n_buckets / 2;
    if (distance < n_exact) return first + distance;
    if (n_buckets <= 1 || n_exact < 1) return first + (n_buckets > 0 ? n_buckets - 1 : 0);
    /* in float32, as models were trained with */
    const float part = logf((float)distance / (float)n_exact) /
                       logf((float)max_distance / (float)n_exact) * (float)(n_buckets - n_exact);
    const bool is_inside = part >= 0 && part < (float)(n_buckets - n_exact);
    const int64_t large = is_inside ? n_exact + (int64_t)part : n_buckets - 1;
    return first + (large < n_buckets ? large : n_buckets - 1);
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *table = c->in[IN_TABLE];
    int64_t n_q = 0, n_k = 0;
    IG_TRY(ig_call_scalar(c, IN_QUERIES, 0, &n_q));
    IG_TRY(ig_call_scalar(c, IN_KEYS, 0, &n_k));
    if (n_q < 0 || n_k < 0)
        return ig_fail(c->err, INGOT_ERR_INVALID, "lengths %lld and %lld: one is negative",
                       (long long)n_q, (long long)n_k);
    const int64_t n_buckets = table->dims[0], n_heads = table->dims[1];
    const int64_t dims[4] = { 1, n_heads, n_q, n_k };
    const bool is_bidirectional = ig_attr_int(c->node, "is_bidirectional", 0) != 0;
    const int64_t max_distance = ig_attr_int(c->node, "max_distance", 128);
    IG_TRY(ig_call_output(c, 0, table->dtype, 4, dims));
    if (!c->out[0] || ig_tensor_count(c->out[0]) == 0) return INGOT_OK;
    if (n_buckets < 1) return ig_fail(c->err, INGOT_ERR_SHAPE, "bias_table has no buckets");
    int64_t at = 0;
    for (int64_t h = 0; h < n_heads; h++)
        for (int64_t q = 0; q < n_q; q++)
            for (int64_t k = 0; k < n_k; k++, at++) {
                const int64_t bucket = bucket_of(k - q, n_buckets, is_bidirectional, max_distance);
                ig_set_f64(table->dtype, c->out[0]->data, at,
                           ig_get_f64(table->dtype, table->data, h * n_buckets + bucket));
            }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[4,2]{0,1,2,3,10,11,12,13} i64[1]{3} i64[1]{3} max_distance=8 = "
    "f32[1,2,3,3]{0,0,0,1,0,0,2,1,0,10,10,10,11,10,10,12,11,10}",
    "f32[8,1]{0,1,2,3,4,5,6,7} c:i64[1]{1} c:i64[1]{12} max_distance=8 is_bidirectional=1 = "
    "f32[1,1,1,12]{0,5,6,6,7,7,7,7,7,7,7,7}",
    "f32[8,1]{0,1,2,3,4,5,6,7} c:i64[1]{12} c:i64[1]{1} max_distance=8 = "
    "f32[1,1,12,1]{0,1,2,3,4,5,6,7,7,7,7,7}",
    "f16[32,3] c:i64[1]{7} c:i64[1]{9} max_distance=128 is_bidirectional=1",
    "f32[1,2] i64[1]{2} i64[1]{2} max_distance=8 is_bidirectional=1",
    "f32[4,2] i64[1]{0} i64[1]{3} max_distance=8",
    "f32[4,2] i64[1]{-1} i64[1]{3} max_distance=8 ! negative",
    "f32[4] i64[1]{1} i64[1]{3} max_distance=8 ! bias_table has rank 1",
    "f32[4,2] i64[1]{1} i64[1]{3} ! max_distance is missing",
    NULL,
};

const ig_op ig_op_relative_position_bias = {
    .onnx = "RelativePositionBias",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 3, 3 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16),
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
