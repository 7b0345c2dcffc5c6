/* SPDX-License-Identifier: Apache-2.0 */
/* bitwise_xor.c: z = x ^ y on integers. */
#include "ops/broadcast.h"

static ig_status ref(ig_call *c)
{
    ig_rows r;
    IG_TRY(ig_binary_begin(c, c->in[0]->dtype, &r));
    IG_SWITCH_INT(c, c->in[0]->dtype, IG_BINARY_ROWS(c, r, T, a ^ b))
    return INGOT_OK;
}

static const char *const cases[] = { "i32[3]{12,-1,5} i32[3]{10,7,-6} = i32[3]{6,-8,-1}",
                                     "u8[2]{255,15} u8[]{60} = u8[2]{195,51}",
                                     "i64[3,4,5] i64[4,1]",
                                     "u16[7] u16[7]",
                                     "u32[0] u32[1]",
                                     "f32[2] f32[2] ! element type",
                                     NULL };

const ig_op ig_op_bitwise_xor = { .onnx = "BitwiseXor",
                                  .since = { 18 },
                                  .n_in = { 2, 2 },
                                  .n_out = { 1, 1 },
                                  .types = IG_T_INTS,
                                  .flags = IG_ELEMENTWISE | IG_INPLACE | IG_COMMUTATIVE,
                                  .infer = ig_infer_binary,
                                  .ref = ref,
                                  .cases = cases };
