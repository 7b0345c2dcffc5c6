/* SPDX-License-Identifier: Apache-2.0 */
/* is_inf.c: y = is x infinite, of a sign that detect_positive and detect_negative ask for? */
#include <math.h>

#include "ops/op.h"

/* p0, p1: which signs */
IG_PRIM1(is_inf,
         vf_select(a == vf_set1(INFINITY), p0, vf_select(a == vf_set1(-INFINITY), p1, vf_zero())))

#ifdef IG_BASE

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_int(node, "detect_positive", 1) != 0;
    p[1] = ig_attr_int(node, "detect_negative", 1) != 0;
    return true;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = INGOT_BOOL;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0];
    const int64_t n = ig_tensor_count(in);
    float wanted[IG_PRIM_N_PARAMS];
    prim_params(c->node, NULL, wanted);
    IG_TRY(ig_call_output(c, 0, INGOT_BOOL, in->rank, in->dims));
    if (!c->out[0]) return INGOT_OK;
    uint8_t *y = c->out[0]->data;
    for (int64_t i = 0; i < n; i++) {
        const double x = ig_get_f64(in->dtype, in->data, i);
        y[i] = isinf(x) && wanted[x < 0] != 0;
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[5]{nan,1,inf,-inf,0} = bool[5]{0,0,1,1,0}",
    "f32[5]{nan,1,inf,-inf,0} detect_negative=0 = bool[5]{0,0,1,0,0}",
    "f32[5]{nan,1,inf,-inf,0} detect_positive=0 = bool[5]{0,0,0,1,0}",
    "f64[2]{-inf,1} = bool[2]{1,0}",
    "f16[3]{nan,1,inf} = bool[3]{0,0,1}",
    "f32[3,19] @10",
    "f32[0]",
    NULL
};

IG_PRIM_DECLARE(is_inf)
static const ig_prim prim = IG_PRIM_TABLE(is_inf, 1);
const ig_op ig_op_is_inf = { .onnx = "IsInf",
                             .since = { 10, 20 },
                             .n_in = { 1, 1 },
                             .n_out = { 1, 1 },
                             .flags = IG_ELEMENTWISE | IG_OWN_HALF,
                             .infer = infer,
                             .ref = ref,
                             .prim = &prim,
                             .prim_params = prim_params,
                             .cases = cases };
#endif
