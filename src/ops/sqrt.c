/* SPDX-License-Identifier: Apache-2.0 */
/* sqrt.c: y = square root of x; NaN for x < 0. */
#include "ops/unary.h"

IG_PRIM1(sqrt, vf_sqrt(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(sqrt(x))

static const char *const cases[] = { "f32[5]{4,0,-0.0,-1,inf} = f32[5]{2,0,-0.0,nan,inf}",
                                     "f64[2]{2,9} = f64[2]{1.4142135623730951,3}",
                                     "f32[3,17]",
                                     "f32[0]",
                                     "f32[2,3] @6",
                                     NULL };

IG_UNARY_FLOAT_OP(sqrt, "Sqrt", .since = { 1, 6, 13 })
#endif
