/* SPDX-License-Identifier: Apache-2.0 */
/* acosh.c: y = inverse hyperbolic cosine of x; NaN below 1. */
#include "ops/unary.h"

IG_PRIM1(acosh, IG_VF_MAP1(a, acoshf))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(acosh(x))

static const char *const cases[] = { "f32[4]{1,2,0.5,inf} = f32[4]{0,1.316958,nan,inf}",
                                     "f64[1]{1.5} = f64[1]{0.9624236501192069}", "f32[0]", NULL };

IG_UNARY_FLOAT_OP(acosh, "Acosh", .since = { 9, 22 })
#endif
