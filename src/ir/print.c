/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.c: graphs as text. parse.c reads it back.
 *
 *     graph   := "graph" [ "@" INT ] STRING [ "(" "opset" domain INT { "," domain INT } ")" ]
 *                "(" [ inputs ] [ ";" inputs ] ")" "->" "(" [ value { "," value } ] ")"
 *                "{" { constant | node } "}"
 *                @ n: the first input of the node that feeds a capture; captures follow the ";"
 *     inputs  := typed { "," typed }
 *     typed   := value [ ":" type ] [ contents ]
 *     constant:= "const" typed
 *     node    := [ output { "," output } ] "=" op [ "@" INT ] STRING "(" [ input { "," input } ]
 * ")" [ "{" attribute { "," attribute } "}" ] output  := typed | "_"          input := value | "_"
 * (absent) op      := name | domain "::" name            "@" the version of the operator set, where
 * it is not the one that the graph (or the graph around it) states value   := "%" name | "%#" INT
 * (the latter have no name; numbered as they come) type    := [ kind "<" ( kind | "tensor" ) ","
 * dtype [ "," dtype ] ">" | dtype ] [ "[" "*" "]" | "[" [ dim { "," dim } ] "]" ]            "[*]":
 * unknown rank kind    := "sequence" | "map" | "optional" contents:= "=" "{" element { "," element
 * } "}" | "=" "#" HEX elements of integer tensors may be dims; complex ones are re ":" im dim :=
 * INT | name | "?" INT | dim ("+" | "-" | "*" | "//") dim | "(" dim ")" | ("max" | "min") "(" dim
 * "," dim ")" attribute := name "=" ( INT | FLOAT | STRING | "[" … "]" | ("ints" | "floats" |
 * "strings") "[" "]" | "tensor" tensor | "tensors" "[" tensor, … "]" | graph | "graphs" "[" graph,
 * … "]" | "type" type )          tensor := type "{" … "}" | type "#" HEX
 *
 * A FLOAT has a dot or an exponent, or is inf, -inf, nan, or nan(0x…) with the bits of the element.
 * Names outside [A-Za-z0-9_./:-]+ (or with a colon at the end) and strings are in double quotes
 * with \\ \" \n \t \r \xHH. "#" and a hash stand for contents that were not printed; they cannot be
 * read back as a constant. A "#" at the begin of a line starts a comment.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ir/text.h"

#define SMALL_ELEMENTS 16

typedef struct printer {
    ig_str *out;
    bool with_data;
    const ig_graph *g;
    const struct printer *around; /* of the graph around this one */
    uint32_t *numbers;            /* of values without names, 0: none yet */
    uint32_t n_numbers;
    int indent;
} printer;

static void print_graph(const printer *around, const ig_graph *g, int64_t first_capture,
                        bool with_data, int indent, ig_str *out);

/* ---- words ---- */

static void print_quoted(ig_str *out, const char *s, size_t n)
{
    ig_str_putc(out, '"');
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)s[i];
        const char *const at = strchr("\n\t\r", c);
        if (c == '"' || c == '\\')
            ig_str_printf(out, "\\%c", c);
        else if (c && at)
            ig_str_printf(out, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
        else if (c < 32 || c == 127)
            ig_str_printf(out, "\\x%02x", c);
        else
            ig_str_putc(out, (char)c);
    }
    ig_str_putc(out, '"');
}

static void print_name(ig_str *out, const char *name)
{
    const size_t n = strlen(name);
    size_t i = 0;
    while (i < n && ig_text_is_name(name[i])) i++;
    if (n && i == n && name[n - 1] != ':')
        ig_str_puts(out, name);
    else
        print_quoted(out, name, n);
}

/* As print_name, but without ':' and '/', which mean something round operators. */
static void print_word(ig_str *out, const char *name)
{
    if (*name && !strpbrk(name, ":/"))
        print_name(out, name);
    else
        print_quoted(out, name, strlen(name));
}

