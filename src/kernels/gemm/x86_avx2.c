/* SPDX-License-Identifier: Apache-2.0 */
/* AVX2: 16 registers, so 12 accumulators. */
#include "kernels/gemm/igemm_tile.h"

/* rows, panels, vectors of a panel */
IG_IGEMM_INSTANCE(1, 1, 1)
IG_IGEMM_INSTANCE(2, 1, 1)
IG_IGEMM_INSTANCE(3, 1, 1)
IG_IGEMM_INSTANCE(4, 1, 1)
IG_IGEMM_INSTANCE(5, 1, 1)
IG_IGEMM_INSTANCE(6, 1, 1)
IG_IGEMM_INSTANCE(1, 1, 2)
IG_IGEMM_INSTANCE(2, 1, 2)
IG_IGEMM_INSTANCE(3, 1, 2)
IG_IGEMM_INSTANCE(4, 1, 2)
IG_IGEMM_INSTANCE(5, 1, 2)
IG_IGEMM_INSTANCE(6, 1, 2)
IG_IGEMM_INSTANCE(1, 1, 3)
IG_IGEMM_INSTANCE(2, 1, 3)
IG_IGEMM_INSTANCE(3, 1, 3)
IG_IGEMM_INSTANCE(4, 1, 3)
IG_IGEMM_INSTANCE(2, 2, 2)
IG_IGEMM_INSTANCE(2, 2, 3)
IG_IGEMM_INSTANCE(1, 4, 2)
IG_IGEMM_INSTANCE(1, 4, 3)

#define CASES_6x16                                                                                 \
    IG_IGEMM_CASE(1, 1, 1)                                                                         \
    IG_IGEMM_CASE(2, 1, 1)                                                                         \
    IG_IGEMM_CASE(3, 1, 1)                                                                         \
    IG_IGEMM_CASE(4, 1, 1)                                                                         \
    IG_IGEMM_CASE(5, 1, 1)                                                                         \
    IG_IGEMM_CASE(6, 1, 1)                                                                         \
    IG_IGEMM_CASE(1, 1, 2)                                                                         \
    IG_IGEMM_CASE(2, 1, 2)                                                                         \
    IG_IGEMM_CASE(3, 1, 2)                                                                         \
    IG_IGEMM_CASE(4, 1, 2)                                                                         \
    IG_IGEMM_CASE(5, 1, 2)                                                                         \
    IG_IGEMM_CASE(6, 1, 2)                                                                         \
    IG_IGEMM_CASE(2, 2, 2)                                                                         \
    IG_IGEMM_CASE(1, 4, 2)
IG_IGEMM_DISPATCH(ig_k_gemm_f32_6x16, 16, CASES_6x16)

#define CASES_4x24                                                                                 \
    IG_IGEMM_CASE(1, 1, 1)                                                                         \
    IG_IGEMM_CASE(2, 1, 1)                                                                         \
    IG_IGEMM_CASE(3, 1, 1)                                                                         \
    IG_IGEMM_CASE(4, 1, 1)                                                                         \
    IG_IGEMM_CASE(1, 1, 2)                                                                         \
    IG_IGEMM_CASE(2, 1, 2)                                                                         \
    IG_IGEMM_CASE(3, 1, 2)                                                                         \
    IG_IGEMM_CASE(4, 1, 2)                                                                         \
    IG_IGEMM_CASE(1, 1, 3)                                                                         \
    IG_IGEMM_CASE(2, 1, 3)                                                                         \
    IG_IGEMM_CASE(3, 1, 3)                                                                         \
    IG_IGEMM_CASE(4, 1, 3)                                                                         \
    IG_IGEMM_CASE(2, 2, 3)                                                                         \
    IG_IGEMM_CASE(1, 4, 3)
IG_IGEMM_DISPATCH(ig_k_gemm_f32_4x24, 24, CASES_4x24)
