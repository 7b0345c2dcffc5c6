/* SPDX-License-Identifier: Apache-2.0 */
/* parse_text.c: words, strings, integers and dimensions of a graph's text. */
#include <stdio.h>
#include <string.h>

#include "ir/parse.h"

#define MAX_DIM_DEPTH 100

ig_status ig_text_fail(ig_text_parser *p, const char *format, ...)
{
    char cause[400], found[24];
    va_list args;
    size_t n = 0;
    va_start(args, format);
    vsnprintf(cause, sizeof cause, format, args);
    va_end(args);
    ig_text_peek(p);
    while (n < sizeof found - 1 && p->at + n < p->end && p->at[n] >= ' ') {
        found[n] = p->at[n];
        n++;
    }
    found[n] = 0;
    return ig_fail(p->err, INGOT_ERR_PARSE, "line %d: %s, at '%s'", p->line, cause,
                   p->at < p->end ? found : "the end");
}

char ig_text_peek(ig_text_parser *p)
{
    bool is_line_begin = p->at == p->begin;
    for (; p->at < p->end; p->at++) {
        const char c = *p->at;
        if (c == '\n') {
            p->line++;
            is_line_begin = true;
        } else if (c == '#' && is_line_begin) {
            while (p->at + 1 < p->end && p->at[1] != '\n') p->at++;
        } else if (c != ' ' && c != '\t' && c != '\r') {
            return c;
        }
    }
    return 0;
}

bool ig_text_accept(ig_text_parser *p, const char *token)
{
    const size_t n = strlen(token);
    if (!ig_text_peek(p) || (size_t)(p->end - p->at) < n || memcmp(p->at, token, n)) return false;
    p->at += n;
    return true;
}

ig_status ig_text_expect(ig_text_parser *p, const char *token)
{
    return ig_text_accept(p, token) ? INGOT_OK : ig_text_fail(p, "expected '%s'", token);
}

bool ig_text_accept_word(ig_text_parser *p, const char *word)
{
    const char *before = p->at;
    const int line = p->line;
    if (!ig_text_accept(p, word)) return false;
    if (p->at == p->end || !ig_text_is_name(*p->at)) return true;
    p->at = before;
    p->line = line;
    return false;
}

ig_status ig_text_expect_word(ig_text_parser *p, const char *word)
{
    return ig_text_accept_word(p, word) ? INGOT_OK : ig_text_fail(p, "expected '%s'", word);
}

/* ---- strings and names ---- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The character after a backslash; -1: none such. */
static int unescape(ig_text_parser *p)
{
    const char c = *p->at++;
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case '"':
    case '\\': return c;
    case 'x': break;
    default: return -1;
    }
    if (p->end - p->at < 2) return -1;
    const int high = hex_digit(p->at[0]), low = hex_digit(p->at[1]);
    p->at += 2;
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

ig_status ig_text_quoted(ig_text_parser *p, const char **out, size_t *bytes)
{
    IG_TRY(ig_text_expect(p, "\""));
    size_t n = 0;
    const char *close = p->at;
    while (close < p->end && *close != '"') close += *close == '\\' ? 2 : 1;
    if (close >= p->end) return ig_text_fail(p, "a string does not end");
    char *text = ig_arena_get(p->arena, (size_t)(close - p->at) + 1);
    if (!text) return IG_NOMEM(p->err, close - p->at);
    while (p->at < close) {
        int c = (unsigned char)*p->at++;
        if (c == '\n') p->line++;
        if (c == '\\') c = unescape(p);
        if (c < 0 || p->at > close) return ig_text_fail(p, "unknown escape in a string");
        text[n++] = (char)c;
    }
    p->at = close + 1;
    *out = text;
    *bytes = n;
    return INGOT_OK;
}

ig_status ig_text_name(ig_text_parser *p, bool has_colons, const char **out, size_t *bytes)
{
    if (ig_text_peek(p) == '"') {
        IG_TRY(ig_text_quoted(p, out, bytes));
        if (strlen(*out) != *bytes) return ig_text_fail(p, "a name holds a zero byte");
        return INGOT_OK;
    }
    const char *start = p->at;
    while (p->at < p->end && ig_text_is_name(*p->at) &&
           (has_colons || (*p->at != ':' && *p->at != '/')))
        p->at++;
    while (p->at > start && p->at[-1] == ':') p->at--;
    if (p->at == start) return ig_text_fail(p, "expected a name");
    *bytes = (size_t)(p->at - start);
    *out = ig_arena_strndup(p->arena, start, *bytes);
    return *out ? INGOT_OK : IG_NOMEM(p->err, *bytes);
}

