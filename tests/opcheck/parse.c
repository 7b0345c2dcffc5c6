/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c: the case language of ops/op.h. Beyond what stands there:
 *
 *   seq(f32[2] f32[3]{1,2,3})   a sequence; seq(f32) an empty one      opt(f32[2])  opt(f32)
 *   map(i64{1,2} f32{3,4})      a map: keys, values
 *   value=f32[2]{1,2}           a tensor as attribute
 *   body=graph "b"(%x:float32) -> (%y) { … }     a subgraph, in the text form of ir/print.c
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "opcheck.h"

typedef struct parser {
    const char *at;
    oc_case *c;
    ig_arena *arena;
    ig_dims *dims;
    uint64_t seed;
    ig_error *err;
} parser;

static const struct {
    const char *name;
    ingot_dtype dtype;
} type_names[] = {
    { "f32", INGOT_FLOAT },
    { "f64", INGOT_DOUBLE },
    { "f16", INGOT_FLOAT16 },
    { "bf16", INGOT_BFLOAT16 },
    { "i8", INGOT_INT8 },
    { "i16", INGOT_INT16 },
    { "i32", INGOT_INT32 },
    { "i64", INGOT_INT64 },
    { "u8", INGOT_UINT8 },
    { "u16", INGOT_UINT16 },
    { "u32", INGOT_UINT32 },
    { "u64", INGOT_UINT64 },
    { "bool", INGOT_BOOL },
    { "str", INGOT_STRING },
    { "i4", INGOT_INT4 },
    { "u4", INGOT_UINT4 },
    { "i2", INGOT_INT2 },
    { "u2", INGOT_UINT2 },
    { "f8e4m3fn", INGOT_FLOAT8E4M3FN },
    { "f8e4m3fnuz", INGOT_FLOAT8E4M3FNUZ },
    { "f8e5m2", INGOT_FLOAT8E5M2 },
    { "f8e5m2fnuz", INGOT_FLOAT8E5M2FNUZ },
    { "f8e8m0", INGOT_FLOAT8E8M0 },
    { "f4e2m1", INGOT_FLOAT4E2M1 },
    { "c64", INGOT_COMPLEX64 },
    { "c128", INGOT_COMPLEX128 },
};

const char *oc_type_name(ingot_dtype dtype)
{
    for (size_t i = 0; i < IG_COUNT(type_names); i++)
        if (type_names[i].dtype == dtype) return type_names[i].name;
    return "?";
}

int oc_newest_opset(const ig_op *op)
{
    int newest = 1;
    if (op->until) return op->until;
    for (size_t i = 0; i < ig_ops_count(); i++) {
        const ig_op *other = ig_ops_at(i);
        if (strcmp(other->domain ? other->domain : "", op->domain ? op->domain : "")) continue;
        for (size_t k = 0; k < IG_COUNT(other->since) && other->since[k]; k++)
            if (other->since[k] > newest) newest = other->since[k];
    }
    return newest;
}

static ig_status malformed(parser *p, const char *what)
{
    return ig_fail(p->err, INGOT_ERR_PARSE, "malformed at '%.24s': %s", p->at, what);
}

static void skip_spaces(parser *p)
{
    while (*p->at == ' ') p->at++;
}

static bool accept(parser *p, char c)
{
    if (*p->at != c) return false;
    p->at++;
    return true;
}

/* ---- numbers, strings ---- */

static ig_status read_int(parser *p, int64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoll(p->at, &end, 10);
    if (end == p->at || errno) return malformed(p, "an integer was expected");
    p->at = end;
    return INGOT_OK;
}

static ig_status read_quoted(parser *p, ingot_string *out)
{
    if (!accept(p, '"')) return malformed(p, "a string was expected");
    char *text = ig_arena_get(p->arena, strlen(p->at) + 1);
    size_t n = 0;
    if (!text) return IG_NOMEM(p->err, strlen(p->at));
    while (*p->at && *p->at != '"') {
        if (*p->at == '\\' && p->at[1]) p->at++;
        text[n++] = *p->at++;
    }
    if (!accept(p, '"')) return malformed(p, "the string has no end");
    *out = (ingot_string){ text, n };
    return INGOT_OK;
}

