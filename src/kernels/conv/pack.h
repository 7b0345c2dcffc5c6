/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IG_KERNELS_CONV_PACK_H
#define IG_KERNELS_CONV_PACK_H

#include "kernels/conv/conv.h"

/* Pack the weights of one group, of all raw weights `src`, into params->group_stride floats:
 * phase after phase, each [M/group/nr][taps][C/group][nr]. */
void ig_conv_pack_group(const ig_conv_params *params, const float *src, int64_t group, float *dst);

#endif
