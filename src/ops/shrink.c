/* SPDX-License-Identifier: Apache-2.0 */
/* shrink.c: y = x + bias for x < -lambd, x - bias for x > lambd, 0 between. */
#include "ops/unary.h"

IG_PRIM1(shrink, vf_select(a < -p1, a + p0, vf_select(a > p1, a - p0, vf_zero())))

#ifdef IG_BASE

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_float(node, "bias", 0.0f);
    p[1] = ig_attr_float(node, "lambd", 0.5f);
    return true;
}

/* Integers go through double and saturate. */
static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0];
    const int64_t n = ig_tensor_count(in);
    float p[IG_PRIM_N_PARAMS];
    prim_params(c->node, NULL, p);
    const double bias = (double)p[0], lambd = (double)p[1];
    IG_TRY(ig_call_output(c, 0, in->dtype, in->rank, in->dims));
    if (!c->out[0]) return INGOT_OK;
    for (int64_t i = 0; i < n; i++) {
        const double x = ig_get_f64(in->dtype, in->data, i);
        const double y = x < -lambd ? x + bias : x > lambd ? x - bias : 0;
        ig_set_f64(in->dtype, c->out[0]->data, i, y);
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[5]{-2,-1,0,1,2} lambd=1.5 bias=1.5 = f32[5]{-0.5,0,0,0,0.5}",
    "f32[5]{-2,-1,0,1,2} lambd=1.5 = f32[5]{-2,0,0,0,2}",
    "i8[3]{-2,0,2} lambd=1.0 bias=1.0 = i8[3]{-1,0,1}",
    "u8[3]{0,1,2} bias=-254.0 = u8[3]{0,255,255}",
    "f64[3]",
    "f32[3,19] bias=0.25",
    "f32[0]",
    NULL
};

IG_PRIM_DECLARE(shrink)
static const ig_prim prim = IG_PRIM_TABLE(shrink, 1);
const ig_op ig_op_shrink = { .onnx = "Shrink",
                             .since = { 9 },
                             .n_in = { 1, 1 },
                             .n_out = { 1, 1 },
                             .types = IG_T_NUMERIC,
                             .flags = IG_ELEMENTWISE | IG_INPLACE,
                             .infer = ig_infer_same,
                             .ref = ref,
                             .prim = &prim,
                             .prim_params = prim_params,
                             .cases = cases };
#endif
