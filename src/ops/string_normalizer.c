/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string_normalizer.c: stop words dropped, then all in lower or upper case. Where case does not
 * matter, words are compared in lower case. Case is Unicode's, code point by code point, whatever
 * `locale` says: no locale needs to be installed, and none changes a result.
 */
#include <string.h>

#include "base/unicode.h"
#include "ops/strided.h"

typedef enum action { NONE, LOWER, UPPER } action;

static ig_status read_action(const ig_node *node, action *out, ig_error *err)
{
    static const char *const names[] = { [NONE] = "NONE", [LOWER] = "LOWER", [UPPER] = "UPPER" };
    for (size_t i = 0; i < IG_COUNT(names); i++)
        if (ig_attr_is(node, "case_change_action", names[i], i == NONE)) {
            *out = (action)i;
            return INGOT_OK;
        }
    return ig_fail(err, INGOT_ERR_INVALID, "case_change_action must be NONE, LOWER or UPPER");
}

static ig_status infer(ig_infer *c)
{
    action change;
    IG_TRY(ig_infer_tensors(c, 1));
    IG_TRY(read_action(c->node, &change, c->err));
    const ig_info *in = c->in[0];
    if (in->rank < 0) return INGOT_OK;
    const bool is_row = in->rank == 2 && (!ig_dim_is_const(in->dims[0]) || in->dims[0] == 1);
    if (in->rank != 1 && !is_row)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "strings must have the shape [C] or [1, C]");
    const ig_attr *stop = ig_node_attr(c->node, "stopwords");
    /* Without stop words only the empty input has another shape than its output. */
    const ig_dim count = in->dims[in->rank - 1];
    const bool is_kept = (!stop || stop->n == 0) && ig_dim_is_const(count);
    const ig_dim left = is_kept ? (count ? count : 1) : ig_dim_born(c->dims);
    const ig_dim dims[2] = { in->rank == 1 ? left : 1, left };
    ig_info_set_shape(&c->out[0], INGOT_STRING, in->rank, dims);
    return INGOT_OK;
}

/* s in another case; bytes that are no UTF-8 stay. Mappings may change the length in bytes. */
static ig_status change_case(ig_arena *arena, ingot_string s, action change, ingot_string *out,
                             ig_error *err)
{
    size_t room, n = 0, length;
    *out = s;
    if (change == NONE || s.bytes == 0) return INGOT_OK;
    /* Two bytes can become three, and three never four. */
    if (!ig_size_add(s.bytes, s.bytes / 2 + 4, &room)) return IG_NOMEM(err, s.bytes);
    char *text = ig_arena_get(arena, room);
    if (!text) return IG_NOMEM(err, room);
    for (size_t i = 0; i < s.bytes; i += length) {
        const int32_t c = ig_utf8_get(s.data + i, s.bytes - i, &length);
        if (c < 0)
            text[n++] = s.data[i];
        else
            n += ig_utf8_put(change == LOWER ? ig_unicode_lower(c) : ig_unicode_upper(c), text + n);
    }
    *out = (ingot_string){ text, n };
    return INGOT_OK;
}

