/* SPDX-License-Identifier: Apache-2.0 */
/* load.c: which kind of file it is, and the kinds that need no file of their own. */
#include "cli/load.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

void ig_loaded_free(ig_loaded *loaded)
{
    ingot_value_destroy(loaded->value);
    ig_file_close(&loaded->file);
    if (loaded->owned)
        ig_alloc_put(loaded->alloc, loaded->owned, loaded->owned_bytes, INGOT_MEM_VALUE);
    *loaded = (ig_loaded){ 0 };
}

ig_file_kind ig_file_kind_of_name(const char *path)
{
    static const struct {
        const char *extension;
        ig_file_kind kind;
    } known[] = {
        { ".jpg", IG_FILE_PICTURE }, { ".jpeg", IG_FILE_PICTURE }, { ".png", IG_FILE_PICTURE },
        { ".npy", IG_FILE_NPY },     { ".npz", IG_FILE_NPZ },      { ".pb", IG_FILE_PB },
        { ".wav", IG_FILE_WAV },     { ".raw", IG_FILE_RAW },      { ".bin", IG_FILE_RAW },
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < IG_COUNT(known); i++)
        if (strcasecmp(dot, known[i].extension) == 0) return known[i].kind;
    return IG_FILE_UNKNOWN;
}

ig_file_kind ig_file_kind_of(const char *path)
{
    const ig_file_kind by_name = ig_file_kind_of_name(path);
    if (by_name != IG_FILE_UNKNOWN) return by_name;
    uint8_t head[12] = { 0 };
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof head);
    if (fd >= 0) close(fd);
    if (n < (ssize_t)sizeof head) return IG_FILE_UNKNOWN;
    if (memcmp(head, "\xff\xd8\xff", 3) == 0 || memcmp(head, "\x89PNG", 4) == 0)
        return IG_FILE_PICTURE;
    if (ig_npy_is(head, sizeof head)) return IG_FILE_NPY;
    if (memcmp(head, "PK\3\4", 4) == 0) return IG_FILE_NPZ;
    if (memcmp(head, "RIFF", 4) == 0 && memcmp(head + 8, "WAVE", 4) == 0) return IG_FILE_WAV;
    return IG_FILE_UNKNOWN;
}

/* ---- raw elements ---- */

/* Put the first free dimension where the file's size tells it. */
static ig_status settle_shape(const char *path, const ingot_io_info *input, ingot_dtype dtype,
                              size_t bytes, ig_shape *shape, ig_error *err)
{
    const size_t bits = (size_t)ingot_dtype_bits(dtype);
    if (bits == 0)
        return ig_fail(err, INGOT_ERR_INVALID, "%s: the element type is not known; give --dtype",
                       path);
    if (shape->rank < 0)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "%s: the shape of input '%s' is not known; give --shape %s=…", path,
                       input->name, input->name);
    size_t count = 1;
    int free_dim = -1;
    for (int d = 0; d < shape->rank; d++) {
        if (shape->dims[d] < 0 && free_dim >= 0) shape->dims[d] = 1;
        if (shape->dims[d] < 0)
            free_dim = d;
        else if (!ig_size_mul(count, (size_t)shape->dims[d], &count))
            return ig_fail(err, INGOT_ERR_SHAPE, "%s: the shape is absurd", path);
    }
    const size_t elements = bits < 8 ? bytes * (8 / bits) : bytes / (bits / 8);
    if (free_dim >= 0) {
        shape->dims[free_dim] = count ? (int64_t)(elements / count) : 0;
        count *= (size_t)shape->dims[free_dim];
    }
    const bool fits = bits < 8 ? (count * bits + 7) / 8 == bytes : count * (bits / 8) == bytes;
    if (!fits || (free_dim >= 0 && shape->dims[free_dim] == 0))
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "%s: %zu bytes do not fill input '%s' (%zu %s elements); give --shape", path,
                       bytes, input->name, count, ingot_dtype_name(dtype));
    return INGOT_OK;
}

static ig_status load_raw(const char *path, const ingot_io_info *input, const ig_shape *wanted,
                          ingot_dtype dtype, ig_loaded *out, ig_error *err)
{
    ig_shape shape = *wanted;
    if (dtype == INGOT_UNDEFINED) dtype = input->dtype;
    IG_TRY(settle_shape(path, input, dtype, out->file.bytes, &shape, err));
    return ingot_tensor_wrap(dtype, shape.rank, shape.dims, (void *)(uintptr_t)out->file.data,
                             out->file.bytes, &out->value, err);
}

ig_status ig_load_file(ig_alloc *alloc, const char *path, const ingot_io_info *input,
                       const ig_shape *shape, ingot_dtype raw_dtype, ig_loaded *out, ig_error *err)
{
    *out = (ig_loaded){ .alloc = alloc };
    const ig_file_kind kind = ig_file_kind_of(path);
    IG_TRY(ig_file_open(path, &out->file, err));
    const uint8_t *data = out->file.data;
    const size_t bytes = out->file.bytes;
    ig_status status;
    switch (kind) {
    case IG_FILE_NPY: status = ig_npy_read(data, bytes, path, &out->value, err); break;
    case IG_FILE_WAV: status = ig_wav_read(data, bytes, path, input, &out->value, err); break;
    case IG_FILE_RAW: status = load_raw(path, input, shape, raw_dtype, out, err); break;
    case IG_FILE_PB:
        status = ingot_value_from_pb(data, bytes, input->kind, &out->value, err);
        if (status) ig_error_prepend(err, "%s", path);
        break;
    default:
        status = ig_fail(err, INGOT_ERR_UNSUPPORTED,
                         "%s: unknown kind of file; known are .jpg, .png, .npy, .npz, .pb, .wav, "
                         "and .raw for plain elements",
                         path);
    }
    if (status) ig_loaded_free(out);
    return status;
}
