/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sequence_map.c: runs `body` for each item of a sequence; output o is the sequence of the body's
 * outputs o. Further inputs are sequences of the same length, that go item by item, or tensors,
 * which all runs get.
 */
#include <string.h>

#include "ops/control.h"
#include "ops/sequence.h"

static ig_status read_body(const ig_node *node, const ig_attr **body, size_t *n_declared,
                           ig_error *err)
{
    IG_TRY(ig_control_graph(node, "body", body, err));
    const ig_graph *g = (*body)->g;
    *n_declared = g->n_inputs - g->n_captures;
    if (*n_declared < 1 || *n_declared > node->n_inputs)
        return ig_fail(err, INGOT_ERR_INVALID, "the body takes %zu inputs, the node has %u",
                       *n_declared, node->n_inputs);
    if (g->n_outputs != node->n_outputs)
        return ig_fail(err, INGOT_ERR_INVALID, "the body gives %zu outputs, the node has %u",
                       g->n_outputs, node->n_outputs);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    const ig_attr *body;
    size_t n;
    IG_TRY(read_body(c->node, &body, &n, c->err));
    const ig_graph *g = body->g;
    const ig_info **in = ig_arena_array(c->arena, g->n_inputs + 1, sizeof *in);
    ig_info *infos = ig_arena_array(c->arena, n, sizeof *infos);
    ig_info *out = ig_arena_array(c->arena, g->n_outputs + 1, sizeof *out);
    if (!in || !infos || !out) return IG_NOMEM(c->err, g->n_inputs * sizeof *infos);
    IG_TRY(ig_infer_is_sequence(c, 0));
    for (size_t i = 0; i < n; i++) {
        if (!c->in[i]) return ig_fail(c->err, INGOT_ERR_INVALID, "input %zu is missing", i);
        infos[i] = *c->in[i];
        infos[i].data = NULL, infos[i].elems = NULL;
        in[i] = &infos[i];
        if (infos[i].type.kind != INGOT_KIND_SEQUENCE) continue;
        infos[i] = (ig_info){ .rank = -1,
                              .type = { .kind = c->in[i]->type.item_kind,
                                        .dtype = c->in[i]->type.dtype,
                                        .key_dtype = c->in[i]->type.key_dtype } };
    }
    IG_TRY(ig_infer_captures(c, body, in, n));
    IG_TRY(c->graph(c, g, in, out));
    for (int o = 0; o < c->n_out; o++) {
        if (out[o].type.kind != INGOT_KIND_TENSOR)
            return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "output %d of the body is not a tensor",
                           o);
        c->out[o] = (ig_info){ .rank = -1,
                               .type = { .kind = INGOT_KIND_SEQUENCE,
                                         .dtype = out[o].type.dtype,
                                         .item_kind = INGOT_KIND_TENSOR } };
    }
    return INGOT_OK;
}

/* A tensor that outlives the frame that made it, strings included. */
static ig_status copy_item(ig_call *c, const ig_tensor *t, ig_tensor **out)
{
    size_t bytes = 0;
    if (!t || t->kind != INGOT_KIND_TENSOR)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "an output of the body is not a tensor");
    IG_TRY(ig_tensor_in_arena(c->scratch, t->dtype, t->rank, t->dims, NULL, out, c->err));
    if (ig_tensor_bytes(t, &bytes) && bytes) memcpy((*out)->data, t->data, bytes);
    if (t->dtype != INGOT_STRING) return INGOT_OK;
    return ig_control_keep_strings(c, (*out)->data, ig_tensor_count(t));
}

/* Output o becomes an empty sequence with room for n items. */
static ig_status begin_output(ig_call *c, const ig_graph *g, size_t o, size_t n)
{
    ig_tensor *out = c->out[o];
    if (!out) return INGOT_OK;
    ig_tensor **items = ig_arena_array(c->scratch, n + 1, sizeof *items);
    if (!items) return IG_NOMEM(c->err, n * sizeof *items);
    out->kind = INGOT_KIND_SEQUENCE;
    out->dtype = g->values[g->outputs[o]]->info.type.dtype;
    out->items = items;
    out->n_items = out->cap_items = n;
    return INGOT_OK;
}

