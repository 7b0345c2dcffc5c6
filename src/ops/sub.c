/* SPDX-License-Identifier: Apache-2.0 */
/* sub.c: z = x - y; integers wrap. */
#include "ops/broadcast.h"

IG_PRIM2(sub, a - b)

#ifdef IG_BASE

IG_BINARY_REF(a - b, (uint64_t)a - (uint64_t)b)

static bool elem(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    *out = ig_dim_is_const(a) && ig_dim_is_const(b) ? a - b : ig_dim_sub(t, a, b);
    return true;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_binary(c));
    return ig_infer_elementwise(c, elem);
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} f32[2]{10,20} = f32[2,2]{-9,-18,-7,-16}",
    "i8[2]{127,-128} i8[2]{-1,1} = i8[2]{-128,127}",
    "u8[2]{0,5} u8[]{2} = u8[2]{254,3}",
    "u64[1]{0} u64[1]{1} = u64[1]{18446744073709551615}",
    "c:i64{3,4} c:i64[]{5} = i64{-2,-1}",
    "f64[2]{1,2} f64[2]{0.5,0.25} = f64[2]{0.5,1.75}",
    "bf16[5] bf16[5]",
    "f32[3,4,5] f32[3,4,5]",
    "f32[3,1,5] f32[4,1]",
    "f32[] f32[2,1,9]",
    "f32[0,3] f32[1,3]",
    "f32[2,2]{1,2,3,4} f32[2]{1,2} @6 broadcast=1 axis=0 = f32[2,2]{0,1,1,2}",
    "f32[2,3] f32[2,3] @1",
    "f32[2,3] f32[4] ! broadcast",
    NULL
};

IG_BINARY_OP(sub, "Sub", .since = { 1, 6, 7, 13, 14 }, .types = IG_T_NUMERIC,
             .flags = IG_ELEMENTWISE | IG_INPLACE, .infer = infer,
             .prim_params = ig_binary_prim_params)
#endif
