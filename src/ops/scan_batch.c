/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_batch.c: Scan of opset 8. Inputs: sequence_lens [batch] (may be absent), states [batch, …],
 * scan inputs [batch, length, …]. Each sequence of the batch is scanned on its own, up to its
 * length; outputs are the last states [batch, …] and the stacked rows [batch, length, …], with
 * zeros after the end of a shorter sequence. A reversed scan input begins at the last slice of the
 * sequence.
 */
#include <string.h>

#include "ops/scan.h"

enum { IN_LENS, IN_STATES };

/* ---- inference ---- */

/* info of input i without its first n dimensions. */
static ig_status drop_dims(const ig_infer *c, size_t i, int n, ig_info *out)
{
    if (!c->in[i]) return ig_fail(c->err, INGOT_ERR_INVALID, "input %zu is missing", i);
    *out = *c->in[i];
    out->data = NULL, out->elems = NULL;
    if (out->rank < 0) return INGOT_OK;
    if (out->rank < n)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input %zu has rank %d, at least %d is needed", i,
                       out->rank, n);
    for (int d = n; d < out->rank; d++) out->dims[d - n] = out->dims[d];
    out->rank = (int16_t)(out->rank - n);
    return INGOT_OK;
}

/* out with these dimensions in front. */
static void add_dims(const ig_info *row, int n, const ig_dim *front, ig_info *out)
{
    *out = (ig_info){ .type = row->type, .rank = -1 };
    if (row->rank < 0 || row->rank + n > IG_MAX_RANK) return;
    out->rank = (int16_t)(row->rank + n);
    for (int d = 0; d < out->rank; d++) out->dims[d] = d < n ? front[d] : row->dims[d - n];
}

ig_status ig_infer_scan_batch(ig_infer *c)
{
    ig_scan s;
    IG_TRY(ig_scan_read(c->node, IN_STATES, &s, c->err));
    const ig_graph *g = s.body->g;
    const size_t n = s.n_states + s.n_scans;
    const ig_info **in = ig_arena_array(c->arena, g->n_inputs + 1, sizeof *in);
    ig_info *infos = ig_arena_array(c->arena, n + 1, sizeof *infos);
    ig_info *out = ig_arena_array(c->arena, g->n_outputs + 1, sizeof *out);
    ig_dim front[2] = { ig_dim_born(c->dims), ig_dim_born(c->dims) };
    if (!in || !infos || !out) return IG_NOMEM(c->err, n * sizeof *infos);
    for (size_t i = 0; i < n; i++) {
        const int n_front = i < s.n_states ? 1 : 2;
        IG_TRY(drop_dims(c, IN_STATES + i, n_front, &infos[i]));
        in[i] = &infos[i];
        for (int d = 0; d < n_front && infos[i].rank >= 0; d++)
            front[d] = c->in[IN_STATES + i]->dims[d];
    }
    IG_TRY(ig_infer_captures(c, s.body, in, n));
    IG_TRY(c->graph(c, g, in, out));
    for (int o = 0; o < c->n_out; o++) {
        const bool is_state = (size_t)o < s.n_states;
        if (is_state) ig_info_merge(c->dims, &out[o], &infos[o]);
        add_dims(&out[o], is_state ? 1 : 2, front, &c->out[o]);
    }
    return INGOT_OK;
}

/* ---- reference ---- */

typedef struct batch {
    ig_scan s;
    int64_t n_batch, length;
    const ig_tensor **in, **out; /* of the body */
    ig_tensor **items;           /* states and slices of the sequence at hand */
    ig_stack *states, *rows;     /* what is collected */
    ig_tensor **zeros;           /* a row of zeros each, where one was needed */
} batch;

/* items[i]: like input i without its first n_front dimensions, which must be batch (and length). */
static ig_status make_item(ig_call *c, batch *b, size_t i, int n_front)
{
    const ig_tensor *t = c->in[IN_STATES + i];
    if (!t || t->kind != INGOT_KIND_TENSOR || t->rank < n_front)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input %zu is no tensor of rank %d or more",
                       IN_STATES + i, n_front);
    if (b->n_batch < 0) b->n_batch = t->dims[0];
    if (n_front > 1 && b->length < 0) b->length = t->dims[1];
    if (t->dims[0] != b->n_batch || (n_front > 1 && t->dims[1] != b->length))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input %zu differs from others in batch or length",
                       IN_STATES + i);
    return ig_tensor_in_arena(c->scratch, t->dtype, t->rank - n_front, t->dims + n_front, NULL,
                              &b->items[i], c->err);
}

static void load_item(const ig_tensor *t, int64_t at, ig_tensor *item)
{
    size_t bytes = 0;
    if (ig_tensor_bytes(item, &bytes) && bytes)
        memcpy(item->data, (const uint8_t *)t->data + (size_t)at * bytes, bytes);
}

static ig_status begin(ig_call *c, batch *b)
{
    IG_TRY(ig_scan_read(c->node, IN_STATES, &b->s, c->err));
    const ig_graph *g = b->s.body->g;
    const size_t n = b->s.n_states + b->s.n_scans;
    b->n_batch = b->length = -1;
    b->in = ig_arena_array(c->scratch, g->n_inputs + 1, sizeof *b->in);
    b->out = ig_arena_array(c->scratch, g->n_outputs + 1, sizeof *b->out);
    b->items = ig_arena_array(c->scratch, n + 1, sizeof *b->items);
    b->states = ig_arena_array(c->scratch, b->s.n_states + 1, sizeof *b->states);
    b->rows = ig_arena_array(c->scratch, b->s.n_rows + 1, sizeof *b->rows);
    b->zeros = ig_arena_array(c->scratch, b->s.n_rows + 1, sizeof *b->zeros);
    if (!b->in || !b->out || !b->items || !b->states || !b->rows || !b->zeros)
        return IG_NOMEM(c->err, n * sizeof *b->items);
    for (size_t i = 0; i < n; i++) IG_TRY(make_item(c, b, i, i < b->s.n_states ? 1 : 2));
    return ig_control_captures(c, b->s.body, b->in, n);
}

