/* SPDX-License-Identifier: Apache-2.0 */
/* hard_swish.c: y = x max(0, min(1, x / 6 + 1/2)). */
#include "ops/unary.h"

IG_PRIM1(hard_swish, a *vf_max(vf_zero(), vf_min(vf_set1(1.0f), a *(1.0f / 6.0f) + 0.5f)))

#ifdef IG_BASE

static double clamp(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; } /* NaN stays */

IG_UNARY_EVAL(x *clamp(x / 6 + 0.5))

static bool activation(const ig_node *node, const ig_info *const *in, ig_epilogue *ep)
{
    (void)node, (void)in;
    *ep = (ig_epilogue){ .act = IG_ACT_HARD_SWISH };
    return true;
}

static const char *const cases[] = { "f32[6]{-4,-3,0,1,3,5} = f32[6]{-0.0,-0.0,0,0.6666667,3,5}",
                                     "f64[1]{1.5} = f64[1]{1.125}",
                                     "f32[3,19]",
                                     "f32[0]",
                                     "f16[5] @14",
                                     NULL };

IG_UNARY_FLOAT_OP(hard_swish, "HardSwish", .since = { 14, 22 }, .activation = activation)
#endif
