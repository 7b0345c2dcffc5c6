/* SPDX-License-Identifier: Apache-2.0 */
/* png.c: PNG through libpng: 8 bits, RGB, without alpha. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <png.h>

#include "image/codec.h"

typedef struct decoder {
    png_structp png;
    png_infop info;
    size_t at; /* bytes that are read */
    ig_image_job *job;
    char message[128];
} decoder;

static void on_error(png_structp png, png_const_charp text)
{
    decoder *d = png_get_error_ptr(png);
    snprintf(d->message, sizeof d->message, "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void read_bytes(png_structp png, png_bytep to, size_t n)
{
    decoder *d = png_get_io_ptr(png);
    if (n > d->job->bytes - d->at) png_error(png, "it ends early");
    memcpy(to, d->job->data + d->at, n);
    d->at += n;
}

/* Everything that may jump. */
static ig_status decode(decoder *d)
{
    ig_image_job *job = d->job;
    if (setjmp(png_jmpbuf(d->png))) return ig_image_damaged(job, "PNG", d->message);
    png_set_read_fn(d->png, d, read_bytes);
    png_set_user_limits(d->png, 0x7fffffff, 0x7fffffff);
    png_read_info(d->png, d->info);
    IG_TRY(ig_image_place(job, png_get_image_width(d->png, d->info),
                          png_get_image_height(d->png, d->info)));
    png_set_expand(d->png);
    png_set_scale_16(d->png);
    png_set_strip_alpha(d->png);
    png_set_gray_to_rgb(d->png);
    const int n_passes = png_set_interlace_handling(d->png);
    png_read_update_info(d->png, d->info);
    const size_t row_bytes = (size_t)job->image.width * 3;
    if (png_get_rowbytes(d->png, d->info) != row_bytes)
        return ig_image_damaged(job, "PNG", "its pixels are of a strange kind");
    for (int pass = 0; pass < n_passes; pass++)
        for (int y = 0; y < job->image.height; y++)
            png_read_row(d->png, job->image.rgb + (size_t)y * row_bytes, NULL);
    png_read_end(d->png, NULL);
    return INGOT_OK;
}

ig_status ig_image_decode_png(ig_image_job *job)
{
    decoder *d = ig_arena_get(job->arena, sizeof *d);
    if (!d) return IG_NOMEM(job->err, sizeof *d);
    d->job = job;
    d->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, d, on_error, on_warning);
    d->info = d->png ? png_create_info_struct(d->png) : NULL;
    const ig_status status = d->info ? decode(d) : IG_NOMEM(job->err, 0);
    png_destroy_read_struct(&d->png, &d->info, NULL);
    return status;
}
