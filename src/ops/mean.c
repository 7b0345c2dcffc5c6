/* SPDX-License-Identifier: Apache-2.0 */
/* mean.c: y = the mean of all inputs. */
#include "ops/broadcast.h"
#include "ops/unary.h"

IG_PRIM2(mean, (a + b) / p0)

#ifdef IG_BASE

IG_VARIADIC_REF(a + b, (uint64_t)a + (uint64_t)b, a / (T)c->n_in)

static ig_status lower(ig_lower *l) { return ig_lower_variadic(l, true); }

static const char *const cases[] = { "f32[3]{3,0,2} f32[3]{1,3,4} f32[3]{2,6,6} = f32[3]{2,3,4}",
                                     "f32[2,1]{1,2} f32[2]{10,20} = f32[2,2]{5.5,10.5,6,11}",
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

IG_VARIADIC_OP(mean, "Mean", .since = { 1, 6, 8, 13 }, .types = IG_T_FLOATS,
               .infer = ig_infer_variadic)
#endif
