/* SPDX-License-Identifier: Apache-2.0 */
/* hard_sigmoid.c: y = max(0, min(1, alpha x + beta)). */
#include "ops/unary.h"

IG_PRIM1(hard_sigmoid, vf_max(vf_zero(), vf_min(vf_set1(1.0f), p0 *a + p1)))

#ifdef IG_BASE
#include <math.h>

static double clamp(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; } /* NaN stays */

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_float(node, "alpha", 0.2f);
    p[1] = ig_attr_float(node, "beta", 0.5f);
    return true;
}

IG_UNARY_EVAL(clamp((double)p[0] * x + (double)p[1]))

static bool activation(const ig_node *node, const ig_info *const *in, ig_epilogue *ep)
{
    (void)in;
    *ep = (ig_epilogue){ .act = IG_ACT_HARD_SIGMOID,
                         .alpha = ig_attr_float(node, "alpha", 0.2f),
                         .beta = ig_attr_float(node, "beta", 0.5f) };
    return true;
}

static const char *const cases[] = {
    "f32[5]{-1,0,1,10,nan} alpha=0.5 beta=0.25 = f32[5]{0,0.25,0.75,1,nan}",
    "f64[3]{-10,0,10} = f64[3]{0,0.5,1}",
    "f32[3,19]",
    "f32[0]",
    "f32[5] @1",
    NULL
};

IG_UNARY_FLOAT_OP(hard_sigmoid, "HardSigmoid", .since = { 1, 6, 22 }, .prim_params = prim_params,
                  .activation = activation)
#endif
