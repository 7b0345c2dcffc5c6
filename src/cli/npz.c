/* SPDX-License-Identifier: Apache-2.0 */
/* npz.c: zip archives of arrays, stored or deflated, with the 64-bit extension. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "cli/load.h"

enum { LOCAL_BYTES = 30, CENTRAL_BYTES = 46, END_BYTES = 22, END64_BYTES = 56, LOCATOR_BYTES = 20 };
#define LOCAL_MAGIC 0x04034b50u
#define CENTRAL_MAGIC 0x02014b50u
#define END_MAGIC 0x06054b50u
#define END64_MAGIC 0x06064b50u
#define LOCATOR_MAGIC 0x07064b50u
#define MAX_MEMBERS 100000

static uint64_t little(const uint8_t *p, int n)
{
    uint64_t value = 0;
    for (int i = n - 1; i >= 0; i--) value = value << 8 | p[i];
    return value;
}

/* ---- reading ---- */

/* The record at the end of an archive, which a comment of up to 64 kB may follow; NULL if none. */
static const uint8_t *find_end(const ig_file *f)
{
    if (f->bytes < END_BYTES) return NULL;
    const size_t last = f->bytes - END_BYTES, first = last > 65535 ? last - 65535 : 0;
    for (size_t at = last + 1; at-- > first;)
        if (little(f->data + at, 4) == END_MAGIC) return f->data + at;
    return NULL;
}

/* Where the directory is, how long, and how many members it lists. */
static bool find_directory(const ig_file *f, size_t *offset, size_t *bytes, size_t *n)
{
    const uint8_t *end = find_end(f);
    if (!end) return false;
    uint64_t at = little(end + 16, 4), size = little(end + 12, 4), count = little(end + 10, 2);
    const size_t end_at = (size_t)(end - f->data);
    if (end_at >= LOCATOR_BYTES && little(end - LOCATOR_BYTES, 4) == LOCATOR_MAGIC) {
        const uint64_t at64 = little(end - LOCATOR_BYTES + 8, 8);
        if (at64 > f->bytes || f->bytes - at64 < END64_BYTES ||
            little(f->data + at64, 4) != END64_MAGIC)
            return false;
        count = little(f->data + at64 + 32, 8);
        size = little(f->data + at64 + 40, 8);
        at = little(f->data + at64 + 48, 8);
    }
    *offset = (size_t)at;
    *bytes = (size_t)size;
    *n = (size_t)count;
    return at <= f->bytes && size <= f->bytes - at && count <= MAX_MEMBERS;
}

/* The 64-bit sizes of a member stand in an extra field, those alone that did not fit. */
static void read_extra(const uint8_t *p, size_t n, uint64_t *bytes, uint64_t *packed,
                       uint64_t *offset)
{
    while (n >= 4) {
        const size_t id = little(p, 2), size = little(p + 2, 2);
        if (size > n - 4) return;
        if (id == 1) {
            uint64_t *const fields[] = { bytes, packed, offset };
            size_t at = 0;
            for (size_t i = 0; i < 3; i++)
                if (*fields[i] == UINT32_MAX && size - at >= 8) {
                    *fields[i] = little(p + 4 + at, 8);
                    at += 8;
                }
        }
        p += 4 + size;
        n -= 4 + size;
    }
}

/* One entry of the directory, and the header that stands before its data. */
static bool read_member(ig_arena *arena, const ig_file *f, const uint8_t *p, size_t left,
                        ig_npz_member *m, size_t *entry_bytes)
{
    if (left < CENTRAL_BYTES || little(p, 4) != CENTRAL_MAGIC) return false;
    const size_t n_name = little(p + 28, 2), n_extra = little(p + 30, 2),
                 n_note = little(p + 32, 2);
    *entry_bytes = CENTRAL_BYTES + n_name + n_extra + n_note;
    if (*entry_bytes > left) return false;
    uint64_t bytes = little(p + 24, 4), packed = little(p + 20, 4), at = little(p + 42, 4);
    read_extra(p + CENTRAL_BYTES + n_name, n_extra, &bytes, &packed, &at);
    if (at > f->bytes || f->bytes - at < LOCAL_BYTES || little(f->data + at, 4) != LOCAL_MAGIC)
        return false;
    const uint64_t skip = LOCAL_BYTES + little(f->data + at + 26, 2) + little(f->data + at + 28, 2);
    if (skip > f->bytes - at || packed > f->bytes - at - skip) return false;
    const char *name = (const char *)p + CENTRAL_BYTES;
    const size_t n = n_name > 4 && memcmp(name + n_name - 4, ".npy", 4) == 0 ? n_name - 4 : n_name;
    *m = (ig_npz_member){ .name = ig_arena_strndup(arena, name, n),
                          .offset = (size_t)(at + skip),
                          .packed_bytes = (size_t)packed,
                          .bytes = (size_t)bytes,
                          .crc = (uint32_t)little(p + 16, 4),
                          .method = (int)little(p + 10, 2) };
    if (little(p + 8, 2) & 1) m->method = -1; /* encrypted */
    return m->name != NULL;
}

