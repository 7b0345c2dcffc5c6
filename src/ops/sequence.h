/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sequence.h: what the operators on sequences and optionals share.
 *
 * A reference makes a sequence or an optional by giving the output an array of items in scratch
 * memory that point at inputs, or at scratch tensors: whoever runs the call copies them before
 * either goes away.
 */
#ifndef IG_OPS_SEQUENCE_H
#define IG_OPS_SEQUENCE_H

#include "ops/op.h"

/* Input i must be a sequence. */
ig_status ig_infer_is_sequence(const ig_infer *c, int i) IG_MUST_USE;
/* Output 0 is a sequence of tensors of this type. */
void ig_infer_set_sequence(ig_infer *c, ingot_dtype dtype);
/* The same checks on run-time values. */
ig_status ig_call_is_sequence(const ig_call *c, int i) IG_MUST_USE;

/* Room for n items on output 0, which becomes a value of this kind and element type. */
ig_status ig_call_items(ig_call *c, ingot_kind kind, ingot_dtype dtype, size_t n) IG_MUST_USE;
/* Item k of output 0 is t, borrowed. */
void ig_call_set_item(ig_call *c, size_t k, const ig_tensor *t);

/* Position from input i (absent: fallback), negative from the end, in [0, n] or, without
 * end_allowed, [0, n). */
ig_status ig_call_position(const ig_call *c, int i, int64_t fallback, size_t n, bool end_allowed,
                           size_t *out) IG_MUST_USE;

/* Output 0 = a tensor, a sequence or an optional: contents borrowed where they are items or
 * strings. */
ig_status ig_call_give(ig_call *c, const ig_tensor *t) IG_MUST_USE;

#endif
