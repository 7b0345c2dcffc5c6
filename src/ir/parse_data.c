/* SPDX-License-Identifier: Apache-2.0 */
/* parse_data.c: types, contents and attribute values of a graph's text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/parse.h"

/* No text needs larger tensors; keeps a short hostile text from asking for all memory. */
#define MAX_PRINTED_ELEMENTS ((int64_t)1 << 32)

/* ---- types ---- */

static bool parse_kind(ig_text_parser *p, ingot_kind *kind)
{
    static const char *const names[] = { "tensor", "sequence", "map", "optional" };
    for (int i = 0; i < 4; i++) {
        if (!ig_text_accept_word(p, names[i])) continue;
        *kind = (ingot_kind)i;
        return true;
    }
    return false;
}

static ig_status parse_dtype(ig_text_parser *p, ingot_dtype *dtype)
{
    const char *name;
    size_t bytes;
    IG_TRY(ig_text_name(p, false, &name, &bytes));
    *dtype = ingot_dtype_parse(name);
    if (*dtype == INGOT_UNDEFINED && strcmp(name, "undefined"))
        return ig_text_fail(p, "'%.40s' is no element type", name);
    return INGOT_OK;
}

static ig_status parse_kind_and_dtype(ig_text_parser *p, ig_type *type)
{
    ingot_kind kind = INGOT_KIND_TENSOR, item_kind = INGOT_KIND_TENSOR;
    ingot_dtype dtype = INGOT_UNDEFINED, key_dtype = INGOT_UNDEFINED;
    if (!parse_kind(p, &kind)) {
        IG_TRY(parse_dtype(p, &dtype));
    } else {
        IG_TRY(ig_text_expect(p, "<"));
        if (!parse_kind(p, &item_kind)) return ig_text_fail(p, "expected the kind of the items");
        IG_TRY(ig_text_expect(p, ","));
        IG_TRY(parse_dtype(p, &dtype));
        if (ig_text_accept(p, ",")) IG_TRY(parse_dtype(p, &key_dtype));
        IG_TRY(ig_text_expect(p, ">"));
    }
    *type =
        (ig_type){ .kind = kind, .dtype = dtype, .item_kind = item_kind, .key_dtype = key_dtype };
    return INGOT_OK;
}

ig_status ig_text_parse_type(ig_text_parser *p, const ig_graph *g, ig_info *info)
{
    (void)g;
    IG_TRY(parse_kind_and_dtype(p, &info->type));
    info->rank = -1;
    if (!ig_text_accept(p, "[")) return INGOT_OK;
    if (ig_text_accept(p, "*")) return ig_text_expect(p, "]");
    int rank = 0;
    while (!ig_text_accept(p, "]")) {
        if (rank == IG_MAX_RANK) return ig_text_fail(p, "more than %d dimensions", IG_MAX_RANK);
        if (rank) IG_TRY(ig_text_expect(p, ","));
        IG_TRY(ig_text_parse_dim(p, &info->dims[rank]));
        if (ig_dim_is_const(info->dims[rank]) && info->dims[rank] < 0)
            return ig_text_fail(p, "a dimension is negative");
        rank++;
    }
    info->rank = (int16_t)rank;
    return INGOT_OK;
}

/* ---- numbers ---- */

/* The characters of a number or "inf", "nan", into text (terminated). */
static ig_status scan_number(ig_text_parser *p, char *text, size_t text_bytes)
{
    size_t n = 0;
    ig_text_peek(p);
    while (p->at < p->end && n < text_bytes - 1) {
        const char c = *p->at;
        const bool is_part =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '+' || c == '-';
        if (!is_part) break;
        text[n++] = *p->at++;
    }
    text[n] = 0;
    return n ? INGOT_OK : ig_text_fail(p, "expected a number");
}

static ig_status parse_hex(ig_text_parser *p, uint64_t *bits)
{
    int n = 0;
    *bits = 0;
    for (; p->at < p->end && n < 16; p->at++, n++) {
        const char c = *p->at;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) break;
        *bits = *bits << 4 | (uint64_t)digit;
    }
    return n ? INGOT_OK : ig_text_fail(p, "expected hexadecimal digits");
}

