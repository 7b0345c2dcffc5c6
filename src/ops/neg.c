/* SPDX-License-Identifier: Apache-2.0 */
/* neg.c: y = -x. The most negative integer stays itself. */
#include "ops/broadcast.h"
#include "ops/unary.h"

IG_PRIM1(neg, -a)

#ifdef IG_BASE

IG_UNARY_REF(-a, 0 - (uint64_t)a)

static bool elem(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    (void)b;
    *out = ig_dim_is_const(a) ? -a : ig_dim_sub(t, 0, a);
    return true;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_same(c));
    return ig_infer_elementwise(c, elem);
}

static const char *const cases[] = { "f32[4]{-1,2,0,-inf} = f32[4]{1,-2,-0.0,inf}",
                                     "i8[3]{-128,-3,4} = i8[3]{-128,3,-4}",
                                     "i32[2]{-2147483648,7} = i32[2]{-2147483648,-7}",
                                     "i64[2]{-5,7} = i64[2]{5,-7}",
                                     "c:i64{3,4} = i64{-3,-4}",
                                     "c:i64{3,4} axis=0 @6 = i64{-3,-4}", /* no attribute of it */
                                     "f64[2]{-1.5,nan} = f64[2]{1.5,nan}",
                                     "bf16[5]",
                                     "f32[3,19]",
                                     "i32[0]",
                                     "f32[5] @1",
                                     NULL };

IG_PRIM_DECLARE(neg)
static const ig_prim prim = IG_PRIM_TABLE(neg, 1);
const ig_op ig_op_neg = { .onnx = "Neg",
                          .since = { 1, 6, 13 },
                          .n_in = { 1, 1 },
                          .n_out = { 1, 1 },
                          .types = IG_T_NUMERIC,
                          .flags = IG_ELEMENTWISE | IG_INPLACE,
                          .infer = infer,
                          .ref = ref,
                          .prim = &prim,
                          .cases = cases };
#endif
