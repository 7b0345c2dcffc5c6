/* SPDX-License-Identifier: Apache-2.0 */
/* relu.c: y = max(0, x); NaN stays. */
#include "ops/unary.h"

IG_PRIM1(relu, vf_max(vf_zero(), a))

#ifdef IG_BASE

IG_UNARY_REF(a < 0 ? 0 : a, a < (T)1 ? 0 : a)

static bool activation(const ig_node *node, const ig_info *const *in, ig_epilogue *ep)
{
    (void)node, (void)in;
    *ep = (ig_epilogue){ .act = IG_ACT_RELU };
    return true;
}

static const char *const cases[] = { "f32[5]{-2,0,3,nan,inf} = f32[5]{0,0,3,nan,inf}",
                                     "i8[3]{-128,0,4} @14 = i8[3]{0,0,4}",
                                     "i64[2]{-1,9} = i64[2]{0,9}",
                                     "f64[2]{-inf,inf} = f64[2]{0,inf}",
                                     "f16[5]",
                                     "f32[3,19] @6",
                                     "f32[2] @1",
                                     "f32[0]",
                                     NULL };

IG_PRIM_DECLARE(relu)
static const ig_prim prim = IG_PRIM_TABLE(relu, 1);
const ig_op ig_op_relu = { .onnx = "Relu",
                           .since = { 1, 6, 13, 14 },
                           .n_in = { 1, 1 },
                           .n_out = { 1, 1 },
                           .types = IG_T_NUMERIC,
                           .flags = IG_ELEMENTWISE | IG_INPLACE,
                           .infer = ig_infer_same,
                           .ref = ref,
                           .prim = &prim,
                           .activation = activation,
                           .cases = cases };
#endif
