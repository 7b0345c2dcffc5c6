/* SPDX-License-Identifier: Apache-2.0 */
/* cosh.c: y = hyperbolic cosine of x. */
#include "ops/unary.h"

IG_PRIM1(cosh, IG_VF_MAP1(a, coshf))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(cosh(x))

static const char *const cases[] = { "f32[4]{0,1,-1,200} = f32[4]{1,1.5430806,1.5430806,inf}",
                                     "f64[1]{0.5} = f64[1]{1.1276259652063807}", "f32[3,19]",
                                     "f32[0]", NULL };

IG_UNARY_FLOAT_OP(cosh, "Cosh", .since = { 9, 22 })
#endif
