/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eltwise_chain.c: ingot EltwiseChain: several elementwise operators on float32 as one step.
 *
 * The attribute `body` is a graph of those operators; its inputs are the node's, its one output is
 * the node's, and results inside have the output's shape. The reference runs the operators one
 * after the other; the kernel is one tile program.
 */
#include <string.h>

#include "ops/broadcast.h"

static const ig_graph *body_of(const ig_node *node)
{
    const ig_attr *attr = ig_node_attr(node, "body");
    return attr && attr->kind == IG_ATTR_GRAPH ? attr->g : NULL;
}

static ig_status check_body(const ig_node *node, const ig_graph **body, ig_error *err)
{
    const ig_graph *g = *body = body_of(node);
    if (!g || g->n_outputs != 1 || g->n_inputs != node->n_inputs)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "the attribute body is not a graph of %u inputs and one output",
                       node->n_inputs);
    for (size_t i = 0; i < g->n_nodes; i++) {
        const ig_node *inner = g->nodes[i];
        if (!inner->op || !(inner->op->flags & IG_ELEMENTWISE) || inner->n_outputs != 1 ||
            inner->outputs[0] == IG_NONE)
            return ig_fail(err, INGOT_ERR_INVALID, "node %zu of the body is not elementwise", i);
    }
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    const ig_graph *body;
    IG_TRY(check_body(c->node, &body, c->err));
    c->out[0].type = body->values[body->outputs[0]]->info.type;
    return ig_broadcast_shapes(c, c->n_in, &c->out[0]);
}

/* ---- reference ---- */

static ig_status no_output(ig_call *c, int i, ingot_dtype dtype, int rank, const int64_t *dims)
{
    (void)dtype, (void)rank, (void)dims;
    return ig_fail(c->err, INGOT_ERR_INTERNAL,
                   "output %d of an operator in a chain has a shape of its own", i);
}

/* Shape of an operator's result: its inputs broadcast. */
static int broadcast(const ig_tensor *const *in, uint32_t n, int64_t *dims)
{
    int rank = 0;
    for (uint32_t i = 0; i < n; i++)
        if (in[i] && in[i]->rank > rank) rank = in[i]->rank;
    for (int d = 0; d < rank; d++) dims[d] = 1;
    for (uint32_t i = 0; i < n; i++)
        for (int d = 0; in[i] && d < in[i]->rank; d++)
            if (in[i]->dims[d] != 1) dims[rank - in[i]->rank + d] = in[i]->dims[d];
    return rank;
}

static ig_status run_inner(ig_call *c, const ig_graph *body, const ig_node *node,
                           const ig_tensor **values)
{
    const ig_tensor **in = ig_arena_array(c->scratch, (size_t)node->n_inputs + 1, sizeof *in);
    int64_t dims[IG_MAX_RANK];
    const uint32_t id = node->outputs[0];
    ig_tensor *out = c->out[0];
    if (!in) return IG_NOMEM(c->err, node->n_inputs * sizeof *in);
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] != IG_NONE) in[i] = values[node->inputs[i]];
    if (id != body->outputs[0]) {
        const int rank = broadcast(in, node->n_inputs, dims);
        IG_TRY(ig_tensor_in_arena(c->scratch, body->values[id]->info.type.dtype, rank, dims, NULL,
                                  &out, c->err));
    }
    ig_call inner = *c;
    inner.node = node;
    inner.opset = node->opset;
    inner.n_in = (int)node->n_inputs;
    inner.n_out = 1;
    inner.in = in;
    inner.out = &out;
    inner.alloc_output = no_output;
    values[id] = out;
    return ig_op_call(&inner);
}

static ig_status ref(ig_call *c)
{
    const ig_graph *body;
    int64_t dims[IG_MAX_RANK];
    IG_TRY(check_body(c->node, &body, c->err));
    const ig_tensor **values = ig_arena_array(c->scratch, body->n_values + 1, sizeof *values);
    if (!values) return IG_NOMEM(c->err, body->n_values * sizeof *values);
    const int rank = broadcast(c->in, (uint32_t)c->n_in, dims);
    IG_TRY(ig_call_output(c, 0, body->values[body->outputs[0]]->info.type.dtype, rank, dims));
    if (!c->out[0]) return INGOT_OK;
    for (size_t i = 0; i < body->n_values; i++) values[i] = body->values[i]->info.data;
    for (size_t i = 0; i < body->n_inputs; i++) values[body->inputs[i]] = c->in[i];
    for (size_t i = 0; i < body->n_nodes; i++) IG_TRY(run_inner(c, body, body->nodes[i], values));
    return INGOT_OK;
}

