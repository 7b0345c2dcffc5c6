/* SPDX-License-Identifier: Apache-2.0 */
/* swi_glu.c: z = x / (1 + e^(-alpha x)) y, on equal shapes. */
#include "ops/broadcast.h"

IG_PRIM2(swi_glu, a *vf_sigmoid(p0 *a) * b)

#ifdef IG_BASE
#include <math.h>

#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    const ig_info *a = c->in[0], *b = c->in[1];
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(ig_infer_same_type(c, 0, 1));
    IG_TRY(ig_infer_same(c));
    if (a->rank < 0 || b->rank < 0) return INGOT_OK;
    if (a->rank != b->rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "inputs have ranks %d and %d, they must be equal",
                       a->rank, b->rank);
    for (int d = 0; d < a->rank; d++)
        IG_TRY(ig_dim_unify(a->dims[d], b->dims[d], "inputs must have one shape",
                            &c->out[0].dims[d], c->err));
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const double alpha = (double)ig_attr_float(c->node, "alpha", 1.0f);
    ig_rows r;
    IG_TRY(ig_binary_begin(c, c->in[0]->dtype, &r));
    IG_SWITCH_FLOAT(c, c->in[0]->dtype,
                    IG_BINARY_ROWS(c, r, T, (double)a / (1 + exp(-alpha * (double)a)) * (double)b))
    return INGOT_OK;
}

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)in;
    p[0] = ig_attr_float(node, "alpha", 1.0f);
    return true;
}

static const char *const cases[] = {
    "f32[4]{0,1,-1,50} f32[4]{3,2,1,-1} = f32[4]{0,1.46211716,-0.26894142,-50}",
    "f64[1]{2} f64[1]{0.5} alpha=0.5 = f64[1]{0.7310585786300049}",
    "f32[3,19] f32[3,19] alpha=1.5",
    "f32[] f32[]",
    "f32[0] f32[0]",
    "f16[5] f16[5]",
    "bf16[5] bf16[5]",
    "f32[2,3] f32[3] ! inputs have ranks 2 and 1",
    "f32[2,3] f32[1,3] ! must have one shape: 2 and 1 differ",
    "f32[2] f64[2] ! element types float32 and float64",
    NULL
};

IG_BINARY_OP(swi_glu, "SwiGLU", .since = { 28 }, .types = IG_T_FLOATS,
             .flags = IG_ELEMENTWISE | IG_INPLACE, .infer = infer, .prim_params = prim_params)
#endif
