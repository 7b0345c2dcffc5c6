/* SPDX-License-Identifier: Apache-2.0 */
/* npz_stream.c: an array of an archive read piece by piece, so that it may be larger than memory.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/load.h"

#define MAX_PIECE ((size_t)1 << 30) /* zlib counts in unsigned int */
#define NPY_PREFIX_BYTES 10

static ig_status fail_damaged(const ig_npz_stream *s, ig_error *err)
{
    return ig_fail(err, INGOT_ERR_PARSE, "%s: array '%s' is damaged", s->path, s->name);
}

/* ---- bytes ---- */

static ig_status read_stored(ig_npz_stream *s, uint8_t *out, size_t bytes, ig_error *err)
{
    if (bytes > s->member->packed_bytes - s->at) return fail_damaged(s, err);
    memcpy(out, s->data + s->at, bytes);
    s->at += bytes;
    ig_file_drop_pages(s->data + s->at - bytes, bytes); /* each byte is read once */
    return INGOT_OK;
}

static ig_status read_deflated(ig_npz_stream *s, uint8_t *out, size_t bytes, ig_error *err)
{
    z_stream *z = s->inflater;
    while (bytes) {
        const size_t in = s->member->packed_bytes - s->at;
        const size_t n_in = in < MAX_PIECE ? in : MAX_PIECE;
        const size_t n_out = bytes < MAX_PIECE ? bytes : MAX_PIECE;
        z->next_in = (Bytef *)(uintptr_t)(s->data + s->at);
        z->avail_in = (uInt)n_in;
        z->next_out = out;
        z->avail_out = (uInt)n_out;
        const int result = inflate(z, Z_NO_FLUSH);
        const size_t used = n_in - z->avail_in, made = n_out - z->avail_out;
        s->at += used;
        out += made;
        bytes -= made;
        if (result != Z_OK && !(result == Z_STREAM_END && bytes == 0)) return fail_damaged(s, err);
        if (used == 0 && made == 0) return fail_damaged(s, err);
    }
    return INGOT_OK;
}

/* Bytes of the member, the header included. */
static ig_status read_bytes(ig_npz_stream *s, uint8_t *out, size_t bytes, ig_error *err)
{
    IG_TRY(s->inflater ? read_deflated(s, out, bytes, err) : read_stored(s, out, bytes, err));
    s->crc = (uint32_t)crc32_z(s->crc, out, bytes);
    return INGOT_OK;
}

/* ---- header ---- */

/* How long the text in front of the elements is, from its first ten bytes. */
static size_t header_bytes(const uint8_t prefix[NPY_PREFIX_BYTES + 2])
{
    const bool is_long = prefix[6] >= 2;
    size_t n = (size_t)prefix[8] | (size_t)prefix[9] << 8;
    if (is_long) n |= (size_t)prefix[10] << 16 | (size_t)prefix[11] << 24;
    return n + (is_long ? NPY_PREFIX_BYTES + 2 : NPY_PREFIX_BYTES);
}

static ig_status read_header(ig_npz_stream *s, size_t *offset, ig_error *err)
{
    uint8_t prefix[NPY_PREFIX_BYTES + 2];
    if (s->member->bytes < sizeof prefix) return fail_damaged(s, err);
    IG_TRY(read_bytes(s, prefix, sizeof prefix, err));
    const size_t n = header_bytes(prefix);
    if (!ig_npy_is(prefix, sizeof prefix) || n > s->member->bytes || n < sizeof prefix ||
        n > IG_NPY_MAX_HEADER_BYTES)
        return fail_damaged(s, err);
    uint8_t *text = malloc(n);
    if (!text) return IG_NOMEM(err, n);
    memcpy(text, prefix, sizeof prefix);
    ig_status status = read_bytes(s, text + sizeof prefix, n - sizeof prefix, err);
    if (!status) status = ig_npy_read_header(text, n, s->path, &s->header, offset, err);
    free(text);
    return status;
}

static ig_status check_header(ig_npz_stream *s, size_t offset, ig_error *err)
{
    const ig_npy_header *h = &s->header;
    size_t bytes = h->element_bytes;
    if (h->dtype == INGOT_STRING || h->is_swapped || (h->is_fortran && h->rank > 1))
        return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                       "%s: array '%s' is %s; save it as numbers, little-endian, in C order",
                       s->path, s->name,
                       h->dtype == INGOT_STRING ? "of strings"
                       : h->is_swapped          ? "big-endian"
                                                : "column-major");
    for (int d = 0; d < h->rank; d++)
        if (!ig_size_mul(bytes, (size_t)h->dims[d], &bytes))
            return ig_fail(err, INGOT_ERR_PARSE, "%s: the shape of array '%s' is absurd", s->path,
                           s->name);
    /* Deflate makes at most 1032 bytes of one. */
    const bool is_lie = s->inflater && s->member->bytes / 1040 > s->member->packed_bytes;
    if (bytes > s->member->bytes - offset || is_lie)
        return ig_fail(err, INGOT_ERR_PARSE, "%s: array '%s' needs %zu bytes, the archive has %zu",
                       s->path, s->name, bytes, s->member->bytes - offset);
    s->n_left = bytes;
    return INGOT_OK;
}

ig_status ig_npz_stream_open(const ig_npz *npz, size_t i, const char *path, ig_npz_stream *out,
                             ig_error *err)
{
    const ig_npz_member *m = &npz->members[i];
    *out = (ig_npz_stream){ .path = path,
                            .name = m->name,
                            .member = m,
                            .data = npz->file.data + m->offset,
                            .crc = (uint32_t)crc32_z(0, NULL, 0) };
    if (m->method != 0 && m->method != 8)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                       "%s: array '%s' is encrypted or packed by a method other than deflate", path,
                       m->name);
    if (m->method == 8) {
        z_stream *z = calloc(1, sizeof *z);
        if (!z) return IG_NOMEM(err, sizeof *z);
        if (inflateInit2(z, -MAX_WBITS) != Z_OK) {
            free(z);
            return IG_NOMEM(err, sizeof *z);
        }
        out->inflater = z;
    }
    size_t offset = 0;
    ig_status status = read_header(out, &offset, err);
    if (!status) status = check_header(out, offset, err);
    if (status) ig_npz_stream_close(out);
    return status;
}

ig_status ig_npz_stream_read(ig_npz_stream *s, void *out, size_t bytes, ig_error *err)
{
    if (bytes > s->n_left)
        return ig_fail(err, INGOT_ERR_PARSE, "%s: array '%s' ends too early", s->path, s->name);
    IG_TRY(read_bytes(s, out, bytes, err));
    s->n_left -= bytes;
    if (s->n_left == 0 && s->crc != s->member->crc)
        return ig_fail(err, INGOT_ERR_PARSE, "%s: array '%s' has the wrong checksum", s->path,
                       s->name);
    return INGOT_OK;
}

void ig_npz_stream_close(ig_npz_stream *s)
{
    if (s->inflater) inflateEnd(s->inflater);
    free(s->inflater);
    *s = (ig_npz_stream){ 0 };
}
