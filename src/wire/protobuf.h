/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protobuf.h: read the protobuf wire format in place. Knows no message: the caller walks the fields
 * of a message and asks for the numbers it understands; all others are skipped by not asking.
 *
 *     ig_pb r;
 *     ig_pb_field f;
 *     ig_pb_init(&r, file, message, err);
 *     while (ig_pb_next(&r, &f)) {
 *         if (f.number == 1) version = ig_pb_int(&r, &f);
 *         if (f.number == 7) graph = ig_pb_span(&r, &f);
 *     }
 *     IG_TRY(r.status);
 *
 * Nothing is allocated or copied, every read is bounds-checked, and errors (INGOT_ERR_PARSE) name
 * the byte offset in the file. A failure sticks in `status` and ends the walk.
 */
#ifndef IG_WIRE_PROTOBUF_H
#define IG_WIRE_PROTOBUF_H

#include "base/error.h"

#define IG_PB_MAX_GROUP_DEPTH 64

typedef enum ig_pb_wire {
    IG_PB_VARINT = 0,
    IG_PB_FIXED64 = 1,
    IG_PB_BYTES = 2, /* strings, messages, packed lists */
    IG_PB_GROUP_BEGIN = 3,
    IG_PB_GROUP_END = 4,
    IG_PB_FIXED32 = 5
} ig_pb_wire;

/* A piece of the buffer. */
typedef struct ig_pb_bytes {
    const uint8_t *data;
    size_t n;
} ig_pb_bytes;

typedef struct ig_pb_field {
    uint32_t number;
    ig_pb_wire wire;   /* never a group: those are skipped */
    uint64_t value;    /* varints and fixed ones */
    ig_pb_bytes bytes; /* payload of IG_PB_BYTES; the 4 or 8 raw bytes of fixed ones */
} ig_pb_field;

typedef struct ig_pb {
    const uint8_t *base; /* what byte offsets in errors count from */
    const uint8_t *at, *end;
    ig_status status;
    ig_error *err;
} ig_pb;

/* Walk `message`, which lies in the buffer that starts at `base`. */
void ig_pb_init(ig_pb *r, const uint8_t *base, ig_pb_bytes message, ig_error *err);

/* The next field; false at the end of the message and after a failure (see status). */
bool ig_pb_next(ig_pb *r, ig_pb_field *f) IG_MUST_USE;

/* The field's content. A wire type that does not fit is a failure of r, and gives 0 or no bytes. */
int64_t ig_pb_int(ig_pb *r, const ig_pb_field *f);
float ig_pb_float(ig_pb *r, const ig_pb_field *f);
ig_pb_bytes ig_pb_span(ig_pb *r, const ig_pb_field *f);

/* Repeated numbers may come packed in one field or as one field each; these take both.
 * Varints: start with *at = 0; false after the last, and on failure. */
bool ig_pb_next_varint(ig_pb *r, const ig_pb_field *f, size_t *at, uint64_t *value) IG_MUST_USE;
/* Number of varints in the field (0 on failure). */
size_t ig_pb_count_varints(ig_pb *r, const ig_pb_field *f);
/* Fixed-size numbers, width 4 or 8: their little-endian bytes, a multiple of width. */
ig_pb_bytes ig_pb_fixed(ig_pb *r, const ig_pb_field *f, size_t width);

/* Fail r at the field's or the current place; returns the status. */
ig_status ig_pb_fail(ig_pb *r, const char *what);

#endif
