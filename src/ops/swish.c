/* SPDX-License-Identifier: Apache-2.0 */
/* swish.c: y = x / (1 + e^(-alpha x)). */
#include "ops/unary.h"

IG_PRIM1(swish, a *vf_sigmoid(p0 *a))

#ifdef IG_BASE
#include <math.h>

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_float(node, "alpha", 1.0f);
    return true;
}

IG_UNARY_EVAL(x / (1 + exp(-(double)p[0] * x)))

static bool activation(const ig_node *node, const ig_info *const *in, ig_epilogue *ep)
{
    (void)in;
    *ep = (ig_epilogue){ .act = IG_ACT_SILU };
    return ig_attr_float(node, "alpha", 1.0f) == 1.0f;
}

static const char *const cases[] = { "f32[4]{0,1,-1,50} = f32[4]{0,0.73105858,-0.26894142,50}",
                                     "f64[1]{2} alpha=0.5 = f64[1]{1.4621171572600098}",
                                     "f32[3,19] alpha=1.5",
                                     "f32[0]",
                                     "f16[5]",
                                     NULL };

IG_UNARY_FLOAT_OP(swish, "Swish", .since = { 24 }, .prim_params = prim_params,
                  .activation = activation)
#endif
