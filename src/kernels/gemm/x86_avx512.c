/* SPDX-License-Identifier: Apache-2.0 */
/* AVX-512: 32 registers, so 24 accumulators. Six and eight rows are safe when the pitch of A is a
 * multiple of 4 KiB (they share one set of an 8-way L1 cache). */
#include "kernels/gemm/igemm_tile.h"

IG_IGEMM_ROWS_12(IG_IGEMM_INSTANCE, 1, 1)
IG_IGEMM_ROWS_12(IG_IGEMM_INSTANCE, 1, 2)
IG_IGEMM_ROWS_8(IG_IGEMM_INSTANCE, 1, 3)
IG_IGEMM_ROWS_6(IG_IGEMM_INSTANCE, 1, 4)
IG_IGEMM_PANELS(IG_IGEMM_INSTANCE, 2)
IG_IGEMM_PANELS(IG_IGEMM_INSTANCE, 3)
IG_IGEMM_PANELS(IG_IGEMM_INSTANCE, 4)

#define TILES_8x48(x)                                                                              \
    IG_IGEMM_ROWS_8(x, 1, 1) IG_IGEMM_ROWS_8(x, 1, 2) IG_IGEMM_ROWS_8(x, 1, 3) IG_IGEMM_PANELS(x, 3)
IG_IGEMM_DISPATCH(ig_k_gemm_f32_8x48, 48, TILES_8x48(IG_IGEMM_CASE))

#define TILES_6x64(x)                                                                              \
    IG_IGEMM_ROWS_6(x, 1, 1)                                                                       \
    IG_IGEMM_ROWS_6(x, 1, 2) IG_IGEMM_ROWS_6(x, 1, 3) IG_IGEMM_ROWS_6(x, 1, 4) IG_IGEMM_PANELS(x, 4)
IG_IGEMM_DISPATCH(ig_k_gemm_f32_6x64, 64, TILES_6x64(IG_IGEMM_CASE))

#define TILES_12x32(x) IG_IGEMM_ROWS_12(x, 1, 1) IG_IGEMM_ROWS_12(x, 1, 2) IG_IGEMM_PANELS(x, 2)
IG_IGEMM_DISPATCH(ig_k_gemm_f32_12x32, 32, TILES_12x32(IG_IGEMM_CASE))