ig_status ig_text_int(ig_text_parser *p, int64_t *out)
{
    const bool is_negative = ig_text_accept(p, "-");
    const char *start = p->at;
    int64_t x = 0;
    ig_text_peek(p);
    for (start = p->at; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        const int digit = *p->at - '0';
        /* Downwards, since the smallest integer has no positive counterpart. */
        if (__builtin_mul_overflow(x, 10, &x) || __builtin_sub_overflow(x, digit, &x))
            return ig_text_fail(p, "an integer needs more than 64 bits");
    }
    if (p->at == start) return ig_text_fail(p, "expected an integer");
    if (!is_negative && x == INT64_MIN)
        return ig_text_fail(p, "an integer needs more than 64 bits");
    *out = is_negative ? x : -x;
    return INGOT_OK;
}

/* ---- dimensions ---- */

static ig_status parse_sum(ig_text_parser *p, int depth, ig_dim *out);

static bool is_dim_char(char c) { return ig_text_is_name(c) && c != ':' && c != '/' && c != '-'; }

static ig_status parse_dim_name(ig_text_parser *p, ig_dim *out)
{
    const char *name = p->at;
    size_t bytes;
    if (*p->at == '"') {
        IG_TRY(ig_text_quoted(p, &name, &bytes));
        if (strlen(name) != bytes) return ig_text_fail(p, "a dimension's name holds a zero byte");
    } else {
        while (p->at < p->end && is_dim_char(*p->at)) p->at++;
        bytes = (size_t)(p->at - name);
    }
    if (!bytes) return ig_text_fail(p, "expected a dimension");
    *out = ig_dim_input(p->dims, name, bytes);
    return INGOT_OK;
}

static ig_status parse_bounds(ig_text_parser *p, int depth, bool is_max, ig_dim *out)
{
    ig_dim a, b;
    IG_TRY(ig_text_expect(p, "("));
    IG_TRY(parse_sum(p, depth, &a));
    IG_TRY(ig_text_expect(p, ","));
    IG_TRY(parse_sum(p, depth, &b));
    *out = is_max ? ig_dim_max(p->dims, a, b) : ig_dim_min(p->dims, a, b);
    return ig_text_expect(p, ")");
}

static ig_status parse_atom(ig_text_parser *p, int depth, ig_dim *out)
{
    if (depth > MAX_DIM_DEPTH)
        return ig_text_fail(p, "a dimension is nested deeper than %d", MAX_DIM_DEPTH);
    const char c = ig_text_peek(p);
    if (ig_text_accept(p, "(")) {
        IG_TRY(parse_sum(p, depth + 1, out));
        return ig_text_expect(p, ")");
    }
    if (c == '?') {
        const char *start = p->at++;
        while (p->at < p->end && *p->at >= '0' && *p->at <= '9') p->at++;
        *out = ig_dim_born_named(p->dims, start, (size_t)(p->at - start));
        return INGOT_OK;
    }
    if ((c >= '0' && c <= '9') || c == '-') {
        IG_TRY(ig_text_int(p, out));
        if (*out > IG_DIM_MAX || *out < IG_DIM_MIN_CONST)
            return ig_text_fail(p, "a dimension is out of range");
        return INGOT_OK;
    }
    if (ig_text_accept_word(p, "max")) return parse_bounds(p, depth + 1, true, out);
    if (ig_text_accept_word(p, "min")) return parse_bounds(p, depth + 1, false, out);
    if (!c) return ig_text_fail(p, "expected a dimension");
    return parse_dim_name(p, out);
}

static ig_status parse_product(ig_text_parser *p, int depth, ig_dim *out)
{
    IG_TRY(parse_atom(p, depth, out));
    for (;;) {
        ig_dim b;
        if (ig_text_accept(p, "*")) {
            IG_TRY(parse_atom(p, depth, &b));
            *out = ig_dim_mul(p->dims, *out, b);
        } else if (ig_text_accept(p, "//")) {
            IG_TRY(parse_atom(p, depth, &b));
            if (b == 0) return ig_text_fail(p, "a dimension is divided by zero");
            *out = ig_dim_floor_div(p->dims, *out, b);
        } else {
            return INGOT_OK;
        }
    }
}

static ig_status parse_sum(ig_text_parser *p, int depth, ig_dim *out)
{
    /* "-x*2": a minus in front of a name. */
    ig_dim b = 0;
    *out = 0;
    ig_text_peek(p);
    const bool is_negated =
        p->end - p->at > 1 && p->at[0] == '-' && !(p->at[1] >= '0' && p->at[1] <= '9');
    if (!is_negated) IG_TRY(parse_product(p, depth, out));
    for (;;) {
        if (ig_text_accept(p, "+")) {
            IG_TRY(parse_product(p, depth, &b));
            *out = ig_dim_add(p->dims, *out, b);
        } else if (!(p->end - p->at > 1 && p->at[0] == '-' && p->at[1] == '>') &&
                   ig_text_accept(p, "-")) {
            IG_TRY(parse_product(p, depth, &b));
            *out = ig_dim_sub(p->dims, *out, b);
        } else {
            return INGOT_OK;
        }
    }
}

ig_status ig_text_parse_dim(ig_text_parser *p, ig_dim *out) { return parse_sum(p, 0, out); }
