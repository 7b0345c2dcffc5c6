/* SPDX-License-Identifier: Apache-2.0 */
/* round.c: y = x rounded to an integer, halves to the even one. */
#include "ops/unary.h"

IG_PRIM1(round, vf_round_even(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(rint(x))

static const char *const cases[] = {
    "f32[8]{0.5,1.5,2.5,-0.5,-1.5,-2.5,0.9,-4.5} = f32[8]{0,2,2,-0.0,-2,-2,1,-4}",
    "f64[4]{0.5,2.5,inf,nan} = f64[4]{0,2,inf,nan}",
    "f32[3]{8388609,16777216,-1e30} = f32[3]{8388609,16777216,-1e30}",
    "f32[0,4]",
    "f16[7] @11",
    NULL
};

IG_UNARY_FLOAT_OP(round, "Round", .since = { 11, 22 })
#endif
