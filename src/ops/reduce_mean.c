/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_mean.c: mean of the elements along axes. */

#include "ops/reduction.h"

static double step(double acc, double x) { return acc + x; }
static int64_t i64_step(int64_t acc, int64_t x) { return (int64_t)((uint64_t)acc + (uint64_t)x); }
static double finish(double acc, int64_t n) { return acc / (double)n; }

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} axes=[1] = f32[2,1]{1.5,3.5}",
    "f32[2,2]{1,2,3,4} i64{0} keepdims=0 @18 = f32[2]{2,3}",
    "f32[2,3,4] axes=[1]",
    "f32[2,3,4] axes=[-1] keepdims=0",
    "f32[3,2,5,4] axes=[2,3]",
    "f32[3,2,5,4] axes=[0,2] keepdims=0",
    "f32[4,33]",
    NULL,
};

IG_REDUCTION_OP(reduce_mean, "ReduceMean", IG_SINCE(1, 11, 13, 18), IG_REDUCE_MEAN, IG_T_NUMERIC,
                NULL, .step = step, .finish = finish, .i64_step = i64_step)
