/* SPDX-License-Identifier: Apache-2.0 */
/* tan.c: y = tangent of x (radians). */
#include "ops/unary.h"

IG_PRIM1(tan, IG_VF_MAP1(a, tanf))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(tan(x))

static const char *const cases[] = { "f32[3]{0,1,-1} = f32[3]{0,1.5574077,-1.5574077}",
                                     "f64[1]{2} = f64[1]{-2.185039863261519}", "f32[3,19]",
                                     "f32[0]", NULL };

IG_UNARY_FLOAT_OP(tan, "Tan", .since = { 7, 22 })
#endif
