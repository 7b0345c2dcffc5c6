/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction.h: what the Reduce… operators share. axes is an attribute, or input 1 (ReduceSum from
 * opset 13, the others from 18); keepdims; noop_with_empty_axes.
 */
#ifndef IG_OPS_REDUCTION_H
#define IG_OPS_REDUCTION_H

#include "kernels/reduce/reduce.h"
#include "ops/op.h"

/* Shape inference. `combine` (may be NULL) folds the known elements of a small integer vector that
 * is reduced as a whole. */
ig_status ig_infer_reduction(ig_infer *c, ig_dim (*combine)(ig_dims *t, ig_dim a, ig_dim b));

/* The reference: result = finish(fold of step over the elements, beginning with init), n the number
 * of elements. Float types in double, integer types in int64 (sums and products wrap) through
 * i64_step, or as their exact mean. */
typedef struct ig_reduction {
    double init;
    double (*step)(double acc, double x);
    double (*finish)(double acc, int64_t n); /* NULL: as it is */
    int64_t i64_init;
    int64_t (*i64_step)(int64_t acc, int64_t x); /* NULL: through double */
    bool is_magnitude;                           /* integers without their sign go into i64_step */
    bool is_extreme; /* max or min, i64_init being an end of int64: the type's end stands for it */
    bool is_mean;    /* integers: their exact mean, towards zero; of none it is 0 */
} ig_reduction;
ig_status ig_ref_reduction(ig_call *c, const ig_reduction *r);

/* float32 through kernels/reduce. */
ig_status ig_lower_reduction(ig_lower *l, ig_reduce_op op);

bool ig_permute_reduction(ig_graph *g, ig_node *node, const int *perm, int rank);

/* since_: IG_SINCE of the versions. */
#define IG_SINCE(...)                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define IG_REDUCTION_OP(file, onnx_, since_, reduce_op, types_, combine_, ...)                     \
    static const ig_reduction reduction = { __VA_ARGS__ };                                         \
    static ig_status infer(ig_infer *c) { return ig_infer_reduction(c, combine_); }                \
    static ig_status ref(ig_call *c) { return ig_ref_reduction(c, &reduction); }                   \
    static ig_status lower(ig_lower *l) { return ig_lower_reduction(l, reduce_op); }               \
    const ig_op ig_op_##file = { .onnx = (onnx_),                                                  \
                                 .since = since_,                                                  \
                                 .n_in = { 1, 2 },                                                 \
                                 .n_out = { 1, 1 },                                                \
                                 .types = (types_),                                                \
                                 .infer = infer,                                                   \
                                 .ref = ref,                                                       \
                                 .lower = lower,                                                   \
                                 .permute = ig_permute_reduction,                                  \
                                 .cases = cases };

#endif
