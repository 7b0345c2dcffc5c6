/* SPDX-License-Identifier: Apache-2.0 */
/* adagrad.c: one step of ADAGRAD: X and the sum H of squared gradients. */
#include <math.h>

#include "ops/optimizer.h"

enum { X, G, H, N_GROUPS };
enum { NORM, EPSILON };

static ig_status infer(ig_infer *c) { return ig_infer_optimizer(c, N_GROUPS); }

static void update(const ig_optimizer *o, double v[IG_OPTIMIZER_MAX_GROUPS])
{
    const double g = o->p[NORM] * v[X] + v[G];
    v[H] += g * g;
    v[X] -= o->rate * g / (sqrt(v[H]) + o->p[EPSILON]);
}

static ig_status ref(ig_call *c)
{
    ig_optimizer o;
    IG_TRY(ig_optimizer_begin(c, &o));
    o.p[NORM] = (double)ig_attr_float(c->node, "norm_coefficient", 0);
    o.p[EPSILON] = (double)ig_attr_float(c->node, "epsilon", 1e-6f);
    o.rate /= 1 + (double)o.count * (double)ig_attr_float(c->node, "decay_factor", 0);
    return ig_optimize(c, N_GROUPS, &o, update);
}

static const char *const cases[] = {
    "f32[]{0.5} i64[]{0} f32[2]{1,2} f32[2]{3,-4} f32[2]{16,9} epsilon=0.0 -> 2 "
    "= f32[2]{0.7,2.4} f32[2]{25,25}",
    "f64[]{1} i64[]{3} f64[1]{2} f64[1]{1} f64[1]{5} norm_coefficient=0.5 decay_factor=0.5 "
    "epsilon=1.0 -> 2 = f64[1]{1.8} f64[1]{9}",
    "f32[1]{0.5} i64[1]{1} f32[2] f64[3]{1,2,3} f32[2] f64[3] f32[2]{1} f64[3]{4} -> 4",
    "f32[] i64[]{2} f32[0] f32[0] f32[0] -> 2",
    "f32[] i64[]{2} f32[2] f32[2] -> 2 ! has 2 tensors to optimize, a multiple of 3",
    "f32[] i64[]{2} f32[2] f32[2] f32[2] ! has 1 outputs, 2 are needed",
    "f32[] i64[]{2} f32[2] f32[3] f32[2] -> 2 ! what belongs to it: 2 and 3 differ",
    "f32[] i64[]{2} f32[2] f64[2] f32[2] -> 2 ! input 3 is float64, its parameter is float32",
    "f32[] i64[2]{2} f32[2] f32[2] f32[2] -> 2 ! input 1 must hold one element",
    NULL,
};

const ig_op ig_op_adagrad = {
    .onnx = "Adagrad",
    .domain = IG_OPTIMIZER_DOMAIN,
    .since = { 1 },
    .n_in = { 3, -1 },
    .n_out = { 1, -1 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_DOUBLE),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
