/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf.c: the wire format of protobuf, bounds-checked, in place. */
#include "wire/protobuf.h"

#include <stdio.h>
#include <string.h>

void ig_pb_init(ig_pb *r, const uint8_t *base, ig_pb_bytes message, ig_error *err)
{
    static const uint8_t nothing[1];

    if (!message.data) message = (ig_pb_bytes){ nothing, 0 };
    *r = (ig_pb){ .base = base ? base : message.data,
                  .at = message.data,
                  .end = message.data + message.n,
                  .status = INGOT_OK,
                  .err = err };
}

static ig_status fail_at(ig_pb *r, const uint8_t *at, const char *what)
{
    if (r->status == INGOT_OK)
        r->status = ig_fail(r->err, INGOT_ERR_PARSE, "%s at byte %zu", what,
                            (size_t)((uintptr_t)at - (uintptr_t)r->base));
    r->at = r->end;
    return r->status;
}

ig_status ig_pb_fail(ig_pb *r, const char *what) { return fail_at(r, r->at, what); }

/* Reads one varint from [*at, end); false when it is cut off or longer than 10 bytes. Bits beyond
 * 64 are dropped, as other readers do. */
static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    const uint8_t *p = *at;
    uint64_t value = 0;

    for (int shift = 0; shift < 70 && p < end; shift += 7) {
        uint8_t byte = *p++;

        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *at = p;
            *out = value;
            return true;
        }
    }
    return false;
}

static bool read_fixed(ig_pb *r, size_t width, ig_pb_field *f)
{
    if ((size_t)(r->end - r->at) < width) {
        fail_at(r, r->at, "number is cut off");
        return false;
    }
    f->bytes = (ig_pb_bytes){ r->at, width };
    f->value = 0;
    for (size_t i = 0; i < width; i++) f->value |= (uint64_t)r->at[i] << (8 * i);
    r->at += width;
    return true;
}

static bool read_bytes(ig_pb *r, ig_pb_field *f)
{
    const uint8_t *start = r->at;
    uint64_t n;

    if (!read_varint(&r->at, r->end, &n)) {
        fail_at(r, start, "bad length");
        return false;
    }
    if (n > (uint64_t)(r->end - r->at)) {
        fail_at(r, start, "length runs past the end of the message");
        return false;
    }
    f->bytes = (ig_pb_bytes){ r->at, (size_t)n };
    f->value = 0;
    r->at += n;
    return true;
}

static bool read_tag(ig_pb *r, ig_pb_field *f)
{
    const uint8_t *start = r->at;
    uint64_t tag;

    if (!read_varint(&r->at, r->end, &tag) || tag >> 32) {
        fail_at(r, start, "bad field tag");
        return false;
    }
    f->number = (uint32_t)(tag >> 3);
    f->wire = (ig_pb_wire)(tag & 7);
    f->bytes = (ig_pb_bytes){ r->at, 0 };
    if (f->number == 0 || f->wire > IG_PB_FIXED32) {
        fail_at(r, start, f->number == 0 ? "field number 0" : "unknown wire type");
        return false;
    }
    return true;
}

/* The payload of a field whose tag was read; not for groups. */
static bool read_payload(ig_pb *r, ig_pb_field *f)
{
    const uint8_t *start = r->at;

    switch (f->wire) {
    case IG_PB_FIXED64: return read_fixed(r, 8, f);
    case IG_PB_FIXED32: return read_fixed(r, 4, f);
    case IG_PB_BYTES: return read_bytes(r, f);
    default:
        if (read_varint(&r->at, r->end, &f->value)) return true;
        fail_at(r, start, "bad varint");
        return false;
    }
}

