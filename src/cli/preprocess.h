/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preprocess.h: how a picture becomes a tensor.
 *
 * The wishes come from flags, a preset and a model card, merged in this order; what none of them
 * says follows from the model's input. The result is a format that turns rows of 8-bit pixels into
 * elements: crop, resize, colour, (x * scale - mean) / std, layout, element type.
 */
#ifndef IG_CLI_PREPROCESS_H
#define IG_CLI_PREPROCESS_H

#include "base/alloc.h"
#include "base/str.h"

#define IG_MAX_CHANNELS 4
#define IG_MAX_PICTURE_SIDE 65500

/* Output size. width 0: by the picture's aspect ratio. height 0: not given. */
typedef struct ig_picture_size {
    int width, height;
} ig_picture_size;

typedef struct ig_numbers {
    int n;
    double v[IG_MAX_CHANNELS];
} ig_numbers;

typedef enum ig_layout { IG_LAYOUT_ANY = 0, IG_LAYOUT_NCHW, IG_LAYOUT_NHWC } ig_layout;
typedef enum ig_color { IG_COLOR_ANY = 0, IG_COLOR_RGB, IG_COLOR_BGR, IG_COLOR_GRAY } ig_color;
typedef enum ig_filter {
    IG_FILTER_ANY = 0,
    IG_FILTER_BILINEAR,
    IG_FILTER_BICUBIC,
    IG_FILTER_LANCZOS,
    IG_FILTER_BOX,
    IG_FILTER_NEAREST
} ig_filter;
#define IG_LAYOUT_NAMES "nchw|nhwc"
#define IG_COLOR_NAMES "rgb|bgr|gray"
#define IG_FILTER_NAMES "bilinear|bicubic|lanczos|box|nearest"

/* Zeroed: nothing is said. */
typedef struct ig_preprocess {
    ig_picture_size size;
    double crop; /* fraction of the largest centred box of the target's aspect ratio; 0: no crop */
    ig_numbers mean, std;
    double scale;
    int layout, color, filter; /* the enums above */
    int free_side; /* square to resize to where neither size nor model says one; presets only */
} ig_preprocess;

/* Let what `over` says replace what `base` says. */
void ig_preprocess_merge(ig_preprocess *base, const ig_preprocess *over);
bool ig_preprocess_is_empty(const ig_preprocess *p);

/* The named pre-processing, or NULL. Names in order; NULL after the last. */
const ig_preprocess *ig_preset_find(const char *name);
const char *ig_preset_name(size_t i);
const char *ig_preset_about(size_t i);

/* Everything decided, for one model input. */
typedef struct ig_picture_format {
    int width, height;  /* 0: the picture's own, or by aspect ratio */
    double crop;        /* 0: the whole picture */
    ig_color color;     /* never ANY */
    ig_layout layout;   /* never ANY */
    ig_filter filter;   /* never ANY */
    int n_channels;     /* of the tensor: 1 or 3 */
    bool has_batch;     /* rank 4 */
    bool is_batch_free; /* the model takes any number of pictures at once */
    ingot_dtype dtype;
    size_t element_bytes;
    ig_numbers mean, std;
    double scale;
    uint64_t lut[3][256]; /* element (in its low bytes) of an 8-bit pixel, by channel */
} ig_picture_format;

/* Decide. The error says which flag would help. */
ig_status ig_picture_format_init(const ig_preprocess *wish, const ingot_io_info *input,
                                 ig_picture_format *format, ig_error *err) IG_MUST_USE;
/* "224x224, rgb, nchw, pixels 0…255 scaled to 0…1": what was decided, for people. */
void ig_picture_format_describe(const ig_picture_format *format, ig_str *out);

/* The part of a picture that is used, and the size it becomes. */
typedef struct ig_picture_fit {
    int width, height;     /* of the result */
    double x0, y0, x1, y1; /* of the source */
} ig_picture_fit;
void ig_picture_format_fit(const ig_picture_format *format, int width, int height,
                           ig_picture_fit *fit);

/* Rank and dimensions of the tensor of n pictures of this size. */
int ig_picture_format_dims(const ig_picture_format *format, int n, int width, int height,
                           int64_t dims[INGOT_MAX_RANK]);

/* Pixels (width * height * 1 or 3 bytes, RGB order) to elements of one picture. */
void ig_picture_format_apply(const ig_picture_format *format, const uint8_t *pixels, int width,
                             int height, void *out);

#endif
