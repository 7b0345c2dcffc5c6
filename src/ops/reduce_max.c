/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_max.c: largest element along axes; NaN wins. */
#include <math.h>

#include "ops/reduction.h"

static double step(double acc, double x) { return x > acc || isnan(x) ? x : acc; }
static int64_t i64_step(int64_t acc, int64_t x) { return x > acc ? x : acc; }

static const char *const cases[] = {
    "f32[2,2]{1,2,3,-4} axes=[1] = f32[2,1]{2,3}",
    "f32[3]{1,nan,3} = f32[1]{nan}",
    "i64[2,2]{1,2,3,4} i64{0} keepdims=0 @18 = i64[2]{3,4}",
    "f32[2,3,4] axes=[1]",
    "f32[2,3,4] axes=[-1] keepdims=0",
    "f32[3,2,5,4] axes=[2,3]",
    "f32[3,2,5,4] axes=[0,2] keepdims=0",
    "f32[4,33]",
    "u64[3]{1,18446744073709551615,9223372036854775808} = u64[1]{18446744073709551615}",
    "bool[2,0] axes=[1] keepdims=0 = bool[2]{0,0}",
    "i8[0] = i8[1]{-128}",
    "u8[0] = u8[1]{0}",
    "i64[0] = i64[1]{-9223372036854775808}",
    "u64[0] = u64[1]{0}",
    NULL,
};

IG_REDUCTION_OP(reduce_max, "ReduceMax", IG_SINCE(1, 11, 12, 13, 18, 20), IG_REDUCE_MAX,
                IG_T_NUMERIC | IG_T_BOOL, ig_dim_max, .init = -INFINITY, .step = step,
                .i64_init = INT64_MIN, .i64_step = i64_step, .is_extreme = true)
