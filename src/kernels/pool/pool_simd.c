/* SPDX-License-Identifier: Apache-2.0 */
/* pool_simd.c: vectors run over channels, four at a time, through the window. */
#include "base/simd_math.h"
#include "kernels/pool/pool.h"
#include "kernels/unroll.h"
#include "kernels/window.h"

enum { N_VECS = 4, CHANNEL_BLOCK = 64 };

/* The window of one output pixel. */
typedef struct window {
    const float *x; /* the batch's picture */
    float *y;       /* the output pixel */
    ig_window d, h, w;
    float scale; /* average: 1 / count */
} window;

IG_INLINE vf load_n(const float *p, int n) { return n == IG_VF ? vf_load(p) : vf_load_n(p, n); }

IG_INLINE void pool_tile(const ig_pool_shape *s, const window *win, int64_t c, const ig_pool_op op,
                         const int NV, const int n)
{
    vf acc[N_VECS];
    IG_UNROLL(4)
    for (int v = 0; v < NV; v++) acc[v] = op == IG_POOL_MAX ? vf_set1(-INFINITY) : vf_zero();
    const int64_t step = s->dilation[2] * s->x_pitch;
    for (int64_t jd = win->d.begin; jd < win->d.end; jd++)
        for (int64_t jh = win->h.begin; jh < win->h.end; jh++) {
            const int64_t d = win->d.first + jd * s->dilation[0];
            const int64_t h = win->h.first + jh * s->dilation[1];
            const float *x =
                win->x + c +
                ((d * s->in[1] + h) * s->in[2] + win->w.first + win->w.begin * s->dilation[2]) *
                    s->x_pitch;
            for (int64_t jw = win->w.begin; jw < win->w.end; jw++, x += step) {
                IG_UNROLL(4)
                for (int v = 0; v < NV; v++) {
                    const vf xv = load_n(x + v * IG_VF, n);
                    if (op == IG_POOL_MAX)
                        acc[v] = vf_max_nan(acc[v], xv);
                    else
                        acc[v] += xv;
                }
            }
        }
    IG_UNROLL(4)
    for (int v = 0; v < NV; v++) {
        vf y = acc[v];
        if (op == IG_POOL_AVERAGE) y = y * vf_set1(win->scale);
        if (n == IG_VF)
            vf_store(win->y + c + v * IG_VF, y);
        else
            vf_store_n(win->y + c + v * IG_VF, y, n);
    }
}

IG_INLINE int64_t n_taps(const window *w)
{
    return (w->d.end - w->d.begin) * (w->h.end - w->h.begin) * (w->w.end - w->w.begin);
}

static ig_window at(const ig_pool_shape *s, int d, int64_t o)
{
    return ig_window_at(o, s->in[d], s->kernel[d], s->stride[d], s->dilation[d], s->pad[d], 0, 0);
}
static int64_t padded_taps(const ig_pool_shape *s, int d, int64_t o)
{
    const ig_window w = ig_window_at(o, s->in[d], s->kernel[d], s->stride[d], s->dilation[d],
                                     s->pad[d], -s->pad[d], s->pad_end[d]);
    return w.end - w.begin;
}

/* 1 / what the sum is divided by. */
static float scale_of(const ig_pool_shape *s, const window *win, const int64_t o[3])
{
    const int64_t count = s->count_include_pad ? padded_taps(s, 0, o[0]) * padded_taps(s, 1, o[1]) *
                                                     padded_taps(s, 2, o[2])
                                               : n_taps(win);
    return count > 0 ? 1.0f / (float)count : 0.0f;
}

/* Channels [begin, end) of one output pixel. */
IG_INLINE void pool_pixel(const ig_pool_shape *s, const window *win, int64_t begin, int64_t end,
                          const ig_pool_op op)
{
    int64_t c = begin;
    for (; c + N_VECS * IG_VF <= end; c += N_VECS * IG_VF) pool_tile(s, win, c, op, N_VECS, IG_VF);
    for (; c + IG_VF <= end; c += IG_VF) pool_tile(s, win, c, op, 1, IG_VF);
    if (c < end) pool_tile(s, win, c, op, 1, (int)(end - c));
}

IG_INLINE void run(const void *params, void *const *operands, ig_part part, const ig_pool_op op)
{
    const ig_pool_params *p = params;
    const ig_pool_shape *s = &p->shape;
    for (int64_t i = part.begin; i < part.end; i++) {
        const int64_t i_row = i / p->n_blocks, i_block = i % p->n_blocks;
        const int64_t begin = i_block * CHANNEL_BLOCK;
        const int64_t end = i_block + 1 == p->n_blocks ? s->channels : begin + CHANNEL_BLOCK;
        const int64_t batch = i_row / s->out[1] / s->out[0];
        int64_t o[3] = { i_row / s->out[1] % s->out[0], i_row % s->out[1], 0 };
        window win = { .d = at(s, 0, o[0]), .h = at(s, 1, o[1]) };
        win.x = (const float *)operands[0] + batch * s->in[0] * s->in[1] * s->in[2] * s->x_pitch;
        for (; o[2] < s->out[2]; o[2]++) {
            win.y = (float *)operands[1] + (i_row * s->out[2] + o[2]) * s->y_pitch;
            win.w = at(s, 2, o[2]);
            if (op == IG_POOL_AVERAGE) win.scale = scale_of(s, &win, o);
            pool_pixel(s, &win, begin, end, op);
        }
    }
}

#define IG_POOL_KERNEL(name, op)                                                                   \
    void IG_KERNEL(ig_k_pool_##name##_f32)(const void *params, void *const *operands,              \
                                           ig_part part);                                          \
    void IG_KERNEL(ig_k_pool_##name##_f32)(const void *params, void *const *operands,              \
                                           ig_part part)                                           \
    {                                                                                              \
        run(params, operands, part, op);                                                           \
    }
#include "kernels/pool/kernels.inc"
