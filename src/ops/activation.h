/* SPDX-License-Identifier: Apache-2.0 */
/* activation.h: activations by name, as com.microsoft's fused operators have them. */
#ifndef IG_OPS_ACTIVATION_H
#define IG_OPS_ACTIVATION_H

#include "ops/op.h"

/* Of the attributes activation and activation_params (or activation_alpha, activation_beta); none
 * where they are absent. false when the name is not known. ig_node_epilogue falls back on it. */
bool ig_node_activation(const ig_node *node, ig_epilogue *ep);

#endif
