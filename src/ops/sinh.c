/* SPDX-License-Identifier: Apache-2.0 */
/* sinh.c: y = hyperbolic sine of x. */
#include "ops/unary.h"

IG_PRIM1(sinh, IG_VF_MAP1(a, sinhf))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(sinh(x))

static const char *const cases[] = { "f32[4]{0,1,-1,200} = f32[4]{0,1.1752012,-1.1752012,inf}",
                                     "f64[1]{0.5} = f64[1]{0.5210953054937474}", "f32[3,19]",
                                     "f32[0]", NULL };

IG_UNARY_FLOAT_OP(sinh, "Sinh", .since = { 9, 22 })
#endif