/* ---- numbers ---- */

/* The shortest decimal that reads back to the same element. A comma that the locale wants becomes
 * a dot. */
static void print_real(ig_str *out, double x, ingot_dtype dtype)
{
    const int bits = ingot_dtype_bits(dtype), most = bits == 64 ? 17 : 9;
    char text[40], copy[40];
    if (isinf(x)) {
        ig_str_puts(out, x < 0 ? "-inf" : "inf");
        return;
    }
    for (int digits = bits == 64 ? 15 : bits == 32 ? 6 : 5; digits <= most; digits++) {
        uint64_t element = 0;
        snprintf(text, sizeof text, "%.*g", digits, x);
        ig_text_dot_to_locale(text, true);
        memcpy(copy, text, sizeof copy);
        ig_set_f64(dtype, &element, 0, ig_text_real(copy, dtype == INGOT_FLOAT));
        if (ig_get_f64(dtype, &element, 0) == x) break;
    }
    ig_str_puts(out, text);
}

static void print_float(ig_str *out, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (isfinite(x)) {
        const size_t start = out->n;
        print_real(out, (double)x, INGOT_FLOAT);
        if (ig_str_ok(out) && !strpbrk(out->data + start, ".e")) ig_str_puts(out, ".0");
    } else if (isinf(x))
        ig_str_puts(out, x < 0 ? "-inf" : "inf");
    else if (bits == 0x7fc00000u)
        ig_str_puts(out, "nan");
    else
        ig_str_printf(out, "nan(0x%08x)", bits);
}

static void print_real_element(ig_str *out, ingot_dtype dtype, const void *data, int64_t i)
{
    const double x = ig_get_f64(dtype, data, i);
    if (!isnan(x)) {
        print_real(out, x, dtype);
        return;
    }
    const uint64_t bits = ig_text_element_bits(dtype, data, i);
    if (bits == ig_text_nan_bits(dtype))
        ig_str_puts(out, "nan");
    else
        ig_str_printf(out, "nan(0x%llx)", (unsigned long long)bits);
}

static void print_element(ig_str *out, ingot_dtype dtype, const void *data, int64_t i)
{
    switch ((int)dtype) {
    case INGOT_STRING: {
        const ingot_string *s = &((const ingot_string *)data)[i];
        print_quoted(out, s->data ? s->data : "", s->bytes);
        break;
    }
    case INGOT_COMPLEX64:
    case INGOT_COMPLEX128: {
        int n_parts;
        const ingot_dtype part = ig_dtype_parts(dtype, &n_parts);
        print_real_element(out, part, data, 2 * i);
        ig_str_putc(out, ':');
        print_real_element(out, part, data, 2 * i + 1);
        break;
    }
    case INGOT_UINT64:
        ig_str_printf(out, "%llu", (unsigned long long)((const uint64_t *)data)[i]);
        break;
    default:
        if (ig_text_is_real(dtype))
            print_real_element(out, dtype, data, i);
        else
            ig_str_printf(out, "%lld", (long long)ig_get_i64(dtype, data, i));
        break;
    }
}

static uint64_t hash_tensor(const ig_tensor *t)
{
    uint64_t hash = ig_hash(t->dims, (size_t)t->rank * sizeof t->dims[0], (uint64_t)t->dtype);
    size_t bytes = 0;
    if (!ig_tensor_bytes(t, &bytes) || !bytes) return hash;
    if (t->dtype != INGOT_STRING) return ig_hash(t->data, bytes, hash);
    const ingot_string *strings = t->data;
    for (size_t i = 0; i < bytes / sizeof *strings; i++)
        hash = ig_hash(strings[i].data ? strings[i].data : "", strings[i].bytes, hash);
    return hash;
}

static bool is_printed(const printer *p, const ig_tensor *t)
{
    return t->kind == INGOT_KIND_TENSOR && (p->with_data || ig_tensor_count(t) <= SMALL_ELEMENTS);
}

