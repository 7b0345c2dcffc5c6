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
    const bool flips_x =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool flips_y =
        orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
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

/* What is needed while rows go through: each is narrowed and then added to the outputs that it is a
 * part of, or the other way round. Outputs are open in turn, in a ring of sums. */
typedef struct resizer {
    ig_resample_axis x, y;
    int n_channels, n_open, begin, end; /* outputs [begin, end) are open */
    bool is_y_first;
    size_t out_row_bytes, sum_row_bytes; /* bytes a row, of the result and of what is summed */
    uint8_t *memory, *source, *between;
    int32_t *sums;
    size_t memory_bytes;
} resizer;

/* The order of passes decides how pixels round. Pillow 13 takes the y axis first where that sheds
 * clearly more than the x axis would (found by experiment). */
static bool takes_y_first(const ig_picture *p, const ig_picture_fit *fit)
{
    const int shed_x = p->width - fit->width, shed_y = p->height - fit->height;
    return shed_y > 0 && shed_y > 2 * shed_x;
}

static ig_status resizer_init(resizer *r, const ig_picture *p, const ig_picture_fit *fit,
                              ig_filter filter, int n_channels, ig_error *err)
{
    memset(r, 0, sizeof *r);
    IG_TRY(ig_resample_axis_init(&r->x, p->alloc, filter, p->width, fit->x0, fit->x1, fit->width,
                                 err));
    IG_TRY(ig_resample_axis_init(&r->y, p->alloc, filter, p->height, fit->y0, fit->y1, fit->height,
                                 err));
    r->n_channels = n_channels;
    r->is_y_first = takes_y_first(p, fit);
    r->n_open = ig_resample_n_open(&r->y);
    r->out_row_bytes = (size_t)fit->width * (size_t)n_channels;
    r->sum_row_bytes = r->is_y_first ? (size_t)p->width * (size_t)n_channels : r->out_row_bytes;
    const size_t source_bytes = ig_align_up((size_t)p->width * 3, 64);
    const size_t between_bytes = ig_align_up(r->sum_row_bytes, 64);
    r->memory_bytes =
        source_bytes + between_bytes + r->sum_row_bytes * (size_t)r->n_open * sizeof(int32_t);
    r->memory = ig_alloc_get(p->alloc, r->memory_bytes, 64, INGOT_MEM_OTHER);
    if (!r->memory) return IG_NOMEM(err, r->memory_bytes);
    r->source = r->memory;
    r->between = r->memory + source_bytes;
    r->sums = (int32_t *)(void *)(r->between + between_bytes);
    return INGOT_OK;
}

static void resizer_deinit(resizer *r, ig_alloc *alloc)
{
    ig_resample_axis_deinit(&r->x, alloc);
    ig_resample_axis_deinit(&r->y, alloc);
    if (r->memory) ig_alloc_put(alloc, r->memory, r->memory_bytes, INGOT_MEM_OTHER);
}

static void finish_output(const resizer *r, const int32_t *sums, uint8_t *out)
{
    if (!r->is_y_first) {
        ig_resample_close(sums, r->sum_row_bytes, out);
        return;
    }
    ig_resample_close(sums, r->sum_row_bytes, r->between);
    ig_resample_row(&r->x, r->between, r->n_channels, out);
}

/* Take in source row y, which is in r->source; finished outputs go to `pixels`. */
static void take_row(resizer *r, int y, uint8_t *pixels)
{
    const ig_resample_axis *axis = &r->y;
    const uint8_t *row = r->source;
    if (r->end == 0 && y < axis->first[0]) return; /* above the crop */
    if (r->begin == axis->n_out) return;           /* below it */
    if (!r->is_y_first) {
        ig_resample_row(&r->x, r->source, r->n_channels, r->between);
        row = r->between;
    }
    if (axis->is_copy) {
        memcpy(pixels + (size_t)y * r->out_row_bytes, row, r->out_row_bytes);
        return;
    }
    for (; r->end < axis->n_out && axis->first[r->end] <= y; r->end++)
        ig_resample_open(r->sums + (size_t)(r->end % r->n_open) * r->sum_row_bytes,
                         r->sum_row_bytes);
    for (int i = r->begin; i < r->end; i++) {
        const int k = y - axis->first[i];
        int32_t *sums = r->sums + (size_t)(i % r->n_open) * r->sum_row_bytes;
        if (k >= axis->n[i]) continue;
        ig_resample_add(sums, row, r->sum_row_bytes,
                        axis->weights[(size_t)i * (size_t)axis->n_taps + (size_t)k]);
    }
    for (; r->begin < r->end && axis->first[r->begin] + axis->n[r->begin] <= y + 1; r->begin++)
        finish_output(r, r->sums + (size_t)(r->begin % r->n_open) * r->sum_row_bytes,
                      pixels + (size_t)r->begin * r->out_row_bytes);
}

ig_status ig_picture_read(ig_picture *p, const ig_picture_fit *fit, ig_filter filter, bool is_gray,
                          uint8_t *pixels, ig_error *err)
{
    resizer r;
    ig_status status = resizer_init(&r, p, fit, filter, is_gray ? 1 : 3, err);
    /* All rows, also those below the crop: a damaged file is then always noticed. */
    for (int y = 0; y < p->height && status == INGOT_OK; y++) {
        status = p->next_row(p, r.source, err);
        if (status) break;
        if (is_gray) to_gray(r.source, p->width, r.source);
        take_row(&r, y, pixels);
    }
    resizer_deinit(&r, p->alloc);
    return status;
}
