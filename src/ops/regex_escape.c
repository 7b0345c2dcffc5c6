/* SPDX-License-Identifier: Apache-2.0 */
/* regex_escape.c: characters behind a backslash, and classes in brackets. */
#include <string.h>

#include "base/str.h"
#include "base/unicode.h"
#include "ops/regex_program.h"

ig_status ig_re_next(ig_re_parser *p, int32_t *c)
{
    size_t n;
    if (p->at == p->end) return ig_re_fail(p, INGOT_ERR_INVALID, "it ends early");
    *c = ig_utf8_get(p->at, (size_t)(p->end - p->at), &n);
    if (*c < 0) return ig_re_fail(p, INGOT_ERR_INVALID, "this is no UTF-8");
    p->at += n;
    return INGOT_OK;
}

static bool is_octal(char c) { return c >= '0' && c <= '7'; }
static bool is_alnum(int32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \x7f or \x{10ffff}, from behind the x. */
static ig_status hex_escape(ig_re_parser *p, int32_t *c)
{
    const bool in_braces = p->at < p->end && *p->at == '{';
    int n = 0;
    *c = 0;
    if (in_braces) p->at++;
    for (; p->at < p->end && hex_digit(*p->at) >= 0 && (in_braces || n < 2); p->at++, n++) {
        *c = *c * 16 + hex_digit(*p->at);
        if (*c > IG_CODE_POINT_MAX)
            return ig_re_fail(p, INGOT_ERR_INVALID, "there is no character above 10ffff");
    }
    if (n == 0 || (!in_braces && n != 2))
        return ig_re_fail(p, INGOT_ERR_INVALID, "\\x takes two digits, or any number in {}");
    if (in_braces) {
        if (p->at == p->end || *p->at != '}')
            return ig_re_fail(p, INGOT_ERR_INVALID, "\\x{ lacks its }");
        p->at++;
    }
    return INGOT_OK;
}

ig_status ig_re_escape(ig_re_parser *p, int32_t *c)
{
    static const char letters[] = "afnrtv", meant[] = "\a\f\n\r\t\v";
    p->at++;
    if (p->at == p->end) return ig_re_fail(p, INGOT_ERR_INVALID, "a \\ at the end");
    IG_TRY(ig_re_next(p, c));
    if (*c == 'x') return hex_escape(p, c);
    /* \1 to \7 alone would be back references, which no linear-time matcher can have. */
    if (*c == '0' || (*c >= '1' && *c <= '7' && p->at < p->end && is_octal(*p->at))) {
        *c -= '0';
        for (int n = 0; n < 2 && p->at < p->end && is_octal(*p->at); n++)
            *c = *c * 8 + *p->at++ - '0';
        return INGOT_OK;
    }
    const char *letter = *c > 0 && *c < 128 ? strchr(letters, (char)*c) : NULL;
    if (letter) {
        *c = (unsigned char)meant[letter - letters];
        return INGOT_OK;
    }
    if (*c == 'C') return ig_re_fail(p, INGOT_ERR_UNSUPPORTED, "\\C (any byte) is not supported");
    if (*c >= 128 || is_alnum(*c))
        return ig_re_fail(p, INGOT_ERR_INVALID, "there is no such escape");
    return INGOT_OK;
}

/* ---- named classes ---- */

/* \d, \s, \w and their opposites: ASCII alone. */
static const char *perl_pairs(char c)
{
    switch (c | 0x20) {
    case 'd': return "09";
    case 's': return "\t\n\f\r  ";
    case 'w': return "09AZ__az";
    default: return NULL;
    }
}

static const struct {
    const char *name, *pairs;
} posix[] = {
    { "alnum", "09AZaz" },
    { "alpha", "AZaz" },
    { "blank", "\t\t  " },
    { "digit", "09" },
    { "graph", "!~" },
    { "lower", "az" },
    { "print", " ~" },
    { "punct", "!/:@[`{~" },
    { "space", "\t\r  " },
    { "upper", "AZ" },
    { "word", "09AZ__az" },
    { "xdigit", "09AFaf" },
    /* these begin with zero bytes */
    { "ascii", NULL },
    { "cntrl", NULL },
};

/* [:alpha:] or [:^alpha:] at p->at, inside of brackets. */
static ig_status posix_class(ig_re_parser *p, bool *found)
{
    const char *name = p->at + 2, *close = name;
    *found = false;
    if (p->end - p->at < 4 || p->at[0] != '[' || p->at[1] != ':') return INGOT_OK;
    while (close + 1 < p->end && (close[0] != ':' || close[1] != ']')) close++;
    if (close + 1 >= p->end) return INGOT_OK; /* then [ and : are meant */
    const bool is_negated = *name == '^';
    name += is_negated;
    for (size_t i = 0; i < IG_COUNT(posix); i++) {
        const size_t from = p->n_set, n = strlen(posix[i].name);
        if ((size_t)(close - name) != n || memcmp(name, posix[i].name, n) != 0) continue;
        if (posix[i].pairs)
            IG_TRY(ig_re_add_pairs(p, posix[i].pairs));
        else
            IG_TRY(ig_re_add(p, 0, posix[i].name[0] == 'a' ? 0x7f : 0x1f));
        if (posix[i].name[0] == 'c') IG_TRY(ig_re_add(p, 0x7f, 0x7f));
        if (is_negated) IG_TRY(ig_re_negate(p, from));
        p->at = close + 2;
        *found = true;
        return INGOT_OK;
    }
    return ig_re_fail(p, INGOT_ERR_INVALID, "there is no such class");
}

/* \pL, \p{Lu}, \P{Lu}, \p{^Lu}. */
static ig_status unicode_class(ig_re_parser *p)
{
    bool is_negated = p->at[1] == 'P';
    const char *name = p->at + 2;
    if (name == p->end) return ig_re_fail(p, INGOT_ERR_INVALID, "\\p lacks the name of a class");
    size_t n = ig_utf8_bytes(name, (size_t)(p->end - name));
    const char *next = name + n;
    if (*name == '{') {
        const char *close = memchr(name, '}', (size_t)(p->end - name));
        if (!close) return ig_re_fail(p, INGOT_ERR_INVALID, "\\p{ lacks its }");
        name++;
        n = (size_t)(close - name);
        next = close + 1;
    }
    if (n && *name == '^') {
        is_negated = !is_negated;
        name++;
        n--;
    }
    const size_t from = p->n_set;
    if (n == 3 && memcmp(name, "Any", 3) == 0)
        IG_TRY(ig_re_add(p, 0, IG_CODE_POINT_MAX));
    else if (ig_unicode_has_category(name, n))
        IG_TRY(ig_re_add_category(p, name, n));
    else
        return ig_re_fail(p, INGOT_ERR_UNSUPPORTED,
                          "\\p knows general categories such as L and Lu alone, no scripts");
    if (is_negated) IG_TRY(ig_re_negate(p, from));
    p->at = next;
    return INGOT_OK;
}

ig_status ig_re_class_escape(ig_re_parser *p, bool *found)
{
    *found = false;
    if (p->end - p->at < 2 || p->at[0] != '\\') return INGOT_OK;
    const char c = p->at[1], *pairs = perl_pairs(c);
    *found = pairs || c == 'p' || c == 'P';
    if (!*found) return INGOT_OK;
    if (!pairs) return unicode_class(p);
    const size_t from = p->n_set;
    IG_TRY(ig_re_add_pairs(p, pairs));
    p->at += 2;
    return c < 'a' ? ig_re_negate(p, from) : INGOT_OK;
}

/* ---- brackets ---- */

/* A single character inside of brackets. */
static ig_status member(ig_re_parser *p, int32_t *c)
{
    if (p->at < p->end && *p->at == '\\') return ig_re_escape(p, c);
    return ig_re_next(p, c);
}

static ig_status range(ig_re_parser *p)
{
    int32_t first, last;
    IG_TRY(member(p, &first));
    last = first;
    if (p->end - p->at >= 2 && p->at[0] == '-' && p->at[1] != ']') {
        p->at++;
        IG_TRY(member(p, &last));
        if (last < first)
            return ig_re_fail(p, INGOT_ERR_INVALID, "the range ends before it begins");
    }
    return ig_re_add(p, first, last);
}

ig_status ig_re_bracket(ig_re_parser *p)
{
    const char *open = p->at++;
    const bool is_negated = p->at < p->end && *p->at == '^';
    p->n_set = 0;
    p->at += is_negated;
    /* A ] that comes first is meant. */
    for (bool is_first = true; is_first || (p->at < p->end && *p->at != ']'); is_first = false) {
        bool found = false;
        IG_TRY(posix_class(p, &found));
        if (!found) IG_TRY(ig_re_class_escape(p, &found));
        if (!found && p->at == p->end) break;
        if (!found) IG_TRY(range(p));
    }
    if (p->at == p->end) {
        p->at = open;
        return ig_re_fail(p, INGOT_ERR_INVALID, "[ lacks its ]");
    }
    p->at++;
    if (is_negated) IG_TRY(ig_re_negate(p, 0));
    return ig_re_emit_set(p);
}
