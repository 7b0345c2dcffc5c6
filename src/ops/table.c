/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: every operator, from the one list. */
#include "ops/op.h"

#define IG_OP_ROW(name) extern const ig_op ig_op_##name;
#define IG_OP_ROW_SIMD(name) IG_OP_ROW(name)
#include "ops/ops.inc"
#undef IG_OP_ROW

#define IG_OP_ROW(name) &ig_op_##name,
static const ig_op *const table[] = {
#include "ops/ops.inc"
};

size_t ig_ops_count(void) { return IG_COUNT(table); }

const ig_op *ig_ops_at(size_t i) { return i < IG_COUNT(table) ? table[i] : NULL; }
