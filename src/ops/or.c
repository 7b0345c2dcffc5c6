/* SPDX-License-Identifier: Apache-2.0 */
/* or.c: z = x || y on booleans. */
#include "ops/broadcast.h"

IG_PRIM2(or, vf_select((a != vf_zero()) | (b != vf_zero()), vf_set1(1.0f), vf_zero()))

#ifdef IG_BASE

static ig_status ref(ig_call *c)
{
    typedef uint8_t T;
    ig_rows r;
    IG_TRY(ig_binary_begin(c, INGOT_BOOL, &r));
    IG_BINARY_ROWS(c, r, uint8_t, a || b)
    return INGOT_OK;
}

static bool elem(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    (void)t;
    *out = a || b;
    return ig_dim_is_const(a) && ig_dim_is_const(b);
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_binary_bool(c));
    return ig_infer_elementwise(c, elem);
}

static const char *const cases[] = {
    "bool[4]{0,0,1,1} bool[4]{0,1,0,1} = bool[4]{0,1,1,1}",
    "bool[2,1]{0,1} bool[2]{0,1} = bool[2,2]{0,1,1,1}",
    "bool[2,2]{0,0,1,1} bool[2]{0,1} @6 broadcast=1 axis=0 = bool[2,2]{0,0,1,1}",
    "bool[3,4,5] bool[4,1]",
    "bool[] bool[9]",
    "bool[0] bool[1]",
    "f32[2] f32[2] ! element type",
    NULL
};

IG_BINARY_OP(or, "Or", .since = { 1, 7 }, .types = IG_T_BOOL,
             .flags = IG_ELEMENTWISE | IG_INPLACE | IG_COMMUTATIVE, .infer = infer,
             .prim_params = ig_binary_prim_params)
#endif
