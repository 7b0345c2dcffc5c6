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
    const float *x, *w, *bias, *residual; /* x, w: at the first tap's row that lies inside */
    float *y;
    int64_t n_d, n_h; /* rows of the kernel that lie inside */
    int64_t x_step_d, x_step_h, w_step_d, w_step_h;
    int64_t y_pitch, r_pitch;
    float lo, hi; /* infinite if the activation is no clamp */
    bool is_clamp;
} row;

IG_INLINE vf load_n(const float *p, int n) { return n == IG_VF ? vf_load(p) : vf_load_n(p, n); }
IG_INLINE vf start(const row *r, int64_t c, int n)
{
    return r->bias ? load_n(r->bias + c, n) : vf_zero();
}

/* residual, clamp, store: channels [c, c + n) of pixel o. */
IG_INLINE void finish(const row *r, vf x, int64_t o, int64_t c, int n, const bool has_residual)
{
    if (has_residual) x = x + load_n(r->residual + o * r->r_pitch + c, n);
    x = vf_min(vf_set1(r->hi), vf_max(vf_set1(r->lo), x));
    float *y = r->y + o * r->y_pitch + c;
    if (n == IG_VF)
        vf_store(y, x);
    else
        vf_store_n(y, x, n);
}

/* Activations that are no clamp: over the finished row. */
static __attribute__((noinline)) void activate(const row *r)
{
    const int64_t channels = r->s->channels * r->s->multiplier;
    for (int64_t o = 0; o < r->s->out[2]; o++) {
        float *y = r->y + o * r->y_pitch;
        int64_t c = 0;
        for (; c + IG_VF <= channels; c += IG_VF)
            vf_store(y + c, vf_act(&r->s->epilogue, vf_load(y + c)));
        const int n = (int)(channels - c);
        if (n) vf_store_n(y + c, vf_act(&r->s->epilogue, vf_load_n(y + c, n)), n);
    }
}

/* for each row of the kernel that lies inside: x at column 0 of the input row, w at its weights */
#define IG_FOR_KERNEL_ROWS(r, x, w)                                                                \
    for (int64_t jd_ = 0; jd_ < (r)->n_d; jd_++)                                                   \
        for (const float *x = (r)->x + jd_ * (r)->x_step_d, *w = (r)->w + jd_ * (r)->w_step_d,     \
                         *end_ = w + (r)->n_h * (r)->w_step_h;                                     \
             w < end_; x += (r)->x_step_h, w += (r)->w_step_h)

/* NP pixels from o, all KW taps inside, n channels from c. */
IG_INLINE void inner_tile(const row *r, int64_t o, int64_t c, const int NP, const int KW,
                          const int SW, const int n, const bool has_residual)
{
    const ig_depthwise_shape *s = r->s;
    const int64_t pitch = s->x_pitch, channels = s->channels, at = (o * SW - s->pad[2]) * pitch + c;
    vf acc[N_PIXELS];
    IG_UNROLL(4)
    for (int p = 0; p < NP; p++) acc[p] = start(r, c, n);
    IG_FOR_KERNEL_ROWS(r, x, w)
    {
        vf wv[7];
        IG_UNROLL(7)
        for (int j = 0; j < KW; j++) wv[j] = load_n(w + c + j * channels, n);
        const float *xi = x + at;
        IG_UNROLL(16)
        for (int i = 0; i < (NP - 1) * SW + KW; i++, xi += pitch) {
            const vf xv = load_n(xi, n);
            IG_UNROLL(4)
            for (int p = 0; p < NP; p++)
                if (i >= p * SW && i - p * SW < KW) acc[p] = vf_mla(wv[i - p * SW], xv, acc[p]);
        }
    }
    IG_UNROLL(4)
    for (int p = 0; p < NP; p++) finish(r, acc[p], o + p, c, n, has_residual);
}

IG_INLINE void inner_pixels(const row *r, int64_t o, const int NP, const int KW, const int SW,
                            const bool has_residual)
{
    const int64_t channels = r->s->channels;
    int64_t c = 0;
    for (; c + IG_VF <= channels; c += IG_VF) inner_tile(r, o, c, NP, KW, SW, IG_VF, has_residual);
    if (c < channels) inner_tile(r, o, c, NP, KW, SW, (int)(channels - c), has_residual);
}

