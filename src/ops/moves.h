/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moves.h: lowering to one or several strided copies (kernels/move) as one step.
 */
#ifndef IG_OPS_MOVES_H
#define IG_OPS_MOVES_H

#include "kernels/move/move.h"
#include "ops/op.h"

/* One copy of the step. src and dst are operand numbers (inputs first, then outputs); src
 * IG_MOVE_VALUE fills with `value` (its first elem_bytes bytes) instead; all source strides are 0
 * then. */
#define IG_MOVE_VALUE (-1)
typedef struct ig_move_item {
    ig_move_shape shape;
    int src, dst;
    uint64_t value;
} ig_move_item;

/* Make l's kernel out of n copies that write different elements. Leaves l alone (the reference
 * runs) for the level ref and for element sizes that the family does not have. Copies of no
 * elements are dropped. */
ig_status ig_lower_moves(ig_lower *l, const ig_move_item *items, int n) IG_MUST_USE;

/* 0 when elements of this type cannot be moved by the family. */
size_t ig_move_elem_bytes(ingot_dtype dtype);

/* A copy of `rank` dimensions (up to 2 * IG_MAX_RANK), with those of size 1 dropped and contiguous
 * ones merged, into shape; false when more than IG_MAX_RANK remain. */
bool ig_move_shape_of(ig_move_shape *shape, size_t elem_bytes, int rank, const int64_t *dims,
                      const int64_t *dst_strides, const int64_t *src_strides, int64_t dst_offset,
                      int64_t src_offset);

#endif
