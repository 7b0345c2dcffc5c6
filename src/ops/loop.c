/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop.c: for i < M while cond: (cond, state…, rows…) = body(i, cond, state…). Outputs are the last
 * states and the stacked rows.
 *
 * Inputs: M (absent: no bound), cond (absent: true), initial states, captures.
 */
#include <string.h>

#include "ops/control.h"

static ig_status read_body(const ig_node *node, const ig_attr **body, size_t *n_states,
                           size_t *n_rows, ig_error *err)
{
    IG_TRY(ig_control_graph(node, "body", body, err));
    const ig_graph *g = (*body)->g;
    const size_t n_declared = g->n_inputs - g->n_captures;
    if (n_declared < 2 || g->n_outputs < n_declared - 1)
        return ig_fail(err, INGOT_ERR_INVALID, "body takes %zu inputs and gives %zu outputs",
                       n_declared, g->n_outputs);
    *n_states = n_declared - 2;
    *n_rows = g->n_outputs - 1 - *n_states;
    if (node->n_outputs > *n_states + *n_rows || node->n_inputs < 2 + *n_states)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "the body has %zu states and %zu scan outputs, which do not fit the node",
                       *n_states, *n_rows);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    const ig_attr *body = NULL;
    size_t n_states = 0, n_rows = 0;
    const ig_type int_type = { .kind = INGOT_KIND_TENSOR, .dtype = INGOT_INT64 };
    const ig_type bool_type = { .kind = INGOT_KIND_TENSOR, .dtype = INGOT_BOOL };
    ig_info iteration = { .type = int_type, .rank = 0 }, cond = { .type = bool_type, .rank = 0 };
    IG_TRY(read_body(c->node, &body, &n_states, &n_rows, c->err));
    const ig_graph *g = body->g;
    const ig_info **in = ig_arena_array(c->arena, g->n_inputs + 1, sizeof *in);
    ig_info *states = ig_arena_array(c->arena, n_states + 1, sizeof *states);
    ig_info *out = ig_arena_array(c->arena, g->n_outputs + 1, sizeof *out);
    if (!in || !states || !out) return IG_NOMEM(c->err, g->n_inputs * sizeof *states);
    in[0] = &iteration;
    in[1] = &cond;
    for (size_t i = 0; i < n_states; i++) {
        if (!c->in[2 + i])
            return ig_fail(c->err, INGOT_ERR_INVALID, "initial state %zu is missing", i);
        states[i] = *c->in[2 + i];
        states[i].data = NULL, states[i].elems = NULL;
        in[2 + i] = &states[i];
    }
    IG_TRY(ig_infer_captures(c, body, in, 2 + n_states));
    /* Shapes of states may change from one iteration to the next: widen until they stand still
     * (each round forgets something). */
    for (int round = 0;; round++) {
        bool is_stable = true;
        IG_TRY(c->graph(c, g, in, out));
        for (size_t i = 0; i < n_states; i++) {
            const ig_info *now = &out[1 + i];
            bool is_same = now->rank == states[i].rank;
            for (int d = 0; is_same && d < now->rank; d++)
                is_same = now->dims[d] == states[i].dims[d];
            if (is_same || states[i].rank < 0) continue;
            is_stable = false;
            if (now->rank != states[i].rank || round > 0)
                states[i].rank = round > 1 || now->rank != states[i].rank ? -1 : states[i].rank;
            for (int d = 0; d < states[i].rank; d++)
                if (now->dims[d] != states[i].dims[d]) states[i].dims[d] = ig_dim_born(c->dims);
        }
        if (is_stable || round > 2) break;
    }
    for (int o = 0; o < c->n_out; o++) {
        const size_t i = (size_t)o;
        if (i < n_states) {
            c->out[o] = states[i];
            if (out[1 + i].type.dtype != INGOT_UNDEFINED) c->out[o].type = out[1 + i].type;
            ig_info_merge(c->dims, &c->out[o], &out[1 + i]);
        } else {
            const ig_info *row = &out[1 + i];
            c->out[o] =
                (ig_info){ .type = row->type,
                           .rank = row->rank < 0 || row->rank >= IG_MAX_RANK ? -1 : row->rank + 1 };
            for (int d = 0; d < c->out[o].rank; d++)
                c->out[o].dims[d] = d == 0 || !ig_dim_is_const(row->dims[d - 1])
                                        ? ig_dim_born(c->dims)
                                        : row->dims[d - 1];
        }
    }
    return INGOT_OK;
}

static ig_status read_bool(ig_call *c, const ig_tensor *t, bool *out)
{
    if (!t || t->dtype != INGOT_BOOL || ig_tensor_count(t) != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "the condition is not a single bool");
    *out = *(const uint8_t *)t->data != 0;
    return INGOT_OK;
}

