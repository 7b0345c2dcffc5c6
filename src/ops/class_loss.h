/* SPDX-License-Identifier: Apache-2.0 */
/* class_loss.h: what NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss share. */
#ifndef IG_OPS_CLASS_LOSS_H
#define IG_OPS_CLASS_LOSS_H

#include "ops/op.h"

/* Input 0 scores [N, C, …], 1 targets [N, …], 2 weights [C] or absent. Output 0 the loss, 1 the
 * logarithms of the softmax. */
ig_status ig_infer_class_loss(ig_infer *c);
ig_status ig_ref_class_loss(ig_call *c, bool takes_softmax);

#endif
