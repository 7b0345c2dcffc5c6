/* SPDX-License-Identifier: Apache-2.0 */
/* softsign.c: y = x / (1 + |x|). */
#include "ops/unary.h"

IG_PRIM1(softsign, a / (vf_abs(a) + 1.0f))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(x / (1 + fabs(x)))

static const char *const cases[] = { "f32[4]{0,1,-1,3} = f32[4]{0,0.5,-0.5,0.75}",
                                     "f64[1]{-4} = f64[1]{-0.8}",
                                     "f32[3,19]",
                                     "f32[0]",
                                     "f32[5] @1",
                                     NULL };

IG_UNARY_FLOAT_OP(softsign, "Softsign", .since = { 1, 22 })
#endif
