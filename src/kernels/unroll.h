/* SPDX-License-Identifier: Apache-2.0 */
/* unroll.h: IG_UNROLL(n) before a loop of at most n turns, known when compiled: no loop is left, so
 * that arrays of vectors become registers. */
#ifndef IG_KERNELS_UNROLL_H
#define IG_KERNELS_UNROLL_H

#define IG_PRAGMA_(x) _Pragma(#x)
#ifdef __clang__
#define IG_UNROLL(n) IG_PRAGMA_(clang loop unroll(full))
#else
#define IG_UNROLL(n) IG_PRAGMA_(GCC unroll n)
#endif

#endif
