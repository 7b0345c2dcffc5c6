/* SPDX-License-Identifier: Apache-2.0 */
/* is_nan.c: y = is x not a number? */
#include <math.h>

#include "ops/op.h"

IG_PRIM1(is_nan, vf_select(vf_is_nan(a), vf_set1(1.0f), vf_zero()))

#ifdef IG_BASE

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
    IG_TRY(ig_call_output(c, 0, INGOT_BOOL, in->rank, in->dims));
    if (!c->out[0]) return INGOT_OK;
    uint8_t *y = c->out[0]->data;
    for (int64_t i = 0; i < n; i++)
        y[i] = (uint8_t)(isnan(ig_get_f64(in->dtype, in->data, i)) != 0);
    return INGOT_OK;
}

static const char *const cases[] = { "f32[5]{nan,1,inf,-inf,0} = bool[5]{1,0,0,0,0}",
                                     "f64[2]{nan,1} = bool[2]{1,0}",
                                     "f16[3]{nan,1,inf} = bool[3]{1,0,0}",
                                     "bf16[2]{1,nan} = bool[2]{0,1}",
                                     "f32[3,19] @9",
                                     "f32[0]",
                                     NULL };

IG_PRIM_DECLARE(is_nan)
static const ig_prim prim = IG_PRIM_TABLE(is_nan, 1);
const ig_op ig_op_is_nan = { .onnx = "IsNaN",
                             .since = { 9, 13, 20 },
                             .n_in = { 1, 1 },
                             .n_out = { 1, 1 },
                             .flags = IG_ELEMENTWISE | IG_OWN_HALF,
                             .infer = infer,
                             .ref = ref,
                             .prim = &prim,
                             .cases = cases };
#endif
