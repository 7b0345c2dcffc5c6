/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokenizer.c: com.microsoft Tokenizer: the pieces of each string between matches of `separators`
 * (taken one after the other: each cuts the pieces of those before), or else the matches of
 * `tokenexp`. Matches are the first and there the longest; an empty one takes a character. Pieces
 * of fewer than mincharnum characters are dropped. A single empty separator, or tokenexp ".", gives
 * characters. With mark each row stands between two control characters. Rows are filled up with
 * pad_value.
 */
#include <string.h>

#include "base/unicode.h"
#include "ops/regex.h"
#include "ops/strided.h"

typedef struct tokenizer {
    bool is_by_character, is_by_token, has_mark;
    int64_t least;
    ingot_string pad;
    const ingot_string *patterns;
    size_t n_patterns;
    const ig_regex **regexes; /* in an arena */
    void *scratch;
} tokenizer;

static bool is_text(ingot_string s, const char *text)
{
    return s.bytes == strlen(text) && (s.bytes == 0 || memcmp(s.data, text, s.bytes) == 0);
}

static ig_status read_options(const ig_node *node, tokenizer *t, ig_error *err)
{
    const ig_attr *separators = ig_node_attr(node, "separators");
    const ig_attr *tokenexp = ig_node_attr(node, "tokenexp");
    const ig_attr *pad = ig_node_attr(node, "pad_value");
    const bool has_separators =
        separators && separators->kind == IG_ATTR_STRINGS && separators->n > 0;
    const bool has_tokenexp = tokenexp && tokenexp->kind == IG_ATTR_STRING;
    *t = (tokenizer){ .has_mark = ig_attr_int(node, "mark", 0) != 0,
                      .least = ig_attr_int(node, "mincharnum", 0) };
    if (!has_separators && !has_tokenexp)
        return ig_fail(err, INGOT_ERR_INVALID, "separators and tokenexp are missing");
    if (!pad || pad->kind != IG_ATTR_STRING)
        return ig_fail(err, INGOT_ERR_INVALID, "pad_value is missing");
    t->pad = pad->s;
    t->is_by_token = !has_separators;
    t->patterns = has_separators ? separators->strings : &tokenexp->s;
    t->n_patterns = has_separators ? separators->n : 1;
    t->is_by_character = t->n_patterns == 1 && is_text(t->patterns[0], has_separators ? "" : ".");
    if (t->least < 1 || (t->is_by_character && t->least > 1))
        return ig_fail(err, INGOT_ERR_INVALID, "mincharnum is %lld, it must be %s",
                       (long long)t->least, t->is_by_character ? "1 here" : "positive");
    return INGOT_OK;
}

static ig_status compile(tokenizer *t, ig_arena *arena, ig_error *err)
{
    size_t most = 0;
    if (t->is_by_character) return INGOT_OK;
    t->regexes = ig_arena_array(arena, t->n_patterns, sizeof *t->regexes);
    if (!t->regexes) return IG_NOMEM(err, t->n_patterns * sizeof *t->regexes);
    for (size_t i = 0; i < t->n_patterns; i++) {
        const ingot_string p = t->patterns[i];
        IG_TRY(ig_regex_compile(arena, p.data, p.bytes, &t->regexes[i], err));
        const size_t bytes = ig_regex_search_scratch_bytes(t->regexes[i]);
        if (bytes > most) most = bytes;
    }
    t->scratch = ig_arena_get(arena, most);
    return t->scratch ? INGOT_OK : IG_NOMEM(err, most);
}

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[0];
    ig_dim dims[3];
    ig_arena arena;
    tokenizer t;
    IG_TRY(ig_infer_tensors(c, 1));
    IG_TRY(read_options(c->node, &t, c->err));
    ig_arena_init(&arena, c->arena->alloc, c->arena->tag);
    const ig_status status = compile(&t, &arena, c->err);
    ig_arena_deinit(&arena);
    IG_TRY(status);
    if (x->rank < 0) return INGOT_OK;
    if (x->rank != 1 && x->rank != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "strings have rank %d, not 1 or 2", x->rank);
    for (int d = 0; d < x->rank; d++) dims[d] = x->dims[d];
    dims[x->rank] = ig_dim_born(c->dims);
    ig_info_set_shape(&c->out[0], INGOT_STRING, x->rank + 1, dims);
    return INGOT_OK;
}

/* ---- pieces ---- */

typedef struct pieces {
    ingot_string *v;
    size_t n, cap;
    ig_arena *arena;
    ig_error *err;
} pieces;

