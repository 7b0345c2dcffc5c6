/* SPDX-License-Identifier: Apache-2.0 */
/* AVX2: 16 registers, so 12 accumulators. */
#include "kernels/gemm/igemm_tile.h"

IG_IGEMM_ROWS_6(IG_IGEMM_INSTANCE, 1, 1)
IG_IGEMM_ROWS_6(IG_IGEMM_INSTANCE, 1, 2)
IG_IGEMM_ROWS_4(IG_IGEMM_INSTANCE, 1, 3)
IG_IGEMM_PANELS(IG_IGEMM_INSTANCE, 2)
IG_IGEMM_PANELS(IG_IGEMM_INSTANCE, 3)

#define TILES_6x16(x) IG_IGEMM_ROWS_6(x, 1, 1) IG_IGEMM_ROWS_6(x, 1, 2) IG_IGEMM_PANELS(x, 2)
IG_IGEMM_DISPATCH(ig_k_gemm_f32_6x16, 16, TILES_6x16(IG_IGEMM_CASE))

#define TILES_4x24(x)                                                                              \
    IG_IGEMM_ROWS_4(x, 1, 1) IG_IGEMM_ROWS_4(x, 1, 2) IG_IGEMM_ROWS_4(x, 1, 3) IG_IGEMM_PANELS(x, 3)
IG_IGEMM_DISPATCH(ig_k_gemm_f32_4x24, 24, TILES_4x24(IG_IGEMM_CASE))
