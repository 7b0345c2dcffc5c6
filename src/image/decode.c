/* SPDX-License-Identifier: Apache-2.0 */
/* decode.c: which format it is, and who reads it. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "image/codec.h"

/* ---- the module ---- */

#define MODULE_FILE "libingot_image.so"

/* There only if the program contains it. */
#pragma weak ingot_image_module

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    const ig_image_module *module;
    char reason[256];
} detected;

/* The file stays open: its code may be in use until the process ends. */
static void load(void)
{
    if (&ingot_image_module) {
        detected.module = &ingot_image_module;
        return;
    }
    void *file = dlopen(MODULE_FILE, RTLD_NOW | RTLD_LOCAL);
    const ig_image_module *module = file ? dlsym(file, "ingot_image_module") : NULL;
    if (!module) {
        const char *reason = dlerror();
        snprintf(detected.reason, sizeof detected.reason, "%s", reason ? reason : MODULE_FILE);
    } else if (module->version != IG_IMAGE_VERSION || module->job_bytes != sizeof(ig_image_job)) {
        snprintf(detected.reason, sizeof detected.reason, "%s is of another version of Ingot",
                 MODULE_FILE);
    } else {
        detected.module = module;
    }
}

const ig_image_module *ig_image_module_get(ig_error *err)
{
    pthread_once(&once, load);
    if (!detected.module)
        ig_fail(err, INGOT_ERR_UNSUPPORTED,
                "the image codecs cannot be loaded (install %s, or name its "
                "folder in LD_LIBRARY_PATH): %s",
                MODULE_FILE, detected.reason);
    return detected.module;
}

/* ---- formats ---- */

static const struct {
    ig_image_format format;
    size_t at; /* of the second part, 0: none */
    const char *name, *library;
    size_t n, n2;
    const char *magic, *magic2;
} known[] = {
    { IG_IMAGE_BMP, 0, "BMP", NULL, 2, 0, "BM", "" },
    { IG_IMAGE_JPEG, 0, "JPEG", "libjpeg", 3, 0, "\xff\xd8\xff", "" },
    { IG_IMAGE_PNG, 0, "PNG", "libpng", 8, 0, "\x89PNG\r\n\x1a\n", "" },
    { IG_IMAGE_WEBP, 8, "WebP", "libwebp", 4, 4, "RIFF", "WEBP" },
    { IG_IMAGE_TIFF, 0, "TIFF", "libtiff", 4, 0, "II*\0", "" },
    { IG_IMAGE_TIFF, 0, "TIFF", "libtiff", 4, 0, "MM\0*", "" },
    { IG_IMAGE_TIFF, 0, "TIFF", "libtiff", 4, 0, "II+\0", "" },
    { IG_IMAGE_TIFF, 0, "TIFF", "libtiff", 4, 0, "MM\0+", "" },
    { IG_IMAGE_JPEG2000, 0, "JPEG 2000", "libopenjp2", 4, 0, "\xff\x4f\xff\x51", "" },
    { IG_IMAGE_JPEG2000, 4, "JPEG 2000", "libopenjp2", 4, 8, "\0\0\0\x0c", "jP  \r\n\x87\n" },
};

static bool has_magic(const uint8_t *data, size_t bytes, size_t i)
{
    return bytes >= known[i].n && memcmp(data, known[i].magic, known[i].n) == 0 &&
           bytes >= known[i].at + known[i].n2 &&
           memcmp(data + known[i].at, known[i].magic2, known[i].n2) == 0;
}

static ig_status decode_by_module(ig_image_job *job, size_t i)
{
    const ig_image_module *module = ig_image_module_get(job->err);
    if (!module) {
        ig_error_prepend(job->err, "%s picture", known[i].name);
        return INGOT_ERR_UNSUPPORTED;
    }
    if (!module->codecs[known[i].format])
        return ig_fail(job->err, INGOT_ERR_UNSUPPORTED,
                       "%s picture: Ingot was built without %s, which reads them", known[i].name,
                       known[i].library);
    return module->codecs[known[i].format](job);
}

ig_status ig_image_decode(ig_arena *arena, const uint8_t *data, size_t bytes, ig_image *out,
                          ig_error *err)
{
    ig_image_job job = { .data = data, .bytes = bytes, .arena = arena, .err = err };
    ig_status status = INGOT_ERR_PARSE;
    size_t i = 0;
    while (i < IG_COUNT(known) && !has_magic(data, bytes, i)) i++;
    if (i < IG_COUNT(known) && known[i].library)
        status = decode_by_module(&job, i);
    else if (i < IG_COUNT(known))
        status = ig_image_decode_bmp(&job);
    else if (bytes >= 3 && data[0] == 'P' && data[1] >= '1' && data[1] <= '6')
        status = ig_image_decode_pnm(&job);
    else
        status = ig_fail(err, INGOT_ERR_PARSE, "a picture of no known format");
    *out = job.image;
    return status;
}

void ig_image_to_gray(const uint8_t *rgb, size_t n_pixels, uint8_t *gray)
{
    for (size_t i = 0; i < n_pixels; i++)
        gray[i] = (uint8_t)((rgb[3 * i] * 19595u + rgb[3 * i + 1] * 38470u +
                             rgb[3 * i + 2] * 7471u + 0x8000u) >>
                            16);
}