static ig_status push(pieces *p, const char *data, size_t bytes)
{
    if (p->n == p->cap) {
        const size_t cap = p->cap ? 2 * p->cap : 64;
        ingot_string *v = ig_arena_array(p->arena, cap, sizeof *v);
        if (!v) return IG_NOMEM(p->err, cap * sizeof *v);
        if (p->n > 0) memcpy(v, p->v, p->n * sizeof *v);
        p->v = v;
        p->cap = cap;
    }
    p->v[p->n++] = (ingot_string){ data, bytes };
    return INGOT_OK;
}

/* Bytes of the character at s + at. */
static size_t character_bytes(ingot_string s, size_t at)
{
    size_t n;
    (void)ig_utf8_get(s.data + at, s.bytes - at, &n);
    return n;
}

static ig_status push_if_long(const tokenizer *t, pieces *p, const char *data, size_t bytes)
{
    int64_t n = 0;
    for (size_t i = 0; i < bytes; i++) n += ((uint8_t)data[i] & 0xc0) != 0x80;
    return n >= t->least ? push(p, data, bytes) : INGOT_OK;
}

/* Pieces of s between matches, or the matches themselves. */
static ig_status cut(const tokenizer *t, const ig_regex *regex, ingot_string s, pieces *out)
{
    size_t at = 0, begin, end;
    while (at < s.bytes && ig_regex_search(regex, s.data, s.bytes, at, t->scratch, &begin, &end)) {
        if (t->is_by_token)
            IG_TRY(push_if_long(t, out, s.data + begin, end - begin));
        else
            IG_TRY(push_if_long(t, out, s.data + at, begin - at));
        at = end;
        if (end == begin && end < s.bytes) at += character_bytes(s, end);
        if (end == begin && end == s.bytes) break;
    }
    if (t->is_by_token || at >= s.bytes) return INGOT_OK;
    return push_if_long(t, out, s.data + at, s.bytes - at);
}

/* Tokens of s at the end of `all`. work: two lists to use. */
static ig_status tokenize(const tokenizer *t, ingot_string s, pieces *all, pieces work[2])
{
    if (t->is_by_character) {
        for (size_t at = 0, n; at < s.bytes; at += n) {
            n = character_bytes(s, at);
            IG_TRY(push(all, s.data + at, n));
        }
        return INGOT_OK;
    }
    work[0].n = 0;
    IG_TRY(push(&work[0], s.data, s.bytes));
    for (size_t i = 0; i < t->n_patterns; i++) {
        const pieces *from = &work[i % 2];
        pieces *to = i + 1 == t->n_patterns ? all : &work[(i + 1) % 2];
        if (to != all) to->n = 0;
        for (size_t k = 0; k < from->n; k++) IG_TRY(cut(t, t->regexes[i], from->v[k], to));
    }
    return INGOT_OK;
}

static ig_status check_text(const ig_call *c, int64_t i, ingot_string s)
{
    for (size_t at = 0, n; at < s.bytes; at += n)
        if (ig_utf8_get(s.data + at, s.bytes - at, &n) < 0)
            return ig_fail(c->err, INGOT_ERR_INVALID, "string %lld is no UTF-8 at byte %zu",
                           (long long)i, at);
    return INGOT_OK;
}

