/* SPDX-License-Identifier: Apache-2.0 */
/* image_decoder.c: a picture's file becomes pixels, height x width x channels. One that cannot be
 * read gives no pixels, as the specification wants it; one whose codec is not there is an error. */
#include <string.h>

#include "image/image.h"
#include "ops/strided.h"

typedef enum pixels { RGB, BGR, GRAYSCALE } pixels;

static ig_status read_format(const ig_node *node, pixels *out, ig_error *err)
{
    static const char *const names[] = { [RGB] = "RGB", [BGR] = "BGR", [GRAYSCALE] = "Grayscale" };
    for (size_t i = 0; i < IG_COUNT(names); i++)
        if (ig_attr_is(node, "pixel_format", names[i], i == RGB)) {
            *out = (pixels)i;
            return INGOT_OK;
        }
    return ig_fail(err, INGOT_ERR_INVALID, "pixel_format must be RGB, BGR or Grayscale");
}

static ig_status infer(ig_infer *c)
{
    pixels format;
    IG_TRY(ig_infer_tensors(c, 1));
    IG_TRY(read_format(c->node, &format, c->err));
    if (c->in[0]->rank >= 0 && c->in[0]->rank != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "a picture's bytes must have rank 1, not %d",
                       c->in[0]->rank);
    const ig_dim dims[3] = { ig_dim_born(c->dims), ig_dim_born(c->dims),
                             format == GRAYSCALE ? 1 : 3 };
    ig_info_set_shape(&c->out[0], INGOT_UINT8, 3, dims);
    return INGOT_OK;
}

static void write_pixels(pixels format, const uint8_t *rgb, size_t n, uint8_t *out)
{
    switch (format) {
    case RGB: memcpy(out, rgb, 3 * n); break;
    case GRAYSCALE: ig_image_to_gray(rgb, n, out); break;
    case BGR:
        for (size_t i = 0; i < 3 * n; i += 3)
            for (size_t k = 0; k < 3; k++) out[i + k] = rgb[i + 2 - k];
        break;
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0];
    pixels format;
    ig_image image = { 0 };
    ig_error reason = { 0 };
    IG_TRY(read_format(c->node, &format, c->err));
    const ig_status status =
        ig_image_decode(c->scratch, in->data, (size_t)ig_tensor_count(in), &image, &reason);
    if (status == INGOT_ERR_PARSE) image = (ig_image){ 0 };
    if (status && status != INGOT_ERR_PARSE) return ig_fail(c->err, status, "%s", reason.message);
    const int64_t dims[3] = { image.height, image.width, format == GRAYSCALE ? 1 : 3 };
    IG_TRY(ig_call_output(c, 0, INGOT_UINT8, 3, dims));
    if (c->out[0] && image.rgb)
        write_pixels(format, image.rgb, (size_t)image.width * (size_t)image.height,
                     c->out[0]->data);
    return INGOT_OK;
}

/* "P6 2 1 255\n" and "P5 1 1 15\n" */
#define P6 "80,54,32,50,32,49,32,50,53,53,10,"
static const char *const cases[] = {
    "u8{" P6 "1,2,3,4,5,6} = u8[1,2,3]{1,2,3,4,5,6}",
    "u8{" P6 "1,2,3,4,5,6} pixel_format=\"BGR\" = u8[1,2,3]{3,2,1,6,5,4}",
    "u8{" P6 "255,0,0,10,200,30} pixel_format=\"Grayscale\" = u8[1,2,1]{76,124}",
    "u8{80,53,32,49,32,49,32,49,53,10,3} = u8[1,1,3]{51,51,51}",
    /* what cannot be read has no pixels; more of it in tests/unit/test_image.c */
    "u8[0] = u8[0,0,3]{}",
    "u8[0] pixel_format=\"Grayscale\" = u8[0,0,1]{}",
    "u8[3,3] ! must have rank 1, not 2",
    "i8[3] ! int8",
    "u8[3] pixel_format=\"rgb\" ! must be RGB, BGR or Grayscale",
    NULL,
};

const ig_op ig_op_image_decoder = {
    .onnx = "ImageDecoder",
    .since = { 20 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_UINT8),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