static ig_status sequence_length(const ig_call *c, const batch *b, int64_t i, int64_t *out)
{
    const ig_tensor *lens = c->in[IN_LENS];
    *out = b->length;
    if (!lens) return INGOT_OK;
    if (lens->dtype != INGOT_INT64 || ig_tensor_count(lens) != b->n_batch)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "sequence_lens is not one int64 a sequence");
    *out = ((const int64_t *)lens->data)[i];
    if (*out < 0 || *out > b->length)
        return ig_fail(c->err, INGOT_ERR_INVALID, "sequence_lens[%lld] is %lld, there are %lld",
                       (long long)i, (long long)*out, (long long)b->length);
    return INGOT_OK;
}

/* Step t of sequence i, which has `length` slices. */
static ig_status run_once(ig_call *c, batch *b, int64_t i, int64_t t, int64_t length)
{
    const ig_graph *g = b->s.body->g;
    IG_TRY(ig_control_step(c));
    for (size_t k = 0; k < b->s.n_scans; k++) {
        const size_t at = b->s.n_states + k;
        const bool is_reversed = ig_scan_list_at(c->node, "directions", k) != 0;
        load_item(c->in[IN_STATES + at], i * b->length + (is_reversed ? length - 1 - t : t),
                  b->items[at]);
        b->in[at] = b->items[at];
    }
    IG_TRY(c->run_graph(c, b->s.body, b->in, g->n_inputs, b->out, g->n_outputs));
    for (size_t k = 0; k < b->s.n_states; k++) b->in[k] = b->out[k];
    for (size_t k = 0; k < b->s.n_rows; k++)
        IG_TRY(ig_stack_push(c, &b->rows[k], b->out[b->s.n_states + k]));
    return INGOT_OK;
}

/* The rest of the rows of a sequence that is shorter than the longest. */
static ig_status pad_rows(ig_call *c, batch *b, size_t k, int64_t n)
{
    ig_stack *rows = &b->rows[k];
    if (n == 0) return INGOT_OK;
    if (!b->zeros[k]) {
        if (rows->n == 0) IG_TRY(ig_stack_set_empty(c, rows, b->s.body, NULL, b->s.n_states + k));
        IG_TRY(ig_tensor_in_arena(c->scratch, rows->dtype, rows->rank, rows->dims, NULL,
                                  &b->zeros[k], c->err));
    }
    for (int64_t t = 0; t < n; t++) IG_TRY(ig_stack_push(c, rows, b->zeros[k]));
    return INGOT_OK;
}

static ig_status run_sequence(ig_call *c, batch *b, int64_t i)
{
    int64_t length;
    IG_TRY(sequence_length(c, b, i, &length));
    for (size_t k = 0; k < b->s.n_states; k++) {
        load_item(c->in[IN_STATES + k], i, b->items[k]);
        b->in[k] = b->items[k];
    }
    for (int64_t t = 0; t < length; t++) IG_TRY(run_once(c, b, i, t, length));
    for (size_t k = 0; k < b->s.n_states; k++) IG_TRY(ig_stack_push(c, &b->states[k], b->in[k]));
    for (size_t k = 0; k < b->s.n_rows; k++) IG_TRY(pad_rows(c, b, k, b->length - length));
    return INGOT_OK;
}

/* Rows of all sequences, [batch * length, …], as [batch, length, …]. */
static ig_status give_rows(ig_call *c, const batch *b, size_t k)
{
    const int o = (int)(b->s.n_states + k);
    ig_stack *rows = &b->rows[k];
    int64_t dims[IG_MAX_RANK] = { b->n_batch, b->length };
    if (o >= c->n_out || !c->out[o]) return INGOT_OK;
    if (rows->n == 0) IG_TRY(ig_stack_set_empty(c, rows, b->s.body, NULL, (size_t)o));
    if (rows->rank + 2 > IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "scan output has rank %d", rows->rank + 2);
    for (int d = 0; d < rows->rank; d++) dims[2 + d] = rows->dims[d];
    IG_TRY(ig_call_output(c, o, rows->dtype, rows->rank + 2, dims));
    const size_t bytes = (size_t)rows->n * rows->row_bytes;
    if (bytes) memcpy(c->out[o]->data, rows->data, bytes);
    return INGOT_OK;
}

ig_status ig_ref_scan_batch(ig_call *c)
{
    batch b = { .in = NULL };
    IG_TRY(begin(c, &b));
    for (int64_t i = 0; i < b.n_batch; i++) IG_TRY(run_sequence(c, &b, i));
    for (size_t k = 0; k < b.s.n_states; k++) {
        if (b.n_batch == 0) IG_TRY(ig_stack_set_empty(c, &b.states[k], b.s.body, NULL, k));
        IG_TRY(ig_stack_output(c, (int)k, &b.states[k], 0, false));
    }
    for (size_t k = 0; k < b.s.n_rows; k++) IG_TRY(give_rows(c, &b, k));
    return INGOT_OK;
}