/* The inputs of run k. */
static ig_status choose_items(ig_call *c, size_t n_declared, size_t k, const ig_tensor **in)
{
    const size_t n_items = c->in[0]->n_items;
    for (size_t i = 0; i < n_declared; i++) {
        const ig_tensor *t = c->in[i];
        in[i] = t;
        if (!t) return ig_fail(c->err, INGOT_ERR_INVALID, "input %zu is missing", i);
        if (t->kind != INGOT_KIND_SEQUENCE) continue;
        if (t->n_items != n_items)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %zu has %zu items, input 0 has %zu", i,
                           t->n_items, n_items);
        in[i] = k < n_items ? t->items[k] : NULL;
    }
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_attr *body;
    size_t n;
    IG_TRY(read_body(c->node, &body, &n, c->err));
    IG_TRY(ig_call_is_sequence(c, 0));
    const ig_graph *g = body->g;
    const size_t n_items = c->in[0]->n_items;
    const ig_tensor **in = ig_arena_array(c->scratch, g->n_inputs + 1, sizeof *in);
    const ig_tensor **out = ig_arena_array(c->scratch, g->n_outputs + 1, sizeof *out);
    if (!in || !out) return IG_NOMEM(c->err, g->n_inputs * sizeof *in);
    IG_TRY(ig_control_captures(c, body, in, n));
    for (size_t o = 0; o < g->n_outputs; o++) IG_TRY(begin_output(c, g, o, n_items));
    if (n_items == 0) return choose_items(c, n, 0, in);
    for (size_t k = 0; k < n_items; k++) {
        IG_TRY(ig_control_step(c));
        IG_TRY(choose_items(c, n, k, in));
        IG_TRY(c->run_graph(c, body, in, g->n_inputs, out, g->n_outputs));
        for (size_t o = 0; o < g->n_outputs; o++) {
            if (!c->out[o]) continue;
            IG_TRY(copy_item(c, out[o], &c->out[o]->items[k]));
            c->out[o]->dtype = out[o]->dtype;
        }
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "seq(f32[1]{1} f32[2]{2,3}) seq(f32[1]{10} f32[2]{20,30}) body=graph \"b\" (opset ai.onnx 21) "
    "(%a: float32, %b: float32) -> (%y) { %y = Add \"\" (%a, %b) } "
    "= seq(f32[1]{11} f32[2]{22,33})",
    "seq(f32[1]{1} f32[2]{2,3}) f32[1]{10} body=graph \"b\" (opset ai.onnx 21) (%a: float32, "
    "%b: float32) -> (%y, %z) { %y = Mul \"\" (%a, %b) %z = Shape \"\" (%a) } -> 2 "
    "= seq(f32[1]{10} f32[2]{20,30}) seq(i64{1} i64{2})",
    "seq(f32[1]{1} f32[1]{2}) f32[1]{10} body=graph @1 \"b\" (opset ai.onnx 21) (%a: float32; %p) "
    "-> (%y) { %y = Sub \"\" (%a, %p) } = seq(f32[1]{-9} f32[1]{-8})",
    "seq(str[2]{\"a\",\"b\"} str[1]{\"\"}) body=graph \"b\" (opset ai.onnx 21) (%a: string) -> "
    "(%y) { %y = Concat \"\" (%a, %a) { axis = 0 } } = "
    "seq(str[4]{\"a\",\"b\",\"a\",\"b\"} str[2]{\"\",\"\"})",
    "seq(f32) body=graph \"b\" (opset ai.onnx 21) (%a: float32) -> (%y) { %y = Shape \"\" (%a) } "
    "= seq(i64)",
    "seq(f32[1] f32[1]) seq(f32[1]) body=graph \"b\" (opset ai.onnx 21) (%a: float32, %b: float32) "
    "-> (%y) { %y = Add \"\" (%a, %b) } ! input 1 has 1 items, input 0 has 2",
    "f32[1] body=graph \"b\" (opset ai.onnx 21) (%a: float32) -> (%y) { %y = Neg \"\" (%a) } "
    "! input 0 is not a sequence",
    "seq(f32[1]) body=graph \"b\" (opset ai.onnx 21) (%a: float32) -> (%y) { %y = Neg \"\" (%a) } "
    "-> 2 ! the body gives 1 outputs, the node has 2",
    "seq(f32[1]) body=graph \"b\" (opset ai.onnx 21) (%a: float32, %b: float32) -> (%y) "
    "{ %y = Add \"\" (%a, %b) } ! the body takes 2 inputs, the node has 1",
    "seq(f32[1]) ! body",
    NULL,
};

const ig_op ig_op_sequence_map = {
    .onnx = "SequenceMap",
    .since = { 17 },
    .n_in = { 1, -1 },
    .any_kind = UINT16_MAX,
    .n_out = { 1, -1 },
    .flags = IG_CONTROL_FLOW,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
