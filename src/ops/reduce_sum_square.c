/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_sum_square.c: sum of squares along axes. */

#include "ops/reduction.h"

static double step(double acc, double x) { return acc + x * x; }
static int64_t i64_step(int64_t acc, int64_t x)
{
    return (int64_t)((uint64_t)acc + (uint64_t)x * (uint64_t)x);
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,-4} axes=[1] = f32[2,1]{5,25}",
    "f32[2,3,4] axes=[1]",
    "f32[2,3,4] axes=[-1] keepdims=0",
    "f32[3,2,5,4] axes=[2,3]",
    "f32[3,2,5,4] axes=[0,2] keepdims=0",
    "f32[4,33]",
    NULL,
};

IG_REDUCTION_OP(reduce_sum_square, "ReduceSumSquare", IG_SINCE(1, 11, 13, 18), IG_REDUCE_SUM_SQUARE,
                IG_T_NUMERIC, NULL, .step = step, .i64_step = i64_step)
