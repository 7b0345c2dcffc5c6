/* SPDX-License-Identifier: Apache-2.0 */
/* run.h: private to exec: what a frame is made of. */
#ifndef IG_EXEC_RUN_H
#define IG_EXEC_RUN_H

#include "exec/frame.h"

typedef struct ig_child {
    const ig_graph *graph;
    ig_frame *frames[2];
    bool turn;
} ig_child;

struct ig_frame {
    ig_run_context *context;
    const ig_graph *graph;
    int depth;
    ig_binding *bindings; /* most recently used first */
    ig_binding *binding;  /* in use */
    bool has_run;
    void *slab;
    size_t slab_bytes;
    ig_arena scratch; /* of one reference call or dynamic step */
    ig_arena children_arena;
    ig_child *children;
    size_t n_children, cap_children;
};

/* The frame whose turn it is for a subgraph. */
ig_status ig_frame_child(ig_frame *frame, const ig_graph *graph, ig_frame **out,
                         ig_error *err) IG_MUST_USE;
/* Free the heap memory of a value, if it has any. */
void ig_frame_release(ig_frame *frame, uint32_t value);

#endif