static ig_status read_stop_words(const ig_call *c, action compare, ig_map *words)
{
    const ig_attr *attr = ig_node_attr(c->node, "stopwords");
    ig_map_init(words, c->scratch);
    for (size_t i = 0; attr && attr->kind == IG_ATTR_STRINGS && i < attr->n; i++) {
        ingot_string word;
        IG_TRY(change_case(c->scratch, attr->strings[i], compare, &word, c->err));
        if (!ig_map_put(words, word.data, word.bytes, 0))
            return IG_NOMEM(c->err, attr->n * sizeof(ig_map_slot));
    }
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    const int64_t n = ig_tensor_count(x);
    const bool is_case_sensitive = ig_attr_int(c->node, "is_case_sensitive", 0) != 0;
    const action compare = is_case_sensitive ? NONE : LOWER;
    action change;
    ig_map words;
    int64_t left = 0;
    IG_TRY(read_action(c->node, &change, c->err));
    IG_TRY(read_stop_words(c, compare, &words));
    if (x->rank != 1 && (x->rank != 2 || x->dims[0] != 1))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "strings must have the shape [C] or [1, C]");
    ingot_string *kept = ig_arena_array(c->scratch, (size_t)n + 1, sizeof *kept);
    if (!kept) return IG_NOMEM(c->err, (size_t)n * sizeof *kept);
    for (int64_t i = 0; i < n; i++) {
        const ingot_string s = ((const ingot_string *)x->data)[i];
        ingot_string plain = s;
        if (words.n) IG_TRY(change_case(c->scratch, s, compare, &plain, c->err));
        if (words.n && ig_map_get(&words, plain.data, plain.bytes) != IG_MAP_NONE) continue;
        IG_TRY(change_case(c->scratch, s, change, &kept[left], c->err));
        left++;
    }
    if (left == 0) kept[left++] = (ingot_string){ "", 0 };
    const int64_t dims[2] = { x->rank == 1 ? left : 1, left };
    IG_TRY(ig_call_output(c, 0, INGOT_STRING, x->rank, dims));
    if (c->out[0]) memcpy(c->out[0]->data, kept, (size_t)left * sizeof *kept);
    return INGOT_OK;
}

/* Expected values with letters beyond ASCII are ONNX Runtime's in the locale C.UTF-8. */
static const char *const cases[] = {
    "str{\"monday\",\"tuesday\",\"Monday\"} stopwords=[\"monday\"] is_case_sensitive=1 "
    "case_change_action=\"UPPER\" = str{\"TUESDAY\",\"MONDAY\"}",
    "str[1,3]{\"monday\",\"tuesday\",\"Monday\"} stopwords=[\"MONDAY\"] = str[1,1]{\"tuesday\"}",
    "str{\"Éa\",\"ÉA\",\"b\",\"straße\",\"İ\",\"x\"} stopwords=[\"éa\"] = "
    "str{\"b\",\"straße\",\"İ\",\"x\"}",
    "str{\"Éa\",\"b\",\"straße\",\"İ\",\"ǆ\",\"ﬁ\",\"ᾀ\"} stopwords=[\"éa\"] "
    "case_change_action=\"UPPER\" locale=\"xx_XX\" = str{\"B\",\"STRAßE\",\"İ\",\"Ǆ\",\"ﬁ\",\"ᾈ\"}",
    "str{\"Éa\",\"ÉA\",\"İ\",\"ǅ\",\"ẞ\",\"Σς\"} stopwords=[\"ÉA\"] is_case_sensitive=1 "
    "case_change_action=\"LOWER\" = str{\"éa\",\"i\",\"ǆ\",\"ß\",\"σς\"}",
    /* a mapping that takes more bytes: U+023A is two, U+2C65 three */
    "str{\"ȺȺȺȺȺȺ\"} case_change_action=\"LOWER\" = str{\"ⱥⱥⱥⱥⱥⱥ\"}",
    "str{\"monday\",\"monday\"} stopwords=[\"monday\"] = str{\"\"}",
    "str[1,2]{\"a\",\"A\"} stopwords=[\"a\"] = str[1,1]{\"\"}",
    "str{\"monday blue\",\"\"} stopwords=[\"monday\",\"\"] = str{\"monday blue\"}",
    "str{\"\",\"\"} = str{\"\",\"\"}",
    "str[0] stopwords=[\"a\"] = str{\"\"}",
    "str[0] = str{\"\"}",
    "str[1,0] = str[1,1]{\"\"}",
    "str[5] case_change_action=\"UPPER\"",
    "str[2,2] ! must have the shape [C] or [1, C]",
    "str[] stopwords=[\"a\"] ! must have the shape [C] or [1, C]",
    "str[1] case_change_action=\"upper\" ! must be NONE, LOWER or UPPER",
    NULL,
};

const ig_op ig_op_string_normalizer = {
    .onnx = "StringNormalizer",
    .since = { 10 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_STRING,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
