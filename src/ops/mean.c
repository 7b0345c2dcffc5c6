/* SPDX-License-Identifier: Apache-2.0 */
/* mean.c: y = the mean of all inputs. */
#include "ops/broadcast.h"
#include "ops/unary.h"

IG_PRIM2(mean, (a + b) / p0)

#ifdef IG_BASE

IG_VARIADIC_REF(a + b, (uint64_t)a + (uint64_t)b, a / (T)c->n_in)

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = 2;
    return node->n_inputs == 2;
}

static ig_status lower(ig_lower *l) { return ig_lower_variadic(l, true); }

static bool is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    (void)in, (void)out;
    return node->n_inputs == 1;
}

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

IG_PRIM_DECLARE(mean)
static const ig_prim prim = IG_PRIM_TABLE(mean, 2);
const ig_op ig_op_mean = { .onnx = "Mean",
                           .since = { 1, 6, 8, 13 },
                           .n_in = { 1, -1 },
                           .n_out = { 1, 1 },
                           .types = IG_T_FLOATS,
                           .flags = IG_ELEMENTWISE | IG_INPLACE | IG_COMMUTATIVE,
                           .infer = ig_infer_variadic,
                           .ref = ref,
                           .lower = lower,
                           .prim = &prim,
                           .prim_params = prim_params,
                           .is_identity = is_identity,
                           .cases = cases };
#endif
