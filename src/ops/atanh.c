/* SPDX-License-Identifier: Apache-2.0 */
/* atanh.c: y = inverse hyperbolic tangent of x; NaN outside [-1, 1]. */
#include "ops/unary.h"

IG_PRIM1(atanh, IG_VF_MAP1(a, atanhf))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(atanh(x))

static const char *const cases[] = { "f32[4]{0,0.5,-1,2} = f32[4]{0,0.54930614,-inf,nan}",
                                     "f64[1]{0.25} = f64[1]{0.25541281188299536}", "f32[0]", NULL };

IG_UNARY_FLOAT_OP(atanh, "Atanh", .since = { 9, 22 })
#endif
