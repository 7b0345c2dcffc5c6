/* SPDX-License-Identifier: Apache-2.0 */
/* exp.c: y = e^x. */
#include "ops/unary.h"

IG_PRIM1(exp, vf_exp(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(exp(x))

static const char *const cases[] = { "f32[5]{0,1,-inf,inf,nan} = f32[5]{1,2.7182817,0,inf,nan}",
                                     "f32[2]{100,-200} = f32[2]{inf,0}",
                                     "f64[2]{0,1} = f64[2]{1,2.718281828459045}",
                                     "f32[5,33]",
                                     "f16[9]",
                                     "f32[0]",
                                     "f32[3] @6",
                                     NULL };

IG_UNARY_FLOAT_OP(exp, "Exp", .since = { 1, 6, 13 })
#endif
