/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON reader: recursive descent over RFC 8259, bounded in depth. */
#include "base/json.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64

typedef struct reader {
    ig_arena *arena;
    const char *begin, *p, *end;
    int depth;
    ig_error *err;
} reader;

/* "line 3, column 14: text", where columns count characters. */
static ig_status fail_at(reader *r, const char *where, const char *text)
{
    size_t line = 1, column = 1;
    for (const char *c = r->begin; c < where; c++) {
        if (*c == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*c & 0xc0) != 0x80) {
            column++;
        }
    }
    return ig_fail(r->err, INGOT_ERR_PARSE, "line %zu, column %zu: %s", line, column, text);
}

static void skip_space(reader *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
        r->p++;
}

static bool is_digit(const reader *r) { return r->p < r->end && *r->p >= '0' && *r->p <= '9'; }

/* ---- strings ---- */

/* Four hexadecimal digits, or -1. */
static int read_hex4(reader *r)
{
    int code = 0;
    if (r->end - r->p < 4) return -1;
    for (int i = 0; i < 4; i++) {
        const char c = *r->p++;
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return -1;
        code = code * 16 + digit;
    }
    return code;
}

static char *put_utf8(char *out, unsigned code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 63));
    } else {
        if (code < 0x10000) {
            *out++ = (char)(0xe0 | code >> 12);
        } else {
            *out++ = (char)(0xf0 | code >> 18);
            *out++ = (char)(0x80 | (code >> 12 & 63));
        }
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    }
    return out;
}

/* After the backslash and 'u'; a pair of surrogates is one character. */
static ig_status read_unicode(reader *r, char **out)
{
    const char *where = r->p - 2;
    int code = read_hex4(r);
    if (code < 0) return fail_at(r, where, "\\u needs four hexadecimal digits");
    if (code >= 0xd800 && code < 0xe000) {
        int low = -1;
        if (code < 0xdc00 && r->end - r->p >= 2 && r->p[0] == '\\' && r->p[1] == 'u') {
            r->p += 2;
            low = read_hex4(r);
        }
        if (low < 0xdc00 || low >= 0xe000) return fail_at(r, where, "unpaired surrogate");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    *out = put_utf8(*out, (unsigned)code);
    return INGOT_OK;
}

static ig_status read_escape(reader *r, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (r->end - r->p < 2) return fail_at(r, r->p, "string is not closed");
    const char c = r->p[1];
    r->p += 2;
    if (c == 'u') return read_unicode(r, out);
    const char *at = c ? strchr(from, c) : NULL;
    if (!at) return fail_at(r, r->p - 2, "unknown escape in string");
    *(*out)++ = to[at - from];
    return INGOT_OK;
}

/* Finds the closing quote, so that the copy can be sized: an escape never grows. */
static const char *find_quote(const reader *r)
{
    const char *p = r->p;
    while (p < r->end && *p != '"') p += *p == '\\' ? 2 : 1;
    return p < r->end ? p : NULL;
}

static ig_status read_string(reader *r, const char **text, size_t *bytes)
{
    const char *open = r->p++;
    const char *close = find_quote(r);
    if (!close) return fail_at(r, open, "string is not closed");
    char *start = ig_arena_get(r->arena, (size_t)(close - r->p) + 1), *out = start;
    if (!out) return IG_NOMEM(r->err, close - r->p + 1);
    while (r->p < close) {
        const unsigned char c = (unsigned char)*r->p;
        if (c == '\\') {
            IG_TRY(read_escape(r, &out));
        } else if (c < 0x20) {
            return fail_at(r, r->p, "control character in string");
        } else {
            const size_t n = ig_utf8_bytes(r->p, (size_t)(close - r->p));
            if (n == 0) return fail_at(r, r->p, "invalid UTF-8 in string");
            memcpy(out, r->p, n);
            out += n;
            r->p += n;
        }
    }
    r->p = close + 1;
    *text = start;
    *bytes = (size_t)(out - start);
    return INGOT_OK;
}

/* ---- numbers ---- */

/* The C library's conversion, in the C locale whatever the program has set. */
static ig_status convert_slowly(reader *r, const char *begin, double *out)
{
    char *copy = ig_arena_strndup(r->arena, begin, (size_t)(r->p - begin));
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!copy || !c_locale) {
        if (c_locale) freelocale(c_locale);
        return IG_NOMEM(r->err, r->p - begin + 1);
    }
    const locale_t old = uselocale(c_locale);
    *out = strtod(copy, NULL);
    uselocale(old);
    freelocale(c_locale);
    return isfinite(*out) ? INGOT_OK : fail_at(r, begin, "number out of range");
}

typedef struct decimal {
    uint64_t mantissa;
    int n_digits; /* of the mantissa, leading zeros not counted */
    int n_fraction;
} decimal;

static void read_digits(reader *r, decimal *d, bool is_fraction)
{
    for (; is_digit(r); r->p++) {
        if (d->n_digits < 19) d->mantissa = d->mantissa * 10 + (uint64_t)(*r->p - '0');
        if (d->mantissa && d->n_digits < 100) d->n_digits++;
        if (is_fraction && d->n_fraction < 100) d->n_fraction++;
    }
}

