/* SPDX-License-Identifier: Apache-2.0 */
/* ref.c: the definition: one output element at a time, raw weights. */
#include <math.h>

#include "kernels/quant/qgemm.h"

int64_t ig_qconv_ref_n_work(const ig_qconv_shape *shape)
{
    int64_t n = shape->batch * shape->out[0] * shape->out[1] * shape->out[2];
    for (int d = 0; d < shape->n_batch_dims; d++) n *= shape->batch_dims[d];
    return n;
}

static int64_t raw_weight(const ig_qconv_params *p, void *const *operands, int64_t w, int64_t o,
                          int64_t tap, int64_t c)
{
    const ig_qconv_shape *s = &p->shape;
    const int64_t n_in = s->c_in / s->groups;
    const int64_t n_taps = s->kernel[0] * s->kernel[1] * s->kernel[2];
    w += s->w_layout == IG_QCONV_W_KN     ? c * s->ldw + o
         : s->w_layout == IG_QCONV_W_OHWI ? (o * n_taps + tap) * n_in + c
                                          : (o * n_in + c) * n_taps + tap;
    return ig_qconv_zero(operands[1], s->w_dtype, w) -
           ig_qconv_zero(operands[4], s->w_dtype, s->is_w_zero_per_channel ? o : 0);
}

/* pixel: output pixel of the picture batch; x, w: first elements of the matrices. */
static int32_t accumulate(const ig_qconv_params *p, void *const *operands, int64_t pixel, int64_t o,
                          int64_t x, int64_t w)
{
    const ig_qconv_shape *s = &p->shape;
    const int64_t n_in = s->c_in / s->groups, group = o / (s->c_out / s->groups);
    int64_t at[3], sum = operands[2] ? ((const int32_t *)operands[2])[o] : 0;
    for (int d = 2; d >= 0; d--) {
        at[d] = pixel % s->out[d];
        pixel /= s->out[d];
    }
    const int64_t n_taps = s->kernel[0] * s->kernel[1] * s->kernel[2];
    for (int64_t tap = 0; tap < n_taps; tap++) {
        const int64_t k[3] = { tap / s->kernel[2] / s->kernel[1], tap / s->kernel[2] % s->kernel[1],
                               tap % s->kernel[2] };
        int64_t in = pixel;
        bool is_inside = true;
        for (int d = 0; d < 3; d++) {
            const int64_t i = at[d] * s->stride[d] - s->pad[d] + k[d] * s->dilation[d];
            is_inside = is_inside && i >= 0 && i < s->in[d];
            in = in * s->in[d] + i;
        }
        for (int64_t c = 0; is_inside && c < n_in; c++)
            sum += (ig_qconv_zero(operands[0], s->x_dtype, x + in * s->x_pitch + group * n_in + c) -
                    ig_qconv_zero(operands[3], s->x_dtype, 0)) *
                   raw_weight(p, operands, w, o, tap, c);
    }
    return (int32_t)(uint32_t)sum;
}

static void store(const ig_qconv_params *p, void *const *operands, int64_t at, int64_t o,
                  int32_t acc)
{
    const ig_qconv_shape *s = &p->shape;
    if (s->y_dtype == INGOT_INT32) {
        ((int32_t *)operands[9])[at] = acc;
        return;
    }
    const float x_scale = *(const float *)operands[5], y_scale = *(const float *)operands[7];
    const float w_scale = ((const float *)operands[6])[s->is_w_scale_per_channel ? o : 0];
    const float scale = (x_scale * w_scale) / y_scale;
    const float lo = s->y_dtype == INGOT_INT8 ? -128 : 0, hi = lo + 255;
    const float zero = (float)ig_qconv_zero(operands[8], s->y_dtype, 0);
    const float y = rintf((float)acc * scale) + zero;
    const int q = (int)(y < lo ? lo : y > hi ? hi : y);
    ((uint8_t *)operands[9])[at] = (uint8_t)q;
}

void ig_k_qconv_ref(const void *params, void *const *operands, ig_part part)
{
    const ig_qconv_params *p = params;
    for (int64_t i = part.begin; i < part.end; i++) {
        int64_t x, w, y;
        ig_qconv_matrix_offsets(&p->shape, i / p->m_rows, &x, &w, &y);
        const int64_t pixel = i % p->m_rows;
        for (int64_t o = 0; o < p->shape.c_out; o++)
            store(p, operands, y + pixel * p->shape.y_pitch + o, o,
                  accumulate(p, operands, pixel, o, x, w));
    }
}