/* A real element; *has_dot tells 1.0 from 1. */
static ig_status parse_real(ig_text_parser *p, ingot_dtype dtype, void *data, int64_t i)
{
    char text[64];
    IG_TRY(scan_number(p, text, sizeof text));
    if (!strcmp(text, "nan")) {
        ig_set_f64(dtype, data, i, (double)NAN);
        uint64_t bits = 0;
        if (!ig_text_accept(p, "(0x")) return INGOT_OK;
        IG_TRY(parse_hex(p, &bits));
        ig_text_set_bits(dtype, data, i, bits);
        return ig_text_expect(p, ")");
    }
    const bool is_negative = text[0] == '-';
    if (!strcmp(text + is_negative, "inf")) {
        /* Not through rounding, which saturates in small types. */
        if (dtype == INGOT_FLOAT8E5M2)
            ig_text_set_bits(dtype, data, i, is_negative ? 0xfc : 0x7c);
        else
            ig_set_f64(dtype, data, i, is_negative ? -(double)INFINITY : (double)INFINITY);
        return INGOT_OK;
    }
    for (const char *c = text; *c; c++)
        if (!strchr("0123456789.e+-", *c)) return ig_text_fail(p, "'%s' is no number", text);
    ig_set_f64(dtype, data, i, ig_text_real(text, dtype == INGOT_FLOAT));
    return INGOT_OK;
}

static ig_status parse_uint64(ig_text_parser *p, uint64_t *out)
{
    char text[64];
    IG_TRY(scan_number(p, text, sizeof text));
    *out = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9') return ig_text_fail(p, "'%s' is no unsigned integer", text);
        if (__builtin_mul_overflow(*out, (uint64_t)10, out) ||
            __builtin_add_overflow(*out, (uint64_t)(*c - '0'), out))
            return ig_text_fail(p, "an integer needs more than 64 bits");
    }
    return INGOT_OK;
}

static ig_status parse_element(ig_text_parser *p, ingot_dtype dtype, void *data, int64_t i)
{
    int64_t x;
    if (dtype == INGOT_STRING) {
        ingot_string *s = &((ingot_string *)data)[i];
        return ig_text_quoted(p, &s->data, &s->bytes);
    }
    if (IG_T(dtype) & IG_T_COMPLEX) {
        int n_parts;
        const ingot_dtype part = ig_dtype_parts(dtype, &n_parts);
        IG_TRY(parse_real(p, part, data, 2 * i));
        IG_TRY(ig_text_expect(p, ":"));
        return parse_real(p, part, data, 2 * i + 1);
    }
    if (ig_text_is_real(dtype)) return parse_real(p, dtype, data, i);
    if (dtype == INGOT_UINT64) return parse_uint64(p, &((uint64_t *)data)[i]);
    IG_TRY(ig_text_int(p, &x));
    ig_set_i64(dtype, data, i, x);
    if (ig_get_i64(dtype, data, i) != x)
        return ig_text_fail(p, "%lld does not fit into %s", (long long)x, ingot_dtype_name(dtype));
    return INGOT_OK;
}

/* ---- contents ---- */

/* Elements up to "}", into an arena tensor. The text must be long enough for them: memory is asked
 * for only then. */
static ig_status parse_elements(ig_text_parser *p, ingot_dtype dtype, int rank, const int64_t *dims,
                                const ig_tensor **out)
{
    const int64_t n = ig_count(rank, dims);
    ig_tensor *t;
    if (n < 0 || n > MAX_PRINTED_ELEMENTS || (n > 0 && n - 1 > (p->end - p->at) / 2))
        return ig_text_fail(p, "the shape has more elements than the text");
    IG_TRY(ig_tensor_in_arena(p->arena, dtype, rank, dims, NULL, &t, p->err));
    for (int64_t i = 0; i < n; i++) {
        if (i) IG_TRY(ig_text_expect(p, ","));
        IG_TRY(parse_element(p, dtype, t->data, i));
    }
    *out = t;
    return ig_text_expect(p, "}");
}

