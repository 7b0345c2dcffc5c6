/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/preprocess.h"

#include <math.h>
#include <string.h>

#include "cli/element.h"

/* ---- wishes ---- */

void ig_preprocess_merge(ig_preprocess *base, const ig_preprocess *over)
{
    if (over->size.height) base->size = over->size;
    if (over->crop != 0) base->crop = over->crop;
    if (over->mean.n) base->mean = over->mean;
    if (over->std.n) base->std = over->std;
    if (over->scale != 0) base->scale = over->scale;
    if (over->layout) base->layout = over->layout;
    if (over->color) base->color = over->color;
    if (over->filter) base->filter = over->filter;
    if (over->free_side) base->free_side = over->free_side;
}

bool ig_preprocess_is_empty(const ig_preprocess *p)
{
    return !p->size.height && p->crop == 0 && !p->mean.n && !p->std.n && p->scale == 0 &&
           !p->layout && !p->color && !p->filter;
}

static const struct {
    const char *name, *about;
    ig_preprocess preprocess;
} presets[] = {
    { "imagenet",
      "crop 0.875, 0…1, mean .485,.456,.406, std .229,.224,.225 (torchvision's models)",
      { .crop = 0.875,
        .scale = 1 / 255.0,
        .mean = { 3, { 0.485, 0.456, 0.406 } },
        .std = { 3, { 0.229, 0.224, 0.225 } },
        .color = IG_COLOR_RGB,
        .free_side = 224 } },
    { "inception",
      "crop 0.875, -1…1 (Inception, MobileNet and others trained with TensorFlow)",
      { .crop = 0.875,
        .mean = { 1, { 127.5 } },
        .std = { 1, { 127.5 } },
        .color = IG_COLOR_RGB,
        .free_side = 224 } },
    { "caffe",
      "crop 0.875, bgr, mean 103.939,116.779,123.68 (VGG and early ResNets)",
      { .crop = 0.875,
        .mean = { 3, { 103.939, 116.779, 123.68 } },
        .color = IG_COLOR_BGR,
        .free_side = 224 } },
    { "paddle-ocr",
      "height 48, bgr, -1…1 (PaddleOCR's text recognizers)",
      { .size = { 0, 48 },
        .mean = { 1, { 127.5 } },
        .std = { 1, { 127.5 } },
        .color = IG_COLOR_BGR } },
    { "unit", "0…1", { .scale = 1 / 255.0 } },
    { "raw", "0…255", { .scale = 1 } },
};

const ig_preprocess *ig_preset_find(const char *name)
{
    for (size_t i = 0; i < IG_COUNT(presets); i++)
        if (strcmp(presets[i].name, name) == 0) return &presets[i].preprocess;
    return NULL;
}

const char *ig_preset_name(size_t i) { return i < IG_COUNT(presets) ? presets[i].name : NULL; }
const char *ig_preset_about(size_t i) { return i < IG_COUNT(presets) ? presets[i].about : NULL; }

/* ---- decisions ---- */

static bool is_channels(int64_t n) { return n == 1 || n == 3; }

