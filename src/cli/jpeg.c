/* SPDX-License-Identifier: Apache-2.0 */
/* jpeg.c: JPEG rows through libjpeg-turbo, the default (exact) decoding that Pillow uses too. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#include "cli/picture.h"

typedef struct jpeg_decoder {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    jmp_buf escape;
    char message[JMSG_LENGTH_MAX];
    uint8_t *row; /* of CMYK pictures */
    size_t row_bytes;
} jpeg_decoder;

bool ig_jpeg_is(const uint8_t *data, size_t bytes)
{
    return bytes >= 3 && data[0] == 0xff && data[1] == 0xd8 && data[2] == 0xff;
}

/* ---- libjpeg's ways of saying that something is wrong ---- */

static void on_error(j_common_ptr info)
{
    jpeg_decoder *d = info->client_data;
    info->err->format_message(info, d->message);
    longjmp(d->escape, 1);
}

/* A file that ends early is an error; other oddities are common and harmless. */
static void on_message(j_common_ptr info, int level)
{
    if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) on_error(info);
}

static void no_output(j_common_ptr info) { (void)info; }

static ig_status fail(const ig_picture *p, ig_error *err)
{
    const jpeg_decoder *d = p->decoder;
    return ig_fail(err, INGOT_ERR_PARSE, "%s: damaged JPEG: %s", p->path, d->message);
}

/* ---- rows ---- */

/* Adobe's CMYK is stored inverted, 255 is no ink. */
static void cmyk_to_rgb(const uint8_t *cmyk, int n, bool is_inverted, uint8_t *rgb)
{
    for (int i = 0; i < n; i++) {
        const unsigned k = is_inverted ? cmyk[4 * i + 3] : 255u - cmyk[4 * i + 3];
        for (int c = 0; c < 3; c++) {
            const unsigned ink_free = is_inverted ? cmyk[4 * i + c] : 255u - cmyk[4 * i + c];
            const unsigned product = ink_free * k + 128;
            rgb[3 * i + c] = (uint8_t)((product + (product >> 8)) >> 8);
        }
    }
}

static void spread_gray(uint8_t *rgb, int n)
{
    for (int i = n - 1; i >= 0; i--) rgb[3 * i] = rgb[3 * i + 1] = rgb[3 * i + 2] = rgb[i];
}

static ig_status next_row(ig_picture *p, uint8_t *rgb, ig_error *err)
{
    jpeg_decoder *d = p->decoder;
    if (setjmp(d->escape)) return fail(p, err);
    JSAMPROW row = d->row ? d->row : rgb;
    if (jpeg_read_scanlines(&d->info, &row, 1) != 1) {
        snprintf(d->message, sizeof d->message, "it ends early");
        return fail(p, err);
    }
    const int width = (int)d->info.output_width;
    if (d->row)
        cmyk_to_rgb(d->row, width, d->info.saw_Adobe_marker, rgb);
    else if (d->info.output_components == 1)
        spread_gray(rgb, width);
    return INGOT_OK;
}

static void close_decoder(ig_picture *p)
{
    jpeg_decoder *d = p->decoder;
    if (d->row) ig_alloc_put(p->alloc, d->row, d->row_bytes, INGOT_MEM_OTHER);
    jpeg_destroy_decompress(&d->info);
    ig_alloc_put(p->alloc, d, sizeof *d, INGOT_MEM_OTHER);
    p->decoder = NULL;
    p->close = NULL;
}

/* ---- EXIF ---- */

static unsigned get(const uint8_t *p, int n, bool is_big)
{
    unsigned value = 0;
    for (int i = 0; i < n; i++) value |= (unsigned)p[i] << 8 * (is_big ? n - 1 - i : i);
    return value;
}

/* The orientation tag of an APP1 segment, 1 where there is none. */
static int exif_orientation(const uint8_t *p, size_t n)
{
    if (n < 14 || memcmp(p, "Exif\0\0", 6) != 0) return 1;
    p += 6;
    n -= 6;
    const bool is_big = p[0] == 'M';
    const unsigned at = get(p + 4, 4, is_big);
    if (at > n - 2 || n < 2) return 1;
    const unsigned n_entries = get(p + at, 2, is_big);
    for (unsigned i = 0; i < n_entries && at + 2 + 12 * (i + 1) <= n; i++) {
        const uint8_t *entry = p + at + 2 + 12 * i;
        if (get(entry, 2, is_big) == 0x0112) return (int)get(entry + 8, 2, is_big);
    }
    return 1;
}

