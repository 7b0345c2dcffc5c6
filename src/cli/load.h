/* SPDX-License-Identifier: Apache-2.0 */
/* load.h: files that hold tensors. Error lines start with the path. */
#ifndef IG_CLI_LOAD_H
#define IG_CLI_LOAD_H

#include "base/file.h"
#include "base/str.h"

/* A value and the memory that it is made on. Zeroed: nothing. */
typedef struct ig_loaded {
    ingot_value *value;
    ig_file file; /* the mapping that the value may point into */
    ig_alloc *alloc;
    void *owned; /* an unpacked member of an archive */
    size_t owned_bytes;
    bool is_in_archive; /* points into an archive that is open */
} ig_loaded;

void ig_loaded_free(ig_loaded *loaded); /* accepts a zeroed one */

/* What a file seems to be, by its name and first bytes. */
typedef enum ig_file_kind {
    IG_FILE_UNKNOWN = 0,
    IG_FILE_PICTURE,
    IG_FILE_NPY,
    IG_FILE_NPZ,
    IG_FILE_PB,
    IG_FILE_WAV,
    IG_FILE_RAW
} ig_file_kind;
ig_file_kind ig_file_kind_of(const char *path);
/* The same by the name alone. */
ig_file_kind ig_file_kind_of_name(const char *path);

/* The shape that is wanted of a value, where the file does not tell: rank -1 unknown, dims -1 free.
 */
typedef struct ig_shape {
    int rank;
    int64_t dims[INGOT_MAX_RANK];
} ig_shape;

/* Read any kind but pictures and archives for a model input of this kind, type and shape. */
ig_status ig_load_file(ig_alloc *alloc, const char *path, const ingot_io_info *input,
                       const ig_shape *shape, ingot_dtype raw_dtype, ig_loaded *out,
                       ig_error *err) IG_MUST_USE;

/* ---- npy.c ---- */

#define IG_NPY_MAX_HEADER_BYTES 65536

typedef struct ig_npy_header {
    ingot_dtype dtype;
    int rank;
    int64_t dims[INGOT_MAX_RANK];
    bool is_fortran, is_swapped;
    int n_characters; /* of a string element: UTF-32 code units or bytes */
    bool is_utf32;
    size_t element_bytes;
} ig_npy_header;

/* What stands before the elements, which begin at *offset. `bytes` may end anywhere behind it. */
ig_status ig_npy_read_header(const uint8_t *data, size_t bytes, const char *path, ig_npy_header *h,
                             size_t *offset, ig_error *err) IG_MUST_USE;
/* Make a value of a .npy text: on these bytes where they are as a tensor has them, else a copy. */
ig_status ig_npy_read(const uint8_t *data, size_t bytes, const char *path, ingot_value **out,
                      ig_error *err) IG_MUST_USE;
/* Append a tensor as .npy text. bfloat16 becomes float32; types that NumPy lacks are
 * INGOT_ERR_UNSUPPORTED. */
ig_status ig_npy_write(const ingot_value *tensor, ig_str *out, ig_error *err) IG_MUST_USE;
bool ig_npy_is(const uint8_t *data, size_t bytes);

/* ---- npz.c ---- */

/* A zip archive of .npy members. */
typedef struct ig_npz_member {
    const char *name; /* without .npy */
    size_t offset, packed_bytes, bytes;
    uint32_t crc;
    int method; /* 0 stored, 8 deflated */
} ig_npz_member;

typedef struct ig_npz {
    ig_file file;
    ig_npz_member *members;
    size_t n;
} ig_npz;

ig_status ig_npz_open(ig_arena *arena, const char *path, ig_npz *out, ig_error *err) IG_MUST_USE;
void ig_npz_close(ig_npz *npz);
/* Read member i. The value may point into the archive's mapping: close that later. */
ig_status ig_npz_read(const ig_npz *npz, size_t i, const char *path, ig_alloc *alloc,
                      ig_loaded *out, ig_error *err) IG_MUST_USE;

/* ---- npz_stream.c ---- */

/* Member i from its first element to its last, without ever holding the whole. Zeroed: none. */
typedef struct ig_npz_stream {
    const char *path, *name;
    ig_npy_header header;
    uint64_t n_left; /* bytes of elements that were not read */
    /* private */
    const ig_npz_member *member;
    const uint8_t *data;
    size_t at; /* in the packed bytes */
    void *inflater;
    uint32_t crc;
} ig_npz_stream;

/* Column-major arrays, strings and foreign byte orders are INGOT_ERR_UNSUPPORTED. The archive stays
 * open as long. */
ig_status ig_npz_stream_open(const ig_npz *npz, size_t i, const char *path, ig_npz_stream *out,
                             ig_error *err) IG_MUST_USE;
/* The next bytes of elements; the checksum is looked at with the last ones. */
ig_status ig_npz_stream_read(ig_npz_stream *stream, void *out, size_t bytes,
                             ig_error *err) IG_MUST_USE;
void ig_npz_stream_close(ig_npz_stream *stream); /* accepts a zeroed one */

/* An archive in the making: members are stored, not packed. */
typedef struct ig_npz_writer {
    ig_str data, directory;
    size_t n;
} ig_npz_writer;
void ig_npz_begin(ig_npz_writer *w, ig_alloc *alloc);
ig_status ig_npz_add(ig_npz_writer *w, const char *name, const ingot_value *tensor,
                     ig_error *err) IG_MUST_USE;
/* Complete the archive in w->data. */
ig_status ig_npz_end(ig_npz_writer *w, ig_error *err) IG_MUST_USE;
void ig_npz_free(ig_npz_writer *w);

/* ---- wav.c ---- */

/* Samples as the input wants them: float32 in -1…1 (or int16), channels averaged unless the input
 * has a dimension for them; shaped [n], [1,n], [1,1,n] or [1,n,1]. */
ig_status ig_wav_read(const uint8_t *data, size_t bytes, const char *path,
                      const ingot_io_info *input, ingot_value **out, ig_error *err) IG_MUST_USE;

#endif
