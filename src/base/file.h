/* SPDX-License-Identifier: Apache-2.0 */
/* file.h: files as bytes. Error lines start with the path. */
#ifndef IG_BASE_FILE_H
#define IG_BASE_FILE_H

#include "base/arena.h"

/* A read-only private mapping of a whole regular file. An empty file maps to bytes 0 and a non-NULL
 * data. */
typedef struct ig_file {
    const uint8_t *data;
    size_t bytes;
    void *map; /* what to unmap, NULL if nothing */
} ig_file;

ig_status ig_file_open(const char *path, ig_file *out, ig_error *err) IG_MUST_USE;
/* The same of an open file, which may be closed afterwards; `path` is for the error. */
ig_status ig_file_map(int fd, const char *path, ig_file *out, ig_error *err) IG_MUST_USE;
/* Accepts a zeroed file. */
void ig_file_close(ig_file *file);
/* Tell the kernel that pages wholly inside [data, data + bytes) need not stay resident: they are
 * read again if touched. Only for memory inside an ig_file mapping. */
void ig_file_drop_pages(const void *data, size_t bytes);

/* Write atomically: to a temporary neighbour, flushed, then renamed; on failure nothing is left
 * behind. */
ig_status ig_file_write(const char *path, const void *data, size_t bytes,
                        ig_error *err) IG_MUST_USE;

/* Join directory of `base_path` and relative `name` into arena memory. Refuses absolute names,
 * empty names and any ".." component: INGOT_ERR_INVALID. */
ig_status ig_path_sibling(ig_arena *arena, const char *base_path, const char *name,
                          size_t name_bytes, char **out, ig_error *err) IG_MUST_USE;
/* Open the file of that name (paths go to the arena). Unless links are allowed, a symbolic link in
 * `name` and a file with several names are INGOT_ERR_INVALID; the directory of base_path itself may
 * be reached through links. */
ig_status ig_file_open_sibling(ig_arena *arena, const char *base_path, const char *name,
                               size_t name_bytes, bool allow_links, ig_file *out,
                               ig_error *err) IG_MUST_USE;

#endif
