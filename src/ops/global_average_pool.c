/* SPDX-License-Identifier: Apache-2.0 */
/* global_average_pool.c: mean over all spatial dimensions. */
#include "ops/pooling.h"

static double mean(const ig_call *c, const ig_pool_view *v, int64_t x, const int64_t start[3],
                   const int64_t from[3], const int64_t to[3], int64_t *index)
{
    double sum = 0;
    (void)start, (void)from, (void)index;
    for (int64_t d = 0; d < to[2]; d++)
        sum += ig_get_f64(c->in[0]->dtype, c->in[0]->data, x + d * v->x_s[2]);
    return sum / (double)to[2];
}

static ig_status ref(ig_call *c) { return ig_ref_pool(c, true, mean); }
static ig_status lower(ig_lower *l) { return ig_lower_pool(l, IG_POOL_AVERAGE, true); }

static const char *const cases[] = {
    "f32[1,2,2,2]{1,2,3,4,5,6,7,8} = f32[1,2,1,1]{2.5,6.5}",
    "f32[2,7,5,4]",
    "f32[2,5,4,7] channels_last=1",
    "f32[2,3,4,3,2]",
    "f32[2,3]",
    "f32[1,2,3,0] = f32[1,2,1,1]{nan,nan}",
    "f32[1,3,0,2] channels_last=1 = f32[1,1,1,2]{nan,nan}",
    NULL,
};

const ig_op ig_op_global_average_pool = {
    .onnx = "GlobalAveragePool",
    .since = { 1, 22 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .flags = IG_CHANNELS_LAST,
    .infer = ig_infer_global_pool,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
