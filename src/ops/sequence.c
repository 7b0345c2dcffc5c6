/* SPDX-License-Identifier: Apache-2.0 */
/* sequence.c: see sequence.h. */
#include "ops/sequence.h"

#include <string.h>

#include "ops/strided.h"

static ig_status not_a_sequence(int i, ig_error *err)
{
    return ig_fail(err, INGOT_ERR_SHAPE, "input %d is not a sequence", i);
}

ig_status ig_infer_is_sequence(const ig_infer *c, int i)
{
    if (i >= c->n_in || !c->in[i])
        return ig_fail(c->err, INGOT_ERR_INVALID, "input %d is missing", i);
    return c->in[i]->type.kind == INGOT_KIND_SEQUENCE ? INGOT_OK : not_a_sequence(i, c->err);
}

void ig_infer_set_sequence(ig_infer *c, ingot_dtype dtype)
{
    c->out[0].type =
        (ig_type){ .kind = INGOT_KIND_SEQUENCE, .dtype = dtype, .item_kind = INGOT_KIND_TENSOR };
    c->out[0].rank = -1;
}

ig_status ig_call_is_sequence(const ig_call *c, int i)
{
    if (i >= c->n_in || !c->in[i] || c->in[i]->kind != INGOT_KIND_SEQUENCE)
        return not_a_sequence(i, c->err);
    return INGOT_OK;
}

ig_status ig_call_items(ig_call *c, ingot_kind kind, ingot_dtype dtype, size_t n)
{
    ig_tensor *out = c->out[0];
    ig_tensor **items = ig_arena_array(c->scratch, n + 1, sizeof *items);
    if (!items) return IG_NOMEM(c->err, n * sizeof *items);
    out->kind = kind;
    out->dtype = dtype;
    out->items = items;
    out->n_items = out->cap_items = n;
    return INGOT_OK;
}

void ig_call_set_item(ig_call *c, size_t k, const ig_tensor *t)
{
    c->out[0]->items[k] = (ig_tensor *)(uintptr_t)t; /* read only until it is copied */
}

ig_status ig_call_position(const ig_call *c, int i, int64_t fallback, size_t n, bool end_allowed,
                           size_t *out)
{
    int64_t at;
    const int64_t count = (int64_t)n;
    IG_TRY(ig_call_scalar(c, i, fallback, &at));
    if (at < -count || at > count || (at == count && !end_allowed))
        return ig_fail(c->err, INGOT_ERR_INVALID, "position %lld is out of range for %zu items",
                       (long long)at, n);
    *out = (size_t)(at < 0 ? at + count : at);
    return INGOT_OK;
}

ig_status ig_call_give(ig_call *c, const ig_tensor *t)
{
    size_t bytes;
    if (t->kind == INGOT_KIND_TENSOR) {
        IG_TRY(ig_call_output(c, 0, t->dtype, t->rank, t->dims));
        if (ig_tensor_bytes(t, &bytes) && bytes > 0) memcpy(c->out[0]->data, t->data, bytes);
        return INGOT_OK;
    }
    IG_TRY(ig_call_items(c, t->kind, t->dtype, t->n_items));
    for (size_t k = 0; k < t->n_items; k++) ig_call_set_item(c, k, t->items[k]);
    return INGOT_OK;
}
