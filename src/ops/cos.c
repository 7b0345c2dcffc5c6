/* SPDX-License-Identifier: Apache-2.0 */
/* cos.c: y = cosine of x (radians). */
#include "ops/unary.h"

IG_PRIM1(cos, vf_cos(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(cos(x))

static const char *const cases[] = { "f32[4]{0,1,-1,inf} = f32[4]{1,0.54030231,0.54030231,nan}",
                                     "f64[1]{2} = f64[1]{-0.4161468365471424}", "f32[3,19]",
                                     "f32[0]", NULL };

IG_UNARY_FLOAT_OP(cos, "Cos", .since = { 7, 22 })
#endif
