/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantize_linear.c: y = saturate(round(x / scale) + zero), halves to even. The output has the type
 * of the zero point, else output_dtype, else uint8. The quotient is rounded to float32, or where
 * scale (or the attribute precision) is a 16-bit type to that. 8-bit floats: y = x / scale,
 * rounded; out of range as saturate says (default: the largest finite value).
 */
#include "ops/quantize.h"

#include <math.h>

#include "ops/cast.h"

/* params[0]: is there a zero point? */
IG_PRIM3(quantize, vf_round_even(a / b) + (params[0] != 0 ? c : vf_zero()))

#ifdef IG_BASE

ig_status ig_quantize_infer(ig_infer *c)
{
    const ig_info *zero = c->n_in > 2 ? c->in[2] : NULL;
    const int64_t wanted = ig_attr_int(c->node, "output_dtype", 0);
    int64_t dtype = wanted ? wanted : INGOT_UINT8;
    if (zero && zero->type.dtype != INGOT_UNDEFINED) {
        dtype = zero->type.dtype;
        if (wanted && wanted != dtype)
            return IG_OP_FAIL(c, INGOT_ERR_INVALID, "output_dtype is not the zero point's %s",
                              ingot_dtype_name(zero->type.dtype));
    }
    if (dtype < 0 || dtype >= INGOT_N_DTYPES || !(IG_T(dtype) & IG_T_QUANT))
        return IG_OP_FAIL(c, INGOT_ERR_INVALID, "type %lld cannot be quantized to",
                          (long long)dtype);
    return ig_quant_infer(c, (ingot_dtype)dtype);
}

static float round_to(ingot_dtype dtype, float x)
{
    if (dtype == INGOT_FLOAT16) return ig_f16_to_f32(ig_f32_to_f16(x));
    return dtype == INGOT_BFLOAT16 ? ig_bf16_to_f32(ig_f32_to_bf16(x)) : x;
}

static ingot_dtype precision(const ig_node *node, ingot_dtype scale)
{
    const int64_t dtype = ig_attr_int(node, "precision", 0);
    return dtype > 0 && dtype < INGOT_N_DTYPES ? (ingot_dtype)dtype : scale;
}

ig_status ig_quantize_ref(ig_call *c)
{
    const ig_tensor *x = c->in[0], *scale = c->in[1], *zero = c->n_in > 2 ? c->in[2] : NULL;
    const int64_t wanted = ig_attr_int(c->node, "output_dtype", INGOT_UINT8);
    const ingot_dtype to = zero ? zero->dtype : wanted ? (ingot_dtype)wanted : INGOT_UINT8;
    const ingot_dtype inner = precision(c->node, scale->dtype);
    const bool saturate = ig_attr_int(c->node, "saturate", 1) != 0;
    const bool is_int = (IG_T(to) & IG_T_QUANT_INTS) != 0;
    const bool is_float8 = (IG_T(to) & IG_T_FLOAT8) != 0;
    const int64_t n = ig_tensor_count(x);
    ig_quant_layout q;
    IG_TRY(ig_quant_layout_of(c->node, x->rank, x->dims, scale->rank, scale->dims, &q, c->err));
    if (zero && ig_tensor_count(zero) != ig_tensor_count(scale))
        return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "scale and zero point differ in shape");
    IG_TRY(ig_call_output(c, 0, to, x->rank, x->dims));
    for (int64_t i = 0; c->out[0] && i < n; i++) {
        const int64_t p = ig_quant_param_of(&q, i);
        const float s = (float)ig_get_f64(scale->dtype, scale->data, p);
        const float v = round_to(inner, (float)ig_get_f64(x->dtype, x->data, i) / s);
        const float z = zero ? (float)ig_get_f64(to, zero->data, p) : 0;
        if (is_float8 && !saturate)
            ((uint8_t *)c->out[0]->data)[i] = ig_float8_no_saturate(to, (double)v);
        else
            ig_set_f64(to, c->out[0]->data, i, (double)(is_int ? rintf(v) + z : v));
    }
    return INGOT_OK;
}

