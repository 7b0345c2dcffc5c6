/* SPDX-License-Identifier: Apache-2.0 */
/*
 * div.c: z = x / y. Integers truncate towards zero; the most negative one divided by -1 wraps to
 * itself, and division by zero is an error.
 */
#include "ops/broadcast.h"
#include "ops/unary.h"

IG_PRIM2(div, a / b)

#ifdef IG_BASE

static ig_status ref(ig_call *c)
{
    ig_rows r;
    bool has_zero = false;
    IG_TRY(ig_binary_begin(c, c->in[0]->dtype, &r));
    switch ((int)c->in[0]->dtype) {
        IG_CASES_FLOAT_(IG_BINARY_ROWS(c, r, T, a / b))
        IG_CASES_INT_(IG_BINARY_ROWS(c, r, T,
                                     b == 0                          ? (T)(has_zero = true)
                                     : IG_IS_SIGNED(T) && b == (T)-1 ? (T)(0 - (uint64_t)a)
                                                                     : (T)(a / b)))
    default:
        return IG_OP_FAIL(c, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",
                          ingot_dtype_name(c->in[0]->dtype));
    }
    if (has_zero) return IG_OP_FAIL(c, INGOT_ERR_INVALID, "integer division by zero");
    return INGOT_OK;
}

/* Expressions divide with floor: the same as truncation unless the dividend may be negative. */
static bool elem(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    if (b == 0) return false;
    if (ig_dim_is_const(a) && ig_dim_is_const(b)) {
        *out = a / b;
        return true;
    }
    if (!ig_dim_is_natural(t, a) || !ig_dim_is_natural(t, b)) return false;
    *out = ig_dim_floor_div(t, a, b);
    return true;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_binary(c));
    return ig_infer_elementwise(c, elem);
}

static const char *const cases[] = {
    "f32[4]{1,-1,0,6} f32[4]{0,0,0,4} = f32[4]{inf,-inf,nan,1.5}",
    "i32[4]{7,-7,7,-7} i32[4]{2,2,-2,-2} = i32[4]{3,-3,-3,3}",
    "i8[2]{-128,6} i8[]{-1} = i8[2]{-128,-6}",
    "i64[1]{-9223372036854775808} i64[1]{-1} = i64[1]{-9223372036854775808}",
    "u8[2]{255,5} u8[]{2} = u8[2]{127,2}",
    "u16[1]{7} u16[1]{65535} = u16[1]{0}",
    "c:i64{-7,8} c:i64[]{2} = i64{-3,4}",
    "i32[2]{1,2} i32[2]{1,0} ! division by zero",
    "f64[2]{1,2} f64[2]{4,0.25} = f64[2]{0.25,8}",
    "f32[3,4,5] f32[3,4,5]",
    "f32[3,1,5] f32[4,1]",
    "f32[] f32[2,1,9]",
    "f32[0,3] f32[1,3]",
    "i32[0] i32[]{0} = i32[0]{}",
    "f32[2,2]{1,2,3,4} f32[2]{1,2} @6 broadcast=1 axis=0 = f32[2,2]{1,2,1.5,2}",
    "f32[2,3] f32[4] ! broadcast",
    NULL
};

IG_BINARY_OP(div, "Div", .since = { 1, 6, 7, 13, 14 }, .types = IG_T_NUMERIC,
             .flags = IG_ELEMENTWISE | IG_INPLACE, .infer = infer,
             .prim_params = ig_binary_prim_params)
#endif
