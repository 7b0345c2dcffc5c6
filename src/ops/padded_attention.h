/* SPDX-License-Identifier: Apache-2.0 */
/*
 * padded_attention.h: attention as com.microsoft's operators have it: a bias of the projection is
 * added to queries, keys and values first, and the scores get a padding mask, whose hidden keys
 * count as a finite number, and an attention bias. Everything is float32; the rest is
 * kernels/attention.
 */
#ifndef IG_OPS_PADDED_ATTENTION_H
#define IG_OPS_PADDED_ATTENTION_H

#include "ops/attention_core.h"

typedef enum ig_padding {
    IG_PADDING_NONE = 0,
    IG_PADDING_ENDS,   /* [batch]: keys from here on are padding */
    IG_PADDING_RANGES, /* [2 * batch]: such ends, then keys before which all is padding */
    IG_PADDING_KEYS,   /* [batch, keys]: above 0 may be seen */
    IG_PADDING_PAIRS   /* [batch, queries, keys] */
} ig_padding;

typedef struct ig_padded_shape {
    ig_attn_shape attn;      /* k, v, mask: as the kernel sees them, after ig_padded_finish */
    ig_attn_strides q, k, v; /* as the operands are */
    int64_t k_at, v_at;      /* their first elements in the operands */
    int64_t n_past;          /* rows */
    bool has_bias;           /* [n_heads * (d_k + d_k + d_v)] */
    bool is_kv_plain;        /* keys and values get no bias */
    ig_padding padding;
    float filter;                   /* score of a padded key */
    int64_t bias_batch, bias_heads; /* attention bias [.., .., queries, keys]; 0: none */
} ig_padded_shape;

/* Which padding mask a shape is; INGOT_ERR_SHAPE when none. NULL or unknown rank: NONE. */
ig_status ig_padding_of(const ig_info *mask, const ig_dim full[4], ig_padding *kind,
                        ig_error *err) IG_MUST_USE;

/* Set attn's strides and mask from the rest. */
void ig_padded_finish(ig_padded_shape *s);

typedef struct ig_padded_operands {
    const float *q, *k, *v, *bias; /* NULL where absent */
    const int32_t *padding;
    const float *attention_bias;
    const float *past_k, *past_v; /* dense */
    float *y, *present_k, *present_v;
} ig_padded_operands;

ig_status ig_padded_ref(ig_call *c, const ig_padded_shape *s,
                        const ig_padded_operands *o) IG_MUST_USE;

typedef struct ig_padded_params {
    ig_padded_shape shape;
    ig_attn_params attn;
    size_t attn_at, scratch_bytes;
} ig_padded_params;

/* All sizes of the shape must be above 0. */
ig_status ig_padded_plan(const ig_padded_shape *s, bool has_present, ig_isa isa, int n_threads,
                         ig_padded_params *p, ig_error *err) IG_MUST_USE;
void ig_padded_run(const ig_padded_params *p, const ig_padded_operands *o, void *scratch,
                   ig_team *team);

/* Plan, with `kernel` as the step's kernel on eight inputs, three outputs and scratch, and
 * ig_padded_params as its params. Does nothing where a size is 0 or huge. */
ig_status ig_padded_lower(ig_lower *l, const ig_padded_shape *s, bool has_present,
                          ig_team_kernel_fn kernel) IG_MUST_USE;

/* Is each size above 0, and does it fit the kernels? */
bool ig_padded_is_fast(const ig_padded_shape *s);

#endif
