/* SPDX-License-Identifier: Apache-2.0 */
/*
 * optimizer.h: what Adagrad, Adam and Momentum of ai.onnx.preview.training share.
 *
 * Inputs: R (learning rate, one number), T (update count, one int64), then groups of n tensors
 * each: the parameters, their gradients, their states. Outputs: the same groups without the
 * gradients. All tensors number k of the groups have one shape and type; parameters do not touch
 * each other.
 */
#ifndef IG_OPS_OPTIMIZER_H
#define IG_OPS_OPTIMIZER_H

#include "ops/op.h"

#define IG_OPTIMIZER_DOMAIN "ai.onnx.preview.training"
#define IG_OPTIMIZER_MAX_GROUPS 4

/* One update step: the rate, the count, and what an operator keeps of its attributes. */
typedef struct ig_optimizer {
    double rate;
    int64_t count;
    double p[8];
} ig_optimizer;

/* New values of one element, in place. v: parameter, gradient, states. */
typedef void (*ig_optimize_fn)(const ig_optimizer *o, double v[IG_OPTIMIZER_MAX_GROUPS]);

/* Output shapes and types of an operator with so many groups of inputs. */
ig_status ig_infer_optimizer(ig_infer *c, int n_groups);
/* rate and count from inputs 0 and 1; p is the caller's to fill. */
ig_status ig_optimizer_begin(const ig_call *c, ig_optimizer *o) IG_MUST_USE;
/* fn on all elements of all parameters. */
ig_status ig_optimize(ig_call *c, int n_groups, const ig_optimizer *o, ig_optimize_fn fn);

#endif
