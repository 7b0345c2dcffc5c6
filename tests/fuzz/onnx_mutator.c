/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onnx_mutator.c: changes to models that leave them models, for libFuzzer.
 *
 * Bytes changed at random nearly always break a length or a name, and then only the reader is
 * tested. Here a model is read as a tree (onnx_tree.h), changed in one to four places, and written
 * again: numbers get values at the edges of their types, nodes other operators and attributes,
 * tensors other shapes with data to match, and parts of a model (or of another one) are copied to
 * where such parts belong. What cannot be read as a tree, and one in eight that can, is left to
 * libFuzzer's own mutator.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_tree.h"
#include "onnx_words.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_out, unsigned int seed);

static onnx_tree tree, other; /* large, and the fuzzer has one thread */
static uint64_t state;

static uint32_t choose(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)((state >> 33) % n) : 0;
}

/* ---- picking ---- */

/* A field, linked to the model, of a kind in [low, high]; NULL: none found. */
static onnx_field *pick(onnx_tree *t, onnx_kind low, onnx_kind high)
{
    const size_t first = choose(t->n_fields);
    for (size_t i = 0; i < t->n_fields; i++) {
        onnx_field *f = &t->fields[(first + i) % t->n_fields], *top = f;
        if (f->kind < low || f->kind > high) continue;
        while (top->parent) top = top->parent;
        if (f->parent && top == t->fields) return f;
    }
    return NULL;
}

static onnx_field *pick_any(onnx_tree *t) { return pick(t, ONNX_OPSET, ONNX_WORD); }

/* ---- contents ---- */

static void set_bytes(onnx_field *f, const void *data, size_t n)
{
    uint8_t *room = onnx_tree_room(&tree, n);
    if (!room || f->wire != WIRE_BYTES) return;
    memcpy(room, data, n);
    f->data = room;
    f->n = n;
}

static uint64_t edge_number(uint64_t old)
{
    static const int64_t edges[] = { -1,        -2,         INT8_MIN,  INT8_MAX,  UINT8_MAX,
                                     INT16_MAX, UINT16_MAX, INT32_MIN, INT32_MAX, UINT32_MAX,
                                     INT64_MIN, INT64_MAX,  1 << 20,   1LL << 40, 1LL << 61 };
    switch (choose(4)) {
    case 0: return (uint64_t)edges[choose(sizeof edges / sizeof *edges)];
    case 1: return old + 1 - 2 * (uint64_t)choose(2);
    case 2: return choose(2) ? old * 2 : -old;
    default: return choose(10);
    }
}

static uint64_t edge_real(uint32_t wire)
{
    static const double edges[] = { 0, -0.0, 1,    -1,   0.5,   2.5,    1e-40, 1e30,
                                    3, -1e9, 1e-3, 1e19, 1e300, 1e-310, 7 };
    double x = edges[choose(sizeof edges / sizeof *edges)];
    uint64_t bits = 0;
    if (choose(8) == 0) x = choose(2) ? (double)INFINITY : -(double)NAN;
    const float narrow = (float)(x > 1e38 || x < -1e38 ? x * INFINITY : x);
    memcpy(&bits, wire == WIRE_FIXED64 ? (const void *)&x : &narrow, wire == WIRE_FIXED64 ? 8 : 4);
    return bits;
}

/* A packed list of varints with one changed, removed or added. */
static void change_packed_numbers(onnx_field *f)
{
    uint8_t out[4096 + 20];
    uint64_t x;
    size_t n = 0, at = 0, count = 0;
    if (f->n > 2048) return;
    for (size_t m; (m = onnx_read_varint(f->data + at, f->n - at, &x)) != 0; at += m) count++;
    const size_t changed = choose(count + 1), how = choose(6);
    at = 0;
    for (size_t i = 0; i <= count; i++) {
        const size_t m = i < count ? onnx_read_varint(f->data + at, f->n - at, &x) : 0;
        at += m;
        if (i == changed && (how == 0 || i == count))
            n += onnx_write_varint(out + n, edge_number(1));
        if (i == changed && how == 1) continue;
        if (i < count) n += onnx_write_varint(out + n, i == changed && how ? edge_number(x) : x);
    }
    set_bytes(f, out, n);
}

/* Elements of 1, 2, 4 or 8 bytes. */
static void change_elements(onnx_field *f, size_t bytes)
{
    uint8_t *data = onnx_tree_room(&tree, f->n);
    if (!data || f->n < bytes || f->wire != WIRE_BYTES) return;
    memcpy(data, f->data, f->n);
    const uint64_t x = choose(2) && bytes >= 4 ? edge_real(bytes == 8 ? WIRE_FIXED64 : WIRE_FIXED32)
                                               : edge_number(data[0]);
    memcpy(data + choose(f->n / bytes) * bytes, &x, bytes);
    f->data = data;
}

