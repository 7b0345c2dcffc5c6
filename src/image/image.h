/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.h: pictures in files, as rows of 8-bit RGB.
 *
 * BMP and PNM are read here. JPEG, PNG, WebP, TIFF and JPEG 2000 are read by a module of its own,
 * libingot_image.so, which is loaded when the first such picture comes: only it depends on their
 * libraries. A program may also contain the module (see codec.h).
 */
#ifndef IG_IMAGE_IMAGE_H
#define IG_IMAGE_IMAGE_H

#include "base/arena.h"

/* Against files that lie. */
#define IG_IMAGE_MAX_PIXELS ((uint64_t)1 << 28)

typedef struct ig_image {
    int width, height;
    uint8_t *rgb; /* height * width * 3, from the top left */
} ig_image;

/*
 * Read a picture; memory is the arena's. Alpha is dropped, gray is spread, more than 8 bits are
 * reduced to 8.
 *   INGOT_ERR_PARSE        damaged, of no known format, or of a kind that is not read
 *   INGOT_ERR_UNSUPPORTED  the format needs a library that is not there
 *   INGOT_ERR_LIMIT        too many pixels
 */
ig_status ig_image_decode(ig_arena *arena, const uint8_t *data, size_t bytes, ig_image *out,
                          ig_error *err) IG_MUST_USE;

/* ITU-R 601 luma in 16-bit fixed point, as Pillow converts to "L". */
void ig_image_to_gray(const uint8_t *rgb, size_t n_pixels, uint8_t *gray);

#endif
