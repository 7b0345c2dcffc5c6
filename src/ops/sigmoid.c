/* SPDX-License-Identifier: Apache-2.0 */
/* sigmoid.c: y = 1 / (1 + e^-x). */
#include "ops/unary.h"

IG_PRIM1(sigmoid, vf_sigmoid(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_EVAL(1 / (1 + exp(-x)))

static bool activation(const ig_node *node, const ig_info *const *in, ig_epilogue *ep)
{
    (void)node, (void)in;
    *ep = (ig_epilogue){ .act = IG_ACT_SIGMOID };
    return true;
}

static const char *const cases[] = { "f32[4]{0,1,-100,inf} = f32[4]{0.5,0.73105858,3.7835e-44,1}",
                                     "f64[1]{1} = f64[1]{0.7310585786300049}",
                                     "f32[3,19]",
                                     "f32[0]",
                                     "f16[5]",
                                     "f32[4] @1",
                                     NULL };

IG_UNARY_FLOAT_OP(sigmoid, "Sigmoid", .since = { 1, 6, 13 }, .activation = activation)
#endif
