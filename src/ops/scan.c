/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c: (state…, rows…) = body(state…, slice of each scan input…), over an axis of the scan
 * inputs. Outputs are the last states and the stacked rows. Directions and axes by attribute.
 * In opset 8 all that had a batch: scan_batch.c.
 */
#include "ops/scan.h"

#include <string.h>

ig_status ig_scan_read(const ig_node *node, size_t n_before, ig_scan *s, ig_error *err)
{
    IG_TRY(ig_control_graph(node, "body", &s->body, err));
    const ig_graph *g = s->body->g;
    const size_t n_declared = g->n_inputs - g->n_captures;
    const int64_t n_scans = ig_attr_int(node, "num_scan_inputs", -1);
    if (n_scans < 1 || (size_t)n_scans > n_declared || node->n_inputs < n_before + n_declared)
        return ig_fail(err, INGOT_ERR_INVALID, "num_scan_inputs is %lld, the body takes %zu inputs",
                       (long long)n_scans, n_declared);
    s->n_scans = (size_t)n_scans;
    s->n_states = n_declared - s->n_scans;
    if (g->n_outputs < s->n_states || node->n_outputs > g->n_outputs)
        return ig_fail(err, INGOT_ERR_INVALID, "the body gives %zu outputs for %zu states",
                       g->n_outputs, s->n_states);
    s->n_rows = g->n_outputs - s->n_states;
    return INGOT_OK;
}

int64_t ig_scan_list_at(const ig_node *node, const char *name, size_t i)
{
    size_t n;
    const int64_t *v = ig_attr_ints(node, name, &n);
    return i < n ? v[i] : 0;
}

static ig_status infer(ig_infer *c)
{
    ig_scan s;
    if (c->opset < 9) return ig_infer_scan_batch(c);
    IG_TRY(ig_scan_read(c->node, 0, &s, c->err));
    const ig_graph *g = s.body->g;
    const ig_info **in = ig_arena_array(c->arena, g->n_inputs + 1, sizeof *in);
    ig_info *infos = ig_arena_array(c->arena, g->n_inputs + 1, sizeof *infos);
    ig_info *out = ig_arena_array(c->arena, g->n_outputs + 1, sizeof *out);
    ig_dim length = -1;
    if (!in || !infos || !out) return IG_NOMEM(c->err, g->n_inputs * sizeof *infos);
    for (size_t i = 0; i < s.n_states + s.n_scans; i++) {
        if (!c->in[i]) return ig_fail(c->err, INGOT_ERR_INVALID, "input %zu is missing", i);
        infos[i] = *c->in[i];
        infos[i].data = NULL, infos[i].elems = NULL;
        in[i] = &infos[i];
        if (i < s.n_states || infos[i].rank < 0) continue;
        int axis = 0;
        IG_TRY(ig_axis(ig_scan_list_at(c->node, "scan_input_axes", i - s.n_states), infos[i].rank,
                       &axis, c->err));
        if (length == -1) length = infos[i].dims[axis];
        for (int d = axis; d + 1 < infos[i].rank; d++) infos[i].dims[d] = infos[i].dims[d + 1];
        infos[i].rank--;
    }
    if (length == -1) length = ig_dim_born(c->dims);
    IG_TRY(ig_infer_captures(c, s.body, in, s.n_states + s.n_scans));
    IG_TRY(c->graph(c, g, in, out));
    for (int o = 0; o < c->n_out; o++) {
        ig_info *to = &c->out[o];
        *to = out[o];
        to->data = NULL, to->elems = NULL;
        if ((size_t)o < s.n_states) {
            ig_info_merge(c->dims, to, &infos[o]);
            continue;
        }
        const int rank = out[o].rank < 0 || out[o].rank >= IG_MAX_RANK ? -1 : out[o].rank + 1;
        const int64_t axis = ig_scan_list_at(c->node, "scan_output_axes", (size_t)o - s.n_states);
        const int at = (int)(axis < 0 ? axis + rank : axis);
        to->rank = (int16_t)(at < 0 || at >= rank ? -1 : rank);
        for (int d = 0; d < to->rank; d++)
            to->dims[d] = d < at ? out[o].dims[d] : d == at ? length : out[o].dims[d - 1];
    }
    return INGOT_OK;
}

