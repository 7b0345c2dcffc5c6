/* SPDX-License-Identifier: Apache-2.0 */
/* mish.c: y = x tanh(log(1 + e^x)). */
#include "ops/unary.h"

IG_PRIM1(mish, a *vf_tanh(vf_softplus(a)))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(x *tanh((x < 0 ? 0 : x) + log1p(exp(-fabs(x)))))

static const char *const cases[] = { "f32[4]{0,1,-1,50} = f32[4]{0,0.86509839,-0.30340146,50}",
                                     "f64[1]{1} = f64[1]{0.8650983882673103}",
                                     "f32[3,19]",
                                     "f32[0]",
                                     "bf16[5] @18",
                                     NULL };

IG_UNARY_FLOAT_OP(mish, "Mish", .since = { 18, 22 })
#endif
