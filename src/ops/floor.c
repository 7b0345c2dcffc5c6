/* SPDX-License-Identifier: Apache-2.0 */
/* floor.c: y = the largest integer <= x. */
#include "ops/unary.h"

IG_PRIM1(floor, vf_floor(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(floor(x))

static const char *const cases[] = {
    "f32[6]{-1.5,1.2,-0.0,2,-inf,nan} = f32[6]{-2,1,-0.0,2,-inf,nan}",
    "f64[3]{1.1,-1.1,0} = f64[3]{1,-2,0}",
    "bf16[2]{1.5,-0.5} = bf16[2]{1,-1}",
    "f32[0]",
    "f32[2,3,5] @6",
    NULL
};

IG_UNARY_FLOAT_OP(floor, "Floor", .since = { 1, 6, 13 })
#endif
