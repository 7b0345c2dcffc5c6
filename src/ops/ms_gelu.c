/* SPDX-License-Identifier: Apache-2.0 */
/* ms_gelu.c: com.microsoft Gelu, y = x (1 + erf(x / sqrt 2)) / 2. */
#include "ops/unary.h"

#include <math.h>

IG_UNARY_EVAL(x *erfc(-x * 0.70710678118654752440) / 2)

static bool activation(const ig_node *node, const ig_info *const *in, ig_epilogue *ep)
{
    (void)node, (void)in;
    *ep = (ig_epilogue){ .act = IG_ACT_GELU };
    return true;
}

static const char *const cases[] = { "f32[4]{0,1,-1,50} = f32[4]{0,0.84134475,-0.15865525,50}",
                                     "f32[3,19]", "f32[0]", NULL };

IG_PRIM_DECLARE(gelu)
static const ig_prim prim = IG_PRIM_TABLE(gelu, 1);
const ig_op ig_op_ms_gelu = { .onnx = "Gelu",
                              .domain = "com.microsoft",
                              .since = { 1 },
                              .n_in = { 1, 1 },
                              .n_out = { 1, 1 },
                              .types = IG_T_FLOATS,
                              .flags = IG_ELEMENTWISE | IG_INPLACE,
                              .infer = ig_infer_same,
                              .ref = ref,
                              .prim = &prim,
                              .activation = activation,
                              .cases = cases };
