/* SPDX-License-Identifier: Apache-2.0 */
/* external.c: tensors whose bytes lie in files beside the model. */
#include "import/onnx/importer.h"

/* The mapped file of that name; mapped at its first use. */
static ig_status open_file(ig_onnx_importer *m, ig_pb_bytes location, const ig_file **out)
{
    ig_onnx_model *model = m->model;
    const char *key = location.n ? (const char *)location.data : "";
    uint32_t i = ig_map_get(&m->file_by_location, key, location.n);
    ig_file file = { 0 };
    char *path;

    if (i != IG_MAP_NONE) {
        *out = &model->files[i];
        return INGOT_OK;
    }
    if (model->n_files == IG_ONNX_MAX_FILES)
        return ig_fail(m->err, INGOT_ERR_LIMIT, "more than %d files of external data",
                       IG_ONNX_MAX_FILES);
    IG_TRY(ig_path_sibling(&m->scratch, m->path, key, location.n, &path, m->err));
    IG_TRY(ig_file_open(path, &file, m->err));
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

    if (!m->path)
        return ig_fail(m->err, INGOT_ERR_UNSUPPORTED,
                       "has its data in a file ('%s'), which a model in memory cannot have; open "
                       "the model by its path",
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
