/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec.h: between the core and what reads each format.
 *
 * The module is one constant, ingot_image_module. A program that contains it (links its objects as
 * a whole) uses that one; others load libingot_image.so, along their run path and where the system
 * looks. Both sides must be of the same version, since they share ig_image_job.
 */
#ifndef IG_IMAGE_CODEC_H
#define IG_IMAGE_CODEC_H

#include "image/image.h"

typedef enum ig_image_format {
    IG_IMAGE_UNKNOWN,
    IG_IMAGE_BMP,
    IG_IMAGE_PNM,
    IG_IMAGE_JPEG,
    IG_IMAGE_PNG,
    IG_IMAGE_WEBP,
    IG_IMAGE_TIFF,
    IG_IMAGE_JPEG2000,
    IG_N_IMAGE_FORMATS
} ig_image_format;

typedef struct ig_image_job {
    const uint8_t *data;
    size_t bytes;
    ig_arena *arena;
    ig_image image; /* the result: ig_image_place, then fill rgb */
    ig_error *err;
} ig_image_job;

typedef ig_status (*ig_image_codec_fn)(ig_image_job *job);

#define IG_IMAGE_VERSION                                                                           \
    ((uint32_t)INGOT_VERSION_MAJOR << 20 | INGOT_VERSION_MINOR << 10 | INGOT_VERSION_PATCH)

typedef struct ig_image_module {
    uint32_t version;                             /* IG_IMAGE_VERSION */
    uint32_t job_bytes;                           /* sizeof(ig_image_job) */
    ig_image_codec_fn codecs[IG_N_IMAGE_FORMATS]; /* NULL: not built in */
} ig_image_module;

extern const ig_image_module ingot_image_module;

/* The module that this program contains or can load; NULL and err when there is none. */
const ig_image_module *ig_image_module_get(ig_error *err);

/* Memory for the picture's pixels; width and height are checked. */
ig_status ig_image_place(ig_image_job *job, uint64_t width, uint64_t height) IG_MUST_USE;

/* A picture that cannot be read: INGOT_ERR_PARSE, "damaged NAME: reason". */
ig_status ig_image_damaged(const ig_image_job *job, const char *name,
                           const char *reason) IG_MUST_USE;

ig_status ig_image_decode_bmp(ig_image_job *job) IG_MUST_USE;
ig_status ig_image_decode_pnm(ig_image_job *job) IG_MUST_USE;
/* in the module */
ig_status ig_image_decode_jpeg(ig_image_job *job) IG_MUST_USE;
ig_status ig_image_decode_png(ig_image_job *job) IG_MUST_USE;
ig_status ig_image_decode_webp(ig_image_job *job) IG_MUST_USE;
ig_status ig_image_decode_tiff(ig_image_job *job) IG_MUST_USE;
ig_status ig_image_decode_jpeg2000(ig_image_job *job) IG_MUST_USE;

#endif
