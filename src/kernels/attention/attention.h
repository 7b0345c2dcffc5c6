/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention.h: scaled dot-product attention in float32.
 *
 *     s[i, j] = cap(scale * q[i] . k[j]) + mask[i, j]        for the keys j that query i may see
 *     y[i]    = sum over j of softmax(s[i])[j] * v[j]
 *
 * Heads are independent; head h of the queries reads head h / (n_heads / n_kv_heads) of keys and
 * values. A query sees the keys of [0, n_valid) that causality and window leave it; the position of
 * query i among the keys is i + offset. A query that sees no key (or only keys that the mask sets
 * to -infinity) gives zeros.
 *
 * Keys and values may come in two parts, past rows and fresh ones; they are then first put together
 * (in the outputs present_k and present_v, or in scratch). Many queries: keys and values are packed
 * once, for all blocks of queries and all heads that share them; a block's scores are one product,
 * a pass over its rows, and a second product. Few queries read keys and values where they lie.
 *
 * Rows beyond n_valid are never part of a sum, whatever they hold.
 */
#ifndef IG_KERNELS_ATTENTION_ATTENTION_H
#define IG_KERNELS_ATTENTION_ATTENTION_H

#include "kernels/gemm/gemm.h"

/* Where element (batch, head, row, 0) of an operand lies, in elements; rows are contiguous. */
typedef struct ig_attn_strides {
    int64_t batch, head, row;
} ig_attn_strides;

typedef struct ig_attn_mask {
    bool is_present;
    int64_t batch, head, row, col; /* strides in elements, 0 where it broadcasts; col: 0 or 1 */
    int64_t n_cols;                /* keys from here on are hidden */
} ig_attn_mask;

typedef struct ig_attn_shape {
    int64_t n_batch, n_heads, n_kv_heads;
    int64_t n_q, n_kv;   /* rows of a head: queries; keys and values, past ones included */
    int64_t d_k, d_v;    /* elements of a query or key; of a value */
    float scale;         /* of the products */
    float softcap;       /* c: s becomes c * tanh(s / c); 0: stays */
    bool is_causal;      /* no key behind the query's own position */
    int64_t left, right; /* most keys before, behind the query's own position; -1: any number */
    int64_t offset;      /* position of the first query among the keys */
    ig_attn_strides q, k, v, y; /* k, v: of the fresh rows */
    ig_attn_mask mask;
} ig_attn_shape;

/* a * b; wraps where a shape without elements has huge sizes, whose strides nobody uses. */
static inline int64_t ig_attn_times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* [batch, head, row, d] (rank 4) or [batch, row, head * d] (rank 3), dense. */
ig_attn_strides ig_attn_dense(int rank, int64_t n_heads, int64_t n_rows, int64_t d);

/* Keys [*lo, *hi) that query i may see, before the mask. */
void ig_attn_visible(const ig_attn_shape *s, int64_t i, int64_t offset, int64_t n_valid,
                     int64_t *lo, int64_t *hi);

/* dst [batch, head, n_past + n_new, d] dense = past rows (dense, may be NULL) then new rows, of
 * element_bytes each, for the heads [begin, end) of all batches. */
void ig_attn_append(void *dst, const void *past, int64_t n_past, const void *fresh,
                    const ig_attn_strides *at, int64_t n_new, int64_t n_heads, int64_t d,
                    size_t element_bytes, int64_t begin, int64_t end);

/* What operand IG_ATTN_LENGTHS holds for each sample. */
typedef enum ig_attn_lengths {
    IG_ATTN_LENGTHS_NONE = 0, /* n_valid is n_kv, the offset that of the shape */
    IG_ATTN_LENGTHS_I64       /* n_valid; the last query stands on the last valid key */
} ig_attn_lengths;

typedef struct ig_attn_options {
    ig_attn_lengths lengths;
    bool is_mask_bool;                 /* true may be seen; else floats that are added */
    int64_t n_past;                    /* rows of the past operands */
    bool has_present_k, has_present_v; /* the outputs are wanted */
} ig_attn_options;

/* One row of scores s[0, n), of which [lo, hi) may be seen, becomes probabilities. mask points at
 * the row's first score, or is NULL; its elements are mask_step (0 or 1) apart. */
typedef struct ig_attn_row {
    float *s;
    int64_t n, lo, hi;
    const void *mask;
    bool is_mask_bool;
    int mask_step;
    float softcap;
} ig_attn_row;
typedef void (*ig_attn_row_fn)(const ig_attn_row *row);

enum {
    IG_ATTN_Q,
    IG_ATTN_K,
    IG_ATTN_V,
    IG_ATTN_MASK,
    IG_ATTN_PAST_K,
    IG_ATTN_PAST_V,
    IG_ATTN_LENGTHS,
    IG_ATTN_N_INPUTS,
    IG_ATTN_Y = IG_ATTN_N_INPUTS,
    IG_ATTN_PRESENT_K,
    IG_ATTN_PRESENT_V,
    IG_ATTN_UNUSED,
    IG_ATTN_SCRATCH,
    IG_ATTN_N_OUTPUTS = IG_ATTN_SCRATCH - IG_ATTN_Y
};

typedef struct ig_attn_params {
    ig_attn_shape shape;
    ig_attn_options options;
    bool joins_k, joins_v;             /* past and fresh rows are put together first */
    bool is_packed;                    /* many queries */
    bool rows_are_heads;               /* few: a block is one query of several heads */
    int64_t block, n_blocks;           /* rows of a work item; items of a head (of keys, if
                                          rows_are_heads) */
    int64_t step, n_steps;             /* packed: keys of a piece, pieces */
    int64_t k_head, v_head, v_columns; /* packed: floats of a head; of a row of values */
    const ig_gemm_kernel *k_kernel, *v_kernel;
    ig_attn_row_fn row;
    size_t join_k_at, join_v_at, pack_k_at, pack_v_at, threads_at; /* in scratch, bytes */
    size_t thread_bytes, gemm_at;                                  /* of a thread; scores first */
    size_t scratch_bytes;
    int64_t grain;
} ig_attn_params;

/* Fails with INGOT_ERR_SHAPE when sizes overflow. n_threads: of the team that will run it. */
ig_status ig_attn_plan(const ig_attn_shape *shape, const ig_attn_options *options, ig_isa isa,
                       int n_threads, ig_attn_params *p, ig_error *err) IG_MUST_USE;

/* The two products of a block: m queries with keys [at, at + n); m rows of probabilities with the
 * values of one piece of n keys, rows of probabilities pitch apart, added to y if is_more. */
ig_status ig_attn_plan_scores(const ig_attn_params *p, int64_t m, int64_t n, ig_gemm_params *g,
                              ig_error *err) IG_MUST_USE;
ig_status ig_attn_plan_values(const ig_attn_params *p, int64_t m, int64_t n, int64_t pitch,
                              bool is_more, ig_gemm_params *g, ig_error *err) IG_MUST_USE;

/* The kernel: a team kernel (ops/op.h) on the operands above. params: ig_attn_params. */
void ig_k_attention_f32(const void *params, void *const *operands, ig_team *team);

#endif
