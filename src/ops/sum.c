/* SPDX-License-Identifier: Apache-2.0 */
/* sum.c: y = the sum of all inputs. */
#include "ops/broadcast.h"
#include "ops/unary.h"

IG_PRIM2(sum, a + b)

#ifdef IG_BASE

IG_VARIADIC_REF(a + b, (uint64_t)a + (uint64_t)b, a)

static ig_status lower(ig_lower *l) { return ig_lower_variadic(l, false); }

static const char *const cases[] = { "f32[3]{3,0,2} f32[3]{1,3,4} f32[3]{2,6,6} = f32[3]{6,9,12}",
                                     "f32[2,1]{1,2} f32[2]{10,20} = f32[2,2]{11,21,12,22}",
                                     "f64[2] f64[2]",
                                     "f32[5] f32[5] f32[5] f32[5] f32[5]",
                                     "f32[2,3,4] f32[4] f32[3,1]",
                                     "f32[7]",
                                     "f16[5] f16[5]",
                                     "f32[0] f32[1]",
                                     "f32[3] f32[3] @6",
                                     "f32[2] f32[3] ! broadcast",
                                     "f32[2] i32[2] ! element types",
                                     NULL };

IG_VARIADIC_OP(sum, "Sum", .since = { 1, 6, 8, 13 }, .types = IG_T_NUMERIC,
               .infer = ig_infer_variadic)
#endif