ig_status ig_npz_open(ig_arena *arena, const char *path, ig_npz *out, ig_error *err)
{
    size_t offset = 0, bytes = 0, n = 0;
    *out = (ig_npz){ 0 };
    IG_TRY(ig_file_open(path, &out->file, err));
    ig_status status = INGOT_OK;
    if (!find_directory(&out->file, &offset, &bytes, &n))
        status = ig_fail(err, INGOT_ERR_PARSE, "%s: not a .npz (zip) archive, or cut off", path);
    else if (!(out->members = ig_arena_array(arena, n + 1, sizeof *out->members)))
        status = IG_NOMEM(err, n * sizeof *out->members);
    for (size_t i = 0; i < n && status == INGOT_OK; i++) {
        size_t entry = 0;
        if (!read_member(arena, &out->file, out->file.data + offset, bytes, &out->members[i],
                         &entry))
            status =
                ig_fail(err, INGOT_ERR_PARSE, "%s: member %zu of the archive is damaged", path, i);
        offset += entry;
        bytes -= entry;
        out->n = i + 1;
    }
    if (status) ig_npz_close(out);
    return status;
}

void ig_npz_close(ig_npz *npz)
{
    ig_file_close(&npz->file);
    npz->n = 0;
}

static bool inflate_all(const uint8_t *from, size_t n_from, uint8_t *to, size_t n_to)
{
    z_stream z = { 0 };
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return false;
    int result = Z_OK;
    z.next_in = (Bytef *)(uintptr_t)from;
    z.next_out = to;
    while (result == Z_OK) { /* zlib counts in unsigned int */
        const size_t in = n_from < (1u << 30) ? n_from : 1u << 30;
        const size_t room = n_to < (1u << 30) ? n_to : 1u << 30;
        z.avail_in = (uInt)in;
        z.avail_out = (uInt)room;
        result = inflate(&z, Z_NO_FLUSH);
        if (result == Z_OK && z.avail_in == in && z.avail_out == room) break;
        n_from -= in - z.avail_in;
        n_to -= room - z.avail_out;
    }
    inflateEnd(&z);
    return result == Z_STREAM_END && n_to == 0;
}

static uint32_t crc_of(const uint8_t *data, size_t n)
{
    return (uint32_t)crc32_z(crc32_z(0, NULL, 0), data, n);
}

ig_status ig_npz_read(const ig_npz *npz, size_t i, const char *path, ig_alloc *alloc,
                      ig_loaded *out, ig_error *err)
{
    const ig_npz_member *m = &npz->members[i];
    const uint8_t *data = npz->file.data + m->offset;
    *out = (ig_loaded){ .alloc = alloc };
    if (m->method != 0 && m->method != 8)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                       "%s: array '%s' is encrypted or packed by a "
                       "method other than deflate",
                       path, m->name);
    if (m->method == 0 && m->bytes != m->packed_bytes)
        return ig_fail(err, INGOT_ERR_PARSE, "%s: array '%s' is damaged", path, m->name);
    /* Deflate makes at most 1032 bytes of one: more is a lie, not worth the memory. */
    if (m->method == 8 && m->bytes / 1040 > m->packed_bytes)
        return ig_fail(err, INGOT_ERR_PARSE, "%s: array '%s' claims %zu bytes out of %zu", path,
                       m->name, m->bytes, m->packed_bytes);
    if (m->method == 8) {
        out->owned = ig_alloc_get(alloc, m->bytes, 64, INGOT_MEM_VALUE);
        if (!out->owned) return IG_NOMEM(err, m->bytes);
        out->owned_bytes = m->bytes;
        if (!inflate_all(data, m->packed_bytes, out->owned, m->bytes)) {
            ig_loaded_free(out);
            return ig_fail(err, INGOT_ERR_PARSE, "%s: array '%s' is damaged", path, m->name);
        }
        data = out->owned;
    }
    ig_status status = INGOT_OK;
    if (crc_of(data, m->bytes) != m->crc)
        status =
            ig_fail(err, INGOT_ERR_PARSE, "%s: array '%s' has the wrong checksum", path, m->name);
    char *label = status ? NULL : malloc(strlen(path) + strlen(m->name) + 16);
    if (status == INGOT_OK && !label) status = IG_NOMEM(err, strlen(path));
    if (label) {
        strcat(strcat(strcpy(label, path), ": array "), m->name);
        status = ig_npy_read(data, m->bytes, label, &out->value, err);
        free(label);
    }
    if (status) ig_loaded_free(out);
    return status;
}

/* ---- writing ---- */

void ig_npz_begin(ig_npz_writer *w, ig_alloc *alloc)
{
    ig_str_init(&w->data, alloc);
    ig_str_init(&w->directory, alloc);
    w->n = 0;
}

