/* SPDX-License-Identifier: Apache-2.0 */
/* external.c: tensors whose bytes lie in files beside the model. */
#include <limits.h>

#include "import/onnx/importer.h"

/* ---- where ---- */

/* Of two places for the same data, readers would choose differently. */
static ig_status note_entry(ig_onnx_importer *m, ig_onnx_tensor *t, ig_pb_bytes key)
{
    static const char *const known[] = { "location", "offset", "length" };

    for (unsigned i = 0; i < IG_COUNT(known); i++) {
        if (!ig_onnx_same(key, known[i])) continue;
        if (t->entries & 1u << i)
            return ig_fail(m->err, INGOT_ERR_INVALID, "external data has '%s' twice", known[i]);
        t->entries |= 1u << i;
    }
    return INGOT_OK;
}

ig_status ig_onnx_external_read(ig_onnx_importer *m, ig_onnx_tensor *t, ig_pb_bytes message)
{
    ig_pb_bytes key = { message.data, 0 }, value = { message.data, 0 };
    ig_pb r;
    ig_pb_field f;
    uint64_t number = 0;

    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 1) key = ig_pb_span(&r, &f);
        if (f.number == 2) value = ig_pb_span(&r, &f);
    }
    IG_TRY(r.status);
    IG_TRY(note_entry(m, t, key));
    if (ig_onnx_same(key, "location")) t->location = value;
    if (!ig_onnx_same(key, "offset") && !ig_onnx_same(key, "length")) return INGOT_OK;
    if (value.n == 0 || value.n > 19)
        return ig_fail(m->err, INGOT_ERR_INVALID, "external data %s '%s' is no number",
                       ig_onnx_printable(key).s, ig_onnx_printable(value).s);
    for (size_t i = 0; i < value.n; i++) {
        if (value.data[i] < '0' || value.data[i] > '9')
            return ig_fail(m->err, INGOT_ERR_INVALID, "external data %s '%s' is no number",
                           ig_onnx_printable(key).s, ig_onnx_printable(value).s);
        number = number * 10 + (uint64_t)(value.data[i] - '0');
    }
    if (key.data[0] == 'o') {
        t->offset = number;
    } else {
        t->length = number;
        t->has_length = true;
    }
    return INGOT_OK;
}

/* ---- what is there ---- */

/* A path in the folder of all such files: the model's own, or made up; NULL where there is none. */
static const char *neighbour(ig_onnx_importer *m)
{
    const char *folder = m->limits ? m->limits->data_folder : NULL;

    return folder ? ig_arena_printf(&m->scratch, "%s/", folder[0] ? folder : ".") : m->path;
}

/* The mapped file of that name; mapped at its first use. */
static ig_status open_file(ig_onnx_importer *m, ig_pb_bytes location, const ig_file **out)
{
    ig_onnx_model *model = m->model;
    const char *key = location.n ? (const char *)location.data : "";
    uint32_t i = ig_map_get(&m->file_by_location, key, location.n);
    ig_file file = { 0 };

    if (i != IG_MAP_NONE) {
        *out = &model->files[i];
        return INGOT_OK;
    }
    if (model->n_files == IG_ONNX_MAX_FILES)
        return ig_fail(m->err, INGOT_ERR_LIMIT, "more than %d files of external data",
                       IG_ONNX_MAX_FILES);
    const char *base = neighbour(m);
    if (!base) return IG_NOMEM(m->err, PATH_MAX);
    IG_TRY(ig_file_open_sibling(&m->scratch, base, key, location.n,
                                m->limits && m->limits->allow_links, &file, m->err));
    if (!IG_ARENA_PUSH(m->arena, model->files, model->n_files, model->cap_files, file)) {
        ig_file_close(&file);
        return IG_NOMEM(m->err, sizeof file);
    }
    if (!ig_map_put(&m->file_by_location, key, location.n, (uint32_t)(model->n_files - 1)))
        return IG_NOMEM(m->err, location.n);
    *out = &model->files[model->n_files - 1];
    return INGOT_OK;
}

ig_status ig_onnx_external(ig_onnx_importer *m, const ig_onnx_tensor *t, size_t bytes,
                           ig_pb_bytes *out)
{
    const ig_file *file = NULL;

    if (!m->path && !(m->limits && m->limits->data_folder))
        return ig_fail(m->err, INGOT_ERR_UNSUPPORTED,
                       "has its data in a file ('%s'), and a model in memory has no folder; open "
                       "the model by its path, or set data_folder",
                       ig_onnx_printable(t->location).s);
    if (t->location.n == 0)
        return ig_fail(m->err, INGOT_ERR_INVALID, "external data without a location");
    if (t->has_length && t->length != bytes)
        return ig_fail(m->err, INGOT_ERR_INVALID,
                       "external data of %llu bytes, its shape needs %zu",
                       (unsigned long long)t->length, bytes);
    IG_TRY(open_file(m, t->location, &file));
    if (t->offset > file->bytes || bytes > file->bytes - t->offset)
        return ig_fail(m->err, INGOT_ERR_INVALID,
                       "external data of %zu bytes at offset %llu lies outside '%s' (%zu bytes)",
                       bytes, (unsigned long long)t->offset, ig_onnx_printable(t->location).s,
                       file->bytes);
    *out = (ig_pb_bytes){ file->data + t->offset, bytes };
    return INGOT_OK;
}
