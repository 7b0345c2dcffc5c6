/* SPDX-License-Identifier: Apache-2.0 */
/* Any CPU: vectors of four. */
#include "kernels/gemm/igemm_tile.h"

IG_IGEMM_ROWS_6(IG_IGEMM_INSTANCE, 1, 1)
IG_IGEMM_ROWS_6(IG_IGEMM_INSTANCE, 1, 2)
IG_IGEMM_PANELS(IG_IGEMM_INSTANCE, 2)

#define TILES_6x8(x) IG_IGEMM_ROWS_6(x, 1, 1) IG_IGEMM_ROWS_6(x, 1, 2) IG_IGEMM_PANELS(x, 2)
IG_IGEMM_DISPATCH(ig_k_gemm_f32_6x8, 8, TILES_6x8(IG_IGEMM_CASE))
