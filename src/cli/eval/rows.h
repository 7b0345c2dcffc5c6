/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h: arrays of an archive, row by row, as a model's inputs want them. */
#ifndef IG_CLI_EVAL_ROWS_H
#define IG_CLI_EVAL_ROWS_H

#include "cli/eval/dataset.h"

/* What a row becomes. */
typedef enum ig_row_form {
    IG_ROW_AS_IT_IS = 0, /* one of the batch's rows */
    IG_ROW_WHOLE,        /* the model has no dimension for a batch: one row is the input */
    IG_ROW_PICTURE       /* 8-bit pixels, height x width (x 1 or 3) */
} ig_row_form;

/* An array as the source of a model input, or of stored outputs. */
typedef struct ig_row_source {
    ig_npz_stream stream;
    size_t target; /* input or output */
    ig_row_form form;
    int rank; /* of a batch in the model's order; dims[0] is set by ig_row_source_read */
    int64_t dims[INGOT_MAX_RANK];
    ingot_dtype dtype;
    int64_t row_count;
    size_t row_bytes, out_bytes; /* of a row in the file, and converted */
    bool has_scale;
    double scale, mean, std;
    uint8_t *row, *data; /* room for one, and for a batch */
    size_t n_room;
    ig_picture_format format; /* of pictures */
    ig_picture_batch batch;
    ingot_value *value;
} ig_row_source;

/* Find out how rows of an open stream become this input (NULL: they stay as they are). */
ig_status ig_row_source_plan(ig_row_source *source, ig_dataset *d,
                             const ingot_io_info *input) IG_MUST_USE;
/* How many rows a run on this input takes: 0 any number, else exactly as many. */
size_t ig_row_source_n_fixed(const ig_row_source *source, const ingot_io_info *input);
/* Room for n_room rows, after the plan. */
ig_status ig_row_source_make_room(ig_row_source *source, ig_dataset *d, size_t n_room) IG_MUST_USE;
/* The next n rows, padded with copies of the last to n_fed, as source->value. */
ig_status ig_row_source_read(ig_row_source *source, size_t n, size_t n_fed,
                             ig_error *err) IG_MUST_USE;
void ig_row_source_close(ig_row_source *source, ig_alloc *alloc);

#endif