static ig_status read_number(reader *r, double *out)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const char *begin = r->p;
    decimal d = { 0, 0, 0 };
    bool has_exponent = false;
    if (*r->p == '-') r->p++;
    if (!is_digit(r)) return fail_at(r, r->p, "number needs a digit here");
    if (*r->p == '0') {
        r->p++;
        if (is_digit(r)) return fail_at(r, r->p, "number with a leading zero");
    } else {
        read_digits(r, &d, false);
    }
    if (r->p < r->end && *r->p == '.') {
        r->p++;
        if (!is_digit(r)) return fail_at(r, r->p, "number needs a digit here");
        read_digits(r, &d, true);
    }
    if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
        has_exponent = true;
        r->p++;
        if (r->p < r->end && (*r->p == '+' || *r->p == '-')) r->p++;
        if (!is_digit(r)) return fail_at(r, r->p, "number needs a digit here");
        while (is_digit(r)) r->p++;
    }
    /* Exact integer over exact power of ten: one rounding, so the result is the nearest double. */
    if (has_exponent || d.n_digits > 15 || d.n_fraction > 22) return convert_slowly(r, begin, out);
    const double magnitude = (double)d.mantissa / powers[d.n_fraction];
    *out = *begin == '-' ? -magnitude : magnitude;
    return INGOT_OK;
}

/* ---- values ---- */

static ig_status read_value(reader *r, ig_json *out);

/* One item or member, with the key in front of a member. */
static ig_status read_item(reader *r, bool is_object, ig_json *out)
{
    skip_space(r);
    if (is_object) {
        size_t key_bytes;
        if (r->p >= r->end || *r->p != '"') return fail_at(r, r->p, "expected a quoted key");
        IG_TRY(read_string(r, &out->key, &key_bytes));
        skip_space(r);
        if (r->p >= r->end || *r->p != ':') return fail_at(r, r->p, "expected ':' after the key");
        r->p++;
    }
    return read_value(r, out);
}

static ig_status read_container(reader *r, ig_json *out)
{
    const bool is_object = *r->p == '{';
    const char close = is_object ? '}' : ']';
    ig_json **link = &out->child;
    out->kind = is_object ? IG_JSON_OBJECT : IG_JSON_ARRAY;
    if (++r->depth > MAX_DEPTH) return fail_at(r, r->p, "nested deeper than 64 levels");
    r->p++;
    skip_space(r);
    if (r->p < r->end && *r->p == close) {
        r->p++;
        r->depth--;
        return INGOT_OK;
    }
    for (;;) {
        ig_json *item = ig_arena_get(r->arena, sizeof *item);
        if (!item) return IG_NOMEM(r->err, sizeof *item);
        *link = item;
        link = &item->next;
        IG_TRY(read_item(r, is_object, item));
        skip_space(r);
        if (r->p < r->end && *r->p == ',') {
            r->p++;
            continue;
        }
        if (r->p >= r->end || *r->p != close)
            return fail_at(r, r->p, is_object ? "expected ',' or '}'" : "expected ',' or ']'");
        r->p++;
        r->depth--;
        return INGOT_OK;
    }
}

static ig_status read_word(reader *r, ig_json *out)
{
    static const struct {
        const char *word;
        ig_json_kind kind;
    } words[] = { { "null", IG_JSON_NULL }, { "false", IG_JSON_FALSE }, { "true", IG_JSON_TRUE } };
    for (size_t i = 0; i < IG_COUNT(words); i++) {
        const size_t n = strlen(words[i].word);
        if ((size_t)(r->end - r->p) >= n && memcmp(r->p, words[i].word, n) == 0) {
            r->p += n;
            out->kind = words[i].kind;
            return INGOT_OK;
        }
    }
    return fail_at(r, r->p, "expected a value");
}

static ig_status read_value(reader *r, ig_json *out)
{
    skip_space(r);
    if (r->p >= r->end) return fail_at(r, r->p, "text ends where a value is expected");
    switch (*r->p) {
    case '{':
    case '[': return read_container(r, out);
    case '"': out->kind = IG_JSON_STRING; return read_string(r, &out->string, &out->string_bytes);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': out->kind = IG_JSON_NUMBER; return read_number(r, &out->number);
    default: return read_word(r, out);
    }
}

ig_status ig_json_parse(ig_arena *arena, const char *text, size_t bytes, const ig_json **out,
                        ig_error *err)
{
    reader r = { arena, text, text, text + bytes, 0, err };
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r.begin = r.p = text + 3;
    ig_json *root = ig_arena_get(arena, sizeof *root);
    if (!root) return IG_NOMEM(err, sizeof *root);
    IG_TRY(read_value(&r, root));
    skip_space(&r);
    if (r.p < r.end) return fail_at(&r, r.p, "text goes on after the value");
    *out = root;
    return INGOT_OK;
}

/* Where a key comes twice, the last one counts. */
const ig_json *ig_json_get(const ig_json *json, const char *key)
{
    const ig_json *found = NULL;
    if (!json || json->kind != IG_JSON_OBJECT) return NULL;
    for (const ig_json *member = json->child; member; member = member->next)
        if (strcmp(member->key, key) == 0) found = member;
    return found;
}

const char *ig_json_text(const ig_json *json, const char *key, const char *otherwise)
{
    const ig_json *member = ig_json_get(json, key);
    return member && member->kind == IG_JSON_STRING ? member->string : otherwise;
}

double ig_json_value(const ig_json *json, const char *key, double otherwise)
{
    const ig_json *member = ig_json_get(json, key);
    return member && member->kind == IG_JSON_NUMBER ? member->number : otherwise;
}
