/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_l1.c: sum of the magnitudes along axes. */
#include <math.h>

#include "ops/reduction.h"

static double step(double acc, double x) { return acc + fabs(x); }
static int64_t i64_step(int64_t acc, int64_t x) { return (int64_t)((uint64_t)acc + (uint64_t)x); }

static const char *const cases[] = {
    "f32[2,2]{1,-2,3,-4} axes=[1] = f32[2,1]{3,7}",
    "f32[2,3,4] axes=[1]",
    "f32[2,3,4] axes=[-1] keepdims=0",
    "f32[3,2,5,4] axes=[2,3]",
    "f32[3,2,5,4] axes=[0,2] keepdims=0",
    "f32[4,33]",
    "i32[3]{-7,2,-1} = i32[1]{10}",
    "i32[2]{-2147483648,2147483647} = i32[1]{-1}",
    "u32[2]{4294967295,87} = u32[1]{86}",
    "u64[2]{18446744073709551615,3} = u64[1]{2}",
    NULL,
};

IG_REDUCTION_OP(reduce_l1, "ReduceL1", IG_SINCE(1, 11, 13, 18), IG_REDUCE_L1, IG_T_NUMERIC, NULL,
                .step = step, .i64_step = i64_step, .is_magnitude = true)
