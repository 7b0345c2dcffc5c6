/* SPDX-License-Identifier: Apache-2.0 */
/* qgemm.h: what quant.c and the per-ISA kernels share. */
#ifndef IG_KERNELS_QUANT_QGEMM_H
#define IG_KERNELS_QUANT_QGEMM_H

#include "kernels/quant/quant.h"

struct ig_qgemm_kernel {
    const char *name;
    ig_isa isa;
    int mr, nr;
    ig_kernel_fn run; /* as ig_k_qconv */
};

/* Pack output channels [first, first + n) of a group, n padded to whole panels:
 * dst[n/nr][k_pairs][nr][2]; depthwise: dst[k_pairs][channels padded to nr][2], all channels. */
void ig_qconv_pack_panels(const ig_qconv_params *params, const void *src, const void *w_zero,
                          int64_t group, int64_t first, int64_t n, int16_t *dst);

/* Offsets in elements of batch matrix i. */
void ig_qconv_matrix_offsets(const ig_qconv_shape *shape, int64_t i, int64_t *x, int64_t *w,
                             int64_t *y);

static inline int64_t ig_qconv_zero(const void *zero, ingot_dtype dtype, int64_t i)
{
    if (!zero) return 0;
    return dtype == INGOT_INT8 ? ((const int8_t *)zero)[i] : ((const uint8_t *)zero)[i];
}

#endif
