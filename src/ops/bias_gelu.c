/* SPDX-License-Identifier: Apache-2.0 */
/* bias_gelu.c: com.microsoft BiasGelu, y = gelu(x + bias), bias along the last dimension. */
#include <math.h>

#include "ops/broadcast.h"

IG_PRIM_DECLARE(add)
IG_PRIM_DECLARE(gelu)
static const ig_prim add = IG_PRIM_TABLE(add, 2);
static const ig_prim gelu = IG_PRIM_TABLE(gelu, 1);

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[0], *b = c->in[1];
    IG_TRY(ig_infer_same(c));
    if (x->rank < 0 || b->rank < 0) return INGOT_OK;
    const bool fits = b->rank == 1 && x->rank > 0 && b->type.dtype == x->type.dtype &&
                      (b->dims[0] == x->dims[x->rank - 1] || !ig_dim_is_const(b->dims[0]) ||
                       !ig_dim_is_const(x->dims[x->rank - 1]));
    if (!fits)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "the bias is not one value a column of the input");
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0], *b = c->in[1];
    const int64_t n = ig_tensor_count(x), columns = ig_tensor_count(b);
    IG_TRY(ig_call_output(c, 0, x->dtype, x->rank, x->dims));
    for (int64_t i = 0; c->out[0] && i < n; i++) {
        const double v =
            ig_get_f64(x->dtype, x->data, i) + ig_get_f64(b->dtype, b->data, i % columns);
        ig_set_f64(x->dtype, c->out[0]->data, i, v * erfc(-v * 0.70710678118654752440) / 2);
    }
    return INGOT_OK;
}

static ig_status lower(ig_lower *l)
{
    ig_eltwise_program p = { .n_in = 2, .n_out = 1, .n_instrs = 2, .out_reg = { 2 } };
    if (!add.fn[l->isa] || !ig_is_float_operand(l->in[0]) || !ig_is_float_operand(l->in[1]))
        return INGOT_OK;
    ig_eltwise_set_operand(&p.in[0], l->in[0]);
    ig_eltwise_set_operand(&p.in[1], l->in[1]);
    ig_eltwise_set_operand(&p.out[0], &l->out[0]);
    p.instrs[0] = (ig_eltwise_instr){ .prim = &add, .dst = 2, .src = { 0, 1, -1 } };
    p.instrs[1] = (ig_eltwise_instr){ .prim = &gelu, .dst = 2, .src = { 2, -1, -1 } };
    return ig_lower_program(l, &p, "bias_gelu");
}

static const char *const cases[] = {
    "f32[1,2]{0,1} f32[2]{1,-1} = f32[1,2]{0.84134475,0}",
    "f32[3,5,19] f32[19]",
    "f32[2,3] f32[2] ! not one value a column",
    NULL,
};

const ig_op ig_op_bias_gelu = {
    .onnx = "BiasGelu",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
