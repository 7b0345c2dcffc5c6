/* SPDX-License-Identifier: Apache-2.0 */
/*
 * picture.h: JPEG and PNG files as rows of 8-bit RGB, and resized pictures made from those rows
 * without ever holding the whole source.
 */
#ifndef IG_CLI_PICTURE_H
#define IG_CLI_PICTURE_H

#include "base/file.h"
#include "cli/preprocess.h"

typedef struct ig_picture ig_picture;
struct ig_picture {
    const char *path;
    ig_alloc *alloc;
    ig_file file;
    int width, height; /* as people see it: after turning by the EXIF orientation */
    void *decoder;
    ig_status (*next_row)(ig_picture *picture, uint8_t *rgb, ig_error *err);
    void (*close)(ig_picture *picture);
    /* Pictures that cannot be read from top to bottom (interlaced, turned) are decoded whole. */
    uint8_t *whole;
    size_t whole_bytes;
    int i_row;
};

/* Read the header. Error lines start with the path. */
ig_status ig_picture_open(ig_alloc *alloc, const char *path, ig_picture *out,
                          ig_error *err) IG_MUST_USE;
/* Cut, resize and convert: pixels gets fit->width * fit->height * (is_gray ? 1 : 3) bytes. Once. */
ig_status ig_picture_read(ig_picture *picture, const ig_picture_fit *fit, ig_filter filter,
                          bool is_gray, uint8_t *pixels, ig_error *err) IG_MUST_USE;
void ig_picture_close(ig_picture *picture); /* accepts a zeroed one */

ig_status ig_jpeg_open(ig_picture *picture, ig_error *err) IG_MUST_USE;
ig_status ig_png_open(ig_picture *picture, ig_error *err) IG_MUST_USE;
bool ig_png_is(const uint8_t *data, size_t bytes);
bool ig_jpeg_is(const uint8_t *data, size_t bytes);

/* The bound of pixels in a picture, against files that lie. */
#define IG_MAX_PICTURE_PIXELS ((size_t)1 << 28)

/* From now on rows come from memory: `rgb` (width * height * 3 bytes, the allocator's) is taken,
 * and turned as the EXIF orientation (1 to 8) says. */
ig_status ig_picture_keep_whole(ig_picture *picture, uint8_t *rgb, int width, int height,
                                int orientation, ig_error *err) IG_MUST_USE;

/* ---- resize.c ---- */

/*
 * Weights of one axis, as Pillow's ImagingResample has them: a triangle (bilinear), cubic (a =
 * -1/2), Lanczos (a = 3) or box filter, widened by the scale when it shrinks, normalised, in 22-bit
 * fixed point. Nearest is a single weight.
 */
typedef struct ig_resample_axis {
    int n_out, n_taps; /* taps: most of any output */
    int *first, *n;    /* source positions [first, first + n) of each output */
    int32_t *weights;  /* n_out rows of n_taps */
    void *memory;
    size_t memory_bytes;
    bool is_copy; /* output i is source i */
} ig_resample_axis;

ig_status ig_resample_axis_init(ig_resample_axis *axis, ig_alloc *alloc, ig_filter filter, int n_in,
                                double begin, double end, int n_out, ig_error *err) IG_MUST_USE;
void ig_resample_axis_deinit(ig_resample_axis *axis, ig_alloc *alloc);

/* One row of n_channels-byte pixels, resampled along x. */
void ig_resample_row(const ig_resample_axis *axis, const uint8_t *in, int n_channels, uint8_t *out);
/* Along y, rows are summed up as they come: how many outputs are open at once at most, and begin,
 * add to and end one of n bytes. */
int ig_resample_n_open(const ig_resample_axis *axis);
void ig_resample_open(int32_t *sums, size_t n);
void ig_resample_add(int32_t *sums, const uint8_t *row, size_t n, int32_t weight);
void ig_resample_close(const int32_t *sums, size_t n, uint8_t *out);

#endif
