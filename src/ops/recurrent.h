/* SPDX-License-Identifier: Apache-2.0 */
/* recurrent.h: what LSTM, GRU and RNN share. */
#ifndef IG_OPS_RECURRENT_H
#define IG_OPS_RECURRENT_H

#include "kernels/recurrent/recurrent.h"
#include "ops/op.h"

ig_status ig_infer_recurrent(ig_infer *c, ig_recurrent_kind kind);
ig_status ig_ref_recurrent(ig_call *c, ig_recurrent_kind kind);
ig_status ig_lower_recurrent(ig_lower *l, ig_recurrent_kind kind);

/* The attributes of a node, checked: n_dirs, is_reverse, is_batch_first and cell (but for its
 * size). */
ig_status ig_recurrent_read(const ig_node *node, ig_recurrent_kind kind, ig_recurrent_shape *s,
                            ig_error *err) IG_MUST_USE;

#endif
