/* SPDX-License-Identifier: Apache-2.0 */
/* jpeg.c: JPEG through libjpeg-turbo's default decoding: exact transform, smooth upsampling. */
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>
#include <jerror.h>

#include "image/codec.h"

/* What libjpeg keeps of a progressive picture, at most. */
#define MAX_COEFFICIENT_BYTES ((long)1 << 31)

typedef struct decoder {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    jmp_buf escape;
    char message[JMSG_LENGTH_MAX];
    ig_image_job *job;
} decoder;

static void on_error(j_common_ptr info)
{
    decoder *d = info->client_data;
    info->err->format_message(info, d->message);
    longjmp(d->escape, 1);
}

/* A file that ends early is an error; other oddities are common and harmless. */
static void on_message(j_common_ptr info, int level)
{
    if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) on_error(info);
}

static void no_output(j_common_ptr info) { (void)info; }

/* Adobe's CMYK is stored inverted: 255 is no ink. */
static void cmyk_to_rgb(const uint8_t *cmyk, size_t n, bool is_inverted, uint8_t *rgb)
{
    const unsigned flip = is_inverted ? 0 : 255;
    for (size_t i = 0; i < n; i++, cmyk += 4, rgb += 3)
        for (int c = 0; c < 3; c++) {
            const unsigned product = (cmyk[c] ^ flip) * (cmyk[3] ^ flip) + 128;
            rgb[c] = (uint8_t)((product + (product >> 8)) >> 8);
        }
}

static void spread_gray(uint8_t *rgb, size_t n)
{
    for (size_t i = n; i-- > 0;) rgb[3 * i] = rgb[3 * i + 1] = rgb[3 * i + 2] = rgb[i];
}

/* Everything that may jump. */
static ig_status decode(decoder *d)
{
    ig_image_job *job = d->job;
    struct jpeg_decompress_struct *info = &d->info;
    if (setjmp(d->escape)) return ig_image_damaged(job, "JPEG", d->message);
    jpeg_create_decompress(info);
    info->mem->max_memory_to_use = MAX_COEFFICIENT_BYTES;
    jpeg_mem_src(info, job->data, (unsigned long)job->bytes);
    jpeg_read_header(info, TRUE);
    IG_TRY(ig_image_place(job, info->image_width, info->image_height));
    const bool is_cmyk = info->num_components == 4;
    const bool is_gray = info->num_components == 1;
    info->out_color_space = is_cmyk ? JCS_CMYK : is_gray ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(info);
    const size_t width = (size_t)job->image.width;
    uint8_t *row = is_cmyk ? ig_arena_array(job->arena, width, 4) : NULL;
    if (is_cmyk && !row) return IG_NOMEM(job->err, width * 4);
    while (info->output_scanline < info->output_height) {
        uint8_t *rgb = job->image.rgb + (size_t)info->output_scanline * width * 3;
        JSAMPROW to = is_cmyk ? row : rgb;
        jpeg_read_scanlines(info, &to, 1);
        if (is_cmyk) cmyk_to_rgb(row, width, info->saw_Adobe_marker, rgb);
        if (is_gray) spread_gray(rgb, width);
    }
    jpeg_finish_decompress(info);
    return INGOT_OK;
}

ig_status ig_image_decode_jpeg(ig_image_job *job)
{
    decoder *d = ig_arena_get(job->arena, sizeof *d);
    if (!d) return IG_NOMEM(job->err, sizeof *d);
    d->job = job;
    d->info.err = jpeg_std_error(&d->errors);
    d->errors.error_exit = on_error;
    d->errors.emit_message = on_message;
    d->errors.output_message = no_output;
    d->info.client_data = d;
    const ig_status status = decode(d);
    jpeg_destroy_decompress(&d->info);
    return status;
}
