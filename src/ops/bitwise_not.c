/* SPDX-License-Identifier: Apache-2.0 */
/* bitwise_not.c: y = ~x on integers. */
#include "ops/unary.h"

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0];
    const int64_t n = ig_tensor_count(in);
    IG_TRY(ig_call_output(c, 0, in->dtype, in->rank, in->dims));
    if (!c->out[0]) return INGOT_OK;
    IG_SWITCH_INT(c, in->dtype, {
        const T *x = in->data;
        T *y = c->out[0]->data;
        for (int64_t i = 0; i < n; i++) y[i] = (T)~x[i];
    })
    return INGOT_OK;
}

static const char *const cases[] = { "i8[3]{0,-1,5} = i8[3]{-1,0,-6}",
                                     "u8[2]{0,15} = u8[2]{255,240}",
                                     "i64[2]{7,-8} = i64[2]{-8,7}",
                                     "u16[3,5]",
                                     "u32[0]",
                                     "f32[1] ! element type",
                                     NULL };

const ig_op ig_op_bitwise_not = { .onnx = "BitwiseNot",
                                  .since = { 18 },
                                  .n_in = { 1, 1 },
                                  .n_out = { 1, 1 },
                                  .types = IG_T_INTS,
                                  .flags = IG_ELEMENTWISE | IG_INPLACE,
                                  .infer = ig_infer_same,
                                  .ref = ref,
                                  .cases = cases };
