/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.h: one graph being run again and again: its slab, its bindings, and the frames of its
 * subgraphs.
 *
 * A session has a root frame. Each subgraph attribute of a control-flow node has two frames of its
 * own that take turns, so that the outputs of one iteration can be the inputs of the next.
 */
#ifndef IG_EXEC_FRAME_H
#define IG_EXEC_FRAME_H

#include "plan/plan.h"

/* What the frames of one session share. */
typedef struct ig_run_context {
    ig_plan *plan;
    ig_team *team; /* NULL: one thread */
    uint64_t seed;
    bool is_profiling;
    atomic_bool is_cancelled;
    int64_t timeout_ms;   /* of a run; 0: none */
    uint64_t deadline_ns; /* of the run in progress, by ig_clock_ns; 0: none */
    int64_t n_loop_steps; /* of the run in progress */
} ig_run_context;

typedef struct ig_frame ig_frame;

ig_status ig_frame_create(ig_run_context *context, const ig_graph *graph, int depth, ig_frame **out,
                          ig_error *err) IG_MUST_USE;
void ig_frame_destroy(ig_frame *frame); /* accepts NULL */

/* Find or make the binding for these inputs: graph->n_inputs entries, NULL where the graph does not
 * need one. Memory of old bindings is kept within a bound (least recently used go first). */
ig_status ig_frame_bind(ig_frame *frame, const ig_tensor *const *inputs, ig_error *err) IG_MUST_USE;
/* A run begins: loop steps and time count from now. */
void ig_run_begin(ig_run_context *context);
/* Bind and run. Inputs are borrowed until the outputs are no longer needed. */
ig_status ig_frame_run(ig_frame *frame, const ig_tensor *const *inputs, ig_error *err) IG_MUST_USE;
/* Output i of the last run; it may share bytes with an input. NULL before. */
const ig_tensor *ig_frame_output(const ig_frame *frame, size_t i);
/* Does output i share bytes with an input of the last run? */
bool ig_frame_output_is_borrowed(const ig_frame *frame, size_t i);
/* The binding in use, NULL before the first. */
ig_binding *ig_frame_binding(const ig_frame *frame);
size_t ig_frame_slab_bytes(const ig_frame *frame);

#endif