/* Slice number i of t along axis, into dst (a tensor of rank - 1 with memory). */
static void copy_slice(const ig_tensor *t, int axis, int64_t i, ig_tensor *dst)
{
    const int64_t n_outer = ig_count(axis, t->dims), n_axis = t->dims[axis];
    size_t total = 0;
    if (!ig_tensor_bytes(dst, &total) || n_outer == 0) return;
    const size_t piece = total / (size_t)n_outer;
    for (int64_t o = 0; o < n_outer && piece; o++)
        memcpy((uint8_t *)dst->data + (size_t)o * piece,
               (const uint8_t *)t->data + (size_t)(o * n_axis + i) * piece, piece);
}

static ig_status make_slice(ig_call *c, const ig_tensor *t, int axis, ig_tensor **out)
{
    int64_t dims[IG_MAX_RANK];
    for (int d = 0; d + 1 < t->rank; d++) dims[d] = t->dims[d < axis ? d : d + 1];
    return ig_tensor_in_arena(c->scratch, t->dtype, t->rank - 1, dims, NULL, out, c->err);
}

static ig_status ref(ig_call *c)
{
    ig_scan s;
    int64_t length = -1;
    if (c->opset < 9) return ig_ref_scan_batch(c);
    IG_TRY(ig_scan_read(c->node, 0, &s, c->err));
    const ig_graph *g = s.body->g;
    const ig_tensor **in = ig_arena_array(c->scratch, g->n_inputs + 1, sizeof *in);
    const ig_tensor **out = ig_arena_array(c->scratch, g->n_outputs + 1, sizeof *out);
    ig_tensor **slices = ig_arena_array(c->scratch, s.n_scans + 1, sizeof *slices);
    int *axes = ig_arena_array(c->scratch, s.n_scans + 1, sizeof *axes);
    ig_stack *rows = ig_arena_array(c->scratch, s.n_rows + 1, sizeof *rows);
    if (!in || !out || !slices || !axes || !rows) return IG_NOMEM(c->err, g->n_inputs * sizeof *in);
    for (size_t k = 0; k < s.n_states; k++) in[k] = c->in[k];
    for (size_t k = 0; k < s.n_scans; k++) {
        const ig_tensor *t = c->in[s.n_states + k];
        if (!t || t->kind != INGOT_KIND_TENSOR)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "scan input %zu is no tensor", k);
        IG_TRY(ig_axis(ig_scan_list_at(c->node, "scan_input_axes", k), t->rank, &axes[k], c->err));
        if (length < 0) length = t->dims[axes[k]];
        if (length != t->dims[axes[k]])
            return ig_fail(c->err, INGOT_ERR_SHAPE, "scan inputs have %lld and %lld slices",
                           (long long)length, (long long)t->dims[axes[k]]);
        IG_TRY(make_slice(c, t, axes[k], &slices[k]));
        in[s.n_states + k] = slices[k];
    }
    IG_TRY(ig_control_captures(c, s.body, in, s.n_states + s.n_scans));
    for (int64_t i = 0; i < length; i++) {
        IG_TRY(ig_control_step(c));
        for (size_t k = 0; k < s.n_scans; k++) {
            const bool is_reversed = ig_scan_list_at(c->node, "scan_input_directions", k) != 0;
            copy_slice(c->in[s.n_states + k], axes[k], is_reversed ? length - 1 - i : i, slices[k]);
        }
        IG_TRY(c->run_graph(c, s.body, in, g->n_inputs, out, g->n_outputs));
        for (size_t k = 0; k < s.n_states; k++) in[k] = out[k];
        for (size_t k = 0; k < s.n_rows; k++)
            IG_TRY(ig_stack_push(c, &rows[k], out[s.n_states + k]));
    }
    for (size_t k = 0; k < s.n_states; k++) IG_TRY(ig_control_output(c, (int)k, in[k]));
    for (size_t k = 0; k < s.n_rows; k++) {
        if (length == 0) IG_TRY(ig_stack_set_empty(c, &rows[k], s.body, in, s.n_states + k));
        IG_TRY(ig_stack_output(c, (int)(s.n_states + k), &rows[k],
                               (int)ig_scan_list_at(c->node, "scan_output_axes", k),
                               ig_scan_list_at(c->node, "scan_output_directions", k) != 0));
    }
    return INGOT_OK;
}

