/* SPDX-License-Identifier: Apache-2.0 */
/* selu.c: y = gamma x for x > 0, gamma alpha (e^x - 1) else. */
#include "ops/unary.h"

IG_PRIM1(selu, vf_select(a > vf_zero(), p1 *a, p1 *(p0 *vf_expm1(a))))

#ifdef IG_BASE
#include <math.h>

/* the fixed point of mean 0 and variance 1 */
#define ALPHA 1.67326319217681884765625f
#define GAMMA 1.05070102214813232421875f

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_float(node, "alpha", ALPHA);
    p[1] = ig_attr_float(node, "gamma", GAMMA);
    return true;
}

IG_UNARY_EVAL((double)p[1] * (x > 0 ? x : (double)p[0] * expm1(x)))

static const char *const cases[] = { "f32[3]{-1,0,1} alpha=2.0 gamma=3.0 = f32[3]{-3.7927232,0,3}",
                                     "f32[2]{1,-inf} = f32[2]{1.0507009,-1.7580993}",
                                     "f64[3]",
                                     "f32[3,19]",
                                     "f32[0]",
                                     "f32[5] @1",
                                     NULL };

IG_UNARY_FLOAT_OP(selu, "Selu", .since = { 1, 6, 22 }, .prim_params = prim_params)
#endif
