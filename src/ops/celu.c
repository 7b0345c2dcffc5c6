/* SPDX-License-Identifier: Apache-2.0 */
/* celu.c: y = max(0, x) + min(0, alpha (e^(x / alpha) - 1)). */
#include "ops/unary.h"

IG_PRIM1(celu, vf_select(a > vf_zero(), a, p0 *vf_expm1(a / p0)))

#ifdef IG_BASE
#include <math.h>

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_float(node, "alpha", 1.0f);
    return true;
}

IG_UNARY_EVAL(x > 0 ? x : (double)p[0] * expm1(x / (double)p[0]))

static const char *const cases[] = { "f32[4]{-1,0,2,-inf} alpha=2.0 = f32[4]{-0.78693868,0,2,-2}",
                                     "f32[3,19]", "f32[0]", "f64[4]", NULL };

IG_UNARY_FLOAT_OP(celu, "Celu", .since = { 12, 28 }, .prim_params = prim_params)
#endif
