/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mod.c: z = x mod y. fmod=0: the sign of y (NumPy's mod), fmod=1: the sign of x (C's fmod and %).
 * Integers modulo zero are an error. Floats are taken with fmod=0 too.
 */
#include "ops/broadcast.h"
#include "ops/unary.h"

#ifndef IG_BASE
/* r = fmod(a, b) moved into the range of b's sign */
IG_INLINE vf floor_mod(vf r, vf b)
{
    const vi differ = ((r < vf_zero()) != (b < vf_zero())) & (r != vf_zero());
    return vf_select(r == vf_zero(), vf_copysign(r, b), vf_select(differ, r + b, r));
}
#endif

IG_PRIM2(mod, params[0] != 0 ? IG_VF_MAP2(a, b, fmodf) : floor_mod(IG_VF_MAP2(a, b, fmodf), b))

#ifdef IG_BASE
#include <math.h>

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_int(node, "fmod", 0) != 0 ? 1.0f : 0.0f;
    return true;
}

static double floor_mod(double a, double b)
{
    const double r = fmod(a, b);
    if (r == 0) return copysign(r, b);
    return (r < 0) != (b < 0) ? r + b : r;
}

/* Quotients by -1 are apart: the most negative integer has none. */
#define INT_REM(T, a, b)                                                                           \
    (b == 0 ? (T)((has_zero = true) - 1) : IG_IS_SIGNED(T) && b == (T)-1 ? (T)0 : (T)(a % b))
#define IS_NEGATIVE(T, a) (IG_IS_SIGNED(T) && (a) != 0 && (a) < (T)1)
#define INT_MOD(T, a, b)                                                                           \
    __extension__({                                                                                \
        const T rem_ = (T)INT_REM(T, a, b);                                                        \
        rem_ != 0 && IS_NEGATIVE(T, rem_) != IS_NEGATIVE(T, b) ? (T)(rem_ + b) : rem_;             \
    })

static ig_status ref(ig_call *c)
{
    ig_rows r;
    bool has_zero = false;
    const bool is_fmod = ig_attr_int(c->node, "fmod", 0) != 0;
    IG_TRY(ig_binary_begin(c, c->in[0]->dtype, &r));
    switch ((int)c->in[0]->dtype) {
        IG_CASES_FLOAT_(IG_BINARY_ROWS(
            c, r, T, is_fmod ? fmod((double)a, (double)b) : floor_mod((double)a, (double)b)))
        IG_CASES_INT_(IG_BINARY_ROWS(c, r, T, is_fmod ? INT_REM(T, a, b) : INT_MOD(T, a, b)))
    default:
        return IG_OP_FAIL(c, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",
                          ingot_dtype_name(c->in[0]->dtype));
    }
    if (has_zero) return IG_OP_FAIL(c, INGOT_ERR_INVALID, "integer modulo zero");
    return INGOT_OK;
}

static bool elem(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    if (b == 0 || !ig_dim_is_natural(t, a) || !ig_dim_is_natural(t, b)) return false;
    if (ig_dim_is_const(a) && ig_dim_is_const(b))
        *out = a % b;
    else
        *out = ig_dim_sub(t, a, ig_dim_mul(t, b, ig_dim_floor_div(t, a, b)));
    return true;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_binary(c));
    return ig_infer_elementwise(c, elem);
}

static const char *const cases[] = {
    "i32[6]{-4,7,5,4,-7,8} i32[6]{2,-3,8,-2,3,5} = i32[6]{0,-2,5,0,2,3}",
    "i32[6]{-4,7,5,4,-7,8} i32[6]{2,-3,8,-2,3,5} fmod=1 = i32[6]{0,1,5,0,-1,3}",
    "f32[6]{-4.25,7.25,5,4.5,-7.5,8} f32[6]{2,-3.5,8,-2,3,5} fmod=1 = "
    "f32[6]{-0.25,0.25,5,0.5,-1.5,3}",
    "f32[3]{-4.25,7.25,1} f32[3]{2,-3.5,0} = f32[3]{1.75,-3.25,nan}",
    "i8[2]{-128,7} i8[2]{-1,-1} = i8[2]{0,0}",
    "i64[1]{-9223372036854775808} i64[1]{-1} fmod=1 = i64[1]{0}",
    "u8[3]{255,7,6} u8[3]{255,254,4} = u8[3]{0,7,2}",
    "u64[2]{18446744073709551615,5} u64[]{10} = u64[2]{5,5}",
    "c:i64{7,8} c:i64[]{3} = i64{1,2}",
    "i32[2]{1,2} i32[2]{1,0} ! modulo zero",
    "f64[2]{5.5,-5.5} f64[]{2} fmod=1 = f64[2]{1.5,-1.5}",
    "f16[4] f16[]{2} fmod=1",
    "i32[2,3] i32[]{3}",
    "f32[0] f32[1]",
    NULL
};

IG_BINARY_OP(mod, "Mod", .since = { 10, 13, 28 }, .types = IG_T_NUMERIC,
             .flags = IG_ELEMENTWISE | IG_INPLACE, .infer = infer, .prim_params = prim_params)
#endif
