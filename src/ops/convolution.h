/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convolution.h: shapes of convolutions, shared by Conv and its integer forms. Weights are
 * [M, C/group, k…] in either layout of the input.
 */
#ifndef IG_OPS_CONVOLUTION_H
#define IG_OPS_CONVOLUTION_H

#include "ops/window.h"

/* Output 0 from the shapes of inputs i_x, i_w and i_bias (-1: the operator has none), checked
 * against each other and the attributes. */
ig_status ig_conv_infer(ig_infer *c, int i_x, int i_w, int i_bias, ingot_dtype y_dtype);

/* Input i_bias, where there is one, is a vector of n_channels. */
ig_status ig_conv_check_bias(ig_infer *c, int i_bias, ig_dim n_channels);

/* Sizes and strides with up to three spatial dimensions. */
typedef struct ig_conv_geometry {
    ig_window w;
    int64_t batch, c, m, group, in[3], out[3];
    int64_t x_n, x_c, x_s[3], y_n, y_c, y_s[3]; /* element strides */
} ig_conv_geometry;

/* From concrete dims that inference accepted. */
ig_status ig_conv_geometry_read(const ig_node *node, const int64_t *x_dims, int rank,
                                const int64_t *w_dims, const int64_t *y_dims, ig_conv_geometry *g,
                                ig_error *err) IG_MUST_USE;

/* Conv's functions on inputs X, W, bias, residual: FusedConv is the same but for the name of its
 * activation, which ig_node_epilogue knows. */
ig_status ig_conv_ref(ig_call *c);
ig_status ig_conv_lower(ig_lower *l);
int64_t ig_conv_flops(const ig_node *node, const ig_info *const *in, const ig_info *out);

#endif
