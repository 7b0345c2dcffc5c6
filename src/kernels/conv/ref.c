/* SPDX-License-Identifier: Apache-2.0 */
/* ref.c: convolutions by plain loops. */
#include "kernels/act.h"
#include "kernels/conv/conv.h"

int64_t ig_conv_ref_n_work(const ig_conv_shape *s)
{
    return s->batch * s->out[0] * s->out[1] * s->out[2];
}

/* The input position that tap t contributes to output position o, whether inside or not; false if
 * the tap falls between inputs (transposed convolution). */
static bool input_at(const ig_conv_shape *s, int d, int64_t o, int64_t t, int64_t *at)
{
    if (!s->is_transposed) {
        *at = o * s->stride[d] + t * s->dilation[d] - s->pad[d];
        return true;
    }
    const int64_t scaled = o + s->pad[d] - t * s->dilation[d];
    *at = scaled / s->stride[d];
    return scaled % s->stride[d] == 0;
}

static double weight(const ig_conv_shape *s, const float *w, int64_t m, int64_t c, int64_t tap)
{
    const int64_t c_group = s->c_in / s->groups, m_group = s->c_out / s->groups;
    const int64_t n_taps = s->kernel[0] * s->kernel[1] * s->kernel[2];
    if (s->is_transposed)
        return (double)w[((m / m_group * c_group + c) * m_group + m % m_group) * n_taps + tap];
    if (s->w_layout == IG_CONV_W_OHWI) return (double)w[(m * n_taps + tap) * c_group + c];
    return (double)w[(m * c_group + c) * n_taps + tap];
}

static double sum_at(const ig_conv_shape *s, const float *x, const float *w, int64_t batch,
                     const int64_t o[3], int64_t m)
{
    const int64_t c_group = s->c_in / s->groups, c0 = m / (s->c_out / s->groups) * c_group;
    double sum = 0;
    int64_t tap = 0, at[3];
    for (int64_t t0 = 0; t0 < s->kernel[0]; t0++)
        for (int64_t t1 = 0; t1 < s->kernel[1]; t1++)
            for (int64_t t2 = 0; t2 < s->kernel[2]; t2++, tap++) {
                if (!input_at(s, 0, o[0], t0, &at[0]) || !input_at(s, 1, o[1], t1, &at[1]) ||
                    !input_at(s, 2, o[2], t2, &at[2]))
                    continue;
                bool is_inside = true;
                for (int d = 0; d < 3; d++) is_inside = is_inside && at[d] >= 0 && at[d] < s->in[d];
                const int64_t i =
                    ((batch * s->in[0] + at[0]) * s->in[1] + at[1]) * s->in[2] + at[2];
                for (int64_t c = 0; c < c_group; c++)
                    sum += (is_inside ? (double)x[i * s->x_pitch + c0 + c] : 0.0) *
                           weight(s, w, m, c, tap);
            }
    return sum;
}

void ig_k_conv_ref(const void *params, void *const *operands, ig_part part)
{
    const ig_conv_shape *s = &((const ig_conv_params *)params)->shape;
    const float *bias = s->has_bias ? operands[2] : NULL;
    const float *residual = s->has_residual ? operands[3] : NULL;
    for (int64_t i = part.begin; i < part.end; i++) {
        const int64_t o[3] = { i / s->out[2] / s->out[1] % s->out[0], i / s->out[2] % s->out[1],
                               i % s->out[2] };
        const int64_t batch = i / s->out[2] / s->out[1] / s->out[0];
        float *y = (float *)operands[4] + i * s->y_pitch;
        for (int64_t m = 0; m < s->c_out; m++) {
            double sum = sum_at(s, operands[0], operands[1], batch, o, m);
            if (bias) sum += (double)bias[m];
            if (residual) sum += (double)residual[i * s->r_pitch + m];
            y[m] = (float)ig_act_ref(&s->epilogue, sum);
        }
    }
}
