/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.h: finding an expression in a graph.
 *
 *     Mul(x, Sigmoid(x))              operators of ai.onnx, or "domain::Name"
 *     Div(d=Sub(x, ReduceMean(x)), $s)
 *
 * A letter stands for any value (the same letter, the same value); "$" and a letter for a constant;
 * "#0.5" for a float constant of one element, equal within 1e-3 of itself; "a=" names the value of
 * an inner expression. Commutative operators match in both orders; operands that the pattern does
 * not mention (bounds, axes) are free. Nothing outside may use an inner result.
 */
#ifndef IG_PASSES_MATCH_H
#define IG_PASSES_MATCH_H

#include "passes/rewrite.h"

#define IG_MATCH_MAX_NODES 16

typedef struct ig_match {
    uint32_t vars[26]; /* by letter; IG_NONE: unbound */
    ig_node
        *nodes[IG_MATCH_MAX_NODES]; /* in the order in which the pattern names them: root first */
    int n_nodes;
} ig_match;

/* Does the pattern end at `root`? */
bool ig_match_at(const ig_pass_ctx *ctx, const ig_graph *g, ig_node *root, const char *pattern,
                 ig_match *m);

#endif
