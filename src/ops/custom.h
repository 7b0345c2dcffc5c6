/* SPDX-License-Identifier: Apache-2.0 */
/*
 * custom.h: operators of the caller's. A registered one is a record as any other, whose inference
 * and reference call back; each node of it gets a record of its own (its op points there) that
 * holds the node's state.
 */
#ifndef IG_OPS_CUSTOM_H
#define IG_OPS_CUSTOM_H

#include "ops/op.h"

typedef struct ig_custom_def {
    ig_op op;         /* what nodes' records begin as */
    ingot_op_def def; /* strings belong to the set */
} ig_custom_def;

/* A set, as ingot.h has it. */
struct ingot_ops {
    atomic_int n_owners; /* the user, and each model */
    ig_arena arena;
    ig_custom_def **defs;
    size_t n_defs, cap_defs;
    void **libraries; /* of dlopen */
    size_t n_libraries, cap_libraries;
};

typedef struct ig_custom_node {
    ig_op op; /* first: node->op is the whole */
    const ig_custom_def *def;
    void *state;
    struct ig_custom_node *next;
} ig_custom_node;

/* What one model has of them. Zeroed: nothing. */
typedef struct ig_custom {
    const ingot_ops *ops;  /* NULL: none */
    ig_custom_node *nodes; /* in the graph's arena */
} ig_custom;

/* An operator behind the interface of ingot.h, in whichever struct version: the record. */
void ig_custom_def_init(ig_custom_def *custom, const ingot_op_def *def);
/* The operator that a node means; *out NULL when none of that name is registered. A name that
 * comes with later versions only is INGOT_ERR_UNSUPPORTED, and so is a node with graphs. */
ig_status ig_custom_find(const ingot_ops *ops, const ig_node *node, const ig_custom_def **out,
                         ig_error *err) IG_MUST_USE;
/* Give the node its record, and the record its state. */
ig_status ig_custom_attach(ig_custom *custom, const ig_custom_def *def, ig_graph *g, ig_node *node,
                           ig_error *err) IG_MUST_USE;
/* Destroy all states; before the graph's arena goes. Accepts a zeroed one. */
void ig_custom_deinit(ig_custom *custom);

/* Is there an operator of Ingot's own of this name, in any version? */
bool ig_ops_has(const char *domain, const char *op_type);
/* ig_ops_resolve for a graph that may use custom operators (NULL: none). */
ig_status ig_ops_resolve_with(ig_graph *g, ig_custom *custom, ig_error *err) IG_MUST_USE;

/* ---- what the callbacks see ---- */

struct ingot_op_node {
    const ig_node *node;
};

struct ingot_op_call {
    ig_call *call;
    bool *is_given; /* by output */
};

/* The status of a callback that has returned: a failure's words go into err, made up where it gave
 * none. */
ig_status ig_custom_settle(ingot_status status, ingot_error *said, const char *what,
                           ig_error *err) IG_MUST_USE;
/* The record's inference and reference. */
ig_status ig_custom_infer(ig_infer *c);
ig_status ig_custom_ref(ig_call *c);

#endif
