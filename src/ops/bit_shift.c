/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bit_shift.c: z = x << y or x >> y (direction "LEFT", "RIGHT"). Bits that leave are lost: shifts
 * by the width or more give 0 (a right shift of a negative number -1).
 */
#include "ops/broadcast.h"
#include "ops/unary.h"

#define IS_INSIDE(T, b) ((uint64_t)(b) < 8 * sizeof(T))
#define ALL_SIGN(T, a) (IG_IS_SIGNED(T) && (a) != 0 && (a) < (T)1 ? (T)-1 : (T)0)

static bool is_left(const ig_node *node) { return ig_attr_is(node, "direction", "LEFT", false); }

static ig_status infer(ig_infer *c)
{
    if (!is_left(c->node) && !ig_attr_is(c->node, "direction", "RIGHT", false))
        return IG_OP_FAIL(c, INGOT_ERR_INVALID, "direction must be \"LEFT\" or \"RIGHT\"");
    return ig_infer_binary(c);
}

static ig_status ref(ig_call *c)
{
    ig_rows r;
    IG_TRY(ig_binary_begin(c, c->in[0]->dtype, &r));
    if (is_left(c->node)) {
        IG_SWITCH_INT(c, c->in[0]->dtype,
                      IG_BINARY_ROWS(c, r, T, IS_INSIDE(T, b) ? (uint64_t)a << b : 0))
    } else {
        IG_SWITCH_INT(c, c->in[0]->dtype,
                      IG_BINARY_ROWS(c, r, T, IS_INSIDE(T, b) ? (T)(a >> b) : ALL_SIGN(T, a)))
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "u8[3]{16,4,1} u8[3]{1,2,3} direction=\"RIGHT\" = u8[3]{8,1,0}",
    "u8[3]{16,4,129} u8[3]{1,2,1} direction=\"LEFT\" = u8[3]{32,16,2}",
    "u8[2]{255,255} u8[2]{8,200} direction=\"LEFT\" = u8[2]{0,0}",
    "u64[2]{1,18446744073709551615} u64[2]{63,64} direction=\"LEFT\" = "
    "u64[2]{9223372036854775808,0}",
    "u32[2]{4294967295,8} u32[2]{31,32} direction=\"RIGHT\" = u32[2]{1,0}",
    "i16[2]{-4,7} i16[2]{1,20} direction=\"RIGHT\" = i16[2]{-2,0}",
    "u16[3,4] u16[4] direction=\"LEFT\"",
    "u32[0] u32[1] direction=\"LEFT\"",
    "u32[1] u32[1] ! direction",
    NULL
};

const ig_op ig_op_bit_shift = { .onnx = "BitShift",
                                .since = { 11, 28 },
                                .n_in = { 2, 2 },
                                .n_out = { 1, 1 },
                                .types = IG_T_INTS,
                                .flags = IG_ELEMENTWISE | IG_INPLACE,
                                .infer = infer,
                                .ref = ref,
                                .cases = cases };
