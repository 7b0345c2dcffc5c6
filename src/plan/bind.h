/* SPDX-License-Identifier: Apache-2.0 */
/* bind.h: private to the making of a binding (bind.c, share.c, connect.c). */
#ifndef IG_PLAN_BIND_H
#define IG_PLAN_BIND_H

#include "plan/plan.h"

typedef struct ig_binder {
    ig_plan *plan;
    const ig_graph *g;
    ig_binding *b;
    int n_threads;
    ig_arena scratch;   /* until the binding is made: what follows lies there */
    ig_info *infos;     /* by value */
    bool *is_dynamic;   /* by value */
    bool *is_needed;    /* by value */
    uint32_t *last_use; /* by value, in steps */
    bool *runs;         /* by node */
    bool *node_dynamic; /* by node */
    uint32_t *step_of;  /* by node */
    uint32_t n_runs;    /* nodes that run */
    const ig_info **in; /* of the node in hand: room for the most inputs that one has */
    ig_info *out;       /* likewise */
    ig_error *err;
} ig_binder;

/* n + 1 zeroed elements, NULL and the binder's error without memory: for as long as the binding
 * lives, or (scratch) as it is made. */
void *ig_bind_array(ig_binder *k, size_t n, size_t bytes);
void *ig_bind_scratch(ig_binder *k, size_t n, size_t bytes);

/* share.c: find places for the outputs of a step with static shapes. *has_step false: they are
 * there without anything being computed. */
ig_status ig_bind_outputs(ig_binder *k, const ig_node *node, uint32_t i_step,
                          const ig_sharing *sharing, bool *has_step) IG_MUST_USE;
/* A piece of slab for the steps from first to last; *out is its number. */
ig_status ig_bind_buffer(ig_binder *k, size_t bytes, uint32_t first, uint32_t last,
                         uint32_t *out) IG_MUST_USE;

/* connect.c: place all buffers, and connect the steps with them. */
ig_status ig_bind_connect(ig_binder *k) IG_MUST_USE;

#endif
