/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx_tree.h"

#include <string.h>

#define MAX_DEPTH 64

/* ---- what the fields of ONNX's messages hold ---- */

static const struct {
    onnx_kind in;
    uint8_t number;
    onnx_kind holds;
} known[] = {
    { ONNX_MODEL, 7, ONNX_GRAPH },       { ONNX_MODEL, 8, ONNX_OPSET },
    { ONNX_MODEL, 14, ONNX_ENTRY },      { ONNX_MODEL, 25, ONNX_FUNCTION },
    { ONNX_OPSET, 1, ONNX_DOMAIN },      { ONNX_GRAPH, 1, ONNX_NODE },
    { ONNX_GRAPH, 5, ONNX_TENSOR },      { ONNX_GRAPH, 11, ONNX_VALUE_INFO },
    { ONNX_GRAPH, 12, ONNX_VALUE_INFO }, { ONNX_GRAPH, 13, ONNX_VALUE_INFO },
    { ONNX_GRAPH, 15, ONNX_SPARSE },     { ONNX_NODE, 1, ONNX_VALUE },
    { ONNX_NODE, 2, ONNX_VALUE },        { ONNX_NODE, 4, ONNX_OPERATOR },
    { ONNX_NODE, 5, ONNX_ATTRIBUTE },    { ONNX_NODE, 7, ONNX_DOMAIN },
    { ONNX_ATTRIBUTE, 5, ONNX_TENSOR },  { ONNX_ATTRIBUTE, 6, ONNX_GRAPH },
    { ONNX_ATTRIBUTE, 7, ONNX_REAL },    { ONNX_ATTRIBUTE, 8, ONNX_NUMBER },
    { ONNX_ATTRIBUTE, 10, ONNX_TENSOR }, { ONNX_ATTRIBUTE, 11, ONNX_GRAPH },
    { ONNX_ATTRIBUTE, 14, ONNX_TYPE },   { ONNX_ATTRIBUTE, 15, ONNX_TYPE },
    { ONNX_ATTRIBUTE, 22, ONNX_SPARSE }, { ONNX_ATTRIBUTE, 23, ONNX_SPARSE },
    { ONNX_TENSOR, 1, ONNX_NUMBER },     { ONNX_TENSOR, 4, ONNX_REAL },
    { ONNX_TENSOR, 5, ONNX_NUMBER },     { ONNX_TENSOR, 7, ONNX_NUMBER },
    { ONNX_TENSOR, 8, ONNX_VALUE },      { ONNX_TENSOR, 9, ONNX_BYTES },
    { ONNX_TENSOR, 10, ONNX_REAL },      { ONNX_TENSOR, 11, ONNX_NUMBER },
    { ONNX_TENSOR, 13, ONNX_ENTRY },     { ONNX_SPARSE, 1, ONNX_TENSOR },
    { ONNX_SPARSE, 2, ONNX_TENSOR },     { ONNX_SPARSE, 3, ONNX_NUMBER },
    { ONNX_VALUE_INFO, 1, ONNX_VALUE },  { ONNX_VALUE_INFO, 2, ONNX_TYPE },
    { ONNX_TYPE, 1, ONNX_TENSOR_TYPE },  { ONNX_TYPE, 4, ONNX_ITEM_TYPE },
    { ONNX_TYPE, 5, ONNX_MAP_TYPE },     { ONNX_TYPE, 8, ONNX_TENSOR_TYPE },
    { ONNX_TYPE, 9, ONNX_ITEM_TYPE },    { ONNX_TENSOR_TYPE, 2, ONNX_SHAPE },
    { ONNX_ITEM_TYPE, 1, ONNX_TYPE },    { ONNX_MAP_TYPE, 2, ONNX_TYPE },
    { ONNX_SHAPE, 1, ONNX_DIM },         { ONNX_FUNCTION, 1, ONNX_OPERATOR },
    { ONNX_FUNCTION, 4, ONNX_VALUE },    { ONNX_FUNCTION, 5, ONNX_VALUE },
    { ONNX_FUNCTION, 7, ONNX_NODE },     { ONNX_FUNCTION, 9, ONNX_OPSET },
    { ONNX_FUNCTION, 10, ONNX_DOMAIN },  { ONNX_FUNCTION, 11, ONNX_ATTRIBUTE },
};

static onnx_kind kind_of(onnx_kind in, uint32_t number, uint32_t wire)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].in == in && known[i].number == number) return known[i].holds;
    return wire == WIRE_BYTES ? ONNX_WORD : wire == WIRE_VARINT ? ONNX_NUMBER : ONNX_REAL;
}

/* ---- bytes ---- */

size_t onnx_read_varint(const uint8_t *data, size_t n, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < n && i < 10; i++) {
        *value |= (uint64_t)(data[i] & 127) << 7 * i;
        if (!(data[i] & 128)) return i + 1;
    }
    return 0;
}

size_t onnx_write_varint(uint8_t *out, uint64_t value)
{
    size_t n = 0;
    for (; value > 127; value >>= 7) out[n++] = (uint8_t)(value | 128);
    out[n++] = (uint8_t)value;
    return n;
}

/* ---- tree ---- */

onnx_field *onnx_tree_new(onnx_tree *t, uint32_t number, uint32_t wire, onnx_kind kind)
{
    if (t->n_fields == TREE_MAX_FIELDS) return NULL;
    onnx_field *f = &t->fields[t->n_fields++];
    *f = (onnx_field){ .number = number, .wire = wire, .kind = kind };
    return f;
}