/* Skips the group that `number` opened, nested ones included, without recursion. */
static bool skip_group(ig_pb *r, uint32_t number)
{
    uint32_t open[IG_PB_MAX_GROUP_DEPTH];
    int depth = 0;
    ig_pb_field f;

    open[depth++] = number;
    while (depth > 0) {
        if (r->at == r->end) {
            fail_at(r, r->at, "group has no end");
            return false;
        }
        if (!read_tag(r, &f)) return false;
        if (f.wire == IG_PB_GROUP_BEGIN) {
            if (depth == IG_PB_MAX_GROUP_DEPTH) {
                fail_at(r, r->at, "groups are nested too deep");
                return false;
            }
            open[depth++] = f.number;
        } else if (f.wire == IG_PB_GROUP_END) {
            if (open[--depth] != f.number) {
                fail_at(r, r->at, "end of a group that is not open");
                return false;
            }
        } else if (!read_payload(r, &f)) {
            return false;
        }
    }
    return true;
}

bool ig_pb_next(ig_pb *r, ig_pb_field *f)
{
    while (r->status == INGOT_OK && r->at < r->end) {
        if (!read_tag(r, f)) return false;
        if (f->wire == IG_PB_GROUP_END) {
            fail_at(r, r->at, "end of a group that is not open");
            return false;
        }
        if (f->wire != IG_PB_GROUP_BEGIN) return read_payload(r, f);
        if (!skip_group(r, f->number)) return false;
    }
    return false;
}

static bool has_wire(ig_pb *r, const ig_pb_field *f, ig_pb_wire wire)
{
    char what[80];

    if (f->wire == wire) return true;
    snprintf(what, sizeof what, "field %u has wire type %d instead of %d, before or",
             (unsigned)f->number, (int)f->wire, (int)wire);
    fail_at(r, r->at, what);
    return false;
}

int64_t ig_pb_int(ig_pb *r, const ig_pb_field *f)
{
    return has_wire(r, f, IG_PB_VARINT) ? (int64_t)f->value : 0;
}

float ig_pb_float(ig_pb *r, const ig_pb_field *f)
{
    float x = 0;
    uint32_t bits = (uint32_t)f->value;

    if (has_wire(r, f, IG_PB_FIXED32)) memcpy(&x, &bits, sizeof x);
    return x;
}

ig_pb_bytes ig_pb_span(ig_pb *r, const ig_pb_field *f)
{
    return has_wire(r, f, IG_PB_BYTES) ? f->bytes : (ig_pb_bytes){ r->end, 0 };
}

bool ig_pb_next_varint(ig_pb *r, const ig_pb_field *f, size_t *at, uint64_t *value)
{
    const uint8_t *p = f->bytes.data + *at;

    if (r->status != INGOT_OK) return false;
    if (f->wire == IG_PB_VARINT) {
        *value = f->value;
        return (*at)++ == 0;
    }
    if (!has_wire(r, f, IG_PB_BYTES) || *at >= f->bytes.n) return false;
    if (!read_varint(&p, f->bytes.data + f->bytes.n, value)) {
        fail_at(r, p, "bad varint");
        return false;
    }
    *at = (size_t)(p - f->bytes.data);
    return true;
}

size_t ig_pb_count_varints(ig_pb *r, const ig_pb_field *f)
{
    size_t n = 0;

    if (f->wire == IG_PB_VARINT) return 1;
    if (!has_wire(r, f, IG_PB_BYTES)) return 0;
    for (size_t i = 0; i < f->bytes.n; i++) n += !(f->bytes.data[i] & 0x80);
    return n;
}

ig_pb_bytes ig_pb_fixed(ig_pb *r, const ig_pb_field *f, size_t width)
{
    ig_pb_wire single = width == 4 ? IG_PB_FIXED32 : IG_PB_FIXED64;

    if (f->wire == single) return f->bytes;
    if (!has_wire(r, f, IG_PB_BYTES)) return (ig_pb_bytes){ r->end, 0 };
    if (f->bytes.n % width) {
        fail_at(r, f->bytes.data, "packed numbers are cut off");
        return (ig_pb_bytes){ r->end, 0 };
    }
    return f->bytes;
}