/* A running sum, by opset 8. */
#define SUM                                                                                        \
    "body=graph \"b\" (opset ai.onnx 8) (%s: float32[2], %x: float32[2]) -> (%t, %y) "             \
    "{ %t = Add \"\" (%s, %x) %y = Identity \"\" (%t) } "

static const char *const cases[] = {
    "f32[2]{0,0} f32[3,2]{1,2,3,4,5,6} num_scan_inputs=1 body=graph \"b\" (opset ai.onnx 21) "
    "(%s: float32[2], %x: float32[2]) -> (%t, %y) { %t = Add \"\" (%s, %x) "
    "%y = Identity \"\" (%t) } -> 2 = f32[2]{9,12} f32[3,2]{1,2,4,6,9,12}",
    "f32[2,3]{1,2,3,4,5,6} num_scan_inputs=1 scan_input_axes=[1] scan_output_axes=[-1] "
    "scan_input_directions=[1] body=graph \"b\" (opset ai.onnx 21) (%x: float32[2]) -> (%y) "
    "{ %y = Neg \"\" (%x) } = f32[2,3]{-3,-2,-1,-6,-5,-4}",
    "f32[2]{5,6} f32[0,2] num_scan_inputs=1 body=graph \"b\" (opset ai.onnx 21) "
    "(%s: float32[2], %x: float32[2]) -> (%t, %y) { %t = Add \"\" (%s, %x) "
    "%y = Identity \"\" (%t) } -> 2 = f32[2]{5,6} f32[0,2]{}",
    "_ f32[1,2]{0,0} f32[1,3,2]{1,2,3,4,5,6} num_scan_inputs=1 @8 " SUM
    "-> 2 = f32[1,2]{9,12} f32[1,3,2]{1,2,4,6,9,12}",
    "i64{2,1} f32[2,2]{0,0,10,10} f32[2,2,2]{1,2,3,4,5,6,7,8} num_scan_inputs=1 @8 " SUM
    "-> 2 = f32[2,2]{4,6,15,16} f32[2,2,2]{1,2,4,6,15,16,0,0}",
    "i64{2,1} f32[2,2]{0,0,10,10} f32[2,2,2]{1,2,3,4,5,6,7,8} num_scan_inputs=1 directions=[1] "
    "@8 " SUM "-> 2 = f32[2,2]{4,6,15,16} f32[2,2,2]{3,4,4,6,15,16,0,0}",
    "_ f32[1,2]{5,6} f32[1,0,2] num_scan_inputs=1 @8 " SUM "-> 2 = f32[1,2]{5,6} f32[1,0,2]{}",
    "_ f32[0,2] f32[0,3,2] num_scan_inputs=1 @8 " SUM "-> 2 = f32[0,2]{} f32[0,3,2]{}",
    "i64{0,1} f32[2,2]{0} f32[2,1,2]{1,2,3,4} num_scan_inputs=1 @8 " SUM
    "-> 2 = f32[2,2]{0,0,3,4} f32[2,1,2]{0,0,3,4}",
    "i64{3} f32[1,2] f32[1,2,2] num_scan_inputs=1 @8 " SUM "-> 2 ! sequence_lens[0] is 3",
    "_ f32[1,2] f32[2,2,2] num_scan_inputs=1 @8 " SUM "-> 2 ! differs from others in batch",
    "_ f32[1,2] f32[1] num_scan_inputs=1 @8 " SUM "-> 2 ! rank 1, at least 2 is needed",
    "f32[2] f32[3,2] num_scan_inputs=1 -> 2 ! body",
    NULL,
};

const ig_op ig_op_scan = {
    .onnx = "Scan",
    .since = { 8, 9, 11, 16, 19, 21, 23, 24, 25 },
    .n_in = { 1, -1 },
    .any_kind = UINT16_MAX,
    .gaps = 1 << 0,
    .n_out = { 1, -1 },
    .flags = IG_CONTROL_FLOW,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
