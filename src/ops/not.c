/* SPDX-License-Identifier: Apache-2.0 */
/* not.c: y = !x on booleans. */
#include "ops/broadcast.h"
#include "ops/unary.h"

IG_PRIM1(not, vf_select(a == vf_zero(), vf_set1(1.0f), vf_zero()))

#ifdef IG_BASE

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0];
    const int64_t n = ig_tensor_count(in);
    if (in->dtype != INGOT_BOOL)
        return IG_OP_FAIL(c, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",
                          ingot_dtype_name(in->dtype));
    IG_TRY(ig_call_output(c, 0, INGOT_BOOL, in->rank, in->dims));
    if (!c->out[0]) return INGOT_OK;
    const uint8_t *x = in->data;
    uint8_t *y = c->out[0]->data;
    for (int64_t i = 0; i < n; i++) y[i] = x[i] == 0;
    return INGOT_OK;
}

static bool elem(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out)
{
    (void)t, (void)b;
    *out = a == 0;
    return ig_dim_is_const(a);
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_same(c));
    return ig_infer_elementwise(c, elem);
}

static const char *const cases[] = { "bool[4]{1,0,0,1} = bool[4]{0,1,1,0}", "bool[3,7]", "bool[0]",
                                     "f32[2] ! element type", NULL };

IG_PRIM_DECLARE(not )
static const ig_prim prim = IG_PRIM_TABLE(not, 1);
const ig_op ig_op_not = { .onnx = "Not",
                          .since = { 1 },
                          .n_in = { 1, 1 },
                          .n_out = { 1, 1 },
                          .types = IG_T_BOOL,
                          .flags = IG_ELEMENTWISE | IG_INPLACE,
                          .infer = infer,
                          .ref = ref,
                          .prim = &prim,
                          .cases = cases };
#endif