/* "{1, 2}" or "#1f3a…" */
static void print_contents(const printer *p, const ig_tensor *t)
{
    if (!is_printed(p, t)) {
        ig_str_printf(p->out, "#%016llx",
                      t->kind == INGOT_KIND_TENSOR ? (unsigned long long)hash_tensor(t) : 0ull);
        return;
    }
    const int64_t n = ig_tensor_count(t);
    ig_str_putc(p->out, '{');
    for (int64_t i = 0; i < n; i++) {
        if (i) ig_str_puts(p->out, ", ");
        print_element(p->out, t->dtype, t->data, i);
    }
    ig_str_putc(p->out, '}');
}

/* ---- types and values ---- */

static const char *const kind_names[] = { "tensor", "sequence", "map", "optional" };

static void print_type(ig_str *out, const ig_type *type)
{
    if (type->kind == INGOT_KIND_TENSOR) {
        ig_str_puts(out, ingot_dtype_name(type->dtype));
        return;
    }
    ig_str_printf(out, "%s<%s,%s", kind_names[type->kind & 3], kind_names[type->item_kind & 3],
                  ingot_dtype_name(type->dtype));
    if (type->key_dtype != INGOT_UNDEFINED)
        ig_str_printf(out, ",%s", ingot_dtype_name(type->key_dtype));
    ig_str_putc(out, '>');
}

static void print_dims(const ig_graph *g, int rank, const ig_dim *dims, ig_str *out)
{
    if (rank < 0) {
        ig_str_puts(out, "[*]");
        return;
    }
    ig_str_putc(out, '[');
    for (int i = 0; i < rank; i++) {
        if (i) ig_str_putc(out, ',');
        ig_dim_print(g->dims, dims[i], out);
    }
    ig_str_putc(out, ']');
}

static bool is_type_known(const ig_info *info)
{
    return info->type.kind != INGOT_KIND_TENSOR || info->type.dtype != INGOT_UNDEFINED ||
           info->rank >= 0;
}

static void print_value(printer *p, uint32_t id)
{
    if (id >= p->g->n_values) {
        ig_str_putc(p->out, '_');
        return;
    }
    const char *name = p->g->values[id]->name;
    ig_str_putc(p->out, '%');
    if (*name) {
        print_name(p->out, name);
        return;
    }
    if (p->numbers && !p->numbers[id]) p->numbers[id] = ++p->n_numbers;
    ig_str_printf(p->out, "#%u", p->numbers ? p->numbers[id] : id);
}

/* Value, type, and contents if known and (for results of nodes) short. */
static void print_typed(printer *p, uint32_t id, bool is_result)
{
    print_value(p, id);
    if (id >= p->g->n_values) return;
    const ig_info *info = &p->g->values[id]->info;
    if (is_type_known(info)) {
        ig_str_puts(p->out, ": ");
        print_type(p->out, &info->type);
        if (info->type.kind == INGOT_KIND_TENSOR || info->rank >= 0)
            print_dims(p->g, info->rank, info->dims, p->out);
    }
    if (info->data && (!is_result || is_printed(p, info->data))) {
        ig_str_puts(p->out, " = ");
        print_contents(p, info->data);
    } else if (!info->data && info->elems) {
        ig_str_puts(p->out, " = {");
        for (int i = 0; i < info->n_elems; i++) {
            if (i) ig_str_puts(p->out, ", ");
            ig_dim_print(p->g->dims, info->elems[i], p->out);
        }
        ig_str_putc(p->out, '}');
    }
}

/* ---- attributes ---- */

static void print_tensor(const printer *p, const ig_tensor *t)
{
    const ig_type type = { .kind = t->kind, .dtype = t->dtype };
    print_type(p->out, &type);
    print_dims(p->g, t->rank, t->dims, p->out);
    ig_str_putc(p->out, ' ');
    print_contents(p, t);
}

