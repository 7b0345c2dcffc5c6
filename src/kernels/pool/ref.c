/* SPDX-License-Identifier: Apache-2.0 */
/* ref.c: pooling by plain loops. */
#include <math.h>

#include "kernels/pool/pool.h"

typedef struct totals {
    double sum, max;
    int64_t n_inside, n_padded;
    bool has_nan;
} totals;

static totals window_at(const ig_pool_shape *s, const float *x, int64_t batch, const int64_t o[3],
                        int64_t c)
{
    totals t = { 0, -INFINITY, 0, 0, false };
    int64_t at[3];
    for (int64_t j0 = 0; j0 < s->kernel[0]; j0++)
        for (int64_t j1 = 0; j1 < s->kernel[1]; j1++)
            for (int64_t j2 = 0; j2 < s->kernel[2]; j2++) {
                const int64_t j[3] = { j0, j1, j2 };
                bool is_inside = true, is_padded = true;
                for (int d = 0; d < 3; d++) {
                    at[d] = o[d] * s->stride[d] + j[d] * s->dilation[d] - s->pad[d];
                    is_inside = is_inside && at[d] >= 0 && at[d] < s->in[d];
                    is_padded =
                        is_padded && at[d] >= -s->pad[d] && at[d] < s->in[d] + s->pad_end[d];
                }
                t.n_padded += is_padded;
                if (!is_inside) continue;
                t.n_inside++;
                const int64_t i =
                    ((batch * s->in[0] + at[0]) * s->in[1] + at[1]) * s->in[2] + at[2];
                const double v = (double)x[i * s->x_pitch + c];
                t.has_nan = t.has_nan || isnan(v);
                t.sum += v;
                if (v > t.max) t.max = v;
            }
    return t;
}

void ig_k_pool_ref(const void *params, void *const *operands, ig_part part)
{
    enum { CHANNEL_BLOCK = 64 };
    const ig_pool_params *p = params;
    const ig_pool_shape *s = &p->shape;
    for (int64_t i = part.begin; i < part.end; i++) {
        const int64_t i_row = i / p->n_blocks, begin = i % p->n_blocks * CHANNEL_BLOCK;
        const int64_t end =
            i % p->n_blocks + 1 == p->n_blocks ? s->channels : begin + CHANNEL_BLOCK;
        for (int64_t w = 0; w < s->out[2]; w++)
            for (int64_t c = begin; c < end; c++) {
                const int64_t o[3] = { i_row / s->out[1] % s->out[0], i_row % s->out[1], w };
                const totals t = window_at(s, operands[0], i_row / s->out[1] / s->out[0], o, c);
                const int64_t count = s->count_include_pad ? t.n_padded : t.n_inside;
                double y = s->op == IG_POOL_MAX ? t.max : count ? t.sum / (double)count : 0;
                if (t.has_nan) y = (double)NAN;
                ((float *)operands[1])[(i_row * s->out[2] + w) * s->y_pitch + c] = (float)y;
            }
    }
}