/* One element; `data` NULL only counts. */
static ig_status read_element(parser *p, ingot_dtype dtype, void *data, int64_t i)
{
    char *end;
    if (dtype == INGOT_STRING) {
        ingot_string s;
        IG_TRY(read_quoted(p, &s));
        if (data) ((ingot_string *)data)[i] = s;
        return INGOT_OK;
    }
    errno = 0;
    if (dtype == INGOT_UINT64) {
        const uint64_t x = strtoull(p->at, &end, 10);
        if (data) ((uint64_t *)data)[i] = x;
    } else if (IG_T(dtype) & (IG_T_INTS | IG_T_BOOL | IG_T(INGOT_INT4) | IG_T(INGOT_UINT4) |
                              IG_T(INGOT_INT2) | IG_T(INGOT_UINT2))) {
        const int64_t x = strtoll(p->at, &end, 10);
        if (data) {
            ig_set_i64(dtype, data, i, x);
            if (ig_get_i64(dtype, data, i) != x) return malformed(p, "out of range");
        }
    } else if (dtype == INGOT_FLOAT) {
        const float x = strtof(p->at, &end);
        if (data) ((float *)data)[i] = x;
    } else {
        const double x = strtod(p->at, &end);
        if (data) ig_set_f64(dtype, data, i, x);
        if ((IG_T(dtype) & IG_T_COMPLEX) && end > p->at && *end == ':') {
            int n_parts;
            const ingot_dtype part = ig_dtype_parts(dtype, &n_parts);
            const double y = strtod(end + 1, &end);
            if (data) ig_set_f64(part, data, 2 * i + 1, y);
        }
    }
    if (end == p->at) return malformed(p, "an element was expected");
    if (errno && (IG_T(dtype) & IG_T_INTS)) return malformed(p, "out of range");
    p->at = end;
    return INGOT_OK;
}

/* "{…}": how many; then again into data. */
static ig_status read_elements(parser *p, ingot_dtype dtype, void *data, int64_t *n)
{
    *n = 0;
    if (!accept(p, '{')) return malformed(p, "{ was expected");
    while (*p->at != '}') {
        if (*n && !accept(p, ',')) return malformed(p, ", or } was expected");
        skip_spaces(p);
        IG_TRY(read_element(p, dtype, data, (*n)++));
    }
    p->at++;
    return INGOT_OK;
}

/* ---- tensors ---- */

static bool read_type(parser *p, ingot_dtype *out)
{
    size_t n = 0;
    while (isalnum((unsigned char)p->at[n])) n++;
    for (size_t i = 0; i < IG_COUNT(type_names); i++) {
        if (strlen(type_names[i].name) != n || memcmp(type_names[i].name, p->at, n)) continue;
        *out = type_names[i].dtype;
        p->at += n;
        return true;
    }
    return false;
}

static ig_status read_dims(parser *p, int *rank, int64_t *dims)
{
    *rank = 0;
    p->at++; /* [ */
    while (!accept(p, ']')) {
        if (*rank && !accept(p, ',')) return malformed(p, ", or ] was expected");
        if (*rank == IG_MAX_RANK) return malformed(p, "rank too large");
        IG_TRY(read_int(p, &dims[*rank]));
        if (dims[(*rank)++] < 0) return malformed(p, "negative dimension");
    }
    return INGOT_OK;
}

static void repeat_first(ig_tensor *t)
{
    const size_t bytes = t->dtype == INGOT_STRING ? sizeof(ingot_string) : ig_dtype_size(t->dtype);
    for (int64_t i = 1; i < ig_tensor_count(t); i++) {
        if (bytes)
            memcpy((uint8_t *)t->data + (size_t)i * bytes, t->data, bytes);
        else
            ig_set_f64(t->dtype, t->data, i, ig_get_f64(t->dtype, t->data, 0));
    }
}

static ig_status read_tensor(parser *p, ingot_dtype dtype, oc_operand *o)
{
    int64_t dims[IG_MAX_RANK], n = 0;
    int rank = -1;
    if (*p->at == '[') IG_TRY(read_dims(p, &rank, dims));
    const char *contents = p->at;
    o->has_contents = *p->at == '{';
    if (!o->has_contents && rank < 0) return malformed(p, "neither shape nor contents");
    if (o->has_contents) IG_TRY(read_elements(p, dtype, NULL, &n));
    if (rank < 0) rank = 1, dims[0] = n;
    IG_TRY(ig_tensor_in_arena(p->arena, dtype, rank, dims, NULL, &o->value, p->err));
    if (!o->has_contents)
        return oc_fill_random(o->value, p->seed = p->seed * 31 + 7, p->arena, p->err);
    const int64_t count = ig_tensor_count(o->value);
    if (n != count && n != 1) return malformed(p, "number of elements and shape differ");
    if (count == 0) return INGOT_OK;
    p->at = contents;
    IG_TRY(read_elements(p, dtype, o->value->data, &n));
    if (n == 1) repeat_first(o->value);
    return INGOT_OK;
}

