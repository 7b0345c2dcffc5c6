/* SPDX-License-Identifier: Apache-2.0 */
/* unary.c: see unary.h. */
#include "ops/unary.h"

ig_status ig_ref_unary(ig_call *c, ig_unary_fn f)
{
    const ig_tensor *in = c->in[0];
    const ig_op *op = c->node->op;
    const int64_t n = ig_tensor_count(in);
    float p[IG_PRIM_N_PARAMS] = { 0 };
    if (op->prim_params && !op->prim_params(c->node, NULL, p))
        return IG_OP_FAIL(c, INGOT_ERR_UNSUPPORTED, "these attributes are not supported");
    IG_TRY(ig_call_output(c, 0, in->dtype, in->rank, in->dims));
    if (!c->out[0]) return INGOT_OK;
    IG_SWITCH_FLOAT(c, in->dtype, {
        const T *x = in->data;
        T *y = c->out[0]->data;
        for (int64_t i = 0; i < n; i++) y[i] = (T)f((double)x[i], p);
    })
    return INGOT_OK;
}

bool ig_always_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    (void)node, (void)in, (void)out;
    return true;
}
