/* SPDX-License-Identifier: Apache-2.0 */
/* tiff.c: the first picture of a TIFF file through libtiff, whatever its kind of pixels. */
#include <stdio.h>
#include <string.h>

#include <tiffio.h>

#include "image/codec.h"

/* Of one piece of memory that libtiff asks for. */
#define MAX_BLOCK_BYTES ((tmsize_t)1 << 30)

typedef struct decoder {
    ig_image_job *job;
    uint64_t at;
    char message[160]; /* the first one */
} decoder;

static int on_error(TIFF *tiff, void *ctx, const char *where, const char *format, va_list args)
{
    decoder *d = ctx;
    (void)tiff;
    (void)where;
    if (!d->message[0]) vsnprintf(d->message, sizeof d->message, format, args);
    return 1; /* not to standard error */
}

static int on_warning(TIFF *tiff, void *ctx, const char *where, const char *format, va_list args)
{
    (void)tiff;
    (void)ctx;
    (void)where;
    (void)format;
    (void)args;
    return 1;
}

static tmsize_t read_bytes(thandle_t handle, void *to, tmsize_t n)
{
    decoder *d = handle;
    const uint64_t left = d->at < d->job->bytes ? d->job->bytes - d->at : 0;
    if (n < 0) return 0;
    if ((uint64_t)n > left) n = (tmsize_t)left;
    memcpy(to, d->job->data + d->at, (size_t)n);
    d->at += (uint64_t)n;
    return n;
}

static tmsize_t no_write(thandle_t handle, void *from, tmsize_t n)
{
    (void)handle;
    (void)from;
    (void)n;
    return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence)
{
    decoder *d = handle;
    d->at = whence == SEEK_SET   ? offset
            : whence == SEEK_CUR ? d->at + offset
                                 : d->job->bytes + offset;
    if (d->at > d->job->bytes) d->at = d->job->bytes;
    return d->at;
}

static int no_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle) { return ((decoder *)handle)->job->bytes; }

static ig_status read_pixels(decoder *d, TIFF *tiff)
{
    ig_image_job *job = d->job;
    uint32_t width = 0, height = 0;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    IG_TRY(ig_image_place(job, width, height));
    const size_t n = (size_t)width * height;
    uint32_t *pixels = ig_arena_array(job->arena, n, sizeof *pixels);
    if (!pixels) return IG_NOMEM(job->err, n * sizeof *pixels);
    if (!TIFFReadRGBAImageOriented(tiff, width, height, pixels, ORIENTATION_TOPLEFT, 1))
        return ig_image_damaged(job, "TIFF", d->message);
    for (size_t i = 0; i < n; i++) {
        job->image.rgb[3 * i] = (uint8_t)TIFFGetR(pixels[i]);
        job->image.rgb[3 * i + 1] = (uint8_t)TIFFGetG(pixels[i]);
        job->image.rgb[3 * i + 2] = (uint8_t)TIFFGetB(pixels[i]);
    }
    return INGOT_OK;
}

ig_status ig_image_decode_tiff(ig_image_job *job)
{
    decoder d = { .job = job };
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return IG_NOMEM(job->err, 0);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, MAX_BLOCK_BYTES);
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, &d);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, &d);
    /* m: the file is in memory already, do not map it */
    TIFF *tiff = TIFFClientOpenExt("picture", "rm", &d, read_bytes, no_write, seek, no_close,
                                   size_of, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    if (!tiff) return ig_image_damaged(job, "TIFF", d.message);
    const ig_status status = read_pixels(&d, tiff);
    TIFFClose(tiff);
    return status;
}
