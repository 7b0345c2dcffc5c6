/* SPDX-License-Identifier: Apache-2.0 */
/* max.c: y = the largest of all inputs; NaN wins. */
#include "ops/broadcast.h"
#include "ops/unary.h"

IG_PRIM2(max, vf_max_nan(b, a))

#ifdef IG_BASE

IG_VARIADIC_REF(b > a || b != b ? b : a, b > a ? b : a, a)

static bool elem(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    *out = ig_dim_max(t, a, b);
    return true;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_variadic(c));
    return c->n_in <= 2 ? ig_infer_elementwise(c, elem) : INGOT_OK;
}

static ig_status lower(ig_lower *l) { return ig_lower_variadic(l, false); }

static const char *const cases[] = {
    "f32[3]{1,5,nan} f32[3]{4,2,1} f32[3]{3,3,3} = f32[3]{4,5,nan}",
    "f32[2]{1,2} f32[2]{nan,1} = f32[2]{nan,2}",
    "i8[3]{-128,3,4} i8[]{0} = i8[3]{0,3,4}",
    "u64[2]{18446744073709551615,1} u64[2]{2,3} = u64[2]{18446744073709551615,3}",
    "c:i64{3,9} c:i64{5} = i64{5,9}",
    "f64[2,1] f64[3]",
    "f32[5] f32[5] f32[5] f32[5] f32[5]",
    "f32[2,3,4] f32[4] f32[3,1]",
    "f32[7]",
    "f16[5] f16[5]",
    "f32[0] f32[1]",
    "f32[3] f32[3] @6",
    "f32[2] f32[3] ! broadcast",
    "f32[2] i32[2] ! element types",
    NULL
};

IG_VARIADIC_OP(max, "Max", .since = { 1, 6, 8, 12, 13 }, .types = IG_T_NUMERIC, .infer = infer)
#endif
