/* SPDX-License-Identifier: Apache-2.0 */
/* sin.c: y = sine of x (radians). */
#include "ops/unary.h"

IG_PRIM1(sin, vf_sin(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(sin(x))

static const char *const cases[] = {
    "f32[4]{0,1,-1,inf} = f32[4]{0,0.84147098,-0.84147098,nan}",
    "f64[1]{2} = f64[1]{0.9092974268256817}",
    "f32[3,19]",
    "f32[0]",
    "f32[3]{1000,-50000,10000000} = f32[3]{0.82687954,0.99984047,0.42054778}",
    NULL
};

IG_UNARY_FLOAT_OP(sin, "Sin", .since = { 7, 22 })
#endif
