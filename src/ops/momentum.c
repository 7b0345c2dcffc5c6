/* SPDX-License-Identifier: Apache-2.0 */
/* momentum.c: one step of gradient descent with momentum V, plain or Nesterov's. */
#include "ops/optimizer.h"

enum { X, G, V, N_GROUPS };
enum { NORM, ALPHA, BETA };

/* Everything is required: the standard gives no defaults. */
static ig_status check_attributes(const ig_node *node, ig_error *err)
{
    static const char *const names[] = { "norm_coefficient", "alpha", "beta", "mode" };
    for (size_t i = 0; i < IG_COUNT(names); i++)
        if (!ig_node_attr(node, names[i]))
            return ig_fail(err, INGOT_ERR_INVALID, "attribute %s is missing", names[i]);
    if (ig_attr_is(node, "mode", "standard", false) || ig_attr_is(node, "mode", "nesterov", false))
        return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "mode is none of standard, nesterov");
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(check_attributes(c->node, c->err));
    return ig_infer_optimizer(c, N_GROUPS);
}

static void update_plain(const ig_optimizer *o, double v[IG_OPTIMIZER_MAX_GROUPS])
{
    v[V] = o->p[ALPHA] * v[V] + o->p[BETA] * (o->p[NORM] * v[X] + v[G]);
    v[X] -= o->rate * v[V];
}

static void update_nesterov(const ig_optimizer *o, double v[IG_OPTIMIZER_MAX_GROUPS])
{
    const double g = o->p[NORM] * v[X] + v[G];
    v[V] = o->p[ALPHA] * v[V] + o->p[BETA] * g;
    v[X] -= o->rate * (g + o->p[ALPHA] * v[V]);
}

static ig_status ref(ig_call *c)
{
    ig_optimizer o;
    IG_TRY(ig_optimizer_begin(c, &o));
    o.p[NORM] = (double)ig_attr_float(c->node, "norm_coefficient", 0);
    o.p[ALPHA] = (double)ig_attr_float(c->node, "alpha", 0);
    /* The first gradient counts in full. */
    o.p[BETA] = o.count > 0 ? (double)ig_attr_float(c->node, "beta", 0) : 1;
    return ig_optimize(c, N_GROUPS, &o,
                       ig_attr_is(c->node, "mode", "nesterov", false) ? update_nesterov
                                                                      : update_plain);
}

#define ATTRIBUTES "norm_coefficient=0.5 alpha=0.25 beta=0.5 "

static const char *const cases[] = {
    "f32[]{0.5} i64[]{1} f32[1]{2} f32[1]{3} f32[1]{8} " ATTRIBUTES "mode=\"standard\" -> 2 "
    "= f32[1]{0} f32[1]{4}",
    "f32[]{0.5} i64[]{0} f32[1]{2} f32[1]{3} f32[1]{8} " ATTRIBUTES "mode=\"standard\" -> 2 "
    "= f32[1]{-1} f32[1]{6}",
    "f64[]{0.5} i64[]{1} f64[1]{2} f64[1]{3} f64[1]{8} " ATTRIBUTES "mode=\"nesterov\" -> 2 "
    "= f64[1]{-0.5} f64[1]{4}",
    "f32[] i64[]{2} f32[2,3] f32[1] f32[2,3] f32[1] f32[2,3] f32[1] " ATTRIBUTES
    "mode=\"nesterov\" -> 4",
    "f32[] i64[]{2} f32[0] f32[0] f32[0] " ATTRIBUTES "mode=\"standard\" -> 2",
    "f32[] i64[]{2} f32[2] f32[2] f32[2] " ATTRIBUTES "mode=\"other\" -> 2 ! mode is none of",
    "f32[] i64[]{2} f32[2] f32[2] f32[2] -> 2 ! attribute norm_coefficient is missing",
    NULL,
};

const ig_op ig_op_momentum = {
    .onnx = "Momentum",
    .domain = IG_OPTIMIZER_DOMAIN,
    .since = { 1 },
    .n_in = { 3, -1 },
    .n_out = { 1, -1 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_DOUBLE),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