/* Layout, channels and the model's own sizes (-1: free). */
static ig_status set_layout(ig_picture_format *f, const ig_preprocess *wish,
                            const ingot_io_info *in, int64_t *height, int64_t *width, ig_error *err)
{
    int64_t channels = -1;
    f->layout = (ig_layout)wish->layout;
    f->has_batch = in->rank != 3;
    *height = *width = -1;
    if (in->kind != INGOT_KIND_TENSOR || (in->rank >= 0 && in->rank != 3 && in->rank != 4))
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "input '%s' takes no pictures: it has %d dimensions, not 3 or 4", in->name,
                       in->rank);
    if (in->rank > 0) {
        const int64_t *dims = in->dims + (in->rank - 3);
        if (!f->layout)
            f->layout = is_channels(dims[0])         ? IG_LAYOUT_NCHW
                        : is_channels(dims[2])       ? IG_LAYOUT_NHWC
                        : dims[0] > 0 && dims[2] > 0 ? IG_LAYOUT_ANY
                                                     : IG_LAYOUT_NCHW;
        if (!f->layout)
            return ig_fail(err, INGOT_ERR_SHAPE,
                           "input '%s' takes no pictures: neither nchw nor nhwc gives 1 or 3 "
                           "channels; say --layout",
                           in->name);
        const bool is_nchw = f->layout == IG_LAYOUT_NCHW;
        channels = dims[is_nchw ? 0 : 2];
        *height = dims[is_nchw ? 1 : 0];
        *width = dims[is_nchw ? 2 : 1];
    }
    if (!f->layout) f->layout = IG_LAYOUT_NCHW;
    f->is_batch_free = f->has_batch && (in->rank < 0 || in->dims[0] < 0);
    f->color = wish->color ? (ig_color)wish->color : channels == 1 ? IG_COLOR_GRAY : IG_COLOR_RGB;
    f->n_channels = f->color == IG_COLOR_GRAY ? 1 : 3;
    return INGOT_OK;
}

static ig_status set_elements(ig_picture_format *f, const ig_preprocess *wish,
                              const ingot_io_info *in, ig_error *err)
{
    f->dtype = in->dtype ? in->dtype : INGOT_FLOAT;
    f->element_bytes = (size_t)ingot_dtype_bits(f->dtype) / 8;
    const bool is_said = wish->mean.n || wish->std.n || wish->scale != 0;
    f->scale = wish->scale != 0                          ? wish->scale
               : is_said || !ig_dtype_is_float(f->dtype) ? 1
                                                         : 1 / 255.0;
    f->mean = wish->mean.n ? wish->mean : (ig_numbers){ 1, { 0 } };
    f->std = wish->std.n ? wish->std : (ig_numbers){ 1, { 1 } };
    if ((f->mean.n > 1 && f->n_channels == 1) || (f->std.n > 1 && f->n_channels == 1))
        return ig_fail(err, INGOT_ERR_INVALID,
                       "--mean and --std have three numbers, the picture has one channel (gray)");
    for (int c = 0; c < f->n_channels; c++) {
        const double mean = f->mean.v[f->mean.n > 1 ? c : 0], std = f->std.v[f->std.n > 1 ? c : 0];
        if (std == 0) return ig_fail(err, INGOT_ERR_INVALID, "--std: 0 divides everything away");
        for (int v = 0; v < 256; v++)
            if (!ig_element_encode(f->dtype, (v * f->scale - mean) / std, &f->lut[c][v]))
                return ig_fail(err, INGOT_ERR_SHAPE,
                               "input '%s' takes no pictures: its element type is %s", in->name,
                               ingot_dtype_name(f->dtype));
    }
    return INGOT_OK;
}

ig_status ig_picture_format_init(const ig_preprocess *wish, const ingot_io_info *in,
                                 ig_picture_format *f, ig_error *err)
{
    int64_t height, width;
    memset(f, 0, sizeof *f);
    IG_TRY(set_layout(f, wish, in, &height, &width, err));
    IG_TRY(set_elements(f, wish, in, err));
    f->crop = wish->crop;
    f->filter = wish->filter ? (ig_filter)wish->filter : IG_FILTER_BILINEAR;
    if (wish->size.height) {
        f->width = wish->size.width;
        f->height = wish->size.height;
    } else {
        f->width = width > 0 && width <= IG_MAX_PICTURE_SIDE ? (int)width : 0;
        f->height = height > 0 && height <= IG_MAX_PICTURE_SIDE ? (int)height : 0;
        if (!f->width && !f->height) f->width = f->height = wish->free_side;
    }
    return INGOT_OK;
}