static ig_status read_bound(ig_call *c, int64_t *bound)
{
    const ig_tensor *m = c->in[0];
    *bound = INT64_MAX;
    if (!m) return INGOT_OK;
    if (m->dtype != INGOT_INT64 || ig_tensor_count(m) != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "the trip count is not a single int64");
    *bound = *(const int64_t *)m->data;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_attr *body = NULL;
    size_t n_states = 0, n_rows = 0;
    int64_t bound = 0, i = 0;
    uint8_t cond_byte = 1;
    bool goes_on = true;
    IG_TRY(read_body(c->node, &body, &n_states, &n_rows, c->err));
    const ig_graph *g = body->g;
    const ig_tensor **in = ig_arena_array(c->scratch, g->n_inputs + 1, sizeof *in);
    const ig_tensor **out = ig_arena_array(c->scratch, g->n_outputs + 1, sizeof *out);
    ig_stack *rows = ig_arena_array(c->scratch, n_rows + 1, sizeof *rows);
    if (!in || !out || !rows) return IG_NOMEM(c->err, g->n_inputs * sizeof *in);
    IG_TRY(read_bound(c, &bound));
    if (c->in[1]) IG_TRY(read_bool(c, c->in[1], &goes_on));
    for (size_t k = 0; k < n_states; k++) in[2 + k] = c->in[2 + k];
    IG_TRY(ig_control_captures(c, body, in, 2 + n_states));

    const ig_tensor iteration = { .dtype = INGOT_INT64, .data = &i },
                    cond = { .dtype = INGOT_BOOL, .data = &cond_byte };
    in[0] = &iteration;
    in[1] = &cond;
    for (; i < bound && goes_on; i++) {
        IG_TRY(ig_control_step(c));
        IG_TRY(c->run_graph(c, body, in, g->n_inputs, out, g->n_outputs));
        IG_TRY(read_bool(c, out[0], &goes_on));
        cond_byte = goes_on;
        for (size_t k = 0; k < n_states; k++) in[2 + k] = out[1 + k];
        for (size_t k = 0; k < n_rows; k++)
            IG_TRY(ig_stack_push(c, &rows[k], out[1 + n_states + k]));
    }
    for (size_t k = 0; k < n_states; k++) IG_TRY(ig_control_output(c, (int)k, in[2 + k]));
    for (size_t k = 0; k < n_rows; k++) {
        if (rows[k].n == 0) IG_TRY(ig_stack_set_empty(c, &rows[k], body, in, 1 + n_states + k));
        IG_TRY(ig_stack_output(c, (int)(n_states + k), &rows[k], 0, false));
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "i64[]{3} bool[]{1} f32[2]{1,2} body=graph \"b\" (opset ai.onnx 21) (%i: int64[], %c: bool[], "
    "%x: float32[2]) -> (%d, %y, %z) { %d = Identity \"\" (%c) %y = Add \"\" (%x, %x) "
    "%z = Identity \"\" (%x) } -> 2 = f32[2]{8,16} f32[3,2]{1,2,2,4,4,8}",
    "i64[]{3} _ f32[1]{1} body=graph \"b\" (opset ai.onnx 21) (%i: int64[], %c: bool[], "
    "%x: float32) -> (%c, %y) { %y = Concat \"\" (%x, %x) { axis = 0 } } = f32[8]{1}",
    "i64[]{0} bool[]{1} f32[2]{1,2} body=graph \"b\" (opset ai.onnx 21) (%i: int64[], %c: bool[], "
    "%x: float32[2]) -> (%d, %y) { %d = Identity \"\" (%c) %y = Add \"\" (%x, %x) } "
    "= f32[2]{1,2}",
    "i64[]{3} _ str[1]{\"b\"} str[1]{\"a string that is long\"} body=graph @3 \"b\" "
    "(opset ai.onnx 21) (%i: int64[], %c: bool[], %s: string[1]; %p) -> (%c, %t, %z) "
    "{ %t = StringConcat \"\" (%s, %p) %z = Identity \"\" (%s) } -> 2 = str[1]"
    "{\"ba string that is longa string that is longa string that is long\"} str[3,1]{\"b\","
    "\"ba string that is long\",\"ba string that is longa string that is long\"}",
    "i64[]{3} bool[]{1} f32[2] ! body",
    NULL,
};

const ig_op ig_op_loop = {
    .onnx = "Loop",
    .since = { 1, 11, 13, 16, 19, 21, 23, 24, 25 },
    .n_in = { 2, -1 },
    .any_kind = UINT16_MAX & ~3,
    .gaps = 1 << 0 | 1 << 1,
    .n_out = { 1, -1 },
    .flags = IG_CONTROL_FLOW,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