/* Integers that may be symbolic; true constants only give data. */
static ig_status parse_elems(ig_text_parser *p, const ig_info *info, ig_text_contents *out)
{
    ig_dim elems[IG_MAX_ELEMS];
    int n = 0;
    while (!ig_text_accept(p, "}")) {
        if (n == IG_MAX_ELEMS) return ig_text_fail(p, "more than %d symbolic elements", n);
        if (n) IG_TRY(ig_text_expect(p, ","));
        IG_TRY(ig_text_parse_dim(p, &elems[n++]));
    }
    out->n_elems = (int16_t)n;
    out->elems = ig_arena_copy(p->arena, elems, sizeof elems);
    const bool fits = info->rank <= 0 ? n == 1 : info->rank == 1 && info->dims[0] == n;
    if (!fits) return ig_text_fail(p, "%d elements do not fit the shape", n);
    return out->elems ? INGOT_OK : IG_NOMEM(p->err, sizeof elems);
}

/* Does a dimension's name come before the closing brace? */
static bool has_symbols(const ig_text_parser *p)
{
    for (const char *c = p->at; c < p->end && *c != '}'; c++)
        if (*c == '?' || *c == '"' || *c == '_' || (*c >= 'a' && *c <= 'z') ||
            (*c >= 'A' && *c <= 'Z'))
            return true;
    return false;
}

ig_status ig_text_parse_contents(ig_text_parser *p, const ig_graph *g, const ig_info *info,
                                 ig_text_contents *out)
{
    uint64_t hash;
    int64_t dims[IG_MAX_RANK];
    (void)g;
    *out = (ig_text_contents){ 0 };
    if (ig_text_accept(p, "#")) return parse_hex(p, &hash);
    IG_TRY(ig_text_expect(p, "{"));
    const ingot_dtype dtype = info->type.dtype;
    if (info->type.kind != INGOT_KIND_TENSOR || dtype == INGOT_UNDEFINED || info->rank < 0)
        return ig_text_fail(p, "contents without a type and shape");
    const bool is_int = dtype == INGOT_INT64 || dtype == INGOT_INT32;
    if (is_int && has_symbols(p)) return parse_elems(p, info, out);
    for (int i = 0; i < info->rank; i++) {
        if (!ig_dim_is_const(info->dims[i]))
            return ig_text_fail(p, "contents of a shape that is not constant");
        dims[i] = info->dims[i];
    }
    return parse_elements(p, dtype, info->rank, dims, &out->data);
}

/* ---- attribute values ---- */

static ig_status parse_tensor(ig_text_parser *p, const ig_graph *g, const ig_tensor **out)
{
    ig_info info = { .rank = -1 };
    ig_text_contents contents;
    IG_TRY(ig_text_parse_type(p, g, &info));
    IG_TRY(ig_text_parse_contents(p, g, &info, &contents));
    if (!contents.data)
        return ig_text_fail(p, "a hash stands for contents that were not printed: print the graph "
                               "with data");
    *out = contents.data;
    return INGOT_OK;
}

/* An integer, or a float (with a dot, an exponent, inf or nan). */
static ig_status parse_scalar(ig_text_parser *p, bool *is_int, int64_t *i, float *f)
{
    const char *before = p->at;
    char text[64];
    IG_TRY(scan_number(p, text, sizeof text));
    p->at = before;
    *is_int = !strpbrk(text, ".einf");
    return *is_int ? ig_text_int(p, i) : parse_real(p, INGOT_FLOAT, f, 0);
}

