/* SPDX-License-Identifier: Apache-2.0 */
/* Any CPU: vectors of four. */
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
IG_IGEMM_INSTANCE(2, 2, 2)
IG_IGEMM_INSTANCE(1, 4, 2)

#define CASES_6x8                                                                                  \
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
IG_IGEMM_DISPATCH(ig_k_gemm_f32_6x8, 8, CASES_6x8)
