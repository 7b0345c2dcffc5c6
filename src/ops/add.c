/* SPDX-License-Identifier: Apache-2.0 */
/* add.c: z = x + y; integers wrap. */
#include "ops/broadcast.h"

IG_PRIM2(add, a + b)

#ifdef IG_BASE

IG_BINARY_REF(a + b, (uint64_t)a + (uint64_t)b)

static bool elem(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    *out = ig_dim_is_const(a) && ig_dim_is_const(b) ? a + b : ig_dim_add(t, a, b);
    return true;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_binary(c));
    return ig_infer_elementwise(c, elem);
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} f32[2]{10,20} = f32[2,2]{11,22,13,24}",
    "f32[2,1]{1,2} f32[3]{10,20,30} = f32[2,3]{11,21,31,12,22,32}",
    "i8[2]{127,-128} i8[2]{1,-1} = i8[2]{-128,127}",
    "u8[2]{255,1} u8[]{2} = u8[2]{1,3}",
    "i32[1]{2147483647} i32[1]{1} = i32[1]{-2147483648}",
    "i64[3]{1,2,3} i64[3]{4,5,6} = i64[3]{5,7,9}",
    "c:i64{3,4} c:i64[]{1} = i64{4,5}",
    "f64[2]{1,2} f64[2]{0.5,0.25} = f64[2]{1.5,2.25}",
    "f16[5] f16[5]",
    "f32[3,4,5] f32[3,4,5]",
    "f32[3,4,5] f32[4,1]",
    "f32[] f32[2,1,9]",
    "f32[0,3] f32[3] = f32[0,3]{}",
    "f32[2,3,2]{0} f32[3]{1,2,3} @6 broadcast=1 axis=1 = f32[2,3,2]{1,1,2,2,3,3,1,1,2,2,3,3}",
    "f32[2,3] f32[3] @6 broadcast=1",
    "f32[2,3] f32[3] @6 ! broadcast is not set",
    "f32[2,2]{1,2,3,4} f32[]{1} @6 = f32[2,2]{2,3,4,5}",
    "f32[2,3] f32[4] ! broadcast",
    "f32[2] i32[2] ! element types",
    NULL
};

IG_BINARY_OP(add, "Add", .since = { 1, 6, 7, 13, 14 }, .types = IG_T_NUMERIC,
             .flags = IG_ELEMENTWISE | IG_INPLACE | IG_COMMUTATIVE, .infer = infer,
             .prim_params = ig_binary_prim_params)
#endif
