/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string_split.c: parts of each string between delimiters, padded with empty strings to the longest
 * row, and their numbers. Without a delimiter (or an empty one) runs of ASCII white space separate,
 * and such at the ends is dropped. maxsplit bounds the number of cuts; the rest of the string then
 * is the last part.
 */
#include <string.h>

#include "ops/strided.h"

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static ig_status infer(ig_infer *c)
{
    const ig_info *in = c->in[0];
    ig_dim dims[IG_MAX_RANK];
    IG_TRY(ig_infer_tensors(c, 1));
    for (int i = 1; i < c->n_out; i++) c->out[i].type.dtype = INGOT_INT64;
    if (in->rank < 0) return INGOT_OK;
    if (in->rank == IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "output would have rank %d, at most %d",
                       in->rank + 1, IG_MAX_RANK);
    for (int d = 0; d < in->rank; d++) dims[d] = in->dims[d];
    if (c->n_out > 1) ig_info_set_shape(&c->out[1], INGOT_INT64, in->rank, dims);
    dims[in->rank] = ig_dim_born(c->dims);
    ig_info_set_shape(&c->out[0], INGOT_STRING, in->rank + 1, dims);
    return INGOT_OK;
}

/* Cut s; writes parts unless NULL; returns their number. */
static int64_t cut(ingot_string s, ingot_string by, int64_t most_cuts, ingot_string *parts)
{
    const bool at_space = by.bytes == 0;
    const char *p = s.data, *end = s.data + s.bytes;
    int64_t n = 0;
    if (!at_space && s.bytes == 0) return 0; /* as in the specification's examples */
    for (;;) {
        while (at_space && p < end && is_space(*p)) p++;
        if (at_space && p == end) return n;
        const char *q = p;
        bool found = false;
        for (; n < most_cuts && q < end && !found; q += !found)
            found = at_space ? is_space(*q)
                             : (size_t)(end - q) >= by.bytes && memcmp(q, by.data, by.bytes) == 0;
        if (!found) {
            q = end;
            while (at_space && q > p && is_space(q[-1])) q--;
        }
        if (parts) parts[n] = (ingot_string){ p, (size_t)(q - p) };
        n++;
        if (!found) return n;
        p = q + (at_space ? 1 : by.bytes);
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0];
    const ig_attr *delimiter = ig_node_attr(c->node, "delimiter");
    const ig_attr *max = ig_node_attr(c->node, "maxsplit");
    const ingot_string by =
        delimiter && delimiter->kind == IG_ATTR_STRING ? delimiter->s : (ingot_string){ "", 0 };
    const int64_t most = max && max->kind == IG_ATTR_INT && max->i >= 0 ? max->i : INT64_MAX;
    const int64_t n = ig_tensor_count(in);
    const ingot_string *x = in->data;
    int64_t dims[IG_MAX_RANK + 1], width = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t parts = cut(x[i], by, most, NULL);
        if (parts > width) width = parts;
    }
    for (int d = 0; d < in->rank; d++) dims[d] = in->dims[d];
    dims[in->rank] = width;
    if (in->rank >= IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "output would have rank %d", in->rank + 1);
    IG_TRY(ig_call_output(c, 0, INGOT_STRING, in->rank + 1, dims));
    if (c->n_out > 1) IG_TRY(ig_call_output(c, 1, INGOT_INT64, in->rank, dims));
    int64_t *counts = c->n_out > 1 && c->out[1] ? c->out[1]->data : NULL;
    ingot_string *y = c->out[0] ? c->out[0]->data : NULL;
    for (int64_t i = 0; i < n; i++) {
        const int64_t parts = cut(x[i], by, most, y ? y + i * width : NULL);
        if (counts) counts[i] = parts;
        for (int64_t k = parts; y && k < width; k++) y[i * width + k] = (ingot_string){ "", 0 };
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "str{\"abc.com\",\"abc.net\"} delimiter=\".\" -> 2 = "
    "str[2,2]{\"abc\",\"com\",\"abc\",\"net\"} i64{2,2}",
    "str{\"a\",\"b c\"} -> 2 = str[2,2]{\"a\",\"\",\"b\",\"c\"} i64{1,2}",
    "str{\"o-n-n--x-\"} delimiter=\"-\" maxsplit=2 -> 2 = str[1,3]{\"o\",\"n\",\"n--x-\"} i64{3}",
    "str{\" a  b c \"} maxsplit=1 -> 2 = str[1,2]{\"a\",\"b c\"} i64{2}",
    "str{\"\",\" \"} -> 2 = str[2,0]{} i64{0,0}",
    "str[0] -> 2",
    "str[2,2] delimiter=\"s\" -> 2",
    NULL,
};

const ig_op ig_op_string_split = {
    .onnx = "StringSplit",
    .since = { 20 },
    .n_in = { 1, 1 },
    .n_out = { 1, 2 },
    .types = IG_T_STRING,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
