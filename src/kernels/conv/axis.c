/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/conv/axis.h"

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static void conv_axis(const ig_conv_shape *s, int d, ig_conv_axis *a)
{
    *a = (ig_conv_axis){ .n_taps = s->kernel[d],
                         .tap_step = 1,
                         .base_first = -s->pad[d],
                         .base_step = s->dilation[d],
                         .step = s->stride[d],
                         .n_out = s->out[d],
                         .out_step = 1 };
}

/* Output o gets input i through tap t where o = i * stride + t * dilation - pad, so the taps of
 * phase r are the solutions of t * dilation = r + pad (mod stride). */
static void transposed_axis(const ig_conv_shape *s, int d, int64_t r, ig_conv_axis *a)
{
    const int64_t stride = s->stride[d], dilation = s->dilation[d];
    const int64_t g = gcd(stride, dilation);
    *a = (ig_conv_axis){ .tap_step = stride / g,
                         .base_step = -(dilation / g),
                         .step = 1,
                         .n_out = s->out[d] > r ? (s->out[d] - r + stride - 1) / stride : 0,
                         .out_first = r,
                         .out_step = stride };
    for (int64_t t = 0; t < stride / g && t < s->kernel[d]; t++) {
        const int64_t at = r + s->pad[d] - t * dilation;
        if (at % stride != 0) continue;
        a->tap_first = t;
        a->base_first = at / stride;
        a->n_taps = (s->kernel[d] - t + a->tap_step - 1) / a->tap_step;
        break;
    }
}

static int64_t n_residues(const ig_conv_shape *s, int d)
{
    const int64_t out = s->out[d] > 0 ? s->out[d] : 1;
    return s->stride[d] < out ? s->stride[d] : out;
}

int64_t ig_conv_n_phases(const ig_conv_shape *s)
{
    return s->is_transposed ? n_residues(s, 0) * n_residues(s, 1) * n_residues(s, 2) : 1;
}

void ig_conv_axes(const ig_conv_shape *s, int64_t i_phase, ig_conv_axis axes[3])
{
    for (int d = 2; d >= 0; d--) {
        if (!s->is_transposed) {
            conv_axis(s, d, &axes[d]);
            continue;
        }
        transposed_axis(s, d, i_phase % n_residues(s, d), &axes[d]);
        i_phase /= n_residues(s, d);
    }
}