static int orientation_of(const jpeg_decoder *d)
{
    for (jpeg_saved_marker_ptr m = d->info.marker_list; m; m = m->next)
        if (m->marker == JPEG_APP0 + 1) return exif_orientation(m->data, m->data_length);
    return 1;
}

/* ---- open ---- */

static ig_status start(ig_picture *p, ig_error *err)
{
    jpeg_decoder *d = p->decoder;
    if (setjmp(d->escape)) return fail(p, err);
    jpeg_create_decompress(&d->info);
    d->info.client_data = d;
    /* Progressive pictures keep all coefficients: bounded, so that a header cannot ask for more. */
    const size_t limit = p->alloc->limit_bytes ? p->alloc->limit_bytes : (size_t)1 << 31;
    d->info.mem->max_memory_to_use = (long)limit;
    jpeg_mem_src(&d->info, p->file.data, (unsigned long)p->file.bytes);
    jpeg_save_markers(&d->info, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(&d->info, TRUE);
    const size_t n_pixels = (size_t)d->info.image_width * d->info.image_height;
    if (n_pixels > IG_MAX_PICTURE_PIXELS)
        return ig_fail(err, INGOT_ERR_LIMIT, "%s: %u x %u pixels are too many", p->path,
                       d->info.image_width, d->info.image_height);
    if (d->info.jpeg_color_space == JCS_CMYK || d->info.jpeg_color_space == JCS_YCCK)
        d->info.out_color_space = JCS_CMYK;
    else if (d->info.out_color_space != JCS_GRAYSCALE)
        d->info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&d->info);
    p->width = (int)d->info.output_width;
    p->height = (int)d->info.output_height;
    if (d->info.out_color_space != JCS_CMYK) return INGOT_OK;
    d->row_bytes = (size_t)p->width * 4;
    d->row = ig_alloc_get(p->alloc, d->row_bytes, 0, INGOT_MEM_OTHER);
    return d->row ? INGOT_OK : IG_NOMEM(err, d->row_bytes);
}

/* Photos that a camera was turned for are decoded whole. */
static ig_status turn(ig_picture *p, int orientation, ig_error *err)
{
    const int width = p->width, height = p->height;
    const size_t bytes = (size_t)width * (size_t)height * 3;
    uint8_t *rgb = ig_alloc_get(p->alloc, bytes, 0, INGOT_MEM_OTHER);
    if (!rgb) return IG_NOMEM(err, bytes);
    for (int y = 0; y < height; y++) {
        const ig_status status = next_row(p, rgb + (size_t)y * (size_t)width * 3, err);
        if (status) {
            ig_alloc_put(p->alloc, rgb, bytes, INGOT_MEM_OTHER);
            return status;
        }
    }
    IG_TRY(ig_picture_keep_whole(p, rgb, width, height, orientation, err));
    if (orientation >= 5) {
        p->width = height;
        p->height = width;
    }
    return INGOT_OK;
}

ig_status ig_jpeg_open(ig_picture *p, ig_error *err)
{
    jpeg_decoder *d = ig_alloc_get(p->alloc, sizeof *d, 0, INGOT_MEM_OTHER);
    if (!d) return IG_NOMEM(err, sizeof *d);
    memset(d, 0, sizeof *d);
    d->info.err = jpeg_std_error(&d->errors);
    d->errors.error_exit = on_error;
    d->errors.emit_message = on_message;
    d->errors.output_message = no_output;
    d->info.client_data = d;
    p->decoder = d;
    p->close = close_decoder;
    p->next_row = next_row;
    IG_TRY(start(p, err));
    const int orientation = orientation_of(d);
    return orientation >= 2 && orientation <= 8 ? turn(p, orientation, err) : INGOT_OK;
}
