/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softmax_axis.h: what Softmax, LogSoftmax and Hardmax share. Until opset 12 the input is seen as a
 * matrix [product of dims before axis, product of the others], axis 1 by default; from 13 on they
 * work along one axis, the last by default.
 */
#ifndef IG_OPS_SOFTMAX_AXIS_H
#define IG_OPS_SOFTMAX_AXIS_H

#include "kernels/reduce/reduce.h"
#include "ops/op.h"

typedef struct ig_softmax_view {
    int64_t n_outer, n_axis, n_inner;
} ig_softmax_view;

ig_status ig_softmax_view_read(const ig_node *node, int opset, int rank, const int64_t *dims,
                               ig_softmax_view *v, ig_error *err) IG_MUST_USE;
ig_status ig_infer_softmax(ig_infer *c);
/* Calls fn for each run of n elements `stride` apart. */
ig_status ig_ref_softmax(ig_call *c, void (*fn)(ingot_dtype dtype, const void *x, void *y,
                                                int64_t n, int64_t stride));
ig_status ig_lower_softmax(ig_lower *l, bool is_log);
bool ig_permute_softmax(ig_graph *g, ig_node *node, const int *perm, int rank);

#endif
