/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_mean.c: mean of the elements along axes. */

#include "ops/reduction.h"

static double step(double acc, double x) { return acc + x; }
static double finish(double acc, int64_t n) { return acc / (double)n; }

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} axes=[1] = f32[2,1]{1.5,3.5}",
    "f32[2,2]{1,2,3,4} i64{0} keepdims=0 @18 = f32[2]{2,3}",
    "f32[2,3,4] axes=[1]",
    "f32[2,3,4] axes=[-1] keepdims=0",
    "f32[3,2,5,4] axes=[2,3]",
    "f32[3,2,5,4] axes=[0,2] keepdims=0",
    "f32[4,33]",
    "i64[4]{9223372036854775807,9223372036854775807,9223372036854775807,9223372036854775804} = "
    "i64[1]{9223372036854775806}",
    "i64[1]{9007199254740993} = i64[1]{9007199254740993}",
    "u64[2]{18446744073709551615,18446744073709551613} = u64[1]{18446744073709551614}",
    "i32[3]{-1,-1,3} = i32[1]{0}",
    "i32[3]{-5,-3,4} = i32[1]{-1}",
    "i32[2]{-2147483648,-2147483647} = i32[1]{-2147483647}",
    "i32[2,0] axes=[1] = i32[2,1]{0,0}",
    NULL,
};

IG_REDUCTION_OP(reduce_mean, "ReduceMean", IG_SINCE(1, 11, 13, 18), IG_REDUCE_MEAN, IG_T_NUMERIC,
                NULL, .step = step, .finish = finish, .is_mean = true)