static ig_status read_items(parser *p, ingot_kind kind, oc_operand *o)
{
    ig_tensor *list = ig_arena_get(p->arena, sizeof *list);
    ig_tensor **items = ig_arena_array(p->arena, OC_MAX_OPERANDS, sizeof *items);
    if (!list || !items) return IG_NOMEM(p->err, sizeof *list);
    *list = (ig_tensor){ .kind = kind, .items = items };
    o->has_contents = true;
    o->value = list;
    while (skip_spaces(p), !accept(p, ')')) {
        oc_operand item = { 0 };
        ingot_dtype dtype = INGOT_UNDEFINED;
        if (!read_type(p, &dtype)) return malformed(p, "a type was expected");
        list->dtype = dtype;
        if (*p->at != '[' && *p->at != '{') continue;
        if (list->n_items == OC_MAX_OPERANDS) return malformed(p, "too many items");
        IG_TRY(read_tensor(p, list->dtype, &item));
        items[list->n_items++] = item.value;
    }
    return INGOT_OK;
}

/* An operand, if one stands here. */
static ig_status read_operand(parser *p, bool *found, oc_operand *o)
{
    const char *begin = p->at;
    ingot_dtype dtype;
    *found = true;
    *o = (oc_operand){ 0 };
    if (*p->at == '_' && (p->at[1] == ' ' || p->at[1] == 0)) {
        p->at++;
        o->is_absent = true;
        return INGOT_OK;
    }
    if (p->at[0] == 'c' && p->at[1] == ':') p->at += 2, o->is_const = true;
    if (!strncmp(p->at, "seq(", 4)) return p->at += 4, read_items(p, INGOT_KIND_SEQUENCE, o);
    if (!strncmp(p->at, "opt(", 4)) return p->at += 4, read_items(p, INGOT_KIND_OPTIONAL, o);
    if (!strncmp(p->at, "map(", 4)) return p->at += 4, read_items(p, INGOT_KIND_MAP, o);
    if (read_type(p, &dtype) && (*p->at == '[' || *p->at == '{')) return read_tensor(p, dtype, o);
    p->at = begin;
    *found = false;
    return INGOT_OK;
}

/* ---- attributes ---- */

static bool is_float_literal(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] == '.' || text[i] == 'e' || text[i] == 'n') return true; /* inf and nan too */
    return false;
}

static size_t literal_bytes(const char *at) { return strcspn(at, " ,]"); }

static ig_status read_number(parser *p, bool is_float, int64_t *i, float *f)
{
    char *end;
    const size_t n = literal_bytes(p->at);
    if (is_float) {
        *f = strtof(p->at, &end);
        if (end != p->at + n || n == 0) return malformed(p, "a number was expected");
        p->at = end;
        return INGOT_OK;
    }
    IG_TRY(read_int(p, i));
    return literal_bytes(p->at) ? malformed(p, "an integer was expected") : INGOT_OK;
}

#define MAX_LIST 256

static ig_status read_list(parser *p, ig_attr *a)
{
    int64_t *ints = ig_arena_array(p->arena, MAX_LIST, sizeof *ints);
    float *floats = ig_arena_array(p->arena, MAX_LIST, sizeof *floats);
    ingot_string *strings = ig_arena_array(p->arena, MAX_LIST, sizeof *strings);
    if (!ints || !floats || !strings) return IG_NOMEM(p->err, sizeof *ints);
    p->at++; /* [ */
    const bool is_float = is_float_literal(p->at, strcspn(p->at, "]")), is_text = *p->at == '"';
    while (!accept(p, ']')) {
        if (a->n && !accept(p, ',')) return malformed(p, ", or ] was expected");
        skip_spaces(p);
        if (a->n == MAX_LIST) return malformed(p, "list too long");
        if (is_text)
            IG_TRY(read_quoted(p, &strings[a->n]));
        else
            IG_TRY(read_number(p, is_float, &ints[a->n], &floats[a->n]));
        a->n++;
    }
    a->kind = is_text ? IG_ATTR_STRINGS : is_float ? IG_ATTR_FLOATS : IG_ATTR_INTS;
    if (is_text) a->strings = strings;
    if (is_float && !is_text) a->floats = floats;
    if (!is_float && !is_text) a->ints = ints;
    return INGOT_OK;
}

