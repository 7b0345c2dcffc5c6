/* SPDX-License-Identifier: Apache-2.0 */
/* q_linear_where.c: com.microsoft QLinearWhere: 8-bit X where the condition holds, else Y, in the
 * scale and zero point of the output, with broadcasting of all three. */
#include "ops/qlinear.h"
#include "ops/strided.h"

enum { CONDITION, X, X_SCALE, X_ZERO, Y, Y_SCALE, Y_ZERO, Z_SCALE, Z_ZERO };

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, Z_ZERO + 1));
    const ingot_dtype dtype = c->in[X]->type.dtype;
    if (dtype != INGOT_UNDEFINED && !(IG_T(dtype) & IG_T_8_BIT))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "X has element type %s",
                       ingot_dtype_name(dtype));
    if (c->in[Y]->type.dtype != dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "X is %s, Y is %s", ingot_dtype_name(dtype),
                       ingot_dtype_name(c->in[Y]->type.dtype));
    IG_TRY(ig_qparam_infer(c, X_SCALE, X_ZERO, dtype));
    IG_TRY(ig_qparam_infer(c, Y_SCALE, Y_ZERO, dtype));
    IG_TRY(ig_qparam_infer(c, Z_SCALE, Z_ZERO, dtype));
    /* Only three of the inputs are broadcast. */
    const ig_info *const all[] = { c->in[CONDITION], c->in[X], c->in[Y] };
    ig_infer three = *c;
    three.in = all;
    three.n_in = 3;
    c->out[0].type = (ig_type){ .kind = INGOT_KIND_TENSOR, .dtype = dtype };
    return ig_broadcast_shapes(&three, 3, &c->out[0]);
}

static ig_status ref(ig_call *c)
{
    const ingot_dtype dtype = c->in[X]->dtype;
    const ig_tensor *const all[] = { c->in[CONDITION], c->in[X], c->in[Y] };
    ig_qparam x, y, z;
    uint8_t of_x[256], of_y[256];
    ig_walk w;
    int64_t i = 0;
    IG_TRY(ig_call_ready(c));
    IG_TRY(ig_qparam_of_call(c, X_SCALE, X_ZERO, dtype, &x));
    IG_TRY(ig_qparam_of_call(c, Y_SCALE, Y_ZERO, dtype, &y));
    IG_TRY(ig_qparam_of_call(c, Z_SCALE, Z_ZERO, dtype, &z));
    ig_qlinear_table(dtype, &x, &z, NULL, c->node, of_x);
    ig_qlinear_table(dtype, &y, &z, NULL, c->node, of_y);
    const uint8_t *condition = c->in[CONDITION]->data, *px = c->in[X]->data, *py = c->in[Y]->data;
    uint8_t *out = c->out[0]->data;
    ig_walk_begin(&w, c->out[0], all, 3);
    for (bool more = w.left > 0; more; more = ig_walk_next(&w), i++)
        out[i] = condition[w.at[0]] ? of_x[px[w.at[1]]] : of_y[py[w.at[2]]];
    return INGOT_OK;
}

static const char *const cases[] = {
    "bool[4]{1,0,1,0} u8[4]{10,20,30,40} f32[]{0.5} u8[]{10} u8[4]{1,2,3,250} f32[]{2} u8[]{0} "
    "f32[]{0.5} u8[]{5} = u8[4]{5,13,25,255}",
    "bool[2,1]{1,0} i8[2,3] f32[]{0.03} i8[]{3} i8[]{-7} f32[]{0.02} i8[]{0} f32[]{0.025} i8[]{-2}",
    "bool[3] c:u8[2,3] c:f32[]{0.03} c:u8[]{3} u8[1,3] c:f32[]{0.02} c:u8[]{0} c:f32[]{0.025} "
    "c:u8[]{128}",
    "bool[0] u8[1] f32[]{0.03} u8[]{3} u8[1] f32[]{0.02} u8[]{0} f32[]{0.025} u8[]{128}",
    "bool[2] u8[3] f32[]{0.03} u8[]{3} u8[1] f32[]{0.02} u8[]{0} f32[]{0.025} u8[]{128} ! do not "
    "broadcast",
    "bool[2] u8[2] f32[]{0.03} u8[]{3} i8[2] f32[]{0.02} i8[]{0} f32[]{0.025} u8[]{128} ! X is "
    "uint8, Y is int8",
    NULL,
};

const ig_op ig_op_q_linear_where = {
    .onnx = "QLinearWhere",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 9, 9 },
    .n_out = { 1, 1 },
    .types = IG_T_BOOL,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
