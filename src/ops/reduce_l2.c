/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_l2.c: square root of the sum of squares along axes. */
#include <math.h>

#include "ops/reduction.h"

static double step(double acc, double x) { return acc + x * x; }
static double finish(double acc, int64_t n)
{
    (void)n;
    return sqrt(acc);
}

static const char *const cases[] = {
    "f32[2,2]{3,4,6,-8} axes=[1] = f32[2,1]{5,10}",
    "f32[2,3,4] axes=[1]",
    "f32[2,3,4] axes=[-1] keepdims=0",
    "f32[3,2,5,4] axes=[2,3]",
    "f32[3,2,5,4] axes=[0,2] keepdims=0",
    "f32[4,33]",
    NULL,
};

IG_REDUCTION_OP(reduce_l2, "ReduceL2", IG_SINCE(1, 11, 13, 18), IG_REDUCE_L2, IG_T_NUMERIC, NULL,
                .step = step, .finish = finish)
