/* SPDX-License-Identifier: Apache-2.0 */
/* reduce_sum.c: sum of the elements along axes. */

#include "ops/reduction.h"

static double step(double acc, double x) { return acc + x; }
static int64_t i64_step(int64_t acc, int64_t x) { return (int64_t)((uint64_t)acc + (uint64_t)x); }

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} axes=[1] = f32[2,1]{3,7}",
    "f32[2,2]{1,2,3,4} i64{0} keepdims=0 @13 = f32[2]{4,6}",
    "f32[2,2]{1,2,3,4} _ noop_with_empty_axes=1 @13 = f32[2,2]{1,2,3,4}",
    "f32[2,0] axes=[1] = f32[2,1]{0}",
    "i32[2,2]{1,2,3,4} axes=[0] = i32[1,2]{4,6}",
    "f32[2,3] axes=[2] ! axis 2 is out of range",
    "f32[2,3,4] axes=[1]",
    "f32[2,3,4] axes=[-1] keepdims=0",
    "f32[3,2,5,4] axes=[2,3]",
    "f32[3,2,5,4] axes=[0,2] keepdims=0",
    "f32[4,33]",
    NULL,
};

IG_REDUCTION_OP(reduce_sum, "ReduceSum", IG_SINCE(1, 11, 13), IG_REDUCE_SUM, IG_T_NUMERIC,
                ig_dim_add, .step = step, .i64_step = i64_step)