/* Rows of `width` tokens with their marks. */
static void write_rows(const tokenizer *t, const pieces *all, const size_t *ends, int64_t n_rows,
                       int64_t width, ingot_string *y)
{
    for (int64_t i = 0; i < n_rows; i++) {
        ingot_string *const row_end = y + width;
        if (t->has_mark) *y++ = (ingot_string){ "\x02", 1 };
        for (size_t k = i ? ends[i - 1] : 0; k < ends[i]; k++) *y++ = all->v[k];
        if (t->has_mark) *y++ = (ingot_string){ "\x03", 1 };
        while (y < row_end) *y++ = t->pad;
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    const ingot_string *strings = x->data;
    const int64_t n = ig_tensor_count(x);
    tokenizer t;
    pieces all = { .arena = c->scratch, .err = c->err }, work[2] = { all, all };
    int64_t dims[3], most = 0;
    IG_TRY(read_options(c->node, &t, c->err));
    IG_TRY(compile(&t, c->scratch, c->err));
    if (x->rank != 1 && x->rank != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "strings have rank %d, not 1 or 2", x->rank);
    size_t *ends = ig_arena_array(c->scratch, (size_t)n + 1, sizeof *ends);
    if (!ends) return IG_NOMEM(c->err, ((size_t)n + 1) * sizeof *ends);
    for (int64_t i = 0; i < n; i++) {
        IG_TRY(check_text(c, i, strings[i]));
        IG_TRY(tokenize(&t, strings[i], &all, work));
        ends[i] = all.n;
        const int64_t count = (int64_t)(ends[i] - (i ? ends[i - 1] : 0));
        if (count > most) most = count;
    }
    for (int d = 0; d < x->rank; d++) dims[d] = x->dims[d];
    dims[x->rank] = most ? most + 2 * t.has_mark : 0;
    IG_TRY(ig_call_output(c, 0, INGOT_STRING, x->rank + 1, dims));
    if (c->out[0] && most > 0) write_rows(&t, &all, ends, n, dims[x->rank], c->out[0]->data);
    return INGOT_OK;
}

static const char *const cases[] = {
    "str{\"Hello World\",\"I love computer science !\"} separators=[\" \"] mark=0 mincharnum=1 "
    "pad_value=\"#\" = "
    "str[2,5]{\"Hello\",\"World\",\"#\",\"#\",\"#\",\"I\",\"love\",\"computer\",\"science\",\"!\"}",
    "str{\"Hello World\",\"I  love\"} separators=[\" \"] mark=1 mincharnum=2 pad_value=\"#\"",
    "str{\"aéb\",\"\"} separators=[\"\"] mark=1 mincharnum=1 pad_value=\"#\"",
    "str{\"ab\",\"c\"} tokenexp=\".\" mark=0 mincharnum=1 pad_value=\"\"",
    "str{\"a,b;c\",\"x;;y,\"} separators=[\",\",\";\"] mark=0 mincharnum=1 pad_value=\"#\" = "
    "str[2,3]{\"a\",\"b\",\"c\",\"x\",\"y\",\"#\"}",
    "str{\"foo12bar3\",\"--\"} tokenexp=\"[a-z]+\" mark=0 mincharnum=2 pad_value=\"#\"",
    "str{\"foo12bar3\",\"--\"} tokenexp=\"[a-z]*\" mark=1 mincharnum=1 pad_value=\"#\"",
    "str{\"foo12bar3\"} tokenexp=\"a|ab|fo|foo\" mark=0 mincharnum=1 pad_value=\"#\" = "
    "str[1,2]{\"foo\",\"a\"}",
    "str{\"éé12é\"} tokenexp=\"é+\" mark=0 mincharnum=2 pad_value=\"#\" = str[1,1]{\"éé\"}",
    "str{\"   \",\"  \"} separators=[\" \"] mark=1 mincharnum=1 pad_value=\"#\" = str[2,0]{}",
    "str[2,2]{\"a b\",\"c\",\"d\",\"e f g\"} separators=[\" \"] mark=0 mincharnum=1 "
    "pad_value=\"#\"",
    "str{\"axxb\"} separators=[\"^x*\"] mark=0 mincharnum=1 pad_value=\"#\"",
    "str{\"ab-ab\"} tokenexp=\"^ab\" mark=0 mincharnum=1 pad_value=\"#\"",
    "str{\"ab ab\"} separators=[\"^ab\"] mark=0 mincharnum=1 pad_value=\"#\"",
    "str{\"xabc\",\"a12b\"} separators=[\"a|ab\",\"1\",\"12\"] mark=0 mincharnum=1 "
    "pad_value=\"#\"",
    "str{\"the end, the\"} tokenexp=\"\\\\bthe\\\\b|e.*n\" mark=0 mincharnum=1 pad_value=\"#\"",
    "str[0] separators=[\" \"] mark=0 mincharnum=1 pad_value=\"#\"",
    "str[2,0] separators=[\" \"] mark=0 mincharnum=1 pad_value=\"#\"",
    "str{\"a\"} mark=0 mincharnum=1 pad_value=\"#\" ! separators and tokenexp are missing",
    "str{\"a\"} separators=[\" \"] mincharnum=0 pad_value=\"#\" ! mincharnum is 0",
    "str{\"a\"} separators=[\"\"] mincharnum=2 pad_value=\"#\" ! it must be 1 here",
    "str{\"a\"} separators=[\" \"] mincharnum=1 ! pad_value is missing",
    "str{\"a\"} separators=[\"[\"] mincharnum=1 pad_value=\"#\" ! pattern, near byte",
    "str[1,1,1]{\"a\"} separators=[\" \"] mincharnum=1 pad_value=\"#\" ! strings have rank 3",
    NULL,
};

const ig_op ig_op_tokenizer = {
    .onnx = "Tokenizer",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_STRING,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
