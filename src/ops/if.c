/* SPDX-License-Identifier: Apache-2.0 */
/* if.c: run then_branch or else_branch. Branches take nothing but captures. */
#include "ops/control.h"

static ig_status infer_branch(ig_infer *c, const char *name, ig_info *out)
{
    const ig_attr *branch = NULL;
    IG_TRY(ig_control_graph(c->node, name, &branch, c->err));
    if (branch->g->n_outputs != (size_t)c->n_out)
        return ig_fail(c->err, INGOT_ERR_INVALID, "%s gives %zu outputs, the node has %d", name,
                       branch->g->n_outputs, c->n_out);
    const ig_info **in = ig_arena_array(c->arena, branch->g->n_inputs + 1, sizeof *in);
    if (!in) return IG_NOMEM(c->err, branch->g->n_inputs * sizeof *in);
    IG_TRY(ig_infer_captures(c, branch, in, 0));
    return c->graph(c, branch->g, in, out);
}

/* A branch that cannot be: its values do not fit each other. Exporters write such for conditions
 * that never hold (Squeeze of a dimension if it is 1), so it matters only when it is run. */
static bool is_impossible(ig_status status)
{
    return status == INGOT_ERR_SHAPE || status == INGOT_ERR_INVALID;
}

static ig_status infer(ig_infer *c)
{
    ig_error why = { 0 }, other_why = { 0 }, *const err = c->err;
    ig_info *other = ig_arena_array(c->arena, (size_t)c->n_out + 1, sizeof *other);
    if (!other) return IG_NOMEM(c->err, (size_t)c->n_out * sizeof *other);
    c->err = &why;
    const ig_status status = infer_branch(c, "then_branch", c->out);
    c->err = &other_why;
    const ig_status other_status = infer_branch(c, "else_branch", other);
    c->err = err;
    if (status && (other_status || !is_impossible(status)))
        return ig_fail(err, status, "%s", why.message);
    if (other_status && !is_impossible(other_status))
        return ig_fail(err, other_status, "%s", other_why.message);
    for (int i = 0; i < c->n_out; i++) {
        if (status) c->out[i] = other[i];
        if (status || other_status)
            c->out[i] = (ig_info){ .type = c->out[i].type, .rank = -1 };
        else
            ig_info_merge(c->dims, &c->out[i], &other[i]);
    }
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *cond = c->in[0];
    const ig_attr *branch = NULL;
    if (!cond || cond->dtype != INGOT_BOOL || ig_tensor_count(cond) != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "the condition is not a single bool");
    IG_TRY(ig_control_graph(c->node, *(const uint8_t *)cond->data ? "then_branch" : "else_branch",
                            &branch, c->err));
    const ig_tensor **in = ig_arena_array(c->scratch, branch->g->n_inputs + 1, sizeof *in);
    const ig_tensor **out = ig_arena_array(c->scratch, (size_t)c->n_out + 1, sizeof *out);
    if (!in || !out) return IG_NOMEM(c->err, branch->g->n_inputs * sizeof *in);
    IG_TRY(ig_control_captures(c, branch, in, 0));
    IG_TRY(c->run_graph(c, branch, in, branch->g->n_inputs, out, (size_t)c->n_out));
    for (int i = 0; i < c->n_out; i++) IG_TRY(ig_control_output(c, i, out[i]));
    return INGOT_OK;
}

static const char *const cases[] = {
    "bool[]{1} f32[2]{1,-2} then_branch=graph @1 \"t\" (opset ai.onnx 21) (; %p) -> (%r) "
    "{ %r = Relu \"\" (%p) } else_branch=graph @1 \"e\" (opset ai.onnx 21) (; %q) -> (%s) "
    "{ %s = Neg \"\" (%q) } = f32[2]{1,0}",
    "bool[1]{0} f32[2]{1,-2} then_branch=graph @1 \"t\" (opset ai.onnx 21) (; %p) -> (%r) "
    "{ %r = Concat \"\" (%p, %p) { axis = 0 } } else_branch=graph @1 \"e\" (opset ai.onnx 21) "
    "(; %q) -> (%s) { %s = Neg \"\" (%q) } = f32[2]{-1,2}",
    "bool[2] f32[2] then_branch=graph @1 \"t\" (opset ai.onnx 21) (; %p) -> (%r) "
    "{ %r = Relu \"\" (%p) } else_branch=graph @1 \"e\" (opset ai.onnx 21) (; %q) -> (%s) "
    "{ %s = Neg \"\" (%q) } ! not a single bool",
    "bool[]{0} f32[2]{1,-2} then_branch=graph @1 \"t\" (opset ai.onnx 21) (; %p) -> (%r) "
    "{ const %a: int64[1] = {0} %r = Squeeze \"\" (%p, %a) } "
    "else_branch=graph @1 \"e\" (opset ai.onnx 21) (; %q) -> (%s) { %s = Neg \"\" (%q) } "
    "= f32[2]{-1,2}",
    /* What overflows in a branch is forgotten with it. */
    "bool[]{0} f32[2]{1,-2} then_branch=graph @1 \"t\" (opset ai.onnx 21) (; %p) -> (%r) "
    "{ const %a: int64[2] = {2305843009213693951, 2305843009213693951} "
    "%r = Pad \"\" (%p, %a) } else_branch=graph @1 \"e\" (opset ai.onnx 21) (; %q) -> (%s) "
    "{ %s = Neg \"\" (%q) } = f32[2]{-1,2}",
    "bool[]{1} f32[2]{1,-2} then_branch=graph @1 \"t\" (opset ai.onnx 21) (; %p) -> (%r) "
    "{ const %a: int64[1] = {0} %r = Squeeze \"\" (%p, %a) } "
    "else_branch=graph @1 \"e\" (opset ai.onnx 21) (; %q) -> (%s) { %s = Neg \"\" (%q) } "
    "! cannot squeeze axis 0 of size 2",
    "bool[]{1} ! then_branch",
    NULL,
};

const ig_op ig_op_if = {
    .onnx = "If",
    .since = { 1, 11, 13, 16, 19, 21, 23, 24, 25 },
    .n_in = { 1, -1 },
    .any_kind = UINT16_MAX & ~1,
    .n_out = { 1, -1 },
    .flags = IG_CONTROL_FLOW,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
