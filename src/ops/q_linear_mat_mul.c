/* SPDX-License-Identifier: Apache-2.0 */
/* q_linear_mat_mul.c: NumPy's matmul on 8-bit operands, result rounded to 8 bits. 8-bit floats,
 * too, in any mixture. */
#include "ops/integer_product.h"
#include "ops/quantize.h"

static const int8_t inputs[IG_QP_N] = { 0, 3, -1, 2, 5, 1, 4, 6, 7 };

static ig_status infer(ig_infer *c)
{
    const ig_info *a = c->in[inputs[IG_QP_X]], *b = c->in[inputs[IG_QP_W]];
    c->out[0].type.dtype = ig_qp_result_type(c, inputs);
    if (a->rank < 0 || b->rank < 0) return INGOT_OK;
    IG_TRY(ig_matmul_shape(c, a, b, &c->out[0]));
    c->out[0].type.dtype = ig_qp_result_type(c, inputs);
    return ig_qp_infer_check(c, inputs, a->rank > 1 ? a->dims[a->rank - 2] : 1,
                             b->rank > 1 ? b->dims[b->rank - 1] : 1);
}
static ig_status ref(ig_call *c) { return ig_qp_matmul_ref(c, inputs); }
static ig_status lower(ig_lower *l) { return ig_qp_matmul_lower(l, inputs); }

static const char *const cases[] = {
    "u8[2,2]{1,2,3,4} f32[]{1} u8[]{0} u8[2,2]{5,6,7,8} f32[]{1} u8[]{0} f32[]{2} u8[]{1} "
    "= u8[2,2]{11,12,23,26}",
    "u8[2,2]{1,2,3,4} f32[]{1} u8[]{0} i8[2,1]{-1,1} f32[]{1} i8[]{0} f32[]{1} i8[]{-3} "
    "= i8[2,1]{-2,-2}",
    "u8[5,7] f32[1]{0.02} u8[1]{128} c:i8[7,33] c:f32[33]{0.01} c:i8[33]{0} f32[1]{0.03} u8[1]{99}",
    "i8[2,5,7] f32[]{0.02} i8[]{-8} c:u8[7,3] f32[]{0.01} c:u8[]{9} f32[]{0.03} i8[]{9}",
    "i8[2,5,7] f32[]{0.02} i8[]{-8} i8[2,7,3] f32[]{0.01} i8[]{9} f32[]{0.03} i8[]{9}",
    "u8[2,1,4,7] f32[]{0.02} u8[]{8} c:i8[3,7,3] f32[]{0.01} c:i8[]{0} f32[]{0.03} u8[]{9}",
    "u8[2,3] f16[]{0.5} u8[]{1} u8[3,2] f16[]{1} u8[]{0} f16[]{2} u8[]{0} @21",
    "f8e4m3fn[2,2]{1,2,-3,4} f32[]{0.5} f8e4m3fn[]{0} f8e4m3fn[2,1]{2,0.5} f32[]{2} f8e4m3fn[]{0} "
    "f32[]{1} f8e4m3fn[]{0} = f8e4m3fn[2,1]{3,-4}",
    "f8e5m2[1,2]{448,448} f32[]{1} f8e5m2[]{0} f8e5m2[2,2]{1,-448,1,-448} f32[]{1} f8e5m2[]{0} "
    "f32[]{1} f8e4m3fn[]{0} = f8e4m3fn[1,2]{448,-448}",
    "f8e4m3fnuz[1,2]{1.5,2} f16[]{1} f8e4m3fnuz[]{0} i8[2,1]{5,7} f16[]{1} i8[]{1} f16[]{2} "
    "u8[]{9} "
    "= u8[1,1]{18} @21",
    "u8[3,5] f32[]{0.1} u8[]{9} f8e5m2fnuz[2,5,7] f32[7]{0.5} f8e5m2fnuz[]{0} f32[]{1} "
    "f8e5m2fnuz[]{0}",
    "f8e5m2[1,2] f32[]{1} u8[]{0} f8e5m2[2,1] f32[]{1} f8e5m2[]{0} f32[]{1} f8e5m2[]{0} ! the "
    "input's "
    "zero point cannot be uint8",
    "u8[2,3] f32[]{1} u8[]{0} u8[4,2] f32[]{1} u8[]{0} f32[]{1} u8[]{0} ! inner dimensions",
    NULL,
};

const ig_op ig_op_q_linear_mat_mul = {
    .onnx = "QLinearMatMul",
    .since = { 10, 21 },
    .n_in = { 8, 8 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_UINT8) | IG_T(INGOT_INT8) | IG_T_FLOAT8,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = ig_qp_matmul_flops,
    .cases = cases,
};
