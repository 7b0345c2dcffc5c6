/* SPDX-License-Identifier: Apache-2.0 */
/* reciprocal.c: y = 1 / x; infinite at zero. */
#include "ops/unary.h"

IG_PRIM1(reciprocal, vf_set1(1.0f) / a)

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(1 / x)

static const char *const cases[] = { "f32[5]{2,-4,0,-0.0,inf} = f32[5]{0.5,-0.25,inf,-inf,0}",
                                     "f64[2]{3,-8} = f64[2]{0.3333333333333333,-0.125}",
                                     "f32[7,5]",
                                     "f32[0]",
                                     "f32[3] @6",
                                     NULL };

IG_UNARY_FLOAT_OP(reciprocal, "Reciprocal", .since = { 1, 6, 13 })
#endif