void onnx_tree_unlink(onnx_field *f)
{
    onnx_field **at = &f->parent->child;
    while (*at != f) at = &(*at)->next;
    *at = f->next;
    f->parent = f->next = NULL;
}

void onnx_tree_link(onnx_field *parent, onnx_field *at, onnx_field *f)
{
    onnx_field **link = at ? &at->next : &parent->child;
    f->parent = parent;
    f->next = *link;
    *link = f;
}

onnx_field *onnx_tree_child(const onnx_field *parent, uint32_t number)
{
    for (onnx_field *c = parent->child; c; c = c->next)
        if (c->number == number) return c;
    return NULL;
}

onnx_field *onnx_tree_copy(onnx_tree *t, const onnx_field *from)
{
    onnx_field *f = onnx_tree_new(t, from->number, from->wire, from->kind), *last = NULL;
    if (!f) return NULL;
    f->value = from->value;
    f->data = from->data;
    f->n = from->n;
    for (const onnx_field *c = from->child; c; c = c->next) {
        onnx_field *copy = onnx_tree_copy(t, c);
        if (!copy) return NULL;
        onnx_tree_link(f, last, copy);
        last = copy;
    }
    return f;
}

uint8_t *onnx_tree_room(onnx_tree *t, size_t n)
{
    if (n > sizeof t->room - t->n_room) return NULL;
    t->n_room += n;
    return t->room + t->n_room - n;
}

/* ---- reading ---- */

/* One field at data; its length, 0 when there is none. */
static size_t read_field(onnx_tree *t, onnx_kind in, const uint8_t *data, size_t n,
                         onnx_field **out)
{
    uint64_t tag, length = 0;
    size_t at = onnx_read_varint(data, n, &tag);
    if (!at || tag >> 3 == 0 || tag >> 3 > 1000) return 0;
    const uint32_t number = (uint32_t)(tag >> 3), wire = (uint32_t)(tag & 7);
    onnx_field *f = *out = onnx_tree_new(t, number, wire, kind_of(in, number, wire));
    if (!f) return 0;
    if (wire == WIRE_VARINT || wire == WIRE_BYTES) {
        const size_t m =
            onnx_read_varint(data + at, n - at, wire == WIRE_VARINT ? &f->value : &length);
        if (!m) return 0;
        at += m;
    } else if (wire == WIRE_FIXED64 || wire == WIRE_FIXED32) {
        const size_t m = wire == WIRE_FIXED64 ? 8 : 4;
        if (n - at < m) return 0;
        memcpy(&f->value, data + at, m);
        at += m;
    } else {
        return 0;
    }
    if (length > n - at) return 0;
    f->data = data + at;
    f->n = (size_t)length;
    return at + f->n;
}

static bool read_message(onnx_tree *t, onnx_field *parent, const uint8_t *data, size_t n, int depth)
{
    onnx_field *last = NULL, *f = NULL;
    if (depth > MAX_DEPTH) return false;
    for (size_t at = 0; at < n;) {
        const size_t m = read_field(t, parent->kind, data + at, n - at, &f);
        if (!m) return false;
        at += m;
        onnx_tree_link(parent, last, f);
        last = f;
        if (f->kind >= ONNX_N_MESSAGES) continue;
        /* A message that is none is bytes. */
        const size_t n_before = t->n_fields;
        if (f->wire != WIRE_BYTES || !read_message(t, f, f->data, f->n, depth + 1)) {
            f->kind = f->wire == WIRE_BYTES ? ONNX_WORD : ONNX_NUMBER;
            f->child = NULL;
            t->n_fields = n_before;
        }
    }
    return true;
}

bool onnx_tree_read(onnx_tree *t, const uint8_t *data, size_t n)
{
    t->n_fields = t->n_room = 0;
    return read_message(t, onnx_tree_new(t, 0, WIRE_BYTES, ONNX_MODEL), data, n, 0);
}

/* ---- writing ---- */

static bool is_message(const onnx_field *f) { return f->kind < ONNX_N_MESSAGES; }

/* Bytes of a field; those of a message's contents stay in n. */
static size_t measure(onnx_field *f)
{
    uint8_t word[10];
    const size_t tag = onnx_write_varint(word, (uint64_t)f->number << 3);
    if (f->wire == WIRE_VARINT) return tag + onnx_write_varint(word, f->value);
    if (f->wire != WIRE_BYTES) return tag + (f->wire == WIRE_FIXED64 ? 8 : 4);
    if (is_message(f)) {
        f->n = 0;
        for (onnx_field *c = f->child; c; c = c->next) f->n += measure(c);
    }
    return tag + onnx_write_varint(word, f->n) + f->n;
}

static uint8_t *write_contents(const onnx_field *f, uint8_t *out)
{
    if (!is_message(f)) {
        if (f->n) memcpy(out, f->data, f->n);
        return out + f->n;
    }
    for (const onnx_field *c = f->child; c; c = c->next) {
        out += onnx_write_varint(out, (uint64_t)c->number << 3 | c->wire);
        if (c->wire == WIRE_VARINT) {
            out += onnx_write_varint(out, c->value);
        } else if (c->wire == WIRE_BYTES) {
            out += onnx_write_varint(out, c->n);
            out = write_contents(c, out);
        } else {
            memcpy(out, &c->value, c->wire == WIRE_FIXED64 ? 8 : 4);
            out += c->wire == WIRE_FIXED64 ? 8 : 4;
        }
    }
    return out;
}

size_t onnx_tree_write(onnx_tree *t, uint8_t *out, size_t max)
{
    (void)measure(&t->fields[0]);
    if (t->fields[0].n > max) return 0;
    return (size_t)(write_contents(&t->fields[0], out) - out);
}
