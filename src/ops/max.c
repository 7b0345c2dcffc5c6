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

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    (void)p;
    return node->n_inputs == 2;
}

static ig_status lower(ig_lower *l) { return ig_lower_variadic(l, false); }

static bool is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    (void)in, (void)out;
    return node->n_inputs == 1;
}

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

IG_PRIM_DECLARE(max)
static const ig_prim prim = IG_PRIM_TABLE(max, 2);
const ig_op ig_op_max = { .onnx = "Max",
                          .since = { 1, 6, 8, 12, 13 },
                          .n_in = { 1, -1 },
                          .n_out = { 1, 1 },
                          .types = IG_T_NUMERIC,
                          .flags = IG_ELEMENTWISE | IG_INPLACE | IG_COMMUTATIVE,
                          .infer = infer,
                          .ref = ref,
                          .lower = lower,
                          .prim = &prim,
                          .prim_params = prim_params,
                          .is_identity = is_identity,
                          .cases = cases };
#endif
