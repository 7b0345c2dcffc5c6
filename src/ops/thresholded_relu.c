/* SPDX-License-Identifier: Apache-2.0 */
/* thresholded_relu.c: y = x for x > alpha, 0 else. Before opset 10 it was experimental,
 * with the same meaning. */
#include "ops/unary.h"

IG_PRIM1(thresholded_relu, vf_select(a > p0, a, vf_zero()))

#ifdef IG_BASE
#include <math.h>

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_float(node, "alpha", 1.0f);
    return true;
}

IG_UNARY_EVAL(x > (double)p[0] ? x : 0)

static const char *const cases[] = { "f32[5]{-1,0,1,2,1.5} = f32[5]{0,0,0,2,1.5}",
                                     "f64[3]{-1,2,3} alpha=2.0 = f64[3]{0,0,3}",
                                     "f32[3,19] alpha=-0.5", "f32[0]", NULL };

IG_UNARY_FLOAT_OP(thresholded_relu, "ThresholdedRelu", .since = { 1, 10, 22 },
                  .prim_params = prim_params)
#endif
