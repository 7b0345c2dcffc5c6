/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skip_norm.h: normalisation of a sum along the last dimension.
 *
 *     s = x + skip + bias        skip has x's shape, or repeats along its leading dimensions
 *     y = norm(s) * gamma + beta
 *
 * Inputs x, skip, gamma, then beta (not for root mean square), bias. Outputs y, mean, inverse
 * standard deviation, s.
 */
#ifndef IG_OPS_SKIP_NORM_H
#define IG_OPS_SKIP_NORM_H

#include "ops/op.h"

ig_status ig_skip_norm_infer(ig_infer *c);
ig_status ig_skip_norm_ref(ig_call *c, bool is_rms);
ig_status ig_skip_norm_lower(ig_lower *l, bool is_rms);

#endif