static void print_list_item(const printer *p, const ig_attr *attr, size_t i)
{
    switch (attr->kind) {
    case IG_ATTR_INTS: ig_str_printf(p->out, "%lld", (long long)attr->ints[i]); break;
    case IG_ATTR_FLOATS: print_float(p->out, attr->floats[i]); break;
    case IG_ATTR_STRINGS:
        print_quoted(p->out, attr->strings[i].data, attr->strings[i].bytes);
        break;
    case IG_ATTR_TENSORS: print_tensor(p, attr->tensors[i]); break;
    default:
        print_graph(p, attr->graphs[i], attr->first_capture, p->with_data, p->indent + 4, p->out);
        break;
    }
}

static void print_list(const printer *p, const ig_attr *attr)
{
    /* Empty lists, and those of long items, say what they are lists of. */
    if (attr->kind == IG_ATTR_TENSORS)
        ig_str_puts(p->out, "tensors");
    else if (attr->kind == IG_ATTR_GRAPHS)
        ig_str_puts(p->out, "graphs");
    else if (!attr->n)
        ig_str_puts(p->out, attr->kind == IG_ATTR_INTS     ? "ints"
                            : attr->kind == IG_ATTR_FLOATS ? "floats"
                                                           : "strings");
    ig_str_putc(p->out, '[');
    for (size_t i = 0; i < attr->n; i++) {
        if (i) ig_str_puts(p->out, ", ");
        print_list_item(p, attr, i);
    }
    ig_str_putc(p->out, ']');
}

static void print_attr(const printer *p, const ig_attr *attr)
{
    print_word(p->out, attr->name);
    ig_str_puts(p->out, " = ");
    switch (attr->kind) {
    case IG_ATTR_INT: ig_str_printf(p->out, "%lld", (long long)attr->i); break;
    case IG_ATTR_FLOAT: print_float(p->out, attr->f); break;
    case IG_ATTR_STRING: print_quoted(p->out, attr->s.data, attr->s.bytes); break;
    case IG_ATTR_TENSOR:
        ig_str_puts(p->out, "tensor ");
        print_tensor(p, attr->t);
        break;
    case IG_ATTR_GRAPH:
        print_graph(p, attr->g, attr->first_capture, p->with_data, p->indent + 4, p->out);
        break;
    case IG_ATTR_TYPE:
        ig_str_puts(p->out, "type ");
        print_type(p->out, &attr->type);
        break;
    default: print_list(p, attr); break;
    }
}

/* ---- nodes ---- */

static int stated_opset(const printer *p, const char *domain)
{
    int version = 0;
    for (; p && !version; p = p->around) version = ig_text_opset(p->g, domain);
    return version ? version : !strcmp(domain, "ingot");
}

static void print_node(printer *p, const ig_node *node)
{
    ig_str_printf(p->out, "%*s", p->indent, "");
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (i) ig_str_puts(p->out, ", ");
        print_typed(p, node->outputs[i], true);
    }
    ig_str_puts(p->out, node->n_outputs ? " = " : "= ");
    if (*node->domain) {
        print_word(p->out, node->domain);
        ig_str_puts(p->out, "::");
    }
    print_word(p->out, node->op_type);
    if (node->opset != stated_opset(p, node->domain)) ig_str_printf(p->out, " @%d", node->opset);
    ig_str_putc(p->out, ' ');
    print_quoted(p->out, node->name, strlen(node->name));
    ig_str_puts(p->out, " (");
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        if (i) ig_str_puts(p->out, ", ");
        print_value(p, node->inputs[i]);
    }
    ig_str_putc(p->out, ')');
    for (uint32_t i = 0; i < node->n_attrs; i++) {
        ig_str_puts(p->out, i ? ", " : " { ");
        print_attr(p, &node->attrs[i]);
    }
    ig_str_puts(p->out, node->n_attrs ? " }\n" : "\n");
}

