/* SPDX-License-Identifier: Apache-2.0 */
/* erf.c: y = error function of x. */
#include "ops/unary.h"

IG_PRIM1(erf, vf_erf(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(erf(x))

static const char *const cases[] = {
    "f32[5]{0,1,-1,inf,-inf} = f32[5]{0,0.84270079,-0.84270079,1,-1}",
    "f64[1]{0.5} = f64[1]{0.5204998778130465}",
    "f32[2,31]",
    "f32[0]",
    "bf16[5] @9",
    NULL
};

IG_UNARY_FLOAT_OP(erf, "Erf", .since = { 9, 13 })
#endif
