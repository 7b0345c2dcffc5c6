/* SPDX-License-Identifier: Apache-2.0 */
/* lower.c: what lowering of all operators shares. */
#include <string.h>

#include "ops/op.h"

ig_status ig_lower_pack(ig_lower *l, int i, uint64_t key, size_t bytes, ig_pack_fn fn,
                        const void *ctx)
{
    const void *packed = NULL;
    IG_TRY(l->pack(l, i, key, bytes, fn, ctx, &packed));
    if (!l->operand_const) {
        l->operand_const = ig_arena_array(l->arena, (size_t)l->n_in, sizeof *l->operand_const);
        if (!l->operand_const) return IG_NOMEM(l->err, (size_t)l->n_in * sizeof *l->operand_const);
    }
    l->operand_const[i] = packed;
    return INGOT_OK;
}

static void set_operand(ig_eltwise_operand *operand, const ig_info *info)
{
    operand->dtype = info->type.dtype;
    operand->rank = info->rank;
    for (int d = 0; d < info->rank; d++) operand->dims[d] = info->dims[d];
}

/* Programs compute in float32 and saturate when they store integers, where operators on integers
 * wrap. */
static bool computes_exactly(ingot_dtype dtype)
{
    const ig_dtype_set exact =
        IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16) | IG_T_BOOL;
    return ig_eltwise_dtype_ok(dtype) && (IG_T(dtype) & exact);
}

ig_status ig_lower_eltwise(ig_lower *l)
{
    const ig_op *op = l->node->op;
    const ig_prim *prim = op->prim;
    const int n_in = op->prim_n_in ? op->prim_n_in : prim ? prim->n_sources : 0;
    ig_eltwise_program program = { .n_in = n_in, .n_out = 1, .n_instrs = 1 };
    ig_eltwise_instr *instr = &program.instrs[0];
    if (!prim || !prim->fn[l->isa] || l->n_in < n_in) return INGOT_OK;
    /* A chain of more inputs than sources folds with the same primitive: Sum, Max of many. */
    if (l->n_in > n_in && op->n_in[1] < 0) return INGOT_OK;
    if (!computes_exactly(l->out[0].type.dtype)) return INGOT_OK;
    for (int i = 0; i < n_in; i++) {
        if (!l->in[i] || !computes_exactly(l->in[i]->type.dtype)) return INGOT_OK;
        set_operand(&program.in[i], l->in[i]);
    }
    if (op->prim_params && !op->prim_params(l->node, l->in, instr->params)) return INGOT_OK;
    set_operand(&program.out[0], &l->out[0]);
    instr->prim = prim;
    instr->dst = (int8_t)n_in;
    for (int i = 0; i < 3; i++) instr->src[i] = (int8_t)(i < n_in ? i : -1);
    program.out_reg[0] = (int8_t)n_in;

    void *params = ig_arena_get(l->arena, ig_eltwise_params_bytes(&program));
    if (!params) return IG_NOMEM(l->err, ig_eltwise_params_bytes(&program));
    IG_TRY(ig_eltwise_plan(&program, l->isa, params, &l->n_work, &l->grain, l->err));
    l->params = params;
    l->n_operand_in = n_in;
    l->kernel = ig_k_eltwise;
    l->kernel_name = prim->kernel[l->isa];
    return INGOT_OK;
}
