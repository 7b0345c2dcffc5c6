/* SPDX-License-Identifier: Apache-2.0 */
/* ceil.c: y = the smallest integer >= x. */
#include "ops/unary.h"

IG_PRIM1(ceil, vf_ceil(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(ceil(x))

static const char *const cases[] = {
    "f32[6]{-1.5,1.2,-0.2,2,inf,nan} = f32[6]{-1,2,-0.0,2,inf,nan}",
    "f64[3]{1.1,-1.1,0} = f64[3]{2,-1,0}",
    "f16[2]{1.5,-0.5} = f16[2]{2,-0.0}",
    "f32[3,0,2]",
    "f32[2,3,5] @6",
    NULL
};

IG_UNARY_FLOAT_OP(ceil, "Ceil", .since = { 1, 6, 13 })
#endif