static void change_text(onnx_field *f)
{
    static const char *const texts[] = {
        "",       "x",         "linear",     "cubic",         "location",   "offset",
        "length", "0",         "64",         "8192",          "-1",         "w.bin",
        "link",   "sub/w.bin", "../secret",  "/etc/hosts",    "./w.bin",    "9223372036854775807",
        "N",      "ai.onnx",   "ai.onnx.ml", "com.microsoft", "a.b/c d\"\n"
    };
    onnx_field *from = pick(&tree, f->kind, f->kind);
    if (choose(3) && from)
        set_bytes(f, from->data, from->n);
    else if (choose(3)) {
        const char *text = texts[choose(sizeof texts / sizeof *texts)];
        set_bytes(f, text, strlen(text));
    } else {
        change_elements(f, 1);
    }
}

static void change_contents(onnx_field *f)
{
    if (f->kind == ONNX_OPERATOR && choose(4)) {
        const ig_op *op = ig_ops_at(choose(ig_ops_count()));
        onnx_field *domain = onnx_tree_child(f->parent, 7);
        set_bytes(f, op->onnx, strlen(op->onnx));
        if (domain && domain->wire == WIRE_BYTES) domain->n = 0;
        if (!op->domain || f->parent->kind != ONNX_NODE) return;
        if (!domain && (domain = onnx_tree_new(&tree, 7, WIRE_BYTES, ONNX_DOMAIN)))
            onnx_tree_link(f->parent, NULL, domain);
        if (domain) set_bytes(domain, op->domain, strlen(op->domain));
    } else if (f->wire == WIRE_VARINT) {
        f->value = edge_number(f->value);
    } else if (f->wire != WIRE_BYTES) {
        f->value = edge_real(f->wire);
    } else if (f->kind == ONNX_NUMBER) {
        change_packed_numbers(f);
    } else if (f->kind == ONNX_REAL) {
        change_elements(f, f->number == 10 ? 8 : 4);
    } else if (f->kind == ONNX_BYTES) {
        change_elements(f, (size_t)1 << choose(4));
    } else if (f->kind > ONNX_N_MESSAGES) {
        change_text(f);
    }
}

/* ---- nodes and tensors ---- */

static void put_number(onnx_field *in, uint32_t number, uint64_t value)
{
    onnx_field *f = onnx_tree_new(&tree, number, WIRE_VARINT, ONNX_NUMBER);
    if (!f) return;
    f->value = value;
    onnx_tree_link(in, NULL, f);
}

static void put_text(onnx_field *in, uint32_t number, const char *text, size_t n)
{
    onnx_field *f = onnx_tree_new(&tree, number, WIRE_BYTES, ONNX_WORD);
    if (!f) return;
    onnx_tree_link(in, NULL, f);
    set_bytes(f, text, n);
}

static void put_real(onnx_field *in, uint32_t number, double x)
{
    const float narrow = (float)x;
    onnx_field *f = onnx_tree_new(&tree, number, WIRE_FIXED32, ONNX_REAL);
    if (!f) return;
    memcpy(&f->value, &narrow, 4);
    onnx_tree_link(in, NULL, f);
}

/* Types of AttributeProto: 1 float, 2 int, 3 string; lists are 5 more. */
static void put_value(onnx_field *attribute, const onnx_word *w)
{
    char text[256];
    const size_t n = w->value_bytes < sizeof text ? w->value_bytes : sizeof text - 1;
    memcpy(text, w->value, n);
    text[n] = 0;
    const bool is_list = text[0] == '[', is_text = strchr(text, '"') != NULL;
    const bool is_real = !is_text && strpbrk(text, ".einf") != NULL;
    const uint32_t number = is_list   ? (is_text   ? 9
                                         : is_real ? 7
                                                   : 8)
                            : is_text ? 4
                            : is_real ? 2
                                      : 3;
    for (char *p = text + is_list, *end; *p && *p != ']'; p = end + strspn(end, "\", ")) {
        if (is_text) {
            p += *p == '"';
            end = p + strcspn(p, "\"");
            put_text(attribute, number, p, (size_t)(end - p));
        } else if (is_real) {
            put_real(attribute, number, strtod(p, &end));
        } else {
            const long long x = strtoll(p, &end, 10);
            put_number(attribute, number, choose(4) ? (uint64_t)x : edge_number((uint64_t)x));
        }
        if (end == p && *end) break;
    }
    put_number(attribute, 20, (is_text ? 3u : is_real ? 1u : 2u) + (is_list ? 5 : 0));
}

/* An attribute that the node's operator has, or, now and then, any. */
static void add_attribute(onnx_field *node)
{
    const onnx_field *name = onnx_tree_child(node, 4);
    const ig_op *op = name && name->data && choose(8)
                          ? onnx_words_operator((const char *)name->data, name->n)
                          : NULL;
    onnx_word word;
    if (!onnx_words_attribute(op, choose(1u << 30), &word)) return;
    onnx_field *attribute = onnx_tree_new(&tree, 5, WIRE_BYTES, ONNX_ATTRIBUTE);
    if (!attribute) return;
    for (onnx_field *c = node->child; c; c = c->next) {
        const onnx_field *old = c->kind == ONNX_ATTRIBUTE ? onnx_tree_child(c, 1) : NULL;
        if (!old || old->n != word.name_bytes || memcmp(old->data, word.name, old->n) != 0)
            continue;
        onnx_tree_unlink(c);
        break;
    }
    put_value(attribute, &word);
    put_text(attribute, 1, word.name, word.name_bytes);
    onnx_tree_link(node, NULL, attribute);
}