void ig_picture_format_describe(const ig_picture_format *f, ig_str *out)
{
    static const char *const colors[] = { "", "rgb", "bgr", "gray" };
    if (f->width && f->height)
        ig_str_printf(out, "%dx%d", f->width, f->height);
    else if (f->height)
        ig_str_printf(out, "height %d, width by aspect ratio", f->height);
    else
        ig_str_puts(out, "the picture's own size");
    if (f->crop != 0)
        ig_str_printf(out, ", central %g of the picture", f->crop);
    else if (f->width)
        ig_str_puts(out, ", whole picture");
    ig_str_printf(out, ", %s, %s", colors[f->color], f->layout == IG_LAYOUT_NCHW ? "nchw" : "nhwc");
    const double mean = f->mean.v[0], std = f->std.v[0];
    if (f->mean.n == 1 && f->std.n == 1)
        ig_str_printf(out, ", values %.4g…%.4g", (0 - mean) / std, (255 * f->scale - mean) / std);
}

/* ---- one picture ---- */

void ig_picture_format_fit(const ig_picture_format *f, int width, int height, ig_picture_fit *fit)
{
    *fit = (ig_picture_fit){ f->width, f->height, 0, 0, width, height };
    if (!f->height)
        fit->height = f->width ? (int)fmax(1, rint((double)f->width * height / width)) : height;
    if (!f->width) {
        /* Rounded up, and never too thin: text recognizers read columns of eight pixels. */
        const double by_ratio = ceil((double)fit->height * width / height);
        fit->width = f->height ? (int)fmin(fmax(by_ratio, 8), IG_MAX_PICTURE_SIDE) : width;
    }
    if (fit->height > IG_MAX_PICTURE_SIDE) fit->height = IG_MAX_PICTURE_SIDE;
    if (f->crop == 0) return;
    /* The largest centred box of the target's shape, then the fraction of it. */
    const double ratio = (double)fit->width / fit->height;
    const double box_width = fmin(width, height * ratio), box_height = fmin(height, width / ratio);
    const double w = fmax(1, rint(box_width * f->crop)), h = fmax(1, rint(box_height * f->crop));
    fit->x0 = floor((width - w) / 2);
    fit->y0 = floor((height - h) / 2);
    fit->x1 = fit->x0 + w;
    fit->y1 = fit->y0 + h;
}

int ig_picture_format_dims(const ig_picture_format *f, int n, int width, int height,
                           int64_t dims[INGOT_MAX_RANK])
{
    int rank = 0;
    if (f->has_batch) dims[rank++] = n;
    if (f->layout == IG_LAYOUT_NCHW) dims[rank++] = f->n_channels;
    dims[rank++] = height;
    dims[rank++] = width;
    if (f->layout == IG_LAYOUT_NHWC) dims[rank++] = f->n_channels;
    return rank;
}

/* n elements, every `step` apart in both, through a table. The loop is written once a width. */
#define SPREAD(type)                                                                               \
    for (size_t i = 0; i < n; i++) ((type *)to)[i * to_step] = (type)lut[from[i * from_step]]

static void spread(const uint64_t lut[256], const uint8_t *from, size_t from_step, void *to,
                   size_t to_step, size_t n, size_t element_bytes)
{
    switch (element_bytes) {
    case 1: SPREAD(uint8_t); break;
    case 2: SPREAD(uint16_t); break;
    case 4: SPREAD(uint32_t); break;
    default: SPREAD(uint64_t); break;
    }
}

void ig_picture_format_apply(const ig_picture_format *f, const uint8_t *pixels, int width,
                             int height, void *out)
{
    const size_t n = (size_t)width * (size_t)height, n_channels = (size_t)f->n_channels;
    for (size_t c = 0; c < n_channels; c++) {
        const size_t source = f->color == IG_COLOR_BGR ? 2 - c : c;
        const bool is_nchw = f->layout == IG_LAYOUT_NCHW;
        uint8_t *to = (uint8_t *)out + (is_nchw ? c * n : c) * f->element_bytes;
        spread(f->lut[c], pixels + source, n_channels, to, is_nchw ? 1 : n_channels, n,
               f->element_bytes);
    }
}
