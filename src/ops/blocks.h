/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.h: what DepthToSpace and SpaceToDepth share. */
#ifndef IG_OPS_BLOCKS_H
#define IG_OPS_BLOCKS_H

#include "ops/op.h"

/* to_space: DepthToSpace; otherwise SpaceToDepth. */
ig_status ig_infer_blocks(ig_infer *c, bool to_space);
ig_status ig_ref_blocks(ig_call *c, bool to_space);
ig_status ig_lower_blocks(ig_lower *l, bool to_space);

#endif
