/* SPDX-License-Identifier: Apache-2.0 */
/* sign.c: y = -1, 0 or 1 as x is below, at or above zero; NaN stays. */
#include "ops/unary.h"

IG_PRIM1(sign, vf_select(a > vf_zero(), vf_set1(1.0f),
                         vf_select(a < vf_zero(), vf_set1(-1.0f),
                                   vf_select(a == vf_zero(), vf_zero(), a))))

#ifdef IG_BASE

IG_UNARY_REF(a > 0    ? 1
             : a < 0  ? -1
             : a == 0 ? 0
                      : a,
             a > 0                       ? 1
             : IG_IS_SIGNED(T) && a != 0 ? -1
                                         : 0)

static const char *const cases[] = { "f32[5]{-2,0,-0.0,3,nan} = f32[5]{-1,0,0,1,nan}",
                                     "i8[3]{-128,0,4} = i8[3]{-1,0,1}",
                                     "u64[2]{0,9} = u64[2]{0,1}",
                                     "f64[2]{-inf,inf} = f64[2]{-1,1}",
                                     "bf16[5]",
                                     "f32[3,19] @9",
                                     "i32[0]",
                                     NULL };

IG_PRIM_DECLARE(sign)
static const ig_prim prim = IG_PRIM_TABLE(sign, 1);
const ig_op ig_op_sign = { .onnx = "Sign",
                           .since = { 9, 13 },
                           .n_in = { 1, 1 },
                           .n_out = { 1, 1 },
                           .types = IG_T_NUMERIC,
                           .flags = IG_ELEMENTWISE | IG_INPLACE,
                           .infer = ig_infer_same,
                           .ref = ref,
                           .prim = &prim,
                           .cases = cases };
#endif
