/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention_core.h: scaled dot-product attention, shared by the operators of the family.
 *
 *     s[i, j] = cap(scale * q[i] . k[j]) + mask[i, j]        for the keys j that query i may see
 *     y[i]    = sum over j of softmax(s[i])[j] * v[j]
 *
 * Heads are independent; head h of the queries reads head h / (n_heads / n_kv_heads) of keys and
 * values. A query sees the keys of [0, n_valid) that causality and window leave it; the position of
 * query i among the keys is i + offset. A query that sees no key (or only keys that the mask sets
 * to -infinity) gives zeros.
 */
#ifndef IG_OPS_ATTENTION_CORE_H
#define IG_OPS_ATTENTION_CORE_H

#include "ops/op.h"

/* Where element (batch, head, row, 0) of an operand lies, in elements; rows are contiguous. */
typedef struct ig_attn_strides {
    int64_t batch, head, row;
} ig_attn_strides;

typedef struct ig_attn_mask {
    bool is_present;
    int64_t batch, head, row, col; /* strides in elements, 0 where it broadcasts */
    int64_t n_cols;                /* keys from here on are hidden */
} ig_attn_mask;

typedef struct ig_attn_shape {
    int64_t n_batch, n_heads, n_kv_heads;
    int64_t n_q, n_kv;   /* rows of a head: queries; keys and values */
    int64_t d_k, d_v;    /* elements of a query or key; of a value */
    float scale;         /* of the products */
    float softcap;       /* c: s becomes c * tanh(s / c); 0: stays */
    bool is_causal;      /* no key behind the query's own position */
    int64_t left, right; /* most keys before, behind the query's own position; -1: any number */
    int64_t offset;      /* position of the first query among the keys */
    ig_attn_strides q, k, v, y;
    ig_attn_mask mask;
} ig_attn_shape;

/* [batch, head, row, d] (rank 4) or [batch, row, head * d] (rank 3), dense. */
ig_attn_strides ig_attn_dense(int rank, int64_t n_heads, int64_t n_rows, int64_t d);

/* Strides of a mask that broadcasts, aligned at the right, to [batch, heads, queries, keys]. Its
 * last dimension is n_cols; with may_be_short, one below n_kv means hidden keys, never a broadcast.
 * rank at most 4, at least 1. */
ig_attn_mask ig_attn_mask_of(int rank, const int64_t *dims, int64_t n_kv, bool may_be_short);

/* Check that an info can be such a mask; INGOT_ERR_SHAPE. */
ig_status ig_attn_check_mask(const ig_info *mask, const ig_dim full[4], bool may_be_short,
                             ig_error *err) IG_MUST_USE;

/* Default of an absent scale: 1 / sqrt(d). */
float ig_attn_scale(const ig_node *node, int64_t d);

/* Keys [*lo, *hi) that query i may see, before the mask. */
void ig_attn_visible(const ig_attn_shape *s, int64_t i, int64_t offset, int64_t n_valid,
                     int64_t *lo, int64_t *hi);

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

/* dst [batch, head, n_past + n_new, d] dense = past rows (dense, may be NULL) then new rows.
 * element_bytes each. */
void ig_attn_append(void *dst, const void *past, int64_t n_past, const void *fresh,
                    const ig_attn_strides *at, int64_t n_new, int64_t n_batch, int64_t n_heads,
                    int64_t d, size_t element_bytes);

/* x rounded to a float type. */
double ig_attn_round(ingot_dtype dtype, double x);

#endif