/* From "graph" to the brace that closes it; "@1" says which input feeds the first capture. */
static ig_status read_graph(parser *p, ig_attr *a, const char **text)
{
    const char *begin = p->at;
    int depth = 0;
    bool is_open = false, in_string = false;
    for (; *p->at && !(is_open && depth == 0); p->at++) {
        if (*p->at == '"') in_string = !in_string;
        if (!in_string && *p->at == '{') depth++, is_open = true;
        if (!in_string && *p->at == '}') depth--;
    }
    begin += strlen("graph ");
    if (*begin == '@') a->first_capture = (uint32_t)strtoul(begin + 1, (char **)&begin, 10);
    *text = ig_arena_printf(p->arena, "graph %.*s", (int)(p->at - begin), begin);
    if (!*text) return IG_NOMEM(p->err, 0);
    const size_t n = strlen(*text);
    a->kind = IG_ATTR_GRAPH;
    a->n = 1;
    return ig_graph_parse(p->arena, p->dims, *text, n, &a->g, p->err);
}

static ig_status read_attr(parser *p, size_t name_bytes)
{
    oc_case *c = p->c;
    ig_attr a = { .n = 1 };
    oc_operand tensor;
    bool found = false;
    if (c->n_attrs == OC_MAX_ATTRS) return malformed(p, "too many attributes");
    a.name = ig_arena_strndup(p->arena, p->at, name_bytes);
    if (!a.name) return IG_NOMEM(p->err, name_bytes);
    p->at += name_bytes + 1;
    if (*p->at == '"') {
        a.kind = IG_ATTR_STRING;
        IG_TRY(read_quoted(p, &a.s));
    } else if (*p->at == '[') {
        a.n = 0;
        IG_TRY(read_list(p, &a));
    } else if (!strncmp(p->at, "graph ", 6)) {
        IG_TRY(read_graph(p, &a, &c->graph_text[c->n_attrs]));
    } else {
        IG_TRY(read_operand(p, &found, &tensor));
        if (found && tensor.is_absent) return malformed(p, "a value was expected");
        const bool is_float = is_float_literal(p->at, literal_bytes(p->at));
        a.kind = found ? IG_ATTR_TENSOR : is_float ? IG_ATTR_FLOAT : IG_ATTR_INT;
        if (found)
            a.t = tensor.value;
        else
            IG_TRY(read_number(p, is_float, &a.i, &a.f));
    }
    c->attrs[c->n_attrs++] = a;
    return INGOT_OK;
}

/* ---- the whole ---- */

static ig_status read_item(parser *p, bool *has_expected)
{
    oc_case *c = p->c;
    oc_operand o;
    bool found;
    int64_t number;
    if (accept(p, '@')) {
        IG_TRY(read_int(p, &number));
        c->opset = (int)number;
        c->has_opset = true;
        return INGOT_OK;
    }
    if (p->at[0] == '-' && p->at[1] == '>') {
        p->at += 2;
        skip_spaces(p);
        IG_TRY(read_int(p, &number));
        if (number < 0 || number > OC_MAX_OPERANDS) return malformed(p, "number of outputs");
        c->n_out = (int)number;
        return INGOT_OK;
    }
    if (p->at[0] == '=' && p->at[1] == ' ') {
        p->at++;
        *has_expected = true;
        return INGOT_OK;
    }
    IG_TRY(read_operand(p, &found, &o));
    if (found) {
        int *n = *has_expected ? &c->n_expected : &c->n_in;
        if (*n == OC_MAX_OPERANDS) return malformed(p, "too many operands");
        (*has_expected ? c->expected : c->in)[(*n)++] = o;
        return INGOT_OK;
    }
    size_t n = 0;
    while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_') n++;
    if (n == 0 || p->at[n] != '=') return malformed(p, "neither operand nor attribute");
    return read_attr(p, n);
}

ig_status oc_parse(oc_case *c, ig_arena *arena, ig_dims *dims, ig_error *err)
{
    parser p = { .at = c->text, .c = c, .arena = arena, .dims = dims, .err = err };
    bool has_expected = false;
    p.seed = ig_hash(c->text, strlen(c->text), 1);
    c->opset = oc_newest_opset(c->op);
    c->n_out = -1;
    while (skip_spaces(&p), *p.at) {
        if (accept(&p, '!')) {
            skip_spaces(&p);
            c->fails = p.at;
            break;
        }
        IG_TRY(read_item(&p, &has_expected));
        if (*p.at && *p.at != ' ') return malformed(&p, "a space was expected");
    }
    if (has_expected && c->n_expected == 0) return malformed(&p, "expected outputs are missing");
    if (c->n_out < 0) c->n_out = c->op->n_out[0] > 0 ? c->op->n_out[0] : 1;
    if (c->n_expected > c->n_out) return malformed(&p, "more outputs expected than there are");
    return INGOT_OK;
}
