/* SPDX-License-Identifier: Apache-2.0 */
/* picture_batch.h: pictures of one size that wait for a run, as elements of its input. */
#ifndef IG_CLI_PICTURE_BATCH_H
#define IG_CLI_PICTURE_BATCH_H

#include "cli/card.h"
#include "cli/engine.h"

/* Fill in alloc, format and max; the rest zeroed: empty. */
typedef struct ig_picture_batch {
    ig_alloc *alloc;
    const ig_picture_format *format;
    size_t n, max;
    int width, height;
    size_t picture_bytes;
    uint8_t *data, *pixels; /* elements of max pictures; 8-bit pixels of one */
    size_t data_bytes, pixels_bytes;
} ig_picture_batch;

/* Read a picture as the next of the batch (n < max). Where it has another size than those that wait
 * nothing is added and *is_added false: run those first. */
ig_status ig_picture_batch_add(ig_picture_batch *batch, const char *path, bool *is_added,
                               ig_error *err) IG_MUST_USE;
/* Pixels in memory instead of a file: width * height * 1 or 3 bytes. */
ig_status ig_picture_batch_add_pixels(ig_picture_batch *batch, const uint8_t *pixels, int width,
                                      int height, ig_error *err) IG_MUST_USE;
/* Pictures [begin, begin + n) as a tensor on the batch's memory. */
ig_status ig_picture_batch_wrap(const ig_picture_batch *batch, size_t begin, size_t n,
                                ingot_value **out, ig_error *err) IG_MUST_USE;
void ig_picture_batch_free(ig_picture_batch *batch); /* accepts a zeroed one */

/* A line on standard error about what is assumed, where neither card nor flags say anything. */
void ig_note_assumed_format(ig_cli *cli, const ig_engine *engine, const ig_card *card,
                            const ig_picture_format *format);

#endif
