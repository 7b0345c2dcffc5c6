/* SPDX-License-Identifier: Apache-2.0 */
/* arg_reduce.h: what ArgMax and ArgMin share. */
#ifndef IG_OPS_ARG_REDUCE_H
#define IG_OPS_ARG_REDUCE_H

#include "ops/op.h"

ig_status ig_infer_arg(ig_infer *c);
/* Index of the extreme along an axis: of equal ones the first, or the last with select_last_index.
 * NaN is more extreme than any number (as in NumPy). */
ig_status ig_ref_arg(ig_call *c, bool is_max);
bool ig_permute_arg(ig_graph *g, ig_node *node, const int *perm, int rank);

#endif
