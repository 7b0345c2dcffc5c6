/* SPDX-License-Identifier: Apache-2.0 */
/* control.h: what If, Loop and Scan share. */
#ifndef IG_OPS_CONTROL_H
#define IG_OPS_CONTROL_H

#include "ops/op.h"

/* The subgraph attribute, or INGOT_ERR_INVALID when it is missing. */
ig_status ig_control_graph(const ig_node *node, const char *name, const ig_attr **out,
                           ig_error *err) IG_MUST_USE;
/* Before each iteration: INGOT_ERR_LIMIT when the loops of this run have taken too many. */
ig_status ig_control_step(const ig_call *c) IG_MUST_USE;
/* Node inputs that feed the captures of a subgraph, appended to list (room for all of g->n_inputs)
 * from n_declared on. */
ig_status ig_control_captures(const ig_call *c, const ig_attr *graph, const ig_tensor **list,
                              size_t n_declared) IG_MUST_USE;
/* The same in inference. */
ig_status ig_infer_captures(const ig_infer *c, const ig_attr *graph, const ig_info **list,
                            size_t n_declared) IG_MUST_USE;
/* Output i becomes a copy of t (items of sequences are borrowed). */
ig_status ig_control_output(ig_call *c, int i, const ig_tensor *t) IG_MUST_USE;

/* The n strings get copies of their bytes in scratch: those that a run of a subgraph gave go away
 * with a later run. */
ig_status ig_control_keep_strings(ig_call *c, ingot_string *strings, int64_t n) IG_MUST_USE;

/* Two infos that a value may have: what they agree on stays, the rest is born. */
void ig_info_merge(ig_dims *t, ig_info *into, const ig_info *other);
/* Type and rank stay, dimensions and contents are forgotten. */
void ig_info_forget(ig_dims *t, ig_info *info);

/* Rows of one shape, collected along a new leading axis. */
typedef struct ig_stack {
    ingot_dtype dtype;
    int rank; /* of a row */
    int64_t dims[IG_MAX_RANK];
    size_t row_bytes, cap;
    int64_t n;
    uint8_t *data; /* in scratch */
} ig_stack;
ig_status ig_stack_push(ig_call *c, ig_stack *s, const ig_tensor *row) IG_MUST_USE;
/* The type and shape of the rows of a loop that never ran on these inputs (NULL: not at hand): what
 * inference knows of the body's output, 0 where it does not. */
ig_status ig_stack_set_empty(ig_call *c, ig_stack *s, const ig_attr *body,
                             const ig_tensor *const *in, size_t i_output) IG_MUST_USE;
/* Output i = the stacked rows, moved so that the new axis is `axis`; in reverse order if
 * is_reversed. */
ig_status ig_stack_output(ig_call *c, int i, const ig_stack *s, int axis,
                          bool is_reversed) IG_MUST_USE;

#endif
