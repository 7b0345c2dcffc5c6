/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moe.h: mixtures of experts: com.microsoft MoE, with float weights, and QMoE, with weights of few
 * bits.
 *
 * Each token goes to the k experts with the highest router numbers; what they make of it is added,
 * times its weights. An expert e is
 *
 *     h = act(X W1[e]^T + b1[e])       y = h W2[e]^T + b2[e]
 *
 * where gated activations take a second half of h, from W1 as well or from W3. Tokens of an expert
 * are taken together, at most IG_MOE_ROWS at a time, so that its weights are read once for all.
 */
#ifndef IG_OPS_MOE_H
#define IG_OPS_MOE_H

#include "kernels/nbits/nbits.h"
#include "ops/op.h"

#define IG_MOE_ROWS 32

/* Operands in the order of the kernel, whatever the operator's is: X, router, router weights, then
 * for each of the three matrices weights, scales, bias, zero points, then Y and scratch. */
enum { IG_MOE_X, IG_MOE_ROUTER, IG_MOE_MIX, IG_MOE_W, IG_MOE_S, IG_MOE_B, IG_MOE_Z };
enum { IG_MOE_PER_MATRIX = 4, IG_MOE_N_IN = IG_MOE_W + 3 * IG_MOE_PER_MATRIX };
static inline int ig_moe_operand(int matrix, int what) { return what + matrix * IG_MOE_PER_MATRIX; }

typedef enum ig_moe_act {
    IG_MOE_RELU,
    IG_MOE_GELU, /* by tanh */
    IG_MOE_SILU,
    IG_MOE_IDENTITY,
    IG_MOE_RELU2,
    IG_MOE_SWIGLU, /* gated: two halves */
    IG_MOE_GEGLU
} ig_moe_act;

/* One of W1, W2, W3 of each expert: n rows of k numbers. n 0: there is none. */
typedef struct ig_moe_matrix {
    int64_t n, k;
    int bits;      /* 0: float32 */
    int64_t block; /* numbers of a row that share a scale; k: all */
    bool has_zero;
    bool packs_zero_by_rows; /* one zero point a row; those of all rows of an expert packed */
} ig_moe_matrix;

typedef struct ig_moe_shape {
    int64_t n_tokens, n_hidden, n_inter, n_experts, n_chosen;
    bool normalises;
    ig_moe_act act;
    bool is_interleaved; /* halves of h: by turns, or one behind the other */
    bool clamps_after;
    float alpha, beta, limit;
    ig_moe_matrix matrix[3];
} ig_moe_shape;

/* Input numbers of an operator by operand, -1: it has none. */
typedef int8_t ig_moe_inputs[IG_MOE_N_IN];

/* infer, ref, lower of both operators. is_quantized: QMoE. */
ig_status ig_moe_infer(ig_infer *c, const ig_moe_inputs inputs, bool is_quantized);
ig_status ig_moe_ref(ig_call *c, const ig_moe_inputs inputs, bool is_quantized);
ig_status ig_moe_lower(ig_lower *l, const ig_moe_inputs inputs, bool is_quantized);

/* ---- moe_shape.c ---- */

/* Attributes and concrete shapes, checked. in: by operand, NULL where absent. */
ig_status ig_moe_read(const ig_node *node, bool is_quantized, const ig_info *const in[IG_MOE_N_IN],
                      ig_moe_shape *s, ig_error *err) IG_MUST_USE;

/* ---- moe_run.c ---- */

/* out[rows][n] = x[rows][k] * (matrix of the expert)^T + bias. */
typedef void (*ig_moe_product)(void *ctx, int matrix, int64_t expert, const float *x, int64_t rows,
                               float *out, ig_team *team);

/* Scratch of a run; false on overflow. */
bool ig_moe_scratch_bytes(const ig_moe_shape *s, size_t *bytes);
/* operands: as above; scratch is 64-byte aligned. Rows of x and out that a product is given exist
 * up to IG_MOE_ROWS, and those beyond `rows` are finite in x. */
void ig_moe_run(const ig_moe_shape *s, void *const *operands, void *scratch, ig_moe_product product,
                void *ctx, ig_team *team);

#endif
