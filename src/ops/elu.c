/* SPDX-License-Identifier: Apache-2.0 */
/* elu.c: y = x for x >= 0, alpha (e^x - 1) below. */
#include "ops/unary.h"

IG_PRIM1(elu, vf_select(a < vf_zero(), p0 *vf_expm1(a), a))

#ifdef IG_BASE
#include <math.h>

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_float(node, "alpha", 1.0f);
    return true;
}

IG_UNARY_EVAL(x < 0 ? (double)p[0] * expm1(x) : x)

static const char *const cases[] = { "f32[4]{-1,0,2,-inf} alpha=2.0 = f32[4]{-1.2642411,0,2,-2}",
                                     "f64[2]{-1,1} = f64[2]{-0.6321205588285577,1}",
                                     "f32[3,19]",
                                     "f32[0]",
                                     "f32[5] @1 alpha=0.5",
                                     NULL };

IG_UNARY_FLOAT_OP(elu, "Elu", .since = { 1, 6, 22 }, .prim_params = prim_params)
#endif
