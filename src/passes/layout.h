/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h: which nodes work channels-last.
 *
 * Nodes come in three kinds: some want channels-last (convolutions, pools), some do not care
 * (elementwise ones, and those that can rename their axes), the rest is plain. The choice for those
 * that do not care is made so that little data is transposed at the borders.
 */
#ifndef IG_PASSES_LAYOUT_H
#define IG_PASSES_LAYOUT_H

#include "passes/rewrite.h"

typedef enum ig_layout_kind {
    IG_LAYOUT_PLAIN = 0,
    IG_LAYOUT_WANTS_LAST, /* has an attribute channels_last */
    IG_LAYOUT_EITHER
} ig_layout_kind;

typedef struct ig_layout_node {
    ig_layout_kind kind;
    bool is_last;     /* the decision */
    int rank;         /* of the operands that are transposed */
    ig_node *renamed; /* either, by ig_op.permute: the node as it is when channels-last */
} ig_layout_node;

typedef struct ig_layout {
    ig_graph *g;
    ig_layout_node *nodes; /* [n_nodes] */
    uint32_t *first_use;   /* [n_values + 1]: users of value v are use[first_use[v] … ] */
    uint32_t *uses;        /* node indices */
    uint32_t *use_inputs;  /* which input of the user */
    uint8_t *is_output;    /* [n_values] */
} ig_layout;

/* perm of a transpose from plain to channels-last (or back). */
void ig_layout_perm(int rank, bool to_last, int perm[IG_MAX_RANK]);

/* How a node that works channels-last takes its input i. */
typedef enum ig_layout_operand {
    IG_OPERAND_AS_IS,      /* an axes vector, a scale, weights */
    IG_OPERAND_TRANSPOSED, /* of the node's rank */
    IG_OPERAND_EXTENDED /* of a lower rank that broadcasts: extended with ones, then transposed */
} ig_layout_operand;
ig_layout_operand ig_layout_operand_of(const ig_layout *l, uint32_t node, uint32_t input);

/* Look at all nodes and decide. Everything lives in ctx->scratch. */
ig_status ig_layout_choose(ig_pass_ctx *ctx, ig_graph *g, ig_layout *l) IG_MUST_USE;

#endif
