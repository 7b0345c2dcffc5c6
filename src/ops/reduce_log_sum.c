/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_log_sum.c: logarithm of the sum along axes. */
#include <math.h>

#include "ops/reduction.h"

static double step(double acc, double x) { return acc + x; }
static double finish(double acc, int64_t n)
{
    (void)n;
    return log(acc);
}

static const char *const cases[] = {
    "f32[2,2]{0.5,0.5,1,1} axes=[1] = f32[2,1]{0,0.6931472}",
    "f32[2,3,4]{2} axes=[1]",
    NULL,
};

IG_REDUCTION_OP(reduce_log_sum, "ReduceLogSum", IG_SINCE(1, 11, 13, 18, 28), IG_REDUCE_LOG_SUM,
                IG_T_NUMERIC, NULL, .step = step, .finish = finish)
