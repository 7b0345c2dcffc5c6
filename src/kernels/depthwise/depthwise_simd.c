/* SPDX-License-Identifier: Apache-2.0 */
/*
 * depthwise_simd.c: vectors run over channels. Inside a row, four output pixels are computed at
 * once, so that each input vector serves all of them and each weight is loaded once; at the
 * picture's edges it is one pixel at a time with the taps that exist.
 */
#include "kernels/act.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/unroll.h"
#include "kernels/window.h"

enum { N_PIXELS = 4, N_VECS = 4 };

/* What a row of the output needs. */
typedef struct row {
    const ig_depthwise_shape *s;
    const float *x, *w, *bias, *residual; /* x: at the batch's picture */
    float *y;
    ig_window d, h;
    float lo, hi;
    bool is_clamp;
} row;

static __attribute__((noinline)) vf slow_act(const ig_epilogue *e, vf x) { return vf_act(e, x); }

IG_INLINE vf load_n(const float *p, int n) { return n == IG_VF ? vf_load(p) : vf_load_n(p, n); }

/* bias, residual, activation, store: channels [c, c + n) of pixel o. */
IG_INLINE void finish(const row *r, vf x, int64_t o, int64_t c, int n)
{
    if (r->bias) x = x + load_n(r->bias + c, n);
    if (r->residual) x = x + load_n(r->residual + o * r->s->r_pitch + c, n);
    x = r->is_clamp ? vf_min(vf_set1(r->hi), vf_max(vf_set1(r->lo), x))
                    : slow_act(&r->s->epilogue, x);
    float *y = r->y + o * r->s->y_pitch + c;
    if (n == IG_VF)
        vf_store(y, x);
    else
        vf_store_n(y, x, n);
}

IG_INLINE const float *input_row(const row *r, int64_t jd, int64_t jh)
{
    const ig_depthwise_shape *s = r->s;
    return r->x +
           ((r->d.first + jd * s->dilation[0]) * s->in[1] + r->h.first + jh * s->dilation[1]) *
               s->in[2] * s->x_pitch;
}
IG_INLINE const float *weight_row(const row *r, int64_t jd, int64_t jh)
{
    const ig_depthwise_shape *s = r->s;
    return r->w + (jd * s->kernel[1] + jh) * s->kernel[2] * s->channels * s->multiplier;
}

/* NP pixels from o, all KW taps inside, n channels from c. */
IG_INLINE void inner_tile(const row *r, int64_t o, int64_t c, const int NP, const int KW,
                          const int SW, const int n)
{
    const ig_depthwise_shape *s = r->s;
    const int64_t pitch = s->x_pitch, at = (o * SW - s->pad[2]) * pitch + c;
    vf acc[N_PIXELS];
    IG_UNROLL(4)
    for (int p = 0; p < NP; p++) acc[p] = vf_zero();
    for (int64_t jd = r->d.begin; jd < r->d.end; jd++)
        for (int64_t jh = r->h.begin; jh < r->h.end; jh++) {
            const float *x = input_row(r, jd, jh) + at, *w = weight_row(r, jd, jh) + c;
            vf wv[7];
            IG_UNROLL(7)
            for (int j = 0; j < KW; j++) wv[j] = load_n(w + j * s->channels, n);
            IG_UNROLL(16)
            for (int i = 0; i < (NP - 1) * SW + KW; i++) {
                const vf xv = load_n(x + i * pitch, n);
                IG_UNROLL(4)
                for (int p = 0; p < NP; p++)
                    if (i >= p * SW && i - p * SW < KW) acc[p] = vf_mla(wv[i - p * SW], xv, acc[p]);
            }
        }
    IG_UNROLL(4)
    for (int p = 0; p < NP; p++) finish(r, acc[p], o + p, c, n);
}

IG_INLINE void inner_pixels(const row *r, int64_t o, const int NP, const int KW, const int SW)
{
    const int64_t channels = r->s->channels;
    int64_t c = 0;
    for (; c + IG_VF <= channels; c += IG_VF) inner_tile(r, o, c, NP, KW, SW, IG_VF);
    if (c < channels) inner_tile(r, o, c, NP, KW, SW, (int)(channels - c));
}

/* NV vectors of channels of one pixel, any taps. */
IG_INLINE void edge_tile(const row *r, int64_t o, const ig_window *win, int64_t c, const int NV,
                         const int n)
{
    const ig_depthwise_shape *s = r->s;
    vf acc[N_VECS];
    IG_UNROLL(4)
    for (int v = 0; v < NV; v++) acc[v] = vf_zero();
    for (int64_t jd = r->d.begin; jd < r->d.end; jd++)
        for (int64_t jh = r->h.begin; jh < r->h.end; jh++) {
            const float *x = input_row(r, jd, jh), *w = weight_row(r, jd, jh) + c;
            for (int64_t j = win->begin; j < win->end; j++) {
                const float *xj = x + (win->first + j * s->dilation[2]) * s->x_pitch + c;
                const float *wj = w + j * s->channels;
                IG_UNROLL(4)
                for (int v = 0; v < NV; v++)
                    acc[v] = vf_mla(load_n(wj + v * IG_VF, n), load_n(xj + v * IG_VF, n), acc[v]);
            }
        }
    IG_UNROLL(4)
    for (int v = 0; v < NV; v++) finish(r, acc[v], o, c + v * IG_VF, n);
}

