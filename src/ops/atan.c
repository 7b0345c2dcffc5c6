/* SPDX-License-Identifier: Apache-2.0 */
/* atan.c: y = arc tangent of x. */
#include "ops/unary.h"

IG_PRIM1(atan, IG_VF_MAP1(a, atanf))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(atan(x))

static const char *const cases[] = {
    "f32[4]{0,1,-1,inf} = f32[4]{0,0.78539819,-0.78539819,1.5707964}",
    "f64[1]{0.5} = f64[1]{0.4636476090008061}", "f32[3,19]", "f32[0]", NULL
};

IG_UNARY_FLOAT_OP(atan, "Atan", .since = { 7, 22 })
#endif
