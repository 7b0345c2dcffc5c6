/* SPDX-License-Identifier: Apache-2.0 */
/* fast_gelu.c: com.microsoft FastGelu, z = x + bias, y = z (1 + tanh(sqrt(2/pi) (z + 0.044715
 * z^3))) / 2. The bias is optional and broadcasts along the last axis. */
#include "ops/broadcast.h"

#ifndef IG_BASE
IG_INLINE vf fast_gelu(vf x)
{
    const vf t = x * (x * x * 0.044715f + 1.0f) * 0.7978845608028654f;
    return x * vf_sigmoid(t + t);
}
#endif

IG_PRIM2(fast_gelu, fast_gelu(a + b))
IG_PRIM1(fast_gelu_no_bias, fast_gelu(a))

#ifdef IG_BASE
#include <math.h>

static double gelu_tanh(double x)
{
    return x / (1 + exp(-2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

static bool has_bias(int n_in, const void *const *in) { return n_in > 1 && in[1]; }

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_same(c));
    if (!has_bias(c->n_in, (const void *const *)c->in)) return INGOT_OK;
    if (c->in[0]->rank < 0 || c->in[1]->rank < 0) return INGOT_OK;
    if (c->in[1]->rank != 1 || c->in[0]->rank < 1)
        return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "bias has rank %d, not 1", c->in[1]->rank);
    return ig_broadcast_shapes(c, 2, &c->out[0]);
}

static ig_status ref(ig_call *c)
{
    ig_rows r;
    const ig_tensor *in = c->in[0];
    const bool is_biased = has_bias(c->n_in, (const void *const *)c->in);
    IG_TRY(ig_call_output(c, 0, in->dtype, in->rank, in->dims));
    if (!c->out[0]) return INGOT_OK;
    ig_rows_begin(&r, in->rank, in->dims, c->in, is_biased ? 2 : 1);
    IG_SWITCH_FLOAT(c, in->dtype, {
        for (; r.n_left > 0; ig_rows_next(&r))
            for (int64_t i = 0; i < r.n_cols; i++) {
                const T *bias = is_biased ? (const T *)c->in[1]->data + r.at[1] : NULL;
                const T x = ((const T *)in->data)[r.at[0] + i * r.step[0]];
                const double z = (double)x + (bias ? (double)bias[i * r.step[1]] : 0);
                ((T *)c->out[0]->data)[r.out_at + i] = (T)gelu_tanh(z);
            }
    })
    return INGOT_OK;
}

IG_PRIM_DECLARE(fast_gelu)
IG_PRIM_DECLARE(fast_gelu_no_bias)
static const ig_prim prim = IG_PRIM_TABLE(fast_gelu, 2);
static const ig_prim prim_no_bias = IG_PRIM_TABLE(fast_gelu_no_bias, 1);

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)p;
    return node->n_inputs > 1 && in[1];
}

static ig_status lower(ig_lower *l)
{
    if (has_bias(l->n_in, (const void *const *)l->in)) return ig_lower_eltwise(l);
    if (!prim_no_bias.fn[l->isa] || !ig_is_float_operand(l->in[0])) return INGOT_OK;
    ig_eltwise_program program = { .n_in = 1, .n_out = 1, .n_instrs = 1, .out_reg = { 1 } };
    ig_eltwise_set_operand(&program.in[0], l->in[0]);
    ig_eltwise_set_operand(&program.out[0], &l->out[0]);
    program.instrs[0] = (ig_eltwise_instr){ .prim = &prim_no_bias, .dst = 1, .src = { 0, -1, -1 } };
    return ig_lower_program(l, &program, prim_no_bias.name);
}

static const char *const cases[] = { "f32[3]{0,1,-1} = f32[3]{0,0.84119199,-0.15880801}",
                                     "f32[2,2]{0,0,1,1} f32[2]{1,-2} = "
                                     "f32[2,2]{0.84119199,-0.04540231,1.9545977,-0.15880801}",
                                     "f32[3,19] f32[19]",
                                     "f64[2,3]",
                                     "f32[3,19] _",
                                     "f32[0]",
                                     "f32[3,19] f32[3] ! broadcast",
                                     NULL };

const ig_op ig_op_fast_gelu = { .onnx = "FastGelu",
                                .domain = "com.microsoft",
                                .since = { 1 },
                                .n_in = { 1, 2 },
                                .same_type = 0x2,
                                .n_out = { 1, 1 },
                                .types = IG_T_FLOATS,
                                .flags = IG_ELEMENTWISE | IG_INPLACE,
                                .infer = infer,
                                .ref = ref,
                                .lower = lower,
                                .prim = &prim,
                                .prim_params = prim_params,
                                .cases = cases };
#endif
