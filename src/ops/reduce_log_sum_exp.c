/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_log_sum_exp.c: log of the sum of e^x along axes, without overflow: log(e^a + e^b) = max +
 * log(1 + e^-|a-b|). */

#include <math.h>

#include "ops/reduction.h"

static double step(double acc, double x)
{
    if (isnan(acc) || isnan(x)) return NAN;
    if (isinf(x) && x < 0) return acc;
    if (isinf(acc) && acc < 0) return x;
    const double high = acc > x ? acc : x, low = acc > x ? x : acc;
    return isinf(high) ? high : high + log1p(exp(low - high));
}

static const char *const cases[] = {
    "f32[1,2]{0,0} axes=[1] = f32[1,1]{0.6931472}",
    "f32[1,2]{1000,1000} axes=[1] = f32[1,1]{1000.6931}",
    "f32[2,3,4] axes=[1]",
    "f32[2,3,4] axes=[-1] keepdims=0",
    NULL,
};

IG_REDUCTION_OP(reduce_log_sum_exp, "ReduceLogSumExp", IG_SINCE(1, 11, 13, 18, 28),
                IG_REDUCE_LOG_SUM_EXP, IG_T_NUMERIC, NULL, .init = -INFINITY, .step = step)
