/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gelu.c: y = x (1 + erf(x / sqrt 2)) / 2, or with approximate="tanh"
 * y = x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
 */
#include "ops/unary.h"

#ifndef IG_BASE
/* z / (1 + e^(-2 t)) is z (1 + tanh t) / 2 without cancellation for negative t. */
IG_INLINE vf gelu_tanh(vf x)
{
    const vf t = x * (x * x * 0.044715f + 1.0f) * 0.7978845608028654f;
    return x * vf_sigmoid(t + t);
}
#endif

/* The branch is the same for all elements. */
IG_PRIM1(gelu, params[0] != 0 ? gelu_tanh(a) : vf_gelu(a))

#ifdef IG_BASE
#include <math.h>

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_is(node, "approximate", "tanh", false) ? 1.0f : 0.0f;
    return p[0] != 0 || ig_attr_is(node, "approximate", "none", true);
}

static double gelu(double x) { return x * erfc(-x * 0.70710678118654752440) / 2; }

static double gelu_tanh(double x)
{
    return x / (1 + exp(-2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

IG_UNARY_EVAL(p[0] != 0 ? gelu_tanh(x) : gelu(x))

static ig_status infer(ig_infer *c)
{
    float p[IG_PRIM_N_PARAMS];
    if (!prim_params(c->node, NULL, p))
        return IG_OP_FAIL(c, INGOT_ERR_INVALID, "approximate must be \"none\" or \"tanh\"");
    return ig_infer_same(c);
}

static bool activation(const ig_node *node, const ig_info *const *in, ig_epilogue *ep)
{
    (void)in;
    *ep = (ig_epilogue){ .act = IG_ACT_GELU };
    return ig_attr_is(node, "approximate", "none", true);
}

static const char *const cases[] = {
    "f32[4]{0,1,-1,50} = f32[4]{0,0.84134475,-0.15865525,50}",
    "f32[3]{0,1,-1} approximate=\"tanh\" = f32[3]{0,0.84119199,-0.15880801}",
    "f64[1]{2} = f64[1]{1.9544997361036416}",
    "f32[3,19]",
    "f32[3,19] approximate=\"tanh\"",
    "f32[0]",
    "f16[5]",
    "f32[1] approximate=\"erf\" ! approximate",
    NULL
};

IG_PRIM_DECLARE(gelu)
static const ig_prim prim = IG_PRIM_TABLE(gelu, 1);
const ig_op ig_op_gelu = { .onnx = "Gelu",
                           .since = { 20 },
                           .n_in = { 1, 1 },
                           .n_out = { 1, 1 },
                           .types = IG_T_FLOATS,
                           .flags = IG_ELEMENTWISE | IG_INPLACE,
                           .infer = infer,
                           .ref = ref,
                           .prim = &prim,
                           .prim_params = prim_params,
                           .activation = activation,
                           .cases = cases };
#endif
