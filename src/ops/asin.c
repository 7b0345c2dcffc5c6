/* SPDX-License-Identifier: Apache-2.0 */
/* asin.c: y = arc sine of x; NaN outside [-1, 1]. */
#include "ops/unary.h"

IG_PRIM1(asin, IG_VF_MAP1(a, asinf))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(asin(x))

static const char *const cases[] = { "f32[4]{0,1,-1,2} = f32[4]{0,1.5707964,-1.5707964,nan}",
                                     "f64[1]{0.5} = f64[1]{0.5235987755982989}",
                                     "f32[3]{0.25,-0.5,0.75}", "f32[0]", NULL };

IG_UNARY_FLOAT_OP(asin, "Asin", .since = { 7, 22 })
#endif
