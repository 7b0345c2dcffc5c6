/* SPDX-License-Identifier: Apache-2.0 */
/* png.c: PNG rows through libpng: 8 bits, RGB, without alpha. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <png.h>

#include "cli/picture.h"

typedef struct png_decoder {
    png_structp png;
    png_infop info;
    size_t at; /* bytes of the file that are read */
    const ig_file *file;
    char message[128];
} png_decoder;

bool ig_png_is(const uint8_t *data, size_t bytes)
{
    return bytes >= 8 && memcmp(data, "\x89PNG\r\n\x1a\n", 8) == 0;
}

static void on_error(png_structp png, png_const_charp text)
{
    png_decoder *d = png_get_error_ptr(png);
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
    png_decoder *d = png_get_io_ptr(png);
    if (n > d->file->bytes - d->at) png_error(png, "it ends early");
    memcpy(to, d->file->data + d->at, n);
    d->at += n;
}

static ig_status fail(const ig_picture *p, ig_error *err)
{
    const png_decoder *d = p->decoder;
    return ig_fail(err, INGOT_ERR_PARSE, "%s: damaged PNG: %s", p->path, d->message);
}

static ig_status next_row(ig_picture *p, uint8_t *rgb, ig_error *err)
{
    png_decoder *d = p->decoder;
    if (setjmp(png_jmpbuf(d->png))) return fail(p, err);
    png_read_row(d->png, rgb, NULL);
    /* The last row: what follows must be whole too. */
    if (++p->i_row == p->height) png_read_end(d->png, NULL);
    return INGOT_OK;
}

static void close_decoder(ig_picture *p)
{
    png_decoder *d = p->decoder;
    png_destroy_read_struct(&d->png, &d->info, NULL);
    ig_alloc_put(p->alloc, d, sizeof *d, INGOT_MEM_OTHER);
    p->decoder = NULL;
    p->close = NULL;
}

/* Read the header and ask for 8-bit RGB; *n_passes > 1: interlaced. */
static ig_status start(ig_picture *p, int *n_passes, ig_error *err)
{
    png_decoder *d = p->decoder;
    if (setjmp(png_jmpbuf(d->png))) return fail(p, err);
    png_set_read_fn(d->png, d, read_bytes);
    png_set_user_limits(d->png, IG_MAX_PICTURE_SIDE, IG_MAX_PICTURE_SIDE);
    png_read_info(d->png, d->info);
    p->width = (int)png_get_image_width(d->png, d->info);
    p->height = (int)png_get_image_height(d->png, d->info);
    png_set_expand(d->png);
    png_set_scale_16(d->png);
    png_set_strip_alpha(d->png);
    png_set_gray_to_rgb(d->png);
    *n_passes = png_set_interlace_handling(d->png);
    png_read_update_info(d->png, d->info);
    if ((size_t)p->width * (size_t)p->height > IG_MAX_PICTURE_PIXELS)
        return ig_fail(err, INGOT_ERR_LIMIT, "%s: %d x %d pixels are too many", p->path, p->width,
                       p->height);
    if (png_get_rowbytes(d->png, d->info) != (size_t)p->width * 3)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "%s: this kind of PNG is not supported",
                       p->path);
    return INGOT_OK;
}

static ig_status read_passes(ig_picture *p, int n_passes, uint8_t *rgb, ig_error *err)
{
    png_decoder *d = p->decoder;
    if (setjmp(png_jmpbuf(d->png))) return fail(p, err);
    for (int pass = 0; pass < n_passes; pass++)
        for (int y = 0; y < p->height; y++)
            png_read_row(d->png, rgb + (size_t)y * (size_t)p->width * 3, NULL);
    png_read_end(d->png, NULL);
    return INGOT_OK;
}

static ig_status read_interlaced(ig_picture *p, int n_passes, ig_error *err)
{
    const size_t bytes = (size_t)p->width * (size_t)p->height * 3;
    uint8_t *rgb = ig_alloc_get(p->alloc, bytes, 0, INGOT_MEM_OTHER);
    if (!rgb) return IG_NOMEM(err, bytes);
    const ig_status status = read_passes(p, n_passes, rgb, err);
    if (status) {
        ig_alloc_put(p->alloc, rgb, bytes, INGOT_MEM_OTHER);
        return status;
    }
    return ig_picture_keep_whole(p, rgb, p->width, p->height, 1, err);
}

ig_status ig_png_open(ig_picture *p, ig_error *err)
{
    int n_passes = 1;
    png_decoder *d = ig_alloc_get(p->alloc, sizeof *d, 0, INGOT_MEM_OTHER);
    if (!d) return IG_NOMEM(err, sizeof *d);
    *d = (png_decoder){ .file = &p->file };
    p->decoder = d;
    p->close = close_decoder;
    p->next_row = next_row;
    d->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, d, on_error, on_warning);
    d->info = d->png ? png_create_info_struct(d->png) : NULL;
    if (!d->info) return IG_NOMEM(err, 0);
    IG_TRY(start(p, &n_passes, err));
    return n_passes > 1 ? read_interlaced(p, n_passes, err) : INGOT_OK;
}
