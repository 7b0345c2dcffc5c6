/* SPDX-License-Identifier: Apache-2.0 */
/* abs.c: y = |x|. The most negative integer stays itself. */
#include "ops/broadcast.h"
#include "ops/unary.h"

IG_PRIM1(abs, vf_abs(a))

#ifdef IG_BASE
#include <math.h>

IG_UNARY_REF(fabs((double)a), IG_IS_SIGNED(T) && a < (T)1 ? (T)(0 - (uint64_t)a) : a)

static bool elem(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    (void)b;
    if (ig_dim_is_const(a))
        *out = a < 0 ? -a : a;
    else
        *out = a;
    return ig_dim_is_natural(t, *out);
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_same(c));
    return ig_infer_elementwise(c, elem);
}

static const char *const cases[] = { "f32[4]{-1,2,-0.0,-inf} = f32[4]{1,2,0,inf}",
                                     "i8[3]{-128,-3,4} = i8[3]{-128,3,4}",
                                     "u8[2]{255,1} = u8[2]{255,1}",
                                     "i64[2]{-5,7} = i64[2]{5,7}",
                                     "f64[2]{-1.5,nan} = f64[2]{1.5,nan}",
                                     "f16[5]",
                                     "f32[3,19]",
                                     "i32[0]",
                                     "f32[5] @1",
                                     NULL };

IG_PRIM_DECLARE(abs)
static const ig_prim prim = IG_PRIM_TABLE(abs, 1);
const ig_op ig_op_abs = { .onnx = "Abs",
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
