/* SPDX-License-Identifier: Apache-2.0 */
/* quick_gelu.c: y = x / (1 + e^(-alpha x)), alpha = 1.702 by default: Swish under another name. */
#include "ops/unary.h"

#include <math.h>

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_float(node, "alpha", 1.702f);
    return true;
}

IG_UNARY_EVAL(x / (1 + exp(-(double)p[0] * x)))

static bool activation(const ig_node *node, const ig_info *const *in, ig_epilogue *ep)
{
    (void)in;
    *ep = (ig_epilogue){ .act = IG_ACT_SILU };
    return ig_attr_float(node, "alpha", 1.702f) == 1.0f;
}

static const char *const cases[] = { "f32[3]{0,1,-1} = f32[3]{0,0.84579577,-0.15420423}",
                                     "f32[1]{1} alpha=1.0 = f32[1]{0.73105858}", "f32[3,19]",
                                     "f32[0]", NULL };

IG_PRIM_DECLARE(swish)
static const ig_prim prim = IG_PRIM_TABLE(swish, 1);
const ig_op ig_op_quick_gelu = { .onnx = "QuickGelu",
                                 .domain = "com.microsoft",
                                 .since = { 1 },
                                 .n_in = { 1, 1 },
                                 .n_out = { 1, 1 },
                                 .types = IG_T_FLOATS,
                                 .flags = IG_ELEMENTWISE | IG_INPLACE,
                                 .infer = ig_infer_same,
                                 .ref = ref,
                                 .prim = &prim,
                                 .prim_params = prim_params,
                                 .activation = activation,
                                 .cases = cases };
