/* SPDX-License-Identifier: Apache-2.0 */
/* ref.c: depthwise convolution by plain loops. */
#include "kernels/act.h"
#include "kernels/depthwise/depthwise.h"

static double sum_at(const ig_depthwise_shape *s, const float *x, const float *w, int64_t batch,
                     const int64_t o[3], int64_t m)
{
    double sum = 0;
    int64_t tap = 0;
    for (int64_t t0 = 0; t0 < s->kernel[0]; t0++)
        for (int64_t t1 = 0; t1 < s->kernel[1]; t1++)
            for (int64_t t2 = 0; t2 < s->kernel[2]; t2++, tap++) {
                const int64_t d = o[0] * s->stride[0] + t0 * s->dilation[0] - s->pad[0];
                const int64_t h = o[1] * s->stride[1] + t1 * s->dilation[1] - s->pad[1];
                const int64_t v = o[2] * s->stride[2] + t2 * s->dilation[2] - s->pad[2];
                if (d < 0 || d >= s->in[0] || h < 0 || h >= s->in[1] || v < 0 || v >= s->in[2])
                    continue;
                const int64_t i = ((batch * s->in[0] + d) * s->in[1] + h) * s->in[2] + v;
                sum += (double)x[i * s->x_pitch + m / s->multiplier] *
                       (double)w[tap * s->channels * s->multiplier + m];
            }
    return sum;
}

void ig_k_depthwise_ref(const void *params, void *const *operands, ig_part part)
{
    const ig_depthwise_shape *s = &((const ig_depthwise_params *)params)->shape;
    const float *bias = s->has_bias ? operands[2] : NULL;
    const float *residual = s->has_residual ? operands[3] : NULL;
    for (int64_t i = part.begin * s->out[2]; i < part.end * s->out[2]; i++) {
        const int64_t o[3] = { i / s->out[2] / s->out[1] % s->out[0], i / s->out[2] % s->out[1],
                               i % s->out[2] };
        const int64_t batch = i / s->out[2] / s->out[1] / s->out[0];
        for (int64_t m = 0; m < s->channels * s->multiplier; m++) {
            double sum = sum_at(s, operands[0], operands[1], batch, o, m);
            if (bias) sum += (double)bias[m];
            if (residual) sum += (double)residual[i * s->r_pitch + m];
            ((float *)operands[4])[i * s->y_pitch + m] = (float)ig_act_ref(&s->epilogue, sum);
        }
    }
}
