/* SPDX-License-Identifier: Apache-2.0 */
/* softplus.c: y = log(1 + e^x), without overflow. */
#include "ops/unary.h"

IG_PRIM1(softplus, vf_softplus(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL((x < 0 ? 0 : x) + log1p(exp(-fabs(x))))

static const char *const cases[] = { "f32[4]{0,100,-100,inf} = f32[4]{0.69314718,100,3.8e-44,inf}",
                                     "f64[1]{1} = f64[1]{1.3132616875182228}",
                                     "f32[3,19]",
                                     "f32[0]",
                                     "f16[5] @1",
                                     NULL };

IG_UNARY_FLOAT_OP(softplus, "Softplus", .since = { 1, 22 })
#endif
