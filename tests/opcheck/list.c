/* SPDX-License-Identifier: Apache-2.0 */
/* list.c: --list: a JSON object a line, with all that it takes to build the case elsewhere. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "opcheck.h"

static void write_hex(ig_json_writer *w, oc_env *env, const ig_tensor *t)
{
    static const char digits[] = "0123456789abcdef";
    size_t bytes = 0;
    (void)!ig_tensor_bytes(t, &bytes);
    char *hex = ig_arena_get(&env->arena, 2 * bytes + 1);
    for (size_t i = 0; hex && i < bytes; i++) {
        hex[2 * i] = digits[((const uint8_t *)t->data)[i] >> 4];
        hex[2 * i + 1] = digits[((const uint8_t *)t->data)[i] & 15];
    }
    ig_json_key(w, "hex");
    ig_json_cstr(w, hex);
}

static void write_value(ig_json_writer *w, oc_env *env, const ig_tensor *t)
{
    static const char *const kinds[] = { "tensor", "sequence", "map", "optional" };
    ig_json_key(w, "kind");
    ig_json_cstr(w, kinds[t->kind]);
    ig_json_key(w, "dtype");
    ig_json_int(w, t->dtype);
    if (t->kind != INGOT_KIND_TENSOR) {
        ig_json_key(w, "items");
        ig_json_open(w, '[');
        for (size_t i = 0; i < t->n_items; i++) {
            ig_json_open(w, '{');
            write_value(w, env, t->items[i]);
            ig_json_close(w, '}');
        }
        ig_json_close(w, ']');
        return;
    }
    ig_json_key(w, "dims");
    ig_json_open(w, '[');
    for (int d = 0; d < t->rank; d++) ig_json_int(w, t->dims[d]);
    ig_json_close(w, ']');
    if (t->dtype != INGOT_STRING) {
        write_hex(w, env, t);
        return;
    }
    ig_json_key(w, "strings");
    ig_json_open(w, '[');
    const ingot_string *s = t->data;
    for (int64_t i = 0; i < ig_tensor_count(t); i++) ig_json_string(w, s[i].data, s[i].bytes);
    ig_json_close(w, ']');
}

static void write_list(ig_json_writer *w, const ig_attr *a)
{
    ig_json_open(w, '[');
    for (size_t i = 0; i < a->n; i++) {
        if (a->kind == IG_ATTR_INTS) ig_json_int(w, a->ints[i]);
        if (a->kind == IG_ATTR_FLOATS) ig_json_number(w, (double)a->floats[i]);
        if (a->kind == IG_ATTR_STRINGS) ig_json_string(w, a->strings[i].data, a->strings[i].bytes);
    }
    ig_json_close(w, ']');
}

static void write_attr(ig_json_writer *w, oc_env *env, const ig_attr *a, const char *graph_text)
{
    static const char *const kinds[] = { "",     "int",    "float",   "string",  "tensor", "graph",
                                         "ints", "floats", "strings", "tensors", "graphs", "type" };
    ig_json_open(w, '{');
    ig_json_key(w, "name");
    ig_json_cstr(w, a->name);
    ig_json_key(w, "is");
    ig_json_cstr(w, kinds[a->kind]);
    if (a->kind == IG_ATTR_TENSOR) {
        write_value(w, env, a->t);
    } else {
        ig_json_key(w, "value");
        if (a->kind == IG_ATTR_INT)
            ig_json_int(w, a->i);
        else if (a->kind == IG_ATTR_FLOAT)
            ig_json_number(w, (double)a->f);
        else if (a->kind == IG_ATTR_STRING)
            ig_json_string(w, a->s.data, a->s.bytes);
        else if (a->kind == IG_ATTR_GRAPH)
            ig_json_cstr(w, graph_text);
        else
            write_list(w, a);
    }
    ig_json_close(w, '}');
}

static void write_inputs(ig_json_writer *w, oc_env *env)
{
    const oc_case *c = env->c;
    ig_json_key(w, "inputs");
    ig_json_open(w, '[');
    for (int i = 0; i < c->n_in; i++) {
        if (c->in[i].is_absent) {
            ig_json_null(w);
            continue;
        }
        ig_json_open(w, '{');
        ig_json_key(w, "is_const");
        ig_json_bool(w, c->in[i].is_const);
        write_value(w, env, c->in[i].value);
        ig_json_close(w, '}');
    }
    ig_json_close(w, ']');
}

void oc_list(oc_env *env)
{
    const oc_case *c = env->c;
    ig_str text;
    ig_json_writer w;
    ig_str_init(&text, &env->alloc);
    ig_json_begin(&w, &text, -1);
    ig_json_open(&w, '{');
    ig_json_key(&w, "op");
    ig_json_cstr(&w, c->op->onnx);
    ig_json_key(&w, "domain");
    ig_json_cstr(&w, c->op->domain ? c->op->domain : "");
    ig_json_key(&w, "case");
    ig_json_int(&w, (int64_t)c->index);
    ig_json_key(&w, "text");
    ig_json_cstr(&w, c->text);
    ig_json_key(&w, "opset");
    ig_json_int(&w, c->opset);
    ig_json_key(&w, "has_opset");
    ig_json_bool(&w, c->has_opset);
    ig_json_key(&w, "is_random");
    ig_json_bool(&w, (c->op->flags & IG_RANDOM) != 0);
    ig_json_key(&w, "fails");
    ig_json_cstr(&w, c->fails);
    ig_json_key(&w, "n_out");
    ig_json_int(&w, c->n_out);
    write_inputs(&w, env);
    ig_json_key(&w, "attrs");
    ig_json_open(&w, '[');
    for (int i = 0; i < c->n_attrs; i++) write_attr(&w, env, &c->attrs[i], c->graph_text[i]);
    ig_json_close(&w, ']');
    ig_json_close(&w, '}');
    puts(ig_str_ok(&text) ? ig_str_cstr(&text) : "");
    ig_str_deinit(&text);
}
