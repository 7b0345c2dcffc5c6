/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dequantize_linear.c: y = (x - zero) scale, in float32 and rounded to the type of the scale, or
 * output_dtype.
 */
#include "ops/quantize.h"

/* params[0]: is there a zero point? */
IG_PRIM3(dequantize, (a - (params[0] != 0 ? c : vf_zero())) * b)

#ifdef IG_BASE

static ingot_dtype target(const ig_node *node, ingot_dtype scale)
{
    const int64_t dtype = ig_attr_int(node, "output_dtype", 0);
    return dtype > 0 && dtype < INGOT_N_DTYPES && (IG_T(dtype) & IG_T_FLOATS) ? (ingot_dtype)dtype
                                                                              : scale;
}

ig_status ig_dequantize_infer(ig_infer *c)
{
    const ingot_dtype x = c->in[0]->type.dtype;
    const ig_info *zero = c->n_in > 2 ? c->in[2] : NULL;
    if (zero && zero->type.dtype != x && x != INGOT_UNDEFINED &&
        zero->type.dtype != INGOT_UNDEFINED)
        return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "the zero point is %s, the input %s",
                          ingot_dtype_name(zero->type.dtype), ingot_dtype_name(x));
    return ig_quant_infer(c, target(c->node, c->in[1]->type.dtype));
}

ig_status ig_dequantize_ref(ig_call *c)
{
    const ig_tensor *x = c->in[0], *scale = c->in[1], *zero = c->n_in > 2 ? c->in[2] : NULL;
    const ingot_dtype to = target(c->node, scale->dtype);
    const int64_t n = ig_tensor_count(x);
    ig_quant_layout q;
    IG_TRY(ig_quant_layout_of(c->node, x->rank, x->dims, scale->rank, scale->dims, &q, c->err));
    if (zero && ig_tensor_count(zero) != ig_tensor_count(scale))
        return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "scale and zero point differ in shape");
    IG_TRY(ig_call_output(c, 0, to, x->rank, x->dims));
    for (int64_t i = 0; c->out[0] && i < n; i++) {
        const int64_t p = ig_quant_param_of(&q, i);
        const double z = zero ? ig_get_f64(zero->dtype, zero->data, p) : 0;
        const float v = (float)(ig_get_f64(x->dtype, x->data, i) - z);
        const float y = v * (float)ig_get_f64(scale->dtype, scale->data, p);
        ig_set_f64(to, c->out[0]->data, i, (double)y);
    }
    return INGOT_OK;
}

IG_PRIM_DECLARE(dequantize)
static const ig_prim prim = IG_PRIM_TABLE(dequantize, 3);

/* An int32 is exact in a program only if nothing is taken from it. */
ig_status ig_dequantize_lower(ig_lower *l)
{
    const ig_dtype_set small =
        IG_T(INGOT_UINT8) | IG_T(INGOT_INT8) | IG_T(INGOT_UINT16) | IG_T(INGOT_INT16);
    const ig_dtype_set halves = IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16);
    const ingot_dtype from = l->in[0]->type.dtype;
    const bool has_zero = l->n_in > 2 && l->in[2];
    if (!(IG_T(from) & small) && (from != INGOT_INT32 || has_zero)) return INGOT_OK;
    if (!(IG_T(l->in[1]->type.dtype) & (IG_T(INGOT_FLOAT) | halves)) ||
        !(IG_T(l->out[0].type.dtype) & (IG_T(INGOT_FLOAT) | halves)))
        return INGOT_OK;
    return ig_quant_lower(l, &prim);
}

static const char *const cases[] = {
    "u8[4]{0,3,128,255} f32[]{2} u8[]{128} = f32[4]{-256,-250,0,254}",
    "i8[3]{-128,0,127} f32[]{0.5} = f32[3]{-64,0,63.5}",
    "u8[2,2]{1,2,3,4} f32[2]{1,0.5} u8[2]{0,10} = f32[2,2]{1,-4,3,-3}",
    "i8[2,2]{1,2,3,4} f32[2]{1,0.5} i8[2]{0,10} axis=-2 = f32[2,2]{1,2,-3.5,-3}",
    "u8[2,4]{1,2,3,4,5,6,7,8} f32[2,2]{1,0.5,1,2} axis=1 block_size=2 = "
    "f32[2,4]{1,2,1.5,2,5,6,14,16}",
    "u8[1,3]{1,2,6} f32[1,2]{1,0.5} axis=1 block_size=2 = f32[1,3]{1,2,3}",
    "i8[2,4,3] f32[2,2,3] i8[2,2,3] block_size=2",
    "u16[2]{65535,0} f32[]{2} u16[]{32767} @21 = f32[2]{65536,-65534}",
    "i32[2]{16777217,-5} f32[]{2} = f32[2]{33554432,-10}",
    "i8[3]{1,2,3} f16[]{0.5} @19 = f16[3]{0.5,1,1.5}",
    "i8[3]{1,2,3} f32[]{0.5} output_dtype=10 @23 = f16[3]{0.5,1,1.5}",
    "u8[3,5,7] f32[]{0.02} u8[]{100}",
    "i8[3,5,7] f32[5] i8[5] @13",
    "u8[0] f32[]{1} @10",
    "u8[2,3] f32[2]{1} ! neither one value",
    "u8[2] f32[]{1} i8[]{0} ! zero point",
    NULL
};

const ig_op ig_op_dequantize_linear = { .onnx = "DequantizeLinear",
                                        .since = { 10, 13, 19, 21, 23, 24, 25, 28 },
                                        .n_in = { 2, 3 },
                                        .n_out = { 1, 1 },
                                        .types = IG_T_QUANT | IG_T(INGOT_INT32),
                                        .flags = IG_OWN_HALF,
                                        .infer = ig_dequantize_infer,
                                        .ref = ig_dequantize_ref,
                                        .lower = ig_dequantize_lower,
                                        .permute = ig_quant_permute,
                                        .cases = cases };
#endif
