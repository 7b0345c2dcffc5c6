/* SPDX-License-Identifier: Apache-2.0 */
/* bmp.c: Windows bitmaps of 1, 4, 8, 16, 24 and 32 bits without run lengths. */
#include "image/codec.h"

typedef struct bmp {
    const uint8_t *pixels, *palette;
    size_t row_bytes;
    uint32_t n_colours, entry_bytes;
    uint32_t width, height;
    int bits;
    bool is_top_down;
    uint32_t masks[3]; /* red, green, blue of 16 and 32 bits */
} bmp;

static uint32_t get(const uint8_t *p, int n)
{
    uint32_t value = 0;
    for (int i = 0; i < n; i++) value |= (uint32_t)p[i] << 8 * i;
    return value;
}

static ig_status damaged(const ig_image_job *job, const char *reason)
{
    return ig_image_damaged(job, "BMP", reason);
}

enum { RGB = 0, BIT_FIELDS = 3, ALPHA_BIT_FIELDS = 6 }; /* values of `compression` */

static ig_status read_masks(const ig_image_job *job, bmp *b, uint32_t compression,
                            uint32_t header_bytes)
{
    if (compression == RGB) {
        const bool is_16 = b->bits == 16;
        b->masks[0] = is_16 ? 0x7c00 : 0xff0000;
        b->masks[1] = is_16 ? 0x03e0 : 0x00ff00;
        b->masks[2] = is_16 ? 0x001f : 0x0000ff;
        return INGOT_OK;
    }
    /* Behind a header of 40 bytes, or as its next fields: the same place. */
    if (job->bytes < 14 + 40 + 12 || header_bytes < 40) return damaged(job, "it ends early");
    for (int i = 0; i < 3; i++) {
        b->masks[i] = get(job->data + 14 + 40 + 4 * i, 4);
        if (b->masks[i] == 0) return damaged(job, "a colour has no bits");
    }
    return INGOT_OK;
}

static ig_status read_header(const ig_image_job *job, bmp *b)
{
    const uint8_t *p = job->data;
    if (job->bytes < 14 + 12) return damaged(job, "it ends early");
    const uint32_t header_bytes = get(p + 14, 4), pixels_at = get(p + 10, 4);
    const bool is_old = header_bytes == 12;
    if ((!is_old && header_bytes < 40) || header_bytes > job->bytes - 14)
        return damaged(job, "its header has a strange length");
    b->width = is_old ? get(p + 18, 2) : get(p + 18, 4);
    b->height = is_old ? get(p + 20, 2) : get(p + 22, 4);
    b->bits = (int)get(p + (is_old ? 24 : 28), 2);
    b->is_top_down = !is_old && b->height >> 31;
    if (b->is_top_down) b->height = -b->height;
    const uint32_t compression = is_old ? RGB : get(p + 30, 4);
    const bool has_fields = compression == BIT_FIELDS || compression == ALPHA_BIT_FIELDS;
    if (compression != RGB && !(has_fields && (b->bits == 16 || b->bits == 32)))
        return damaged(job, "its compression is not supported");
    if (b->width >> 31 || b->height >> 31 || pixels_at > job->bytes)
        return damaged(job, "its header does not fit");
    b->pixels = p + pixels_at;
    b->palette = p + 14 + header_bytes;
    b->entry_bytes = is_old ? 3 : 4;
    b->n_colours = is_old ? 0 : get(p + 46, 4);
    if (b->bits > 8) return read_masks(job, b, compression, header_bytes);
    if (b->n_colours == 0 || b->n_colours > 1u << b->bits) b->n_colours = 1u << b->bits;
    if ((uint64_t)b->n_colours * b->entry_bytes > job->bytes - 14 - header_bytes)
        return damaged(job, "its palette is cut");
    return INGOT_OK;
}

/* The bits of a mask, spread to 0…255. */
static uint8_t field(uint32_t pixel, uint32_t mask)
{
    const int shift = __builtin_ctz(mask);
    const uint64_t most = mask >> shift;
    return (uint8_t)((uint64_t)((pixel & mask) >> shift) * 255 / most);
}

static ig_status read_row(const ig_image_job *job, const bmp *b, const uint8_t *row, uint8_t *rgb)
{
    for (uint32_t x = 0; x < b->width; x++, rgb += 3) {
        if (b->bits == 24) {
            for (int c = 0; c < 3; c++) rgb[c] = row[3 * (size_t)x + 2 - c];
        } else if (b->bits > 8) {
            const int n = b->bits / 8;
            const uint32_t pixel = get(row + (size_t)x * n, n);
            for (int c = 0; c < 3; c++) rgb[c] = field(pixel, b->masks[c]);
        } else {
            const size_t bit = (size_t)x * b->bits;
            const unsigned index =
                row[bit / 8] >> (8 - b->bits - (int)(bit % 8)) & ((1u << b->bits) - 1);
            if (index >= b->n_colours) return damaged(job, "a pixel is beyond the palette");
            for (int c = 0; c < 3; c++) rgb[c] = b->palette[index * b->entry_bytes + 2 - c];
        }
    }
    return INGOT_OK;
}

ig_status ig_image_decode_bmp(ig_image_job *job)
{
    bmp b = { 0 };
    IG_TRY(read_header(job, &b));
    if (b.bits != 1 && b.bits != 4 && b.bits != 8 && b.bits != 16 && b.bits != 24 && b.bits != 32)
        return damaged(job, "its pixels have a strange number of bits");
    /* Rows are multiples of four bytes. Pixels are asked for only once the file is known to have
     * them all. */
    const uint64_t row_bytes = ((uint64_t)b.width * b.bits + 31) / 32 * 4;
    const size_t left = job->bytes - (size_t)(b.pixels - job->data);
    if (b.height && row_bytes > left / b.height) return damaged(job, "it ends early");
    IG_TRY(ig_image_place(job, b.width, b.height));
    for (uint32_t y = 0; y < b.height; y++) {
        const uint32_t to = b.is_top_down ? y : b.height - 1 - y;
        IG_TRY(read_row(job, &b, b.pixels + (size_t)y * row_bytes,
                        job->image.rgb + (size_t)to * b.width * 3));
    }
    return INGOT_OK;
}
