/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention_core.h: what the operators of the attention family share: masks, the reference, and
 * lowering to kernels/attention (whose header says what is computed).
 */
#ifndef IG_OPS_ATTENTION_CORE_H
#define IG_OPS_ATTENTION_CORE_H

#include "kernels/attention/attention.h"
#include "ops/op.h"

/* Strides of a mask that broadcasts, aligned at the right, to [batch, heads, queries, keys]. Its
 * last dimension is n_cols; with may_be_short, one below n_kv means hidden keys, never a broadcast.
 * rank at most 4, at least 1. */
ig_attn_mask ig_attn_mask_of(int rank, const int64_t *dims, int64_t n_kv, bool may_be_short);

/* Check that an info can be such a mask; INGOT_ERR_SHAPE. */
ig_status ig_attn_check_mask(const ig_info *mask, const ig_dim full[4], bool may_be_short,
                             ig_error *err) IG_MUST_USE;

/* The attribute scale; absent (in com.microsoft: or 0) it is 1 / sqrt(d). */
float ig_attn_scale(const ig_node *node, int64_t d);

/* What the scores of an optional output hold. */
typedef enum ig_attn_scores {
    IG_ATTN_SCORES_RAW = 0, /* scaled products */
    IG_ATTN_SCORES_CAPPED,
    IG_ATTN_SCORES_MASKED, /* capped, mask added, hidden keys -infinity */
    IG_ATTN_SCORES_SOFTMAX
} ig_attn_scores;

/* One call of the reference. Types may be any and differ. */
typedef struct ig_attn_ref {
    ig_attn_shape shape;
    ingot_dtype q_type, k_type, v_type, y_type, mask_type;
    const void *q, *k, *v;
    void *y;                         /* NULL: not wanted */
    const void *mask;                /* bool: true may be seen; numbers are added */
    const int64_t *offset, *n_valid; /* [n_batch]; NULL: shape.offset, shape.n_kv */
    const double *sink;              /* [n_heads]: a score that takes part in the sum and has no
                                        value; NULL: none */
    ingot_dtype round_type; /* scores and probabilities are rounded to it; INGOT_DOUBLE: not */
    ig_tensor *scores;      /* [n_batch, n_heads, n_q, n_kv] or NULL */
    ig_attn_scores scores_are;
} ig_attn_ref;

ig_status ig_attn_run_ref(ig_call *c, const ig_attn_ref *r) IG_MUST_USE;

/* Choose the kernel for a shape whose operands stand in the order of kernels/attention; does
 * nothing where an operand is not float32 (the mask: bool), a size is 0, or lengths are not int64.
 * The first n_outputs outputs may be wanted. */
ig_status ig_attn_lower(ig_lower *l, const ig_attn_shape *s) IG_MUST_USE;

/* x rounded to a float type. */
double ig_attn_round(ingot_dtype dtype, double x);

#endif
