/* SPDX-License-Identifier: Apache-2.0 */
/* AVX-512: 32 registers, so 24 accumulators. Six and eight rows are safe when the pitch of A is a
 * multiple of 4 KiB (they share one set of an 8-way L1 cache). */
#include "kernels/gemm/igemm_tile.h"

/* rows, panels, vectors of a panel */
IG_IGEMM_INSTANCE(1, 1, 1)
IG_IGEMM_INSTANCE(2, 1, 1)
IG_IGEMM_INSTANCE(3, 1, 1)
IG_IGEMM_INSTANCE(4, 1, 1)
IG_IGEMM_INSTANCE(5, 1, 1)
IG_IGEMM_INSTANCE(6, 1, 1)
IG_IGEMM_INSTANCE(7, 1, 1)
IG_IGEMM_INSTANCE(8, 1, 1)
IG_IGEMM_INSTANCE(9, 1, 1)
IG_IGEMM_INSTANCE(10, 1, 1)
IG_IGEMM_INSTANCE(11, 1, 1)
IG_IGEMM_INSTANCE(12, 1, 1)
IG_IGEMM_INSTANCE(1, 1, 2)
IG_IGEMM_INSTANCE(2, 1, 2)
IG_IGEMM_INSTANCE(3, 1, 2)
IG_IGEMM_INSTANCE(4, 1, 2)
IG_IGEMM_INSTANCE(5, 1, 2)
IG_IGEMM_INSTANCE(6, 1, 2)
IG_IGEMM_INSTANCE(7, 1, 2)
IG_IGEMM_INSTANCE(8, 1, 2)
IG_IGEMM_INSTANCE(9, 1, 2)
IG_IGEMM_INSTANCE(10, 1, 2)
IG_IGEMM_INSTANCE(11, 1, 2)
IG_IGEMM_INSTANCE(12, 1, 2)
IG_IGEMM_INSTANCE(1, 1, 3)
IG_IGEMM_INSTANCE(2, 1, 3)
IG_IGEMM_INSTANCE(3, 1, 3)
IG_IGEMM_INSTANCE(4, 1, 3)
IG_IGEMM_INSTANCE(5, 1, 3)
IG_IGEMM_INSTANCE(6, 1, 3)
IG_IGEMM_INSTANCE(7, 1, 3)
IG_IGEMM_INSTANCE(8, 1, 3)
IG_IGEMM_INSTANCE(1, 1, 4)
IG_IGEMM_INSTANCE(2, 1, 4)
IG_IGEMM_INSTANCE(3, 1, 4)
IG_IGEMM_INSTANCE(4, 1, 4)
IG_IGEMM_INSTANCE(5, 1, 4)
IG_IGEMM_INSTANCE(6, 1, 4)
IG_IGEMM_INSTANCE(2, 2, 2)
IG_IGEMM_INSTANCE(2, 2, 3)
IG_IGEMM_INSTANCE(2, 2, 4)
IG_IGEMM_INSTANCE(1, 4, 2)
IG_IGEMM_INSTANCE(1, 4, 3)
IG_IGEMM_INSTANCE(1, 4, 4)

#define CASES_8x48                                                                                 \
    IG_IGEMM_CASE(1, 1, 1)                                                                         \
    IG_IGEMM_CASE(2, 1, 1)                                                                         \
    IG_IGEMM_CASE(3, 1, 1)                                                                         \
    IG_IGEMM_CASE(4, 1, 1)                                                                         \
    IG_IGEMM_CASE(5, 1, 1)                                                                         \
    IG_IGEMM_CASE(6, 1, 1)                                                                         \
    IG_IGEMM_CASE(7, 1, 1)                                                                         \
    IG_IGEMM_CASE(8, 1, 1)                                                                         \
    IG_IGEMM_CASE(1, 1, 2)                                                                         \
    IG_IGEMM_CASE(2, 1, 2)                                                                         \
    IG_IGEMM_CASE(3, 1, 2)                                                                         \
    IG_IGEMM_CASE(4, 1, 2)                                                                         \
    IG_IGEMM_CASE(5, 1, 2)                                                                         \
    IG_IGEMM_CASE(6, 1, 2)                                                                         \
    IG_IGEMM_CASE(7, 1, 2)                                                                         \
    IG_IGEMM_CASE(8, 1, 2)                                                                         \
    IG_IGEMM_CASE(1, 1, 3)                                                                         \
    IG_IGEMM_CASE(2, 1, 3)                                                                         \
    IG_IGEMM_CASE(3, 1, 3)                                                                         \
    IG_IGEMM_CASE(4, 1, 3)                                                                         \
    IG_IGEMM_CASE(5, 1, 3)                                                                         \
    IG_IGEMM_CASE(6, 1, 3)                                                                         \
    IG_IGEMM_CASE(7, 1, 3)                                                                         \
    IG_IGEMM_CASE(8, 1, 3)                                                                         \
    IG_IGEMM_CASE(2, 2, 3)                                                                         \
    IG_IGEMM_CASE(1, 4, 3)
