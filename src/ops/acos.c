/* SPDX-License-Identifier: Apache-2.0 */
/* acos.c: y = arc cosine of x; NaN outside [-1, 1]. */
#include "ops/unary.h"

IG_PRIM1(acos, IG_VF_MAP1(a, acosf))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(acos(x))

static const char *const cases[] = { "f32[4]{0,1,-1,2} = f32[4]{1.5707964,0,3.1415927,nan}",
                                     "f64[1]{0.5} = f64[1]{1.0471975511965979}",
                                     "f32[3]{0.25,-0.5,0.75}", "f32[0]", NULL };

IG_UNARY_FLOAT_OP(acos, "Acos", .since = { 7, 22 })
#endif
