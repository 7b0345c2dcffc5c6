/* SPDX-License-Identifier: Apache-2.0 */
/* greater_or_equal.c: z = x >= y, false where either is NaN. */
#include "ops/broadcast.h"

IG_PRIM2(greater_or_equal, vf_select(a >= b, vf_set1(1.0f), vf_zero()))

#ifdef IG_BASE

IG_COMPARE_REF(IG_SWITCH_NUMERIC, a >= b)

static const char *const cases[] = {
    "f32[6]{1,2,3,nan,1,-0.0} f32[6]{2,2,2,1,nan,0} = bool[6]{0,1,1,0,0,1}",
    "i8[3]{-128,0,5} i8[3]{127,0,4} = bool[3]{0,1,1}",
    "u64[2]{18446744073709551615,1} u64[2]{0,1} = bool[2]{1,1}",
    "f64[2]{-inf,1.5} f64[2]{inf,1.5} = bool[2]{0,1}",
    "i64[3]{-1,2,2} i64[3]{0,2,1} = bool[3]{0,1,1}",
    "f32[3,1,7] f32[5,1]",
    "f16[5] f16[]",
    "i32[2,3] i32[3]",
    "f32[0,2] f32[2]",
    "f32[2] f32[3] ! broadcast",
    NULL
};

IG_BINARY_OP(greater_or_equal, "GreaterOrEqual", .since = { 12, 16 }, .types = IG_T_NUMERIC,
             .flags = IG_ELEMENTWISE, .infer = ig_infer_binary_bool,
             .prim_params = ig_binary_prim_params)
#endif
