/* SPDX-License-Identifier: Apache-2.0 */
/* jpeg2000.c: JPEG 2000, as files (JP2) and bare code streams, through OpenJPEG. */
#include <stdio.h>
#include <string.h>

#include <openjpeg.h>

#include "image/codec.h"

typedef struct source {
    const ig_image_job *job;
    size_t at;
    char message[160]; /* the first one */
} source;

static void on_error(const char *text, void *ctx)
{
    source *s = ctx;
    if (s->message[0]) return;
    snprintf(s->message, sizeof s->message, "%.*s", (int)strcspn(text, "\n"), text);
}

static void on_message(const char *text, void *ctx)
{
    (void)text;
    (void)ctx;
}

#define AT_END ((OPJ_SIZE_T)-1)

static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T n, void *ctx)
{
    source *s = ctx;
    const size_t left = s->job->bytes - s->at;
    if (left == 0) return AT_END;
    if (n > left) n = left;
    memcpy(to, s->job->data + s->at, n);
    s->at += n;
    return n;
}

static OPJ_OFF_T skip(OPJ_OFF_T n, void *ctx)
{
    source *s = ctx;
    if (n < 0 || (uint64_t)n > s->job->bytes - s->at) return -1;
    s->at += (size_t)n;
    return n;
}

static OPJ_BOOL seek(OPJ_OFF_T at, void *ctx)
{
    source *s = ctx;
    if (at < 0 || (uint64_t)at > s->job->bytes) return OPJ_FALSE;
    s->at = (size_t)at;
    return OPJ_TRUE;
}

/* ---- pixels ---- */

/* Component k at a pixel, as 0…255. Smaller components repeat their samples. */
static int sample(const opj_image_t *image, uint32_t k, uint32_t x, uint32_t y)
{
    const opj_image_comp_t *c = &image->comps[k];
    uint32_t cx = x / c->dx, cy = y / c->dy;
    if (cx >= c->w) cx = c->w - 1;
    if (cy >= c->h) cy = c->h - 1;
    const int64_t most = ((int64_t)1 << c->prec) - 1;
    int64_t value = c->data[(size_t)cy * c->w + cx] + (c->sgnd ? (int64_t)1 << (c->prec - 1) : 0);
    if (value < 0) value = 0;
    if (value > most) value = most;
    return (int)(c->prec > 8 ? value >> (c->prec - 8) : value * 255 / most);
}

static uint8_t clamp(int x) { return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x); }

/* JFIF's YCbCr in 16-bit fixed point. */
static void ycc_to_rgb(int y, int cb, int cr, uint8_t *rgb)
{
    cb -= 128;
    cr -= 128;
    rgb[0] = clamp(y + ((91881 * cr + 32768) >> 16));
    rgb[1] = clamp(y - ((22554 * cb + 46802 * cr + 32768) >> 16));
    rgb[2] = clamp(y + ((116130 * cb + 32768) >> 16));
}

static ig_status check_components(const ig_image_job *job, const opj_image_t *image)
{
    for (uint32_t k = 0; k < image->numcomps; k++) {
        const opj_image_comp_t *c = &image->comps[k];
        if (!c->data || c->w == 0 || c->h == 0 || c->dx == 0 || c->dy == 0 || c->prec < 1 ||
            c->prec > 31)
            return ig_image_damaged(job, "JPEG 2000", "a component is missing");
    }
    return INGOT_OK;
}

static void write_pixels(ig_image_job *job, const opj_image_t *image)
{
    uint8_t *rgb = job->image.rgb;
    const uint32_t width = (uint32_t)job->image.width, height = (uint32_t)job->image.height;
    const bool is_gray = image->numcomps < 3;
    const bool is_ycc = !is_gray && (image->color_space == OPJ_CLRSPC_SYCC ||
                                     image->comps[1].dx > image->comps[0].dx);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++, rgb += 3) {
            int v[3];
            for (uint32_t k = 0; k < 3; k++) v[k] = sample(image, is_gray ? 0 : k, x, y);
            if (is_ycc)
                ycc_to_rgb(v[0], v[1], v[2], rgb);
            else
                for (int k = 0; k < 3; k++) rgb[k] = (uint8_t)v[k];
        }
}

/* ---- decoding ---- */

static ig_status decode(ig_image_job *job, source *s, opj_codec_t *codec, opj_stream_t *stream,
                        opj_image_t **image)
{
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    if (!opj_setup_decoder(codec, &parameters) || !opj_read_header(stream, codec, image))
        return ig_image_damaged(job, "JPEG 2000", s->message);
    const opj_image_t *i = *image;
    if (i->x1 <= i->x0 || i->y1 <= i->y0 || i->numcomps == 0 || i->numcomps > 4)
        return ig_image_damaged(job, "JPEG 2000", "its size or number of components is strange");
    IG_TRY(ig_image_place(job, i->x1 - i->x0, i->y1 - i->y0));
    if (!opj_decode(codec, stream, *image) || !opj_end_decompress(codec, stream))
        return ig_image_damaged(job, "JPEG 2000", s->message);
    IG_TRY(check_components(job, *image));
    write_pixels(job, *image);
    return INGOT_OK;
}

ig_status ig_image_decode_jpeg2000(ig_image_job *job)
{
    source s = { .job = job };
    const bool is_bare = job->data[0] == 0xff;
    opj_image_t *image = NULL;
    opj_stream_t *stream = opj_stream_create((OPJ_SIZE_T)1 << 16, OPJ_TRUE);
    opj_codec_t *codec = opj_create_decompress(is_bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    ig_status status;
    if (stream && codec) {
        opj_set_error_handler(codec, on_error, &s);
        opj_set_warning_handler(codec, on_message, NULL);
        opj_set_info_handler(codec, on_message, NULL);
        opj_stream_set_user_data(stream, &s, NULL);
        opj_stream_set_user_data_length(stream, job->bytes);
        opj_stream_set_read_function(stream, read_bytes);
        opj_stream_set_skip_function(stream, skip);
        opj_stream_set_seek_function(stream, seek);
        status = decode(job, &s, codec, stream, &image);
    } else {
        status = IG_NOMEM(job->err, 0);
    }
    if (image) opj_image_destroy(image);
    if (codec) opj_destroy_codec(codec);
    if (stream) opj_stream_destroy(stream);
    return status;
}
