/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rotary.h: rotary position embedding, shared by the operators that apply it.
 *
 * Of a row of d elements the first n_rotary are pairs (a, b), which turn by an angle that belongs
 * to the row's position and the pair:
 *
 *     a' = a * cos - b * sin        b' = a * sin + b * cos
 *
 * Pairs are neighbours (interleaved) or lie n_rotary / 2 apart. The rest of the row stays.
 */
#ifndef IG_OPS_ROTARY_H
#define IG_OPS_ROTARY_H

#include "ops/attention_core.h"

typedef struct ig_rotary_shape {
    int64_t n_batch, n_heads, n_rows, d, n_rotary;
    bool is_interleaved;
    ig_attn_strides x, y;
} ig_rotary_shape;

/* What infer has to check of a node: x has rank 3 or 4, cos and sin have one shape whose last
 * dimension is half of n_rotary. n_heads: of the attribute, 0 where absent; with rank 3 and neither
 * n_heads nor n_rotary the width of the cache tells the size of a head. */
ig_status ig_rotary_check(ig_infer *c, int i_x, int i_cos, int i_sin, int64_t n_heads,
                          int64_t n_rotary) IG_MUST_USE;

/* The same for concrete shapes that have been checked. half: last dimension of cos. */
void ig_rotary_read(const ig_tensor *x, int64_t half, int64_t n_heads, int64_t n_rotary,
                    bool is_interleaved, ig_rotary_shape *s);

/* y = x turned, all of dtype x_type; cos and sin [rows, n_rotary / 2] of cache_type, of which row
 * cache_rows[b * n_rows + i] belongs to row i of sample b. */
void ig_rotary_run(const ig_rotary_shape *s, ingot_dtype x_type, const void *x,
                   ingot_dtype cache_type, const void *cos, const void *sin,
                   const int64_t *cache_rows, void *y);

#endif