IG_PRIM_DECLARE(quantize)
static const ig_prim prim = IG_PRIM_TABLE(quantize, 3);

/* Programs divide in float32. */
ig_status ig_quantize_lower(ig_lower *l)
{
    const ig_dtype_set inputs =
        IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16) | IG_T(INGOT_INT32);
    const ig_dtype_set outputs =
        IG_T(INGOT_UINT8) | IG_T(INGOT_INT8) | IG_T(INGOT_UINT16) | IG_T(INGOT_INT16);
    if (!(IG_T(l->in[0]->type.dtype) & inputs) || !(IG_T(l->out[0].type.dtype) & outputs) ||
        l->in[1]->type.dtype != INGOT_FLOAT || precision(l->node, INGOT_FLOAT) != INGOT_FLOAT)
        return INGOT_OK;
    return ig_quant_lower(l, &prim);
}

static const char *const cases[] = {
    "f32[6]{0,2,3,1000,-254,-1000} f32[]{2} u8[]{128} = u8[6]{128,129,130,255,1,0}",
    "f32[5]{0.5,1.5,2.5,-0.5,nan} f32[]{1} i8[]{0} = i8[5]{0,2,2,0,0}",
    "f32[3]{1,300,-5} f32[]{1} = u8[3]{1,255,0}",
    "f32[2,2]{1,2,3,4} f32[2]{1,0.5} u8[2]{0,10} = u8[2,2]{1,14,3,18}",
    "f32[2,2]{1,2,3,4} f32[2]{1,0.5} i8[2]{0,10} axis=0 = i8[2,2]{1,2,16,18}",
    "f32[2,4]{1,2,3,4,5,6,7,8} f32[2,2]{1,0.5,1,2} axis=1 block_size=2 = "
    "u8[2,4]{1,2,6,8,5,6,4,4}",
    "f32[1,3]{1,2,3} f32[1,2]{1,0.5} axis=1 block_size=2 = u8[1,3]{1,2,6}",
    "f32[2,4,3] f32[2,2,3]{0.5} i8[2,2,3] block_size=2",
    "f32[3]{70000,-5,7} f32[]{1} u16[]{3} @21 = u16[3]{65535,0,10}",
    "f32[3]{40000,-40000,7} f32[]{1} i16[]{3} @21 = i16[3]{32767,-32768,10}",
    "f32[3]{1,2,3} f32[]{1} output_dtype=3 @21 = i8[3]{1,2,3}",
    "i32[3]{10,-10,1000} f32[]{4} i8[]{1} = i8[3]{3,-1,127}",
    "f16[3]{1,2,3} f16[]{0.5} u8[]{1} @19 = u8[3]{3,5,7}",
    "f32[3,5,7] f32[]{0.02} u8[]{100}",
    "f32[3,5,7] f32[5]{0.02,0.03,0.04,0.05,0.06} i8[5] @13",
    "f32[0] f32[]{1} @10",
    "f32[2,3] f32[2]{1} ! neither one value",
    "f32[2,3] f32[3]{1} axis=2 ! out of range",
    "f32[2] f32[]{1} u8[]{0} output_dtype=3 @21 ! zero point's",
    NULL
};

const ig_op ig_op_quantize_linear = { .onnx = "QuantizeLinear",
                                      .since = { 10, 13, 19, 21, 23, 24, 25, 28 },
                                      .n_in = { 2, 3 },
                                      .n_out = { 1, 1 },
                                      .types = IG_T_FLOATS | IG_T(INGOT_INT32),
                                      .flags = IG_OWN_HALF,
                                      .infer = ig_quantize_infer,
                                      .ref = ig_quantize_ref,
                                      .lower = ig_quantize_lower,
                                      .permute = ig_quant_permute,
                                      .cases = cases };
#endif