static ig_status parse_number_list(ig_text_parser *p, ig_attr *attr)
{
    int64_t *ints = NULL;
    float *floats = NULL;
    size_t n = 0, cap_ints = 0, cap_floats = 0;
    bool are_ints = false;
    do {
        int64_t i = 0;
        float f = 0;
        bool is_int;
        IG_TRY(parse_scalar(p, &is_int, &i, &f));
        if (n && is_int != are_ints) return ig_text_fail(p, "a list mixes integers and floats");
        are_ints = is_int;
        size_t n_floats = n;
        if (is_int ? !IG_ARENA_PUSH(p->arena, ints, n, cap_ints, i)
                   : !IG_ARENA_PUSH(p->arena, floats, n_floats, cap_floats, f))
            return IG_NOMEM(p->err, sizeof i);
        if (!is_int) n = n_floats;
    } while (ig_text_accept(p, ","));
    attr->n = n;
    attr->kind = are_ints ? IG_ATTR_INTS : IG_ATTR_FLOATS;
    if (are_ints)
        attr->ints = ints;
    else
        attr->floats = floats;
    return ig_text_expect(p, "]");
}

static ig_status parse_string_list(ig_text_parser *p, ig_attr *attr)
{
    ingot_string *strings = NULL, s;
    size_t n = 0, cap = 0;
    do {
        IG_TRY(ig_text_quoted(p, &s.data, &s.bytes));
        if (!IG_ARENA_PUSH(p->arena, strings, n, cap, s)) return IG_NOMEM(p->err, sizeof s);
    } while (ig_text_accept(p, ","));
    attr->kind = IG_ATTR_STRINGS;
    attr->strings = strings;
    attr->n = n;
    return ig_text_expect(p, "]");
}

static ig_status parse_tensor_list(ig_text_parser *p, const ig_graph *g, ig_attr *attr)
{
    const ig_tensor **tensors = NULL, *t;
    size_t n = 0, cap = 0;
    IG_TRY(ig_text_expect(p, "["));
    while (!ig_text_accept(p, "]")) {
        if (n) IG_TRY(ig_text_expect(p, ","));
        IG_TRY(parse_tensor(p, g, &t));
        if (!IG_ARENA_PUSH(p->arena, tensors, n, cap, t)) return IG_NOMEM(p->err, sizeof t);
    }
    attr->kind = IG_ATTR_TENSORS;
    attr->tensors = tensors;
    attr->n = n;
    return INGOT_OK;
}

static ig_status parse_empty_list(ig_text_parser *p, ig_attr_kind kind, ig_attr *attr)
{
    attr->kind = kind;
    attr->n = 0;
    attr->ints = NULL;
    IG_TRY(ig_text_expect(p, "["));
    return ig_text_expect(p, "]");
}

ig_status ig_text_parse_attr_value(ig_text_parser *p, const ig_graph *g, ig_attr *attr)
{
    bool is_int;
    int64_t i = 0;
    float f = 0;
    if (ig_text_peek(p) == '"') {
        attr->kind = IG_ATTR_STRING;
        return ig_text_quoted(p, &attr->s.data, &attr->s.bytes);
    }
    if (ig_text_accept(p, "["))
        return ig_text_peek(p) == '"' ? parse_string_list(p, attr) : parse_number_list(p, attr);
    if (ig_text_accept_word(p, "ints")) return parse_empty_list(p, IG_ATTR_INTS, attr);
    if (ig_text_accept_word(p, "floats")) return parse_empty_list(p, IG_ATTR_FLOATS, attr);
    if (ig_text_accept_word(p, "strings")) return parse_empty_list(p, IG_ATTR_STRINGS, attr);
    if (ig_text_accept_word(p, "tensors")) return parse_tensor_list(p, g, attr);
    if (ig_text_accept_word(p, "tensor")) {
        attr->kind = IG_ATTR_TENSOR;
        return parse_tensor(p, g, &attr->t);
    }
    if (ig_text_accept_word(p, "type")) {
        attr->kind = IG_ATTR_TYPE;
        return parse_kind_and_dtype(p, &attr->type);
    }
    IG_TRY(parse_scalar(p, &is_int, &i, &f));
    attr->kind = is_int ? IG_ATTR_INT : IG_ATTR_FLOAT;
    if (is_int)
        attr->i = i;
    else
        attr->f = f;
    return INGOT_OK;
}
