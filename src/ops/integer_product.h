/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integer_product.h: what convolutions and matrix products on 8-bit operands share: checks of the
 * operands, the rounding of the result, and lowering to kernels/quant.
 */
#ifndef IG_OPS_INTEGER_PRODUCT_H
#define IG_OPS_INTEGER_PRODUCT_H

#include "kernels/quant/quant.h"
#include "ops/convolution.h"
#include "ops/product.h"

/* Roles of a node's inputs, in the order of the kernel's operands. An operator is described by the
 * node input of each role, -1 where it has none. */
enum {
    IG_QP_X,
    IG_QP_W,
    IG_QP_BIAS,
    IG_QP_X_ZERO,
    IG_QP_W_ZERO,
    IG_QP_X_SCALE,
    IG_QP_W_SCALE,
    IG_QP_Y_SCALE,
    IG_QP_Y_ZERO,
    IG_QP_N
};

/* Check element types and, where known, element counts. n_rows: zero points of X may be one a row
 * (matrix products; 0: only one for all). */
ig_status ig_qp_infer_check(ig_infer *c, const int8_t inputs[IG_QP_N], ig_dim n_rows,
                            ig_dim n_channels) IG_MUST_USE;
/* Type of the result: int32, or the type of the output's zero point. */
ingot_dtype ig_qp_result_type(const ig_infer *c, const int8_t inputs[IG_QP_N]);

/* The operands of a reference, by role, checked. */
typedef struct ig_qp_operands {
    const ig_tensor *t[IG_QP_N]; /* NULL where absent */
    bool is_x_zero_per_row, is_w_zero_per_channel, is_w_scale_per_channel;
} ig_qp_operands;
ig_status ig_qp_operands_read(const ig_call *c, const int8_t inputs[IG_QP_N], int64_t n_rows,
                              int64_t n_channels, ig_qp_operands *o) IG_MUST_USE;
/* Element i of an 8-bit tensor; 0 where t is NULL. */
static inline int64_t ig_qp_get(const ig_tensor *t, int64_t i)
{
    if (!t) return 0;
    return t->dtype == INGOT_INT8 ? ((const int8_t *)t->data)[i] : ((const uint8_t *)t->data)[i];
}
static inline int64_t ig_qp_x_zero(const ig_qp_operands *o, int64_t row)
{
    return ig_qp_get(o->t[IG_QP_X_ZERO], o->is_x_zero_per_row ? row : 0);
}
static inline int64_t ig_qp_w_zero(const ig_qp_operands *o, int64_t channel)
{
    return ig_qp_get(o->t[IG_QP_W_ZERO], o->is_w_zero_per_channel ? channel : 0);
}
/* Store one sum: wrapped to int32, or scaled, rounded half to even and saturated. */
void ig_qp_store(const ig_qp_operands *o, ig_tensor *y, int64_t at, int64_t channel, int64_t sum);

/* The references. */
ig_status ig_qp_conv_ref(ig_call *c, const int8_t inputs[IG_QP_N]);
ig_status ig_qp_matmul_ref(ig_call *c, const int8_t inputs[IG_QP_N]);

/* Lower to kernels/quant; leaves l alone for what the kernels do not have. */
ig_status ig_qp_conv_lower(ig_lower *l, const int8_t inputs[IG_QP_N]);
ig_status ig_qp_matmul_lower(ig_lower *l, const int8_t inputs[IG_QP_N]);
/* The steps of the latter: shape of a product with concrete operands, false where the kernels have
 * none; then a plan with W packed if it is a constant. out: of the kernel. */
bool ig_qp_matmul_shape(const ig_lower *l, const int8_t inputs[IG_QP_N], ingot_dtype y_dtype,
                        ig_qconv_shape *s);
ig_status ig_qp_plan(ig_lower *l, const int8_t inputs[IG_QP_N], ig_qconv_shape *s,
                     ig_qconv_params **params, ig_kernel_fn *fn) IG_MUST_USE;

/* Multiply-adds, times two. */
int64_t ig_qp_conv_flops(const ig_node *node, const ig_info *const *in, const ig_info *out);
int64_t ig_qp_matmul_flops(const ig_node *node, const ig_info *const *in, const ig_info *out);

#endif
