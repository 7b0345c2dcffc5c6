/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/picture_batch.h"

#include "cli/picture.h"

void ig_picture_batch_free(ig_picture_batch *b)
{
    if (b->data) ig_alloc_put(b->alloc, b->data, b->data_bytes, INGOT_MEM_VALUE);
    if (b->pixels) ig_alloc_put(b->alloc, b->pixels, b->pixels_bytes, INGOT_MEM_OTHER);
    b->data = b->pixels = NULL;
}

/* Room for pictures of this size. */
static ig_status size_batch(ig_picture_batch *b, int width, int height, ig_error *err)
{
    if (b->data && b->width == width && b->height == height) return INGOT_OK;
    const ig_picture_format *f = b->format;
    const size_t n_pixels = (size_t)width * (size_t)height;
    ig_picture_batch_free(b);
    b->width = width;
    b->height = height;
    b->pixels_bytes = n_pixels * (size_t)f->n_channels;
    b->picture_bytes = b->pixels_bytes * f->element_bytes;
    if (!ig_size_mul(b->picture_bytes, b->max, &b->data_bytes)) return IG_NOMEM(err, 0);
    b->pixels = ig_alloc_get(b->alloc, b->pixels_bytes, 0, INGOT_MEM_OTHER);
    if (!b->pixels) return IG_NOMEM(err, b->pixels_bytes);
    b->data = ig_alloc_get(b->alloc, b->data_bytes, 64, INGOT_MEM_VALUE);
    return b->data ? INGOT_OK : IG_NOMEM(err, b->data_bytes);
}

ig_status ig_picture_batch_add_pixels(ig_picture_batch *b, const uint8_t *pixels, int width,
                                      int height, ig_error *err)
{
    IG_TRY(size_batch(b, width, height, err));
    ig_picture_format_apply(b->format, pixels, width, height, b->data + b->n * b->picture_bytes);
    b->n++;
    return INGOT_OK;
}

ig_status ig_picture_batch_add(ig_picture_batch *b, const char *path, bool *is_added, ig_error *err)
{
    ig_picture picture;
    ig_picture_fit fit;
    *is_added = false;
    IG_TRY(ig_picture_open(b->alloc, path, &picture, err));
    ig_picture_format_fit(b->format, picture.width, picture.height, &fit);
    if (b->n && (fit.width != b->width || fit.height != b->height)) {
        ig_picture_close(&picture);
        return INGOT_OK;
    }
    ig_status status = size_batch(b, fit.width, fit.height, err);
    if (!status)
        status = ig_picture_read(&picture, &fit, b->format->filter,
                                 b->format->color == IG_COLOR_GRAY, b->pixels, err);
    ig_picture_close(&picture);
    IG_TRY(status);
    *is_added = true;
    return ig_picture_batch_add_pixels(b, b->pixels, fit.width, fit.height, err);
}

ig_status ig_picture_batch_wrap(const ig_picture_batch *b, size_t begin, size_t n,
                                ingot_value **out, ig_error *err)
{
    int64_t dims[INGOT_MAX_RANK];
    const int rank = ig_picture_format_dims(b->format, (int)n, b->width, b->height, dims);
    return ingot_tensor_wrap(b->format->dtype, rank, dims, b->data + begin * b->picture_bytes,
                             n * b->picture_bytes, out, err);
}

void ig_note_assumed_format(ig_cli *cli, const ig_engine *e, const ig_card *card,
                            const ig_picture_format *format)
{
    ig_str text;
    if (card->path || !ig_preprocess_is_empty(&card->preprocess)) return;
    ig_str_init(&text, cli->alloc);
    ig_picture_format_describe(format, &text);
    fprintf(stderr, "ingot %s: no card and no flags say how %s wants pictures; assuming %s\n",
            cli->command->name, e->path, ig_str_cstr(&text));
    ig_str_deinit(&text);
}
