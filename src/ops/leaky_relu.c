/* SPDX-License-Identifier: Apache-2.0 */
/* leaky_relu.c: y = x for x >= 0, alpha x below. */
#include "ops/unary.h"

IG_PRIM1(leaky_relu, vf_select(a < vf_zero(), p0 *a, a))

#ifdef IG_BASE
#include <math.h>

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_float(node, "alpha", 0.01f);
    return true;
}

IG_UNARY_EVAL(x < 0 ? (double)p[0] * x : x)

static bool activation(const ig_node *node, const ig_info *const *in, ig_epilogue *ep)
{
    (void)in;
    *ep = (ig_epilogue){ .act = IG_ACT_LEAKY_RELU, .alpha = ig_attr_float(node, "alpha", 0.01f) };
    return true;
}

static const char *const cases[] = { "f32[4]{-1,0,2,-inf} alpha=0.5 = f32[4]{-0.5,0,2,-inf}",
                                     "f64[2]{-1,nan} alpha=0.25 = f64[2]{-0.25,nan}",
                                     "f32[1]{-100} = f32[1]{-1}",
                                     "f32[3,19]",
                                     "f32[0]",
                                     "f32[5] @1",
                                     NULL };

IG_UNARY_FLOAT_OP(leaky_relu, "LeakyRelu", .since = { 1, 6, 16 }, .prim_params = prim_params,
                  .activation = activation)
#endif
