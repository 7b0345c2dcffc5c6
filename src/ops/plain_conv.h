/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain_conv.h: convolutions of the plain layout through the channels-last kernel: move to channels
 * last, convolve, move back. The layout pass avoids it; without that pass it is still far from the
 * reference.
 */
#ifndef IG_OPS_PLAIN_CONV_H
#define IG_OPS_PLAIN_CONV_H

#include "ops/op.h"

/* lower_last lowers the node as if X (input 0) and Y were channels-last; its kernel has the
 * operands X, W, bias, residual (absent here), Y, scratch. Shapes must be static, X and Y float32.
 */
ig_status ig_lower_plain_conv(ig_lower *l, ig_status (*lower_last)(ig_lower *l, const void *ctx),
                              const void *ctx) IG_MUST_USE;

#endif
