/* SPDX-License-Identifier: Apache-2.0 */
/* tanh.c: y = hyperbolic tangent of x. */
#include "ops/unary.h"

IG_PRIM1(tanh, vf_tanh(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(tanh(x))

static bool activation(const ig_node *node, const ig_info *const *in, ig_epilogue *ep)
{
    (void)node, (void)in;
    *ep = (ig_epilogue){ .act = IG_ACT_TANH };
    return true;
}

static const char *const cases[] = {
    "f32[5]{0,1,-1,inf,-0.0} = f32[5]{0,0.76159416,-0.76159416,1,-0.0}",
    "f64[1]{1} = f64[1]{0.7615941559557649}",
    "f32[3,19]",
    "f32[0]",
    "bf16[5]",
    "f32[4] @1",
    NULL
};

IG_UNARY_FLOAT_OP(tanh, "Tanh", .since = { 1, 6, 13 }, .activation = activation)
#endif
