/* SPDX-License-Identifier: Apache-2.0 */
/* mat_mul_integer.c: NumPy's matmul on 8-bit operands, int32 result. */
#include "ops/integer_product.h"

static const int8_t inputs[IG_QP_N] = { 0, 1, -1, 2, 3, -1, -1, -1, -1 };

static ig_status infer(ig_infer *c)
{
    const ig_info *a = c->in[inputs[IG_QP_X]], *b = c->in[inputs[IG_QP_W]];
    c->out[0].type.dtype = ig_qp_result_type(c, inputs);
    if (!a || !b) return ig_fail(c->err, INGOT_ERR_INVALID, "a matrix is missing");
    if (a->rank < 0 || b->rank < 0) return INGOT_OK;
    IG_TRY(ig_matmul_shape(c, a, b, &c->out[0]));
    c->out[0].type.dtype = ig_qp_result_type(c, inputs);
    return ig_qp_infer_check(c, inputs, a->rank > 1 ? a->dims[a->rank - 2] : 1,
                             b->rank > 1 ? b->dims[b->rank - 1] : 1);
}
static ig_status ref(ig_call *c) { return ig_qp_matmul_ref(c, inputs); }
static ig_status lower(ig_lower *l) { return ig_qp_matmul_lower(l, inputs); }

static const char *const cases[] = {
    "u8[4,3]{11,7,3,10,6,2,9,5,1,8,4,0} u8[3,2]{1,4,2,5,3,6} u8[1]{12} u8[1]{0} "
    "= i32[4,2]{-38,-83,-44,-98,-50,-113,-56,-128}",
    "u8[5,7] c:i8[7,33] u8[]{128} c:i8[33]{0}",
    "u8[3,7] c:i8[7,4] u8[3]{1,2,3}",
    "i8[2,5,7] u8[2,7,3] i8[]{4} u8[]{5}",
    "u8[7] u8[7]",
    "u8[3,1,2] c:u8[3,2,1]",
    "u8[2,1,3,5] c:i8[2,2,5,7] u8[]{9}",
    "u8[4,0] u8[0,3] = i32[4,3]{0}",
    "u8[2,3] u8[3,2] i8[]{0} ! zero point",
    NULL,
};

const ig_op ig_op_mat_mul_integer = {
    .onnx = "MatMulInteger",
    .since = { 10 },
    .n_in = { 2, 4 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_UINT8) | IG_T(INGOT_INT8),
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = ig_qp_matmul_flops,
    .cases = cases,
};
