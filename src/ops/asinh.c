/* SPDX-License-Identifier: Apache-2.0 */
/* asinh.c: y = inverse hyperbolic sine of x. */
#include "ops/unary.h"

IG_PRIM1(asinh, IG_VF_MAP1(a, asinhf))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(asinh(x))

static const char *const cases[] = { "f32[4]{0,1,-1,inf} = f32[4]{0,0.88137358,-0.88137358,inf}",
                                     "f64[1]{0.5} = f64[1]{0.48121182505960347}", "f32[3,19]",
                                     "f32[0]", NULL };

IG_UNARY_FLOAT_OP(asinh, "Asinh", .since = { 9, 22 })
#endif