/* Another shape or type, with as much data. */
static void reshape(onnx_field *tensor)
{
    static const size_t bits[] = { 0,  32, 8,  8,   16, 16, 32, 64, 0, 8, 16, 64,
                                   32, 64, 64, 128, 16, 8,  8,  8,  8, 4, 4 };
    const onnx_field *old = onnx_tree_child(tensor, 2);
    size_t type = old ? (size_t)old->value : 1, count = 1;
    uint8_t dims[8];
    if (choose(3) == 0) type = choose(sizeof bits / sizeof *bits);
    if (type >= sizeof bits / sizeof *bits || !bits[type]) return;
    const size_t rank = choose(6);
    for (size_t d = 0; d < rank; d++) count *= dims[d] = (uint8_t)choose(choose(3) ? 4 : 9);
    for (onnx_field *c = tensor->child, *next; c; c = next) {
        next = c->next;
        if (c->number != 8 && c->number < 12) onnx_tree_unlink(c);
    }
    put_text(tensor, 1, (const char *)dims, rank);
    put_number(tensor, 2, type);
    uint8_t *room = onnx_tree_room(&tree, (count * bits[type] + 7) / 8);
    onnx_field *raw = onnx_tree_new(&tree, 9, WIRE_BYTES, ONNX_BYTES);
    if (!room || !raw) return;
    raw->data = room;
    raw->n = (count * bits[type] + 7) / 8;
    for (size_t i = 0; i < raw->n; i++)
        room[i] = (uint8_t)(i * 8 % (bits[type] > 8 ? bits[type] : 8) && choose(4) ? 0 : choose(6));
    onnx_tree_link(tensor, NULL, raw);
}

/* ---- parts ---- */

/* A part of `from` beside or in place of one that holds the same. */
static void graft(onnx_tree *from)
{
    onnx_field *to = pick_any(&tree);
    const onnx_field *part = to ? pick(from, to->kind, to->kind) : NULL;
    onnx_field *copy = part ? onnx_tree_copy(&tree, part) : NULL;
    if (!copy) return;
    if (copy->wire == to->wire) copy->number = to->number;
    onnx_tree_link(to->parent, to, copy);
    if (choose(2)) onnx_tree_unlink(to);
}

static void move(onnx_field *f)
{
    onnx_field *parent = f->parent;
    onnx_tree_unlink(f);
    onnx_field *at = NULL, *c = parent->child;
    for (size_t n = choose(8); c && n > 0; n--) at = c, c = c->next;
    onnx_tree_link(parent, at, f);
}

static void mutate_once(void)
{
    onnx_field *f;
    switch (choose(12)) {
    case 0: graft(&tree); return;
    case 1:
        if ((f = pick_any(&tree)) != NULL) onnx_tree_unlink(f);
        return;
    case 2:
        if ((f = pick_any(&tree)) != NULL) move(f);
        return;
    case 3:
        if ((f = pick(&tree, ONNX_TENSOR, ONNX_TENSOR)) != NULL) reshape(f);
        return;
    case 4:
    case 5:
        if ((f = pick(&tree, ONNX_NODE, ONNX_NODE)) != NULL) add_attribute(f);
        return;
    case 6: f = pick(&tree, ONNX_VALUE, ONNX_OPERATOR); break;
    case 7: f = pick(&tree, ONNX_BYTES, ONNX_BYTES); break;
    case 8:
    case 9: f = pick(&tree, ONNX_NUMBER, ONNX_REAL); break;
    default: f = pick_any(&tree); break;
    }
    if (f) change_contents(f);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    state = seed;
    if (choose(8) == 0 || !onnx_tree_read(&tree, data, size) || tree.n_fields < 2)
        return LLVMFuzzerMutate(data, size, max_size);
    for (size_t n = 1 + choose(4); n > 0; n--) mutate_once();
    uint8_t *out = malloc(max_size);
    const size_t n = out ? onnx_tree_write(&tree, out, max_size) : 0;
    if (n) memcpy(data, out, n);
    free(out);
    return n ? n : LLVMFuzzerMutate(data, size, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
                                 size_t size2, uint8_t *out, size_t max_out, unsigned int seed)
{
    state = seed;
    if (!onnx_tree_read(&tree, data1, size1) || !onnx_tree_read(&other, data2, size2)) return 0;
    for (size_t n = 1 + choose(3); n > 0; n--) graft(&other);
    return onnx_tree_write(&tree, out, max_out);
}
