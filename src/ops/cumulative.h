/* SPDX-License-Identifier: Apache-2.0 */
/* cumulative.h: what CumSum and CumProd share. */
#ifndef IG_OPS_CUMULATIVE_H
#define IG_OPS_CUMULATIVE_H

#include "ops/op.h"

ig_status ig_infer_cumulative(ig_infer *c);
/* Running sum (or product) along the axis that input 1 names, in the type itself; integers wrap. */
ig_status ig_ref_cumulative(ig_call *c, bool is_product);
bool ig_permute_cumulative(ig_graph *g, ig_node *node, const int *perm, int rank);

#endif
