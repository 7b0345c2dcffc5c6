/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onnx_tree.h: a protobuf message as a tree of fields that can be changed and written again.
 *
 * Lengths of enclosing messages follow from the contents when the tree is written, so that any
 * change of it gives well-formed bytes. A small table says which fields of ONNX hold messages and
 * what the others mean; fields that it does not know keep their bytes.
 */
#ifndef IG_TESTS_ONNX_TREE_H
#define IG_TESTS_ONNX_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TREE_MAX_FIELDS 4096

/* What a field holds. The messages come first. */
typedef enum onnx_kind {
    ONNX_NONE,
    ONNX_MODEL,
    ONNX_OPSET,
    ONNX_GRAPH,
    ONNX_FUNCTION,
    ONNX_NODE,
    ONNX_ATTRIBUTE,
    ONNX_TENSOR,
    ONNX_SPARSE,
    ONNX_VALUE_INFO,
    ONNX_TYPE,
    ONNX_TENSOR_TYPE,
    ONNX_ITEM_TYPE,
    ONNX_MAP_TYPE,
    ONNX_SHAPE,
    ONNX_DIM,
    ONNX_ENTRY,
    ONNX_N_MESSAGES,

    ONNX_NUMBER = ONNX_N_MESSAGES, /* a varint, or a packed list of them */
    ONNX_REAL,                     /* fixed 32 or 64 bits, or a packed list of them */
    ONNX_BYTES,                    /* elements */
    ONNX_VALUE,                    /* name of a value */
    ONNX_OPERATOR,
    ONNX_DOMAIN,
    ONNX_WORD /* any other string */
} onnx_kind;

enum { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES, WIRE_FIXED32 = 5 };

typedef struct onnx_field {
    uint32_t number, wire; /* wire: WIRE_… */
    onnx_kind kind;
    uint64_t value;      /* WIRE_VARINT, WIRE_FIXED… */
    const uint8_t *data; /* WIRE_BYTES that are no message */
    size_t n;            /* of data; of a message: what it takes when written */
    struct onnx_field *parent, *child, *next;
} onnx_field;

typedef struct onnx_tree {
    onnx_field fields[TREE_MAX_FIELDS]; /* fields[0] is the model */
    size_t n_fields;
    uint8_t room[65536]; /* for contents that are new */
    size_t n_room;
} onnx_tree;

/* Read a model; the tree points into data. False: not well-formed, or too many fields. */
bool onnx_tree_read(onnx_tree *t, const uint8_t *data, size_t n);
/* Write it; the bytes written, 0 when they are more than max. */
size_t onnx_tree_write(onnx_tree *t, uint8_t *out, size_t max);

/* A field with nothing in it, not linked anywhere; NULL when there is no room. */
onnx_field *onnx_tree_new(onnx_tree *t, uint32_t number, uint32_t wire, onnx_kind kind);
/* A deep copy, not linked; of whichever tree. NULL when there is no room. */
onnx_field *onnx_tree_copy(onnx_tree *t, const onnx_field *from);
void onnx_tree_unlink(onnx_field *f);
/* Behind `at`, or as the first child where at is NULL. */
void onnx_tree_link(onnx_field *parent, onnx_field *at, onnx_field *f);
/* The first child of that number; NULL: none. */
onnx_field *onnx_tree_child(const onnx_field *parent, uint32_t number);

/* Bytes to be filled; NULL when there is no room. */
uint8_t *onnx_tree_room(onnx_tree *t, size_t n);
/* 0 when there is no varint, else its length. */
size_t onnx_read_varint(const uint8_t *data, size_t n, uint64_t *value);
size_t onnx_write_varint(uint8_t *out, uint64_t value); /* at most 10 bytes */

#endif
