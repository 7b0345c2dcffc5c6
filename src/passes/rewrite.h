/* SPDX-License-Identifier: Apache-2.0 */
/* rewrite.h: what passes share: looking at a graph, running a node, making nodes. */
#ifndef IG_PASSES_REWRITE_H
#define IG_PASSES_REWRITE_H

#include "passes/pass.h"

/* ---- looking ---- */

/* The node that computes a value; NULL for inputs, constants and IG_NONE. Needs ig_graph_index. */
ig_node *ig_producer(const ig_graph *g, uint32_t value);
/* Contents of a constant (or of a result that inference knows); NULL when not known at compile time
 * or absent. */
const ig_tensor *ig_known(const ig_pass_ctx *ctx, const ig_graph *g, uint32_t value);
bool ig_is_graph_input(const ig_graph *g, uint32_t value);
/* The only element of a known float32 tensor. */
bool ig_known_scalar(const ig_pass_ctx *ctx, const ig_graph *g, uint32_t value, float *out);
/* Same rank and dimensions for sure. */
bool ig_has_same_shape(const ig_info *a, const ig_info *b);
/* Infos of the node's inputs (NULL where absent), in ctx->scratch; NULL when out of memory. */
const ig_info **ig_input_infos(ig_pass_ctx *ctx, const ig_graph *g, const ig_node *node);
uint32_t ig_node_input(const ig_node *node, int i); /* IG_NONE past the end */

/* ---- changing ---- */

/* Infer the node's outputs again; errors name the node. */
ig_status ig_reinfer(ig_pass_ctx *ctx, ig_graph *g, ig_node *node) IG_MUST_USE;
/* The same; says whether it succeeded: in a subgraph a failure is no error, since it may never run.
 */
ig_status ig_reinfer_if_sound(ig_pass_ctx *ctx, ig_graph *g, ig_node *node,
                              bool *is_sound) IG_MUST_USE;
/* These keep producers and uses right, each in the time that its nodes take: passes that index the
 * whole graph after each change need minutes for a hundred thousand nodes. */

/* The node's inputs are used by so many more: -1 before they change, 1 after. */
void ig_count_uses(ig_graph *g, const ig_node *node, int by);
void ig_kill(ig_graph *g, ig_node *node);
/* The last node of the list, which is new, takes the place of node `at`. */
void ig_replace_node(ig_graph *g, uint32_t at);
/* `node` now computes what `last` computed in its output 0, and last is dead. */
void ig_take_over(ig_graph *g, ig_node *node, ig_node *last);

/* Values that stand for others, in a pass that walks the nodes in order: each node's inputs are
 * replaced when the walk comes to it, the graph's outputs at the end. */
typedef struct ig_aliases {
    uint32_t *of; /* [n_values]: IG_NONE where a value stands for itself */
} ig_aliases;
bool ig_aliases_init(ig_pass_ctx *ctx, const ig_graph *g, ig_aliases *a) IG_MUST_USE;
void ig_aliases_apply(const ig_aliases *a, ig_node *node);
/* From here on `from` is `to`, which stands for itself. A graph output keeps its name: it moves to
 * `to` when that is computed and neither an input nor an output already; otherwise the graph's use
 * stays, and false is returned. */
bool ig_alias(ig_graph *g, ig_aliases *a, uint32_t from, uint32_t to);
void ig_aliases_finish(ig_graph *g, const ig_aliases *a);

/* A fresh value without name. */
uint32_t ig_fresh_value(ig_graph *g, const ig_info *info) IG_MUST_USE;

/* ---- making nodes (build.c) ---- */

/* A node of a known operator at the end of the list, with its op resolved and, where `output` is
 * IG_NONE, a fresh output. opset: lowest version that will do. Uses are not counted yet. */
ig_status ig_build_node(ig_pass_ctx *ctx, ig_graph *g, const char *domain, const char *op_type,
                        int opset, const char *name, const uint32_t *inputs, size_t n_inputs,
                        uint32_t output, ig_node **out) IG_MUST_USE;
/* The constructors leave inference of the output to the caller when `output` is given. */
ig_status ig_build_transpose(ig_pass_ctx *ctx, ig_graph *g, uint32_t input, const int *perm,
                             int rank, uint32_t output, ig_node **out) IG_MUST_USE;
ig_status ig_build_reshape(ig_pass_ctx *ctx, ig_graph *g, uint32_t input, const int64_t *shape,
                           int rank, uint32_t output, ig_node **out) IG_MUST_USE;
/* Ones in front: rank grows by n. */
ig_status ig_build_unsqueeze(ig_pass_ctx *ctx, ig_graph *g, uint32_t input, int n,
                             ig_node **out) IG_MUST_USE;
/* Is the node a transpose (perm read for its input's rank), or a reshape? */
bool ig_is_transpose(const ig_graph *g, const ig_node *node, int perm[IG_MAX_RANK], int *rank);
bool ig_is_named(const ig_node *node, const char *op_type); /* of ai.onnx */

/* ---- running (evaluate.c) ---- */

/* Run the node's reference on known inputs; outputs (NULL where absent) are tensors in `arena`. */
ig_status ig_evaluate(ig_pass_ctx *ctx, const ig_graph *g, const ig_node *node,
                      const ig_tensor *const *in, ig_arena *arena,
                      const ig_tensor **out) IG_MUST_USE;

#endif