/* NV vectors of channels of one pixel, any taps. */
IG_INLINE void edge_tile(const row *r, int64_t o, const ig_window *win, int64_t c, const int NV,
                         const int n)
{
    const ig_depthwise_shape *s = r->s;
    vf acc[N_VECS];
    IG_UNROLL(4)
    for (int v = 0; v < NV; v++) acc[v] = start(r, c + v * IG_VF, n);
    IG_FOR_KERNEL_ROWS(r, x, w)
    {
        for (int64_t j = win->begin; j < win->end; j++) {
            const float *xj = x + (win->first + j * s->dilation[2]) * s->x_pitch + c;
            const float *wj = w + c + j * s->channels;
            IG_UNROLL(4)
            for (int v = 0; v < NV; v++)
                acc[v] = vf_mla(load_n(wj + v * IG_VF, n), load_n(xj + v * IG_VF, n), acc[v]);
        }
    }
    IG_UNROLL(4)
    for (int v = 0; v < NV; v++) finish(r, acc[v], o, c + v * IG_VF, n, r->residual != NULL);
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
        vf acc = start(r, c, n);
        IG_FOR_KERNEL_ROWS(r, x, w)
        {
            for (int64_t j = win.begin; j < win.end; j++) {
                const float *xj = x + (win.first + j * s->dilation[2]) * s->x_pitch;
                float lanes[IG_VF] = { 0 };
                for (int i = 0; i < n; i++) lanes[i] = xj[from[i]];
                acc = vf_mla(load_n(w + c + j * channels, n), vf_load(lanes), acc);
            }
        }
        finish(r, acc, o, c, n, r->residual != NULL);
    }
}

static row row_at(const ig_depthwise_shape *s, void *const *operands, int64_t i)
{
    const int64_t oh = i % s->out[1], od = i / s->out[1] % s->out[0];
    const int64_t batch = i / s->out[1] / s->out[0];
    const ig_window d =
        ig_window_at(od, s->in[0], s->kernel[0], s->stride[0], s->dilation[0], s->pad[0], 0, 0);
    const ig_window h =
        ig_window_at(oh, s->in[1], s->kernel[1], s->stride[1], s->dilation[1], s->pad[1], 0, 0);
    const int64_t row_pitch = s->in[2] * s->x_pitch;
    row r = { .s = s,
              .bias = s->has_bias ? operands[2] : NULL,
              .y = (float *)operands[4] + i * s->out[2] * s->y_pitch,
              .n_d = d.end - d.begin,
              .n_h = h.end - h.begin,
              .x_step_d = s->dilation[0] * s->in[1] * row_pitch,
              .x_step_h = s->dilation[1] * row_pitch,
              .w_step_h = s->kernel[2] * s->channels * s->multiplier };
    r.w_step_d = s->kernel[1] * r.w_step_h;
    const int64_t d0 = d.first + d.begin * s->dilation[0], h0 = h.first + h.begin * s->dilation[1];
    r.x = (const float *)operands[0] + ((batch * s->in[0] + d0) * s->in[1] + h0) * row_pitch;
    r.w = (const float *)operands[1] + d.begin * r.w_step_d + h.begin * r.w_step_h;
    if (s->has_residual && operands[3])
        r.residual = (const float *)operands[3] + i * s->out[2] * s->r_pitch;
    r.y_pitch = s->y_pitch;
    r.r_pitch = s->r_pitch;
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

/* Outputs [begin, end) of a row, all taps inside. */
IG_INLINE void inner_row(const row *r, int64_t begin, int64_t end, const int KW, const int SW,
                         const bool has_residual)
{
    int64_t o = begin;
    for (; o + N_PIXELS <= end; o += N_PIXELS) inner_pixels(r, o, N_PIXELS, KW, SW, has_residual);
    for (; o < end; o++) inner_pixels(r, o, 1, KW, SW, has_residual);
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
        for (int64_t o = 0; o < begin; o++) edge_pixel(&r, o);
        if (KW && r.residual) inner_row(&r, begin, end, KW, SW, true);
        if (KW && !r.residual) inner_row(&r, begin, end, KW, SW, false);
        for (int64_t o = end; o < s->out[2]; o++) edge_pixel(&r, o);
        if (!r.is_clamp) activate(&r);
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
        if (!r.is_clamp) activate(&r);
    }
}
