/* SPDX-License-Identifier: Apache-2.0 */
/* cast.c: y = x in the element type `to`; the rules are in cast.h. Before opset 6 `to` is a name.
 */
#include "ops/cast.h"

#include "ops/broadcast.h"

#ifndef IG_BASE
/* what the store of an integer type is to get: the same for all elements */
IG_INLINE vf cast(vf x, bool to_integer)
{
    if (!to_integer) return x;
    return vf_select(vf_is_nan(x), vf_zero(), vf_trunc(x));
}
#endif

IG_PRIM1(cast, cast(a, params[0] != 0))

#ifdef IG_BASE

static ingot_dtype target(const ig_node *node)
{
    char name[32] = "";
    const ig_attr *to = ig_node_attr(node, "to");
    if (to && to->kind == IG_ATTR_STRING &&
        node->opset < 9) { /* an integer since 6, but exporters went on */
        if (to->s.bytes >= sizeof name) return INGOT_UNDEFINED;
        for (size_t i = 0; i < to->s.bytes; i++) name[i] = to->s.data[i];
        return ingot_dtype_parse(name);
    }
    const int64_t code = ig_attr_int(node, "to", 0);
    return code > 0 && code < INGOT_N_DTYPES ? (ingot_dtype)code : INGOT_UNDEFINED;
}

static bool elem(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    (void)t, (void)b;
    *out = a;
    return true;
}

static bool elem_bool(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    (void)t, (void)b;
    *out = a != 0;
    return ig_dim_is_const(a);
}

ig_status ig_infer_cast(ig_infer *c, ingot_dtype to)
{
    const ig_dtype_set complex_types = IG_T(INGOT_COMPLEX64) | IG_T(INGOT_COMPLEX128);
    const ingot_dtype from = c->in[0]->type.dtype;
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = to;
    if ((IG_T(to) | IG_T(from)) & complex_types)
        return IG_OP_FAIL(c, INGOT_ERR_UNSUPPORTED, "%s to %s is not supported",
                          ingot_dtype_name(from), ingot_dtype_name(to));
    if (!(IG_T(from) & (IG_T_INTS | IG_T_BOOL))) return INGOT_OK;
    return ig_infer_elementwise(c, to == INGOT_BOOL ? elem_bool : elem);
}

static ig_status infer(ig_infer *c)
{
    const ingot_dtype to = target(c->node);
    if (to == INGOT_UNDEFINED)
        return IG_OP_FAIL(c, INGOT_ERR_INVALID, "attribute to is missing or no element type");
    return ig_infer_cast(c, to);
}

static ig_status ref(ig_call *c) { return ig_ref_cast(c, target(c->node)); }

IG_PRIM_DECLARE(cast)
static const ig_prim prim = IG_PRIM_TABLE(cast, 1);

/* Inside a longer program only casts to float32 of what float32 holds change nothing. */
static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    const ig_dtype_set exact = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16) |
                               IG_T_BOOL | IG_T(INGOT_INT8) | IG_T(INGOT_UINT8) |
                               IG_T(INGOT_INT16) | IG_T(INGOT_UINT16);
    p[0] = 0;
    return target(node) == INGOT_FLOAT && in && (IG_T(in[0]->type.dtype) & exact);
}

ig_status ig_lower_cast(ig_lower *l)
{
    const ig_dtype_set floats =
        IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16) | IG_T_BOOL;
    const ig_dtype_set small =
        IG_T(INGOT_INT8) | IG_T(INGOT_UINT8) | IG_T(INGOT_INT16) | IG_T(INGOT_UINT16);
    const ig_dtype_set wide = IG_T(INGOT_INT32) | IG_T(INGOT_INT64);
    const ingot_dtype from = l->in[0]->type.dtype, to = l->out[0].type.dtype;
    const bool to_int = (IG_T(to) & small) != 0;
    const bool is_exact =
        ((IG_T(from) & (floats | small)) && (IG_T(to) & floats)) ||
        ((IG_T(from) & wide) && (to == INGOT_FLOAT || to == INGOT_BOOL)) || /* one rounding */
        ((IG_T(from) & floats) && to_int);
    if (!is_exact || !prim.fn[l->isa]) return INGOT_OK;
    ig_eltwise_program program = { .n_in = 1, .n_out = 1, .n_instrs = 1, .out_reg = { 1 } };
    ig_eltwise_set_operand(&program.in[0], l->in[0]);
    ig_eltwise_set_operand(&program.out[0], &l->out[0]);
    program.instrs[0] = (ig_eltwise_instr){
        .prim = &prim, .dst = 1, .src = { 0, -1, -1 }, .params = { to_int ? 1.0f : 0.0f }
    };
    return ig_lower_program(l, &program, prim.name);
}

