/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/picture.h"

#include <string.h>

/* ---- pictures that are held whole ---- */

static ig_status next_kept_row(ig_picture *p, uint8_t *rgb, ig_error *err)
{
    (void)err;
    const size_t n = (size_t)p->width * 3;
    memcpy(rgb, p->whole + (size_t)p->i_row++ * n, n);
    return INGOT_OK;
}

/* Source of pixel (x, y) of a picture turned by an EXIF orientation. */
static void turned_from(int orientation, int width, int height, int x, int y, int *sx, int *sy)
{
    const bool is_swapped = orientation >= 5;
    const bool flips_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool flips_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    *sx = is_swapped ? y : x;
    *sy = is_swapped ? x : y;
    if (flips_x) *sx = width - 1 - *sx;
    if (flips_y) *sy = height - 1 - *sy;
}

ig_status ig_picture_keep_whole(ig_picture *p, uint8_t *rgb, int width, int height, int orientation,
                                ig_error *err)
{
    const size_t bytes = (size_t)width * (size_t)height * 3;
    p->whole = rgb;
    p->whole_bytes = bytes;
    p->next_row = next_kept_row;
    p->i_row = 0;
    if (orientation < 2 || orientation > 8) return INGOT_OK;
    uint8_t *turned = ig_alloc_get(p->alloc, bytes, 0, INGOT_MEM_OTHER);
    if (!turned) return IG_NOMEM(err, bytes);
    const int n_x = orientation >= 5 ? height : width, n_y = orientation >= 5 ? width : height;
    for (int y = 0; y < n_y; y++)
        for (int x = 0; x < n_x; x++) {
            int sx, sy;
            turned_from(orientation, width, height, x, y, &sx, &sy);
            memcpy(turned + 3 * ((size_t)y * (size_t)n_x + (size_t)x),
                   rgb + 3 * ((size_t)sy * (size_t)width + (size_t)sx), 3);
        }
    ig_alloc_put(p->alloc, rgb, bytes, INGOT_MEM_OTHER);
    p->whole = turned;
    return INGOT_OK;
}

/* ---- life ---- */

ig_status ig_picture_open(ig_alloc *alloc, const char *path, ig_picture *p, ig_error *err)
{
    *p = (ig_picture){ .path = path, .alloc = alloc };
    IG_TRY(ig_file_open(path, &p->file, err));
    ig_status status;
    if (ig_jpeg_is(p->file.data, p->file.bytes))
        status = ig_jpeg_open(p, err);
    else if (ig_png_is(p->file.data, p->file.bytes))
        status = ig_png_open(p, err);
    else
        status = ig_fail(err, INGOT_ERR_PARSE, "%s: neither a JPEG nor a PNG picture", path);
    if (status) ig_picture_close(p);
    return status;
}

void ig_picture_close(ig_picture *p)
{
    if (p->close) p->close(p);
    if (p->whole) ig_alloc_put(p->alloc, p->whole, p->whole_bytes, INGOT_MEM_OTHER);
    ig_file_close(&p->file);
    *p = (ig_picture){ 0 };
}

/* ---- reading ---- */

/* ITU-R 601 luma in 16-bit fixed point, as Pillow converts to "L". */
static void to_gray(const uint8_t *rgb, int n, uint8_t *gray)
{
    for (int i = 0; i < n; i++)
        gray[i] = (uint8_t)((rgb[3 * i] * 19595u + rgb[3 * i + 1] * 38470u +
                             rgb[3 * i + 2] * 7471u + 0x8000u) >>
                            16);
}

/* What is needed while rows go through. */
typedef struct resizer {
    ig_resample_axis x, y;
    int first_row, end_row; /* of the source, that the result depends on */
    size_t row_bytes;       /* of the result */
    uint8_t *memory, *source, *narrow;
    int32_t *sums;
    size_t memory_bytes;
} resizer;

static ig_status resizer_init(resizer *r, const ig_picture *p, const ig_picture_fit *fit,
                              ig_filter filter, int n_channels, ig_error *err)
{
    memset(r, 0, sizeof *r);
    IG_TRY(ig_resample_axis_init(&r->x, p->alloc, filter, p->width, fit->x0, fit->x1, fit->width,
                                 err));
    IG_TRY(ig_resample_axis_init(&r->y, p->alloc, filter, p->height, fit->y0, fit->y1, fit->height,
                                 err));
    r->first_row = r->y.first[0];
    r->end_row = r->y.first[fit->height - 1] + r->y.n[fit->height - 1];
    r->row_bytes = (size_t)fit->width * (size_t)n_channels;
    const size_t source_bytes = ig_align_up((size_t)p->width * 3, 64);
    const size_t narrow_bytes = ig_align_up((size_t)(r->end_row - r->first_row) * r->row_bytes, 64);
    r->memory_bytes = source_bytes + narrow_bytes + r->row_bytes * sizeof(int32_t);
    r->memory = ig_alloc_get(p->alloc, r->memory_bytes, 64, INGOT_MEM_OTHER);
    if (!r->memory) return IG_NOMEM(err, r->memory_bytes);
    r->source = r->memory;
    r->narrow = r->memory + source_bytes;
    r->sums = (int32_t *)(void *)(r->narrow + narrow_bytes);
    return INGOT_OK;
}

static void resizer_deinit(resizer *r, ig_alloc *alloc)
{
    ig_resample_axis_deinit(&r->x, alloc);
    ig_resample_axis_deinit(&r->y, alloc);
    if (r->memory) ig_alloc_put(alloc, r->memory, r->memory_bytes, INGOT_MEM_OTHER);
}

static ig_status read_rows(ig_picture *p, resizer *r, bool is_gray, ig_error *err)
{
    /* All rows, also those below the crop: a damaged file is then always noticed. */
    for (int y = 0; y < p->height; y++) {
        IG_TRY(p->next_row(p, r->source, err));
        if (y < r->first_row || y >= r->end_row) continue;
        if (is_gray) to_gray(r->source, p->width, r->source);
        ig_resample_row(&r->x, r->source, is_gray ? 1 : 3,
                        r->narrow + (size_t)(y - r->first_row) * r->row_bytes);
    }
    return INGOT_OK;
}

ig_status ig_picture_read(ig_picture *p, const ig_picture_fit *fit, ig_filter filter, bool is_gray,
                          uint8_t *pixels, ig_error *err)
{
    resizer r;
    ig_status status = resizer_init(&r, p, fit, filter, is_gray ? 1 : 3, err);
    if (status == INGOT_OK) status = read_rows(p, &r, is_gray, err);
    for (int y = 0; y < fit->height && status == INGOT_OK; y++)
        ig_resample_column(&r.y, r.narrow, r.first_row, r.row_bytes, y, r.sums,
                           pixels + (size_t)y * r.row_bytes);
    resizer_deinit(&r, p->alloc);
    return status;
}
