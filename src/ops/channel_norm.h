/* SPDX-License-Identifier: Apache-2.0 */
/* channel_norm.h: what InstanceNormalization and GroupNormalization share. Input 1 is the scale,
 * input 2 the bias. */
#ifndef IG_OPS_CHANNEL_NORM_H
#define IG_OPS_CHANNEL_NORM_H

#include "ops/op.h"

/* Groups of channels; each input of scale and bias has n_scales entries, the groups' or the
 * channels'. */
typedef struct ig_channel_norm {
    int64_t n_batch, n_channels, n_groups, n_spatial, n_scales;
    bool is_channels_last;
} ig_channel_norm;

/* n_groups 0: every channel is a group. */
ig_status ig_infer_channel_norm(ig_infer *c, int64_t n_groups, bool scales_groups);
ig_status ig_ref_channel_norm(ig_call *c, int64_t n_groups, bool scales_groups);
ig_status ig_lower_channel_norm(ig_lower *l, int64_t n_groups, bool scales_groups);
/* permute: sets or removes channels_last. */
bool ig_permute_channel_norm(ig_graph *g, ig_node *node, const int *perm, int rank);

#endif
