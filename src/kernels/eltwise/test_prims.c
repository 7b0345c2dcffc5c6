/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives for test.c and bench.c, compiled per instruction set as an operator's would be. */
#include "base/simd_math.h"
#include "kernels/eltwise/eltwise.h"

IG_PRIM1(test_neg, -a)
IG_PRIM1(test_scale, a *p0 + p1)
IG_PRIM1(test_sigmoid, vf_sigmoid(a))
IG_PRIM1(test_exp, vf_exp(a))
IG_PRIM1(test_gelu, vf_gelu(a))
IG_PRIM2(test_add, a + b)
IG_PRIM2(test_mul, a *b)
IG_PRIM2(test_max, vf_max_nan(a, b))
IG_PRIM3(test_where, vf_select(a != vf_zero(), b, c))