static __attribute__((noinline)) void edge_pixel(const row *r, int64_t o)
{
    const ig_depthwise_shape *s = r->s;
    const ig_window win =
        ig_window_at(o, s->in[2], s->kernel[2], s->stride[2], s->dilation[2], s->pad[2], 0, 0);
    int64_t c = 0;
    for (; c + N_VECS * IG_VF <= s->channels; c += N_VECS * IG_VF)
        edge_tile(r, o, &win, c, N_VECS, IG_VF);
    for (; c + IG_VF <= s->channels; c += IG_VF) edge_tile(r, o, &win, c, 1, IG_VF);
    if (c < s->channels) edge_tile(r, o, &win, c, 1, (int)(s->channels - c));
}

/* More than one output channel per input channel: inputs are gathered lane by lane. */
static __attribute__((noinline, unused)) void multi_pixel(const row *r, int64_t o)
{
    const ig_depthwise_shape *s = r->s;
    const int64_t channels = s->channels * s->multiplier;
    const ig_window win =
        ig_window_at(o, s->in[2], s->kernel[2], s->stride[2], s->dilation[2], s->pad[2], 0, 0);
    for (int64_t c = 0; c < channels; c += IG_VF) {
        const int n = channels - c < IG_VF ? (int)(channels - c) : IG_VF;
        int64_t from[IG_VF];
        for (int i = 0; i < n; i++) from[i] = (c + i) / s->multiplier;
        vf acc = vf_zero();
        for (int64_t jd = r->d.begin; jd < r->d.end; jd++)
            for (int64_t jh = r->h.begin; jh < r->h.end; jh++) {
                const float *x = input_row(r, jd, jh), *w = weight_row(r, jd, jh) + c;
                for (int64_t j = win.begin; j < win.end; j++) {
                    const float *xj = x + (win.first + j * s->dilation[2]) * s->x_pitch;
                    float lanes[IG_VF] = { 0 };
                    for (int i = 0; i < n; i++) lanes[i] = xj[from[i]];
                    acc = vf_mla(load_n(w + j * channels, n), vf_load(lanes), acc);
                }
            }
        finish(r, acc, o, c, n);
    }
}

static row row_at(const ig_depthwise_shape *s, void *const *operands, int64_t i)
{
    const int64_t oh = i % s->out[1], od = i / s->out[1] % s->out[0];
    const int64_t batch = i / s->out[1] / s->out[0];
    row r = { .s = s,
              .x = (const float *)operands[0] + batch * s->in[0] * s->in[1] * s->in[2] * s->x_pitch,
              .w = operands[1],
              .bias = s->has_bias ? operands[2] : NULL,
              .y = (float *)operands[4] + i * s->out[2] * s->y_pitch };
    if (s->has_residual && operands[3])
        r.residual = (const float *)operands[3] + i * s->out[2] * s->r_pitch;
    r.d = ig_window_at(od, s->in[0], s->kernel[0], s->stride[0], s->dilation[0], s->pad[0], 0, 0);
    r.h = ig_window_at(oh, s->in[1], s->kernel[1], s->stride[1], s->dilation[1], s->pad[1], 0, 0);
    r.is_clamp = ig_act_as_clamp(&s->epilogue, &r.lo, &r.hi);
    return r;
}

/* Outputs [begin, end) of a row see all taps of a kernel of KW. */
static void inner_range(const ig_depthwise_shape *s, int64_t *begin, int64_t *end)
{
    const int64_t stride = s->stride[2], room = s->in[2] + s->pad[2] - s->kernel[2];
    *begin = s->pad[2] > 0 ? (s->pad[2] + stride - 1) / stride : 0;
    *end = room >= 0 ? room / stride + 1 : 0;
    if (*end > s->out[2]) *end = s->out[2];
    if (*begin > *end) *begin = *end;
}

/* KW 0: any kernel. */
IG_INLINE void run(const void *params, void *const *operands, ig_part part, const int KW,
                   const int SW)
{
    const ig_depthwise_shape *s = &((const ig_depthwise_params *)params)->shape;
    int64_t begin = 0, end = 0;
    if (KW) inner_range(s, &begin, &end);
    for (int64_t i = part.begin; i < part.end; i++) {
        const row r = row_at(s, operands, i);
        int64_t o = 0;
        for (; o < begin; o++) edge_pixel(&r, o);
        if (KW) {
            for (; o + N_PIXELS <= end; o += N_PIXELS) inner_pixels(&r, o, N_PIXELS, KW, SW);
            for (; o < end; o++) inner_pixels(&r, o, 1, KW, SW);
        }
        for (; o < s->out[2]; o++) edge_pixel(&r, o);
    }
}

#define IG_DEPTHWISE_DEFINE(name, kw, sw)                                                          \
    void IG_KERNEL(ig_k_depthwise_f32_##name)(const void *params, void *const *operands,           \
                                              ig_part part);                                       \
    void IG_KERNEL(ig_k_depthwise_f32_##name)(const void *params, void *const *operands,           \
                                              ig_part part)                                        \
    {                                                                                              \
        run(params, operands, part, kw, sw);                                                       \
    }
IG_DEPTHWISE_DEFINE(w3s1, 3, 1)
IG_DEPTHWISE_DEFINE(w3s2, 3, 2)
IG_DEPTHWISE_DEFINE(w5s1, 5, 1)
IG_DEPTHWISE_DEFINE(w5s2, 5, 2)
IG_DEPTHWISE_DEFINE(w7s1, 7, 1)
IG_DEPTHWISE_DEFINE(any, 0, 1)

void IG_KERNEL(ig_k_depthwise_f32_multi)(const void *params, void *const *operands, ig_part part);
void IG_KERNEL(ig_k_depthwise_f32_multi)(const void *params, void *const *operands, ig_part part)
{
    const ig_depthwise_shape *s = &((const ig_depthwise_params *)params)->shape;
    for (int64_t i = part.begin; i < part.end; i++) {
        const row r = row_at(s, operands, i);
        for (int64_t o = 0; o < s->out[2]; o++) multi_pixel(&r, o);
    }
}
