/* SPDX-License-Identifier: Apache-2.0 */
/* handles.h: what is behind the opaque handles of ingot.h. */
#ifndef IG_API_HANDLES_H
#define IG_API_HANDLES_H

#include "api/named_dims.h"
#include "compile/compile.h"
#include "exec/frame.h"

struct ingot_model {
    ig_alloc alloc;
    ingot_log log;
    atomic_int n_owners; /* the user, and each session */
    ingot_ops *ops;      /* kept alive; NULL: none */
    ig_compiled compiled;
};

struct ingot_session {
    ingot_model *model;
    ig_run_context context;
    ig_team *own_team;
    ig_frame *frame;
    ig_named_dims named_dims;
    const ig_tensor **inputs; /* of the graph; scratch of a run */
    ig_tensor **kept;         /* outputs that would share bytes with an input, copied; or NULL */
    ig_tensor **bound;        /* the caller's tensors for outputs; or NULL */
    bool has_output;
};

/* The status of a failed call: where the caller's bound on memory is what made it fail,
 * INGOT_ERR_LIMIT and a line that says so, instead of INGOT_ERR_NOMEM. */
ig_status ig_model_status(ingot_model *model, ig_status status, ig_error *err) IG_MUST_USE;

void ig_ops_retain(ingot_ops *ops);
void ig_model_retain(ingot_model *model);
void ig_model_release(ingot_model *model);

#endif