/* ---- lowering ---- */

#define MAX_BODY_INPUTS 8

/* One instruction; registers tell where values are. false: no primitive for this node or level. */
static bool make_instr(const ig_lower *l, const ig_graph *body, const ig_node *node,
                       const int8_t *registers, ig_eltwise_instr *instr)
{
    const ig_info *in[MAX_BODY_INPUTS] = { 0 };
    const ig_op *op = node->op;
    const int n = op->prim_n_in ? op->prim_n_in : op->prim ? op->prim->n_sources : 0;
    if (!op->prim || !op->prim->fn[l->isa] || node->n_inputs > MAX_BODY_INPUTS) return false;
    for (uint32_t i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] != IG_NONE) in[i] = &body->values[node->inputs[i]]->info;
    instr->prim = op->prim;
    for (int i = 0; i < 3; i++)
        instr->src[i] =
            (int8_t)(i < n && node->inputs[i] != IG_NONE ? registers[node->inputs[i]] : -1);
    return !op->prim_params || op->prim_params(node, in, instr->params);
}

static void append_name(char *name, size_t bytes, const char *word)
{
    const size_t n = strlen(name), more = strlen(word);
    if (n + more + 2 > bytes) return;
    if (n) name[n] = '_';
    memcpy(name + n + (n > 0), word, more + 1);
}

static ig_status lower(ig_lower *l)
{
    const ig_graph *body;
    char name[100] = "";
    IG_TRY(check_body(l->node, &body, l->err));
    const int n = l->n_in, n_nodes = (int)body->n_nodes;
    ig_eltwise_program program = { .n_in = n, .n_out = 1, .n_instrs = n_nodes };
    if (n + 1 > IG_ELTWISE_MAX_OPERANDS || n_nodes > IG_ELTWISE_MAX_INSTRS ||
        n + n_nodes > IG_ELTWISE_MAX_REGS)
        return INGOT_OK;
    int8_t *registers = ig_arena_get(l->arena, body->n_values + 1);
    if (!registers) return IG_NOMEM(l->err, body->n_values);
    for (int i = 0; i < n; i++) {
        if (!l->in[i]) return INGOT_OK;
        registers[body->inputs[i]] = (int8_t)i;
        ig_eltwise_set_operand(&program.in[i], l->in[i]);
    }
    ig_eltwise_set_operand(&program.out[0], &l->out[0]);
    for (int i = 0; i < n_nodes; i++) {
        const ig_node *node = body->nodes[i];
        if (!make_instr(l, body, node, registers, &program.instrs[i])) return INGOT_OK;
        program.instrs[i].dst = registers[node->outputs[0]] = (int8_t)(n + i);
        append_name(name, sizeof name, node->op->prim->name);
    }
    program.out_reg[0] = registers[body->outputs[0]];
    const char *own_name = ig_arena_strdup(l->arena, name);
    if (!own_name) return IG_NOMEM(l->err, sizeof name);
    return ig_lower_program(l, &program, own_name);
}

/* The cases of the harness cannot spell graphs; the tests of fuse_elementwise run this operator. */
static const char *const cases[] = {
    "f32[2,3] f32[3] body=graph \"\" (opset ai.onnx 21) (%a: float32[2,3], %b: float32[3]) -> (%y) "
    "{ %m: float32[2,3] = Mul \"\" (%a, %b) %y: float32[2,3] = Sigmoid \"\" (%m) }",
    "f32[2,19]{-1} f32[1]{2} body=graph \"\" (opset ai.onnx 21) (%a: float32[2,19], "
    "%b: float32[1]) -> (%y) { %m: float32[2,19] = Mul \"\" (%a, %b) "
    "%n: float32[2,19] = Abs \"\" (%m) %y: float32[2,19] = Add \"\" (%n, %a) } = f32[2,19]{1}",
    "f32[2] f32[2] body=graph \"\" (opset ai.onnx 21) (%a: float32[2]) -> (%y) "
    "{ %y: float32[2] = Neg \"\" (%a) } ! not a graph of 2 inputs",
    "f32[2] ! body is not a graph",
    NULL,
};

const ig_op ig_op_eltwise_chain = {
    .onnx = "EltwiseChain",
    .domain = "ingot",
    .since = { 1 },
    .n_in = { 1, IG_ELTWISE_MAX_OPERANDS - 1 },
    .n_out = { 1, 1 },
    .flags = IG_ELEMENTWISE | IG_INPLACE,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
