/* SPDX-License-Identifier: Apache-2.0 */
/* activated_norm.h: what com.microsoft's GroupNorm and SkipGroupNorm share. */
#ifndef IG_OPS_ACTIVATED_NORM_H
#define IG_OPS_ACTIVATED_NORM_H

#include "ops/op.h"

/* The node as channel_norm.h wants it, after a check of groups and activation. */
ig_status ig_activated_norm_node(const ig_node *node, ig_arena *arena, const ig_node **out,
                                 ig_error *err) IG_MUST_USE;
/* The node's activation, in place. */
void ig_activated_norm_finish(const ig_node *node, ig_tensor *y);

#endif