IG_IGEMM_DISPATCH(ig_k_gemm_f32_8x48, 48, CASES_8x48)

#define CASES_6x64                                                                                 \
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
    IG_IGEMM_CASE(1, 1, 3)                                                                         \
    IG_IGEMM_CASE(2, 1, 3)                                                                         \
    IG_IGEMM_CASE(3, 1, 3)                                                                         \
    IG_IGEMM_CASE(4, 1, 3)                                                                         \
    IG_IGEMM_CASE(5, 1, 3)                                                                         \
    IG_IGEMM_CASE(6, 1, 3)                                                                         \
    IG_IGEMM_CASE(1, 1, 4)                                                                         \
    IG_IGEMM_CASE(2, 1, 4)                                                                         \
    IG_IGEMM_CASE(3, 1, 4)                                                                         \
    IG_IGEMM_CASE(4, 1, 4)                                                                         \
    IG_IGEMM_CASE(5, 1, 4)                                                                         \
    IG_IGEMM_CASE(6, 1, 4)                                                                         \
    IG_IGEMM_CASE(2, 2, 4)                                                                         \
    IG_IGEMM_CASE(1, 4, 4)
IG_IGEMM_DISPATCH(ig_k_gemm_f32_6x64, 64, CASES_6x64)

#define CASES_12x32                                                                                \
    IG_IGEMM_CASE(1, 1, 1)                                                                         \
    IG_IGEMM_CASE(2, 1, 1)                                                                         \
    IG_IGEMM_CASE(3, 1, 1)                                                                         \
    IG_IGEMM_CASE(4, 1, 1)                                                                         \
    IG_IGEMM_CASE(5, 1, 1)                                                                         \
    IG_IGEMM_CASE(6, 1, 1)                                                                         \
    IG_IGEMM_CASE(7, 1, 1)                                                                         \
    IG_IGEMM_CASE(8, 1, 1)                                                                         \
    IG_IGEMM_CASE(9, 1, 1)                                                                         \
    IG_IGEMM_CASE(10, 1, 1)                                                                        \
    IG_IGEMM_CASE(11, 1, 1)                                                                        \
    IG_IGEMM_CASE(12, 1, 1)                                                                        \
    IG_IGEMM_CASE(1, 1, 2)                                                                         \
    IG_IGEMM_CASE(2, 1, 2)                                                                         \
    IG_IGEMM_CASE(3, 1, 2)                                                                         \
    IG_IGEMM_CASE(4, 1, 2)                                                                         \
    IG_IGEMM_CASE(5, 1, 2)                                                                         \
    IG_IGEMM_CASE(6, 1, 2)                                                                         \
    IG_IGEMM_CASE(7, 1, 2)                                                                         \
    IG_IGEMM_CASE(8, 1, 2)                                                                         \
    IG_IGEMM_CASE(9, 1, 2)                                                                         \
    IG_IGEMM_CASE(10, 1, 2)                                                                        \
    IG_IGEMM_CASE(11, 1, 2)                                                                        \
    IG_IGEMM_CASE(12, 1, 2)                                                                        \
    IG_IGEMM_CASE(2, 2, 2)                                                                         \
    IG_IGEMM_CASE(1, 4, 2)
IG_IGEMM_DISPATCH(ig_k_gemm_f32_12x32, 32, CASES_12x32)