/* ---- graphs ---- */

enum { IS_USED = 1, IS_DEFINED = 2 };

static void mark(const ig_graph *g, uint8_t *flags, const uint32_t *ids, size_t n, uint8_t flag)
{
    for (size_t i = 0; i < n; i++)
        if (ids[i] < g->n_values) flags[ids[i]] |= flag;
}

/* Constants in order of their ids, those that something uses. */
static void print_constants(printer *p, uint8_t *flags)
{
    const ig_graph *g = p->g;
    mark(g, flags, g->inputs, g->n_inputs, IS_DEFINED);
    mark(g, flags, g->outputs, g->n_outputs, IS_USED);
    for (size_t i = 0; i < g->n_nodes; i++) {
        if (g->nodes[i]->is_dead) continue;
        mark(g, flags, g->nodes[i]->inputs, g->nodes[i]->n_inputs, IS_USED);
        mark(g, flags, g->nodes[i]->outputs, g->nodes[i]->n_outputs, IS_DEFINED);
    }
    for (size_t i = 0; i < g->n_values; i++) {
        if (flags[i] != IS_USED || !g->values[i]->info.data) continue;
        ig_str_printf(p->out, "%*sconst ", p->indent, "");
        print_typed(p, (uint32_t)i, false);
        ig_str_putc(p->out, '\n');
    }
}

static void print_head(printer *p, int64_t first_capture)
{
    const ig_graph *g = p->g;
    ig_str_puts(p->out, "graph ");
    if (g->n_captures) ig_str_printf(p->out, "@%lld ", (long long)first_capture);
    print_quoted(p->out, g->name, strlen(g->name));
    for (size_t i = 0; i < g->n_opsets; i++) {
        ig_str_puts(p->out, i ? ", " : " (opset ");
        print_word(p->out, *g->opsets[i].domain ? g->opsets[i].domain : "ai.onnx");
        ig_str_printf(p->out, " %lld", (long long)g->opsets[i].version);
    }
    ig_str_puts(p->out, g->n_opsets ? ") (" : " (");
    for (size_t i = 0; i < g->n_inputs; i++) {
        if (i == g->n_inputs - g->n_captures)
            ig_str_puts(p->out, "; ");
        else if (i)
            ig_str_puts(p->out, ", ");
        print_typed(p, g->inputs[i], false);
    }
    ig_str_puts(p->out, ") -> (");
    for (size_t i = 0; i < g->n_outputs; i++) {
        if (i) ig_str_puts(p->out, ", ");
        print_value(p, g->outputs[i]);
    }
    ig_str_puts(p->out, ") {\n");
}

static void print_graph(const printer *around, const ig_graph *g, int64_t first_capture,
                        bool with_data, int indent, ig_str *out)
{
    const size_t bytes = (g->n_values + 1) * (sizeof(uint32_t) + 1);
    uint32_t *numbers = ig_alloc_get(out->alloc, bytes, 0, INGOT_MEM_OTHER);
    if (!numbers) {
        out->has_failed = true;
        return;
    }
    memset(numbers, 0, bytes);
    uint8_t *flags = (uint8_t *)(numbers + g->n_values + 1);
    printer p = { .out = out,
                  .with_data = with_data,
                  .g = g,
                  .around = around,
                  .numbers = numbers,
                  .indent = indent };
    print_head(&p, first_capture);
    print_constants(&p, flags);
    for (size_t i = 0; i < g->n_nodes; i++)
        if (!g->nodes[i]->is_dead) print_node(&p, g->nodes[i]);
    ig_str_printf(out, "%*s}", indent - 4, "");
    ig_alloc_put(out->alloc, numbers, bytes, INGOT_MEM_OTHER);
}

void ig_graph_print(const ig_graph *g, bool with_data, ig_str *out)
{
    print_graph(NULL, g, 0, with_data, 4, out);
    ig_str_putc(out, '\n');
}
