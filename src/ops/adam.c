/* SPDX-License-Identifier: Apache-2.0 */
/* adam.c: one step of Adam: X, the running mean V of gradients and H of their squares. */
#include <math.h>

#include "ops/optimizer.h"

enum { X, G, V, H, N_GROUPS };
enum { NORM, NORM_POST, EPSILON, ALPHA, BETA };

static ig_status infer(ig_infer *c) { return ig_infer_optimizer(c, N_GROUPS); }

static void update(const ig_optimizer *o, double v[IG_OPTIMIZER_MAX_GROUPS])
{
    const double g = o->p[NORM] * v[X] + v[G];
    v[V] = o->p[ALPHA] * v[V] + (1 - o->p[ALPHA]) * g;
    v[H] = o->p[BETA] * v[H] + (1 - o->p[BETA]) * g * g;
    const double x = v[X] - o->rate * v[V] / (sqrt(v[H]) + o->p[EPSILON]);
    v[X] = (1 - o->p[NORM_POST]) * x;
}

static ig_status ref(ig_call *c)
{
    ig_optimizer o;
    IG_TRY(ig_optimizer_begin(c, &o));
    o.p[NORM] = (double)ig_attr_float(c->node, "norm_coefficient", 0);
    o.p[NORM_POST] = (double)ig_attr_float(c->node, "norm_coefficient_post", 0);
    o.p[EPSILON] = (double)ig_attr_float(c->node, "epsilon", 1e-6f);
    o.p[ALPHA] = (double)ig_attr_float(c->node, "alpha", 0.9f);
    o.p[BETA] = (double)ig_attr_float(c->node, "beta", 0.999f);
    /* The means begin at zero: early ones are too small by these factors. */
    if (o.count > 0)
        o.rate *=
            sqrt(1 - pow(o.p[BETA], (double)o.count)) / (1 - pow(o.p[ALPHA], (double)o.count));
    return ig_optimize(c, N_GROUPS, &o, update);
}

static const char *const cases[] = {
    "f64[]{0.5} i64[]{0} f64[1]{1} f64[1]{2} f64[1]{4} f64[1]{28} alpha=0.5 beta=0.5 epsilon=0.0 "
    "-> 3 = f64[1]{0.625} f64[1]{3} f64[1]{16}",
    "f64[]{0.5} i64[]{1} f64[1]{1} f64[1]{2} f64[1]{4} f64[1]{28} alpha=0.5 beta=0.75 epsilon=0.5 "
    "norm_coefficient=1.0 norm_coefficient_post=0.5 -> 3 "
    "= f64[1]{0.3355827300898079} f64[1]{3.5} f64[1]{23.25}",
    "f32[1]{0.5} i64[1]{3} f32[2] f32[3]{1,2,3} f32[2] f32[3] f32[2] f32[3] f32[2]{1} f32[3]{4} "
    "-> 6",
    "f32[] i64[]{2} f32[0] f32[0] f32[0] f32[0] -> 3",
    "f32[] i64[]{2} f32[2] f32[2] f32[2] -> 3 ! has 3 tensors to optimize, a multiple of 4",
    "f32[] i64[]{2} f32[2] f32[2] f32[1,2] f32[2] -> 3 ! input 4 has rank 2",
    NULL,
};

const ig_op ig_op_adam = {
    .onnx = "Adam",
    .domain = IG_OPTIMIZER_DOMAIN,
    .since = { 1 },
    .n_in = { 3, -1 },
    .n_out = { 1, -1 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_DOUBLE),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
