/* SPDX-License-Identifier: Apache-2.0 */
/* equal.c: z = x == y, strings byte by byte; NaN equals nothing. */
#include "ops/broadcast.h"

#include <string.h>

IG_PRIM2(equal, vf_select(a == b, vf_set1(1.0f), vf_zero()))

#ifdef IG_BASE

static bool same_string(ingot_string a, ingot_string b)
{
    return a.bytes == b.bytes && (a.bytes == 0 || memcmp(a.data, b.data, a.bytes) == 0);
}

static ig_status ref(ig_call *c)
{
    ig_rows r;
    IG_TRY(ig_binary_begin(c, INGOT_BOOL, &r));
    switch ((int)c->in[0]->dtype) {
        IG_CASES_FLOAT_(IG_BINARY_ROWS(c, r, uint8_t, a == b))
        IG_CASES_INT_(IG_BINARY_ROWS(c, r, uint8_t, a == b))
        IG_CASE_(INGOT_BOOL, uint8_t, IG_BINARY_ROWS(c, r, uint8_t, !a == !b))
        IG_CASE_(INGOT_STRING, ingot_string, IG_BINARY_ROWS(c, r, uint8_t, same_string(a, b)))
    default:
        return IG_OP_FAIL(c, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",
                          ingot_dtype_name(c->in[0]->dtype));
    }
    return INGOT_OK;
}

static bool elem(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    *out = a == b;
    if (a == b || (ig_dim_is_const(a) && ig_dim_is_const(b))) return true;
    /* a dimension is never the -1 of an Expand or Reshape */
    return (ig_dim_is_const(a) && a < 0 && ig_dim_is_natural(t, b)) ||
           (ig_dim_is_const(b) && b < 0 && ig_dim_is_natural(t, a));
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_binary_bool(c));
    return ig_infer_elementwise(c, elem);
}

static const char *const cases[] = {
    "f32[4]{1,2,nan,0} f32[4]{1,3,nan,-0.0} = bool[4]{1,0,0,1}",
    "i64[3]{1,2,3} i64[]{2} = bool[3]{0,1,0}",
    "i64[2]{9007199254740993,1} i64[2]{9007199254740992,1} = bool[2]{0,1}",
    "c:i64{1,-1} c:i64[]{-1} = bool[2]{0,1}",
    "bool[4]{0,0,1,1} bool[4]{0,1,0,1} = bool[4]{1,0,0,1}",
    "str[2]{\"a\",\"bc\"} str[2]{\"a\",\"bd\"} = bool[2]{1,0}",
    "u8[2]{255,5} u8[2]{255,4} = bool[2]{1,0}",
    "f64[2]{0.5,1} f64[1]{1} = bool[2]{0,1}",
    "i32[2,2]{1,2,3,4} i32[2]{2,3} @6 broadcast=1 axis=0 = bool[2,2]{0,1,1,0}",
    "f16[5] f16[5]",
    "f32[3,1,7] f32[5,1]",
    "i32[0,2] i32[2]",
    "i32[2] i64[2] ! element types",
    NULL
};

IG_BINARY_OP(equal, "Equal", .since = { 1, 7, 11, 13, 19 },
             .types = IG_T_NUMERIC | IG_T_BOOL | IG_T_STRING,
             .flags = IG_ELEMENTWISE | IG_COMMUTATIVE, .infer = infer,
             .prim_params = ig_binary_prim_params)
#endif
