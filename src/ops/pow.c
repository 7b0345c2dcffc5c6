/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pow.c: z = x^y, in x's element type. Integers to an integer power wrap; to a negative power they
 * truncate (only 1 and -1 give more than 0; 0 is an error). To a float power they saturate.
 */
#include "ops/broadcast.h"

#ifndef IG_BASE
/* exponent: y where it is one small constant, the same for all elements; else 0 */
IG_INLINE vf power(vf x, vf y, float exponent)
{
    if (exponent == 1) return x;
    if (exponent == 2) return x * x;
    if (exponent == 3) return x * x * x;
    return vf_pow(x, y);
}
#endif

IG_PRIM2(pow, power(a, b, params[0]))

#ifdef IG_BASE
#include <math.h>

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    const ig_tensor *y = in && in[1] ? in[1]->data : NULL;
    if (y && ig_tensor_count(y) == 1) {
        const double exponent = ig_get_f64(y->dtype, y->data, 0);
        if (exponent == 1 || exponent == 2 || exponent == 3) p[0] = (float)exponent;
    }
    return ig_broadcast_is_numpy(node, in);
}

static uint64_t int_pow(int64_t x, int64_t y, bool *has_zero)
{
    uint64_t base = (uint64_t)x, power = 1;
    if (y < 0) {
        *has_zero = *has_zero || x == 0;
        return x == 1 || (x == -1 && y % 2 == 0) ? 1 : x == -1 ? (uint64_t)-1 : 0;
    }
    for (; y > 0; y >>= 1, base *= base)
        if (y & 1) power *= base;
    return power;
}

/* The low bytes of x as element i. */
static void store_low(ingot_dtype dtype, void *z, int64_t i, uint64_t x)
{
    switch (ig_dtype_size(dtype)) {
    case 1: ((uint8_t *)z)[i] = (uint8_t)x; break;
    case 2: ((uint16_t *)z)[i] = (uint16_t)x; break;
    case 4: ((uint32_t *)z)[i] = (uint32_t)x; break;
    default: ((uint64_t *)z)[i] = x; break;
    }
}

static ig_status ref(ig_call *c)
{
    ig_rows r;
    bool has_zero = false;
    const ingot_dtype x_type = c->in[0]->dtype, y_type = c->in[1]->dtype;
    const bool is_int = (IG_T(x_type) & IG_T_INTS) && (IG_T(y_type) & IG_T_INTS);
    const void *x = c->in[0]->data, *y = c->in[1]->data;
    IG_TRY(ig_binary_begin(c, x_type, &r));
    for (; r.n_left > 0; ig_rows_next(&r))
        for (int64_t i = 0; i < r.n_cols; i++) {
            const int64_t at = r.at[0] + i * r.step[0], bt = r.at[1] + i * r.step[1];
            void *z = c->out[0]->data;
            if (!is_int) {
                const double power = pow(ig_get_f64(x_type, x, at), ig_get_f64(y_type, y, bt));
                ig_set_f64(x_type, z, r.out_at + i, power);
                continue;
            }
            const int64_t a = ig_get_i64(x_type, x, at), b = ig_get_i64(y_type, y, bt);
            store_low(x_type, z, r.out_at + i, int_pow(a, b, &has_zero));
        }
    if (has_zero) return IG_OP_FAIL(c, INGOT_ERR_INVALID, "integer zero to a negative power");
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[4]{1,2,-2,4} f32[4]{4,3,3,0.5} = f32[4]{1,8,-8,2}",
    "f32[3]{1,-2,3} f32[]{2} = f32[3]{1,4,9}",
    "f32[3]{1,-2,3} c:f32[]{2} = f32[3]{1,4,9}",
    "f32[3]{1,-2,3} c:f32[]{3} = f32[3]{1,-8,27}",
    "f32[4]{0,-1,inf,nan} f32[4]{0,0.5,-1,0} = f32[4]{1,nan,0,1}",
    "f32[3]{1,2,3} i64[3]{4,5,6} = f32[3]{1,32,729}",
    "i32[3]{1,2,-3} f32[3]{4,0.5,3} = i32[3]{1,1,-27}",
    "i64[4]{2,-1,1,3} i64[4]{62,-3,-9,-1} = i64[4]{4611686018427387904,-1,1,0}",
    "i32[1]{2} i32[1]{33} = i32[1]{0}",
    "i8[2]{2,-2} i8[2]{7,7} = i8[2]{-128,-128}",
    "i32[1]{0} i32[1]{-1} ! negative power",
    "f64[2]{2,9} f64[2]{0.5,-0.5} = f64[2]{1.4142135623730951,0.3333333333333333}",
    "f32[3,17] f32[17]",
    "f16[4] f16[]{2}",
    "f32[2]{1.0009765625,3} f16[2]{1,2} = f32[2]{1.0009765625,9}",
    "f16[2]{2,3} f32[2]{3,2} = f16[2]{8,9}",
    "f32[0] f32[1]",
    "f32[2,2]{1,2,3,4} f32[2]{1,2} @6 broadcast=1 axis=0 = f32[2,2]{1,2,9,16}",
    NULL
};

IG_BINARY_OP(pow, "Pow", .since = { 1, 7, 12, 13, 15 }, .types = IG_T_NUMERIC,
             .flags = IG_ELEMENTWISE | IG_INPLACE, .infer = ig_infer_binary_mixed,
             .prim_params = prim_params)
#endif
