/* SPDX-License-Identifier: Apache-2.0 */
/* step.c: one node with concrete shapes becomes a step: a kernel and its parameters, or its
 * reference. */
#include "plan/plan.h"

static ig_status pack_for_step(ig_lower *l, int i, uint64_t key, size_t bytes, ig_pack_fn fn,
                               const void *ctx, const void **packed)
{
    ig_plan *plan = l->binder;
    if (!l->in[i] || !l->in[i]->data)
        return ig_fail(l->err, INGOT_ERR_INTERNAL, "input %d to be packed is not a constant", i);
    return ig_packs_get(&plan->packs, l->in[i]->data, key, bytes, fn, ctx, packed, l->err);
}

static int64_t bytes_touched(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    size_t total = 0, bytes = 0;
    int64_t dims[IG_MAX_RANK];
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (in[i] && ig_info_is_static(in[i], dims) &&
            ig_dtype_bytes(in[i]->type.dtype, ig_count(in[i]->rank, dims), &bytes))
            total += bytes;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (ig_info_is_static(&out[i], dims) &&
            ig_dtype_bytes(out[i].type.dtype, ig_count(out[i].rank, dims), &bytes))
            total += bytes;
    return (int64_t)total;
}

/* The operator's own kernel, or the elementwise one, or none. Sizes beyond what a kernel takes are
 * left to the reference, which says what is wrong with them if something is. */
static ig_status lower(ig_lower *l, ig_isa isa)
{
    const ig_op *op = l->node->op;
    const ig_lower none = *l;
    ig_status status = INGOT_OK;
    if (op->lower)
        status = op->lower(l);
    else if (op->prim && isa != IG_ISA_REF)
        status = ig_lower_eltwise(l);
    if (status != INGOT_ERR_SHAPE) return status;
    ig_error_clear(l->err);
    *l = none;
    return INGOT_OK;
}

ig_status ig_step_lower(ig_plan *plan, const ig_node *node, const ig_info *const *in,
                        const ig_info *out, int n_threads, ig_arena *arena, ig_step *step,
                        ig_sharing *sharing, ig_error *err)
{
    ig_lower l = { .node = node,
                   .opset = node->opset,
                   .n_in = (int)node->n_inputs,
                   .n_out = (int)node->n_outputs,
                   .in = in,
                   .out = out,
                   .isa = plan->isa,
                   .choices = &plan->choices,
                   .n_threads = n_threads,
                   .arena = arena,
                   .err = err,
                   .pack = pack_for_step,
                   .binder = plan };
    const ig_op *op = node->op;
    const bool views = (op->flags & IG_VIEW) != 0;
    if (plan->isa != IG_ISA_REF || views) {
        IG_TRY(lower(&l, plan->isa));
        if (!op->lower && views) l.is_view = true;
    }
    if (plan->isa == IG_ISA_REF) l.kernel = NULL, l.team_kernel = NULL;
    const bool is_fast = l.kernel || l.team_kernel;
    step->node = node;
    step->kernel = l.kernel;
    step->team_kernel = l.team_kernel;
    step->kernel_name = is_fast ? (l.kernel_name ? l.kernel_name : op->onnx) : "reference";
    step->params = l.params;
    step->n_work = l.n_work;
    step->grain = l.grain > 0 ? l.grain : 1;
    step->scratch_bytes = is_fast ? l.scratch_bytes : 0;
    step->operand_const = is_fast ? l.operand_const : NULL;
    step->operand_inputs = is_fast ? l.operand_inputs : NULL;
    step->n_operand_out =
        is_fast && l.n_operand_out > 0 ? (uint32_t)l.n_operand_out : node->n_outputs;
    step->n_operand_in = is_fast && l.n_operand_in > 0 ? (uint32_t)l.n_operand_in : node->n_inputs;
    step->flops = l.flops;
    if (!step->flops && op->flops) step->flops = op->flops(node, in, out);
    step->bytes = bytes_touched(node, in, out);
    step->min_ns = UINT64_MAX;
    *sharing = (ig_sharing){ .is_view = l.is_view,
                             .view_offset_bytes = l.view_offset_bytes,
                             .join_offset_bytes = l.join_offset_bytes };
    return INGOT_OK;
}
