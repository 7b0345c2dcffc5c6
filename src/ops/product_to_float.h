/* SPDX-License-Identifier: Apache-2.0 */
/*
 * product_to_float.h: Y = float32(integer product of A and B) * a_scale * b_scale + bias, for
 * MatMulIntegerToFloat and, with A quantized on the way in, DynamicQuantizeMatMul.
 */
#ifndef IG_OPS_PRODUCT_TO_FLOAT_H
#define IG_OPS_PRODUCT_TO_FLOAT_H

#include "ops/integer_product.h"

/* inputs: by role as in integer_product.h (the bias apart); i_bias: float32 [N]. is_dynamic: A is
 * float32 and has neither scale nor zero point. */
ig_status ig_ptf_infer(ig_infer *c, const int8_t inputs[IG_QP_N], int i_bias, bool is_dynamic);
ig_status ig_ptf_ref(ig_call *c, const int8_t inputs[IG_QP_N], int i_bias, bool is_dynamic);
ig_status ig_ptf_lower(ig_lower *l, const int8_t inputs[IG_QP_N], int i_bias, bool is_dynamic);

#endif
