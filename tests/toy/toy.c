/* SPDX-License-Identifier: Apache-2.0 */
/* toy.c: y = 2x + 1. The operator that tests/toy/run adds to a copy of the source. */
#include "ops/op.h"

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];

    IG_TRY(ig_call_output(c, 0, x->dtype, x->rank, x->dims));
    if (!c->out[0]) return INGOT_OK;
    for (int64_t i = 0; i < ig_tensor_count(x); i++)
        ig_set_f64(x->dtype, c->out[0]->data, i, 2 * ig_get_f64(x->dtype, x->data, i) + 1);
    return INGOT_OK;
}

static const char *const cases[] = { "f32[3]{0,1,-2} = f32[3]{1,3,-3}", NULL };

const ig_op ig_op_toy = { .onnx = "Toy",
                          .since = { 1 },
                          .n_in = { 1, 1 },
                          .n_out = { 1, 1 },
                          .types = IG_T_FLOATS,
                          .infer = ig_infer_same,
                          .ref = ref,
                          .cases = cases };