static bool is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    (void)out;
    return in[0]->type.dtype == target(node);
}

static const char *const cases[] = {
    "f32[6]{-1.7,1.7,300,-300,nan,inf} to=3 = i8[6]{-1,1,127,-128,0,127}",
    "f32[5]{-1.7,1.7,300,nan,-0.5} to=2 = u8[5]{0,1,255,0,0}",
    "f32[4]{1e20,-1e20,nan,16777217} to=7 = "
    "i64[4]{9223372036854775807,-9223372036854775808,0,16777216}",
    "f32[4]{3e9,-3e9,2147483520,nan} to=6 = i32[4]{2147483647,-2147483648,2147483520,0}",
    "f64[3]{1e300,2.5,-1} to=13 = u64[3]{18446744073709551615,2,0}",
    "f32[5]{0,-0.0,nan,0.1,2} to=9 = bool[5]{0,0,1,1,1}",
    "i32[4]{256,-1,300,128} to=3 = i8[4]{0,-1,44,-128}",
    "i64[2]{4294967297,-1} to=6 = i32[2]{1,-1}",
    "i64[2]{9007199254740993,-16777217} to=1 = f32[2]{9007199254740992,-16777216}",
    "u64[1]{18446744073709551615} to=1 = f32[1]{18446744073709551616}",
    "bool[2]{1,0} to=1 = f32[2]{1,0}",
    "i64[3]{0,5,-5} to=9 = bool[3]{0,1,1}",
    "f32[3]{65519,65520,1e-8} to=10 = f16[3]{65504,inf,0}",
    "f64[1]{1.00048828126} to=10 = f16[1]{1.0009765625}",
    "f16[5] to=1",
    "f32[5] to=16",
    "bf16[5] to=10",
    "c:i64{3,4} to=6 = i32{3,4}",
    "str[4]{\"0.5\",\"NaN\",\"-INF\",\"1e3\"} to=1 = f32[4]{0.5,nan,-inf,1000}",
    "str[2]{\"9007199254740993\",\"-7\"} to=7 = i64[2]{9007199254740993,-7}",
    "str[1]{\"x1\"} to=7 ! not a number",
    "f32[4]{0.1,nan,-inf,100} to=8 = str[4]{\"0.1\",\"NaN\",\"-INF\",\"100\"}",
    "i64[1]{-9223372036854775808} to=8 = str[1]{\"-9223372036854775808\"}",
    "f32[3,19] to=11",
    "f32[2] to=1",
    "f32[0] to=7 = i64[0]{}",
    "f32[2]{1.5,-2} @5 to=\"INT32\" = i32[2]{1,-2}",
    "f32[1] ! to is missing",
    "f32[1] to=99 ! no element type",
    NULL
};

const ig_op ig_op_cast = { .onnx = "Cast",
                           .since = { 1, 6, 9, 13, 19, 21, 23, 24, 25, 28 },
                           .n_in = { 1, 1 },
                           .n_out = { 1, 1 },
                           .flags = IG_ELEMENTWISE | IG_OWN_HALF,
                           .infer = infer,
                           .ref = ref,
                           .lower = ig_lower_cast,
                           .prim = &prim,
                           .prim_params = prim_params,
                           .is_identity = is_identity,
                           .cases = cases };
#endif
