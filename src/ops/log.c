/* SPDX-License-Identifier: Apache-2.0 */
/* log.c: y = natural logarithm of x; -inf at zero, NaN below. */
#include "ops/unary.h"

IG_PRIM1(log, vf_log(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(log(x))

static const char *const cases[] = { "f32[5]{1,0,-1,inf,10} = f32[5]{0,-inf,nan,inf,2.3025851}",
                                     "f64[2]{1,10} = f64[2]{0,2.302585092994046}",
                                     "f32[2]{1e-40,-0.0} = f32[2]{-92.103404,-inf}",
                                     "f32[0]",
                                     "f32[4,9] @6",
                                     NULL };

IG_UNARY_FLOAT_OP(log, "Log", .since = { 1, 6, 13 })
#endif