void ig_npz_free(ig_npz_writer *w)
{
    ig_str_deinit(&w->data);
    ig_str_deinit(&w->directory);
}

static void put(ig_str *out, uint64_t value, int n)
{
    for (int i = 0; i < n; i++) ig_str_putc(out, (char)(value >> 8 * i & 255));
}

/* The fields that the local header and the directory share: version to sizes. Sizes stand in the
 * extra field; NumPy's own writer does the same. */
static void put_fields(ig_str *out, uint32_t crc, size_t n_name, size_t n_extra)
{
    put(out, 45, 2);     /* needs 4.5: 64-bit sizes */
    put(out, 0x800, 2);  /* names are UTF-8 */
    put(out, 0, 2);      /* stored */
    put(out, 0, 2);      /* midnight */
    put(out, 0x0021, 2); /* 1 January 1980: same input, same bytes */
    put(out, crc, 4);
    put(out, UINT32_MAX, 4);
    put(out, UINT32_MAX, 4);
    put(out, n_name, 2);
    put(out, n_extra, 2);
}

ig_status ig_npz_add(ig_npz_writer *w, const char *name, const ingot_value *tensor, ig_error *err)
{
    const size_t n_name = strlen(name) + 4, at = w->data.n;
    if (n_name > 60000)
        return ig_fail(err, INGOT_ERR_LIMIT, "the output's name has %zu bytes, too many for a .npz",
                       n_name);
    /* Pad the name's extra field so that the array starts at a multiple of 64. */
    const size_t unpadded = at + LOCAL_BYTES + n_name + 20 + 4,
                 pad = ig_align_up(unpadded, 64) - unpadded;
    put(&w->data, LOCAL_MAGIC, 4);
    put_fields(&w->data, 0, n_name, 20 + 4 + pad);
    ig_str_printf(&w->data, "%s.npy", name);
    put(&w->data, 1, 2);
    put(&w->data, 16, 2);
    put(&w->data, 0, 8);
    put(&w->data, 0, 8);
    put(&w->data, 0x4e49, 2); /* padding, an id of nobody's */
    put(&w->data, pad, 2);
    for (size_t i = 0; i < pad; i++) ig_str_putc(&w->data, 0);
    const size_t begin = w->data.n;
    IG_TRY(ig_npy_write(tensor, &w->data, err));

    const size_t bytes = w->data.n - begin;
    const uint32_t crc = crc_of((const uint8_t *)w->data.data + begin, bytes);
    for (int i = 0; i < 4; i++) w->data.data[at + 14 + (size_t)i] = (char)(crc >> 8 * i & 255);
    char *sizes = w->data.data + at + LOCAL_BYTES + n_name + 4;
    for (int i = 0; i < 16; i++) sizes[i] = (char)((uint64_t)bytes >> 8 * (i % 8) & 255);

    put(&w->directory, CENTRAL_MAGIC, 4);
    put(&w->directory, 45, 2);
    put_fields(&w->directory, crc, n_name, 28);
    put(&w->directory, 0, 8); /* no comment, disk 0, no attributes */
    put(&w->directory, 0, 2);
    put(&w->directory, UINT32_MAX, 4);
    ig_str_printf(&w->directory, "%s.npy", name);
    put(&w->directory, 1, 2);
    put(&w->directory, 24, 2);
    put(&w->directory, bytes, 8);
    put(&w->directory, bytes, 8);
    put(&w->directory, at, 8);
    w->n++;
    return ig_str_ok(&w->directory) ? INGOT_OK : IG_NOMEM(err, w->directory.n);
}

ig_status ig_npz_end(ig_npz_writer *w, ig_error *err)
{
    const size_t at = w->data.n, bytes = w->directory.n;
    ig_str_append(&w->data, ig_str_cstr(&w->directory), bytes);
    const size_t end64 = w->data.n;
    put(&w->data, END64_MAGIC, 4);
    put(&w->data, END64_BYTES - 12, 8);
    put(&w->data, 45, 2);
    put(&w->data, 45, 2);
    put(&w->data, 0, 8); /* disks */
    put(&w->data, w->n, 8);
    put(&w->data, w->n, 8);
    put(&w->data, bytes, 8);
    put(&w->data, at, 8);
    put(&w->data, LOCATOR_MAGIC, 4);
    put(&w->data, 0, 4);
    put(&w->data, end64, 8);
    put(&w->data, 1, 4);
    put(&w->data, END_MAGIC, 4);
    put(&w->data, 0, 4);
    put(&w->data, w->n < UINT16_MAX ? w->n : UINT16_MAX, 2);
    put(&w->data, w->n < UINT16_MAX ? w->n : UINT16_MAX, 2);
    put(&w->data, bytes < UINT32_MAX ? bytes : UINT32_MAX, 4);
    put(&w->data, at < UINT32_MAX ? at : UINT32_MAX, 4);
    put(&w->data, 0, 2);
    return ig_str_ok(&w->data) ? INGOT_OK : IG_NOMEM(err, w->data.n);
}
