/* SPDX-License-Identifier: Apache-2.0 */
/*
 * qconv_simd.c: integer convolution, compiled once per instruction set.
 *
 * A work item is a block of output pixels times a block of output channels. The pixels' receptive
 * fields are written to scratch as rows of int16 (less the zero point, padding zero); then tiles of
 * MR rows and NR channels run down the whole depth in registers.
 */
#include "base/simd.h"
#include "kernels/quant/qgemm.h"

void IG_KERNEL(ig_k_qconv)(const void *params, void *const *operands, ig_part part);

/* As in kernels.inc. Two vectors wide: with MR x 2 accumulators most registers are in use. */
#if IG_VF == 16
#define MR 12
#elif IG_VF == 8
#define MR 6
#else
#define MR 4
#endif
#define NR (2 * IG_VF)

typedef int16_t v_s16 __attribute__((vector_size(IG_VF * 4)));
typedef uint8_t v_u8 __attribute__((vector_size(IG_VF * 2)));
typedef int8_t v_s8 __attribute__((vector_size(IG_VF * 2)));

/* What every item of a call needs. */
typedef struct context {
    const ig_qconv_params *p;
    void *const *operands;
    int x_zero, y_zero;
    bool is_x_signed;
    char *a, *w;
    float *scales; /* per output channel */
} context;

/* ---- activations ---- */

/* n bytes to int16, less zero */
static void widen(int16_t *dst, const void *src, int64_t n, int zero, bool is_signed)
{
    const uint8_t *u = src;
    const int8_t *s = src;
    const v_s16 z = (int16_t)zero - (v_s16){ 0 };
    int64_t i = 0;
    for (; i + NR <= n; i += NR) {
        v_s16 x;
        if (is_signed) {
            v_s8 b;
            memcpy(&b, s + i, sizeof b);
            x = __builtin_convertvector(b, v_s16);
        } else {
            v_u8 b;
            memcpy(&b, u + i, sizeof b);
            x = __builtin_convertvector(b, v_s16);
        }
        x -= z;
        memcpy(dst + i, &x, sizeof x);
    }
    for (; i < n; i++) dst[i] = (int16_t)((is_signed ? s[i] : u[i]) - zero);
}

/* Where an output pixel's window begins in the picture. */
typedef struct window {
    int64_t batch, at[3];
} window;

static window window_of(const ig_qconv_shape *s, int64_t pixel)
{
    window w;
    for (int d = 2; d >= 0; d--) {
        w.at[d] = pixel % s->out[d] * s->stride[d] - s->pad[d];
        pixel /= s->out[d];
    }
    w.batch = pixel;
    return w;
}

/* Element offset of the picture row that taps (kd, kh, *) read, or -1 in the padding. */
static int64_t row_offset(const ig_qconv_shape *s, const window *w, int64_t kd, int64_t kh)
{
    const int64_t d = w->at[0] + kd * s->dilation[0], h = w->at[1] + kh * s->dilation[1];
    if (d < 0 || d >= s->in[0] || h < 0 || h >= s->in[1]) return -1;
    return ((w->batch * s->in[0] + d) * s->in[1] + h) * s->in[2] * s->x_pitch;
}

/* The taps of one kernel row; returns dst behind them. Neighbouring pixels that lie without a gap
 * are one run. */
static int16_t *widen_taps(const context *c, const uint8_t *x, int64_t row, int64_t w0,
                           int16_t *dst)
{
    const ig_qconv_shape *s = &c->p->shape;
    const int64_t n_in = s->c_in / s->groups, n_kw = s->kernel[2];
    if (row < 0) {
        memset(dst, 0, (size_t)(n_kw * n_in) * 2);
        return dst + n_kw * n_in;
    }
    const bool is_dense = s->dilation[2] == 1 && s->x_pitch == n_in;
    for (int64_t kw = 0; kw < n_kw;) {
        const int64_t i = w0 + kw * s->dilation[2];
        int64_t n = 1;
        if (i < 0 || i >= s->in[2]) {
            memset(dst, 0, (size_t)n_in * 2);
        } else {
            if (is_dense) n = n_kw - kw < s->in[2] - i ? n_kw - kw : s->in[2] - i;
            widen(dst, x + row + i * s->x_pitch, n * n_in, c->x_zero, c->is_x_signed);
        }
        kw += n;
        dst += n * n_in;
    }
    return dst;
}

/* Rows of scratch: the windows of pixels [first, first + n), then zero rows up to a multiple of
 * MR. x: first channel of the group. */
static void fill_rows(const context *c, const uint8_t *x, int64_t first, int64_t n)
{
    const ig_qconv_params *p = c->p;
    const ig_qconv_shape *s = &p->shape;
    int16_t *row = (int16_t *)c->a;
    for (int64_t r = 0; r < n; r++, row += p->k_pairs * 2) {
        const window w = window_of(s, first + r);
        int16_t *dst = row;
        for (int64_t kd = 0; kd < s->kernel[0]; kd++)
            for (int64_t kh = 0; kh < s->kernel[1]; kh++)
                dst = widen_taps(c, x, row_offset(s, &w, kd, kh), w.at[2], dst);
        if (p->k & 1) *dst = 0;
    }
    const int64_t padded = (n + MR - 1) / MR * MR;
    memset(row, 0, (size_t)((padded - n) * p->k_pairs) * 4);
}

/* ---- what happens to sums ---- */

/* y[0 … n) from sums of channels o … o + n - 1, n <= IG_VF */
static void store_sums(const context *c, vi sum, int64_t o, int n, void *y, int64_t at)
{
    const int32_t *bias = c->operands[2];
    if (bias) sum += vi_bits(vf_load_n((const float *)(const void *)(bias + o), n));
    const ingot_dtype dtype = c->p->shape.y_dtype;
    if (dtype == INGOT_INT32) {
        vf_store_n((float *)y + at, vf_bits(sum), n);
        return;
    }
    const float lo = dtype == INGOT_INT8 ? -128.0f : 0.0f, zero = (float)c->y_zero;
    vf v = vf_from_vi(sum) * vf_load_n(c->scales + o, n);
    v = vf_max(vf_set1(lo - zero), vf_min(vf_set1(lo + 255.0f - zero), v));
    uint8_t bytes[IG_VF];
    vi_store_8(bytes, vi_from_vf(v) + c->y_zero);
    if (n == IG_VF)
        memcpy((uint8_t *)y + at, bytes, IG_VF);
    else
        for (int i = 0; i < n; i++) ((uint8_t *)y)[at + i] = bytes[i];
}

/* ---- the tile ---- */

IG_INLINE void tile(int rows, const int16_t *a, int64_t a_pitch, const int16_t *b, int64_t k_pairs,
                    vi *sums)
{
    vi acc[MR][2];
    for (int r = 0; r < rows; r++) acc[r][0] = acc[r][1] = (vi){ 0 };
    for (int64_t k = 0; k < k_pairs; k++) {
        const vi b0 = vi_load(b + k * NR * 2), b1 = vi_load(b + k * NR * 2 + 2 * IG_VF);
#pragma GCC unroll 12
        for (int r = 0; r < rows; r++) {
            int32_t pair;
            memcpy(&pair, a + r * a_pitch + 2 * k, 4);
            const vi x = vi_set1(pair);
            acc[r][0] += vi_madd16(x, b0);
            acc[r][1] += vi_madd16(x, b1);
        }
    }
    for (int r = 0; r < rows; r++) sums[2 * r] = acc[r][0], sums[2 * r + 1] = acc[r][1];
}

static void tile_full(const int16_t *a, int64_t a_pitch, const int16_t *b, int64_t k_pairs,
                      vi *sums)
{
    tile(MR, a, a_pitch, b, k_pairs, sums);
}
static void tile_half(const int16_t *a, int64_t a_pitch, const int16_t *b, int64_t k_pairs,
                      vi *sums)
{
    tile(MR / 2, a, a_pitch, b, k_pairs, sums);
}
static void tile_one(const int16_t *a, int64_t a_pitch, const int16_t *b, int64_t k_pairs, vi *sums)
{
    tile(1, a, a_pitch, b, k_pairs, sums);
}

/* A row block times one panel. y: element offset of its first pixel and channel `first` of the
 * group; o: that channel over all groups. */
static void run_panel(const context *c, const int16_t *b, int64_t m, int64_t o, int64_t n,
                      int64_t y)
{
    const ig_qconv_params *p = c->p;
    const int64_t a_pitch = p->k_pairs * 2;
    for (int64_t r = 0; r < m; r += MR) {
        vi sums[2 * MR];
        const int64_t rows = m - r < MR ? m - r : MR;
        const int16_t *a = (const int16_t *)c->a + r * a_pitch;
        if (rows == 1)
            tile_one(a, a_pitch, b, p->k_pairs, sums);
        else if (rows <= MR / 2)
            tile_half(a, a_pitch, b, p->k_pairs, sums);
        else
            tile_full(a, a_pitch, b, p->k_pairs, sums);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < n; j += IG_VF)
                store_sums(c, sums[2 * i + j / IG_VF], o + j, n - j < IG_VF ? (int)(n - j) : IG_VF,
                           c->operands[9], y + (r + i) * p->shape.y_pitch + j);
    }
}

static void run_block(const context *c, int64_t item)
{
    const ig_qconv_params *p = c->p;
    const ig_qconv_shape *s = &p->shape;
    const int64_t i_m = item % p->n_m_blocks, i_n = item / p->n_m_blocks % p->n_n_blocks;
    const int64_t outer = item / p->n_m_blocks / p->n_n_blocks;
    const int64_t group = outer % s->groups, matrix = outer / s->groups;
    int64_t x, w, y;
    ig_qconv_matrix_offsets(s, matrix, &x, &w, &y);
    const int64_t m0 = i_m * p->m_block, n0 = i_n * p->n_block;
    const int64_t m = p->m_rows - m0 < p->m_block ? p->m_rows - m0 : p->m_block;
    const int64_t n = p->n_group - n0 < p->n_block ? p->n_group - n0 : p->n_block;
    fill_rows(c, (const uint8_t *)c->operands[0] + x + group * (s->c_in / s->groups), m0, m);
    const int16_t *panels = (const int16_t *)c->w;
    if (s->w_is_packed)
        panels = (const int16_t *)c->operands[1] +
                 w * (int64_t)(ig_qconv_packed_bytes(p) / sizeof *panels) +
                 group * p->packed_group_elems + n0 * p->k_pairs * 2;
    else
        ig_qconv_pack_panels(p, (const uint8_t *)c->operands[1] + w, c->operands[4], group, n0, n,
                             (int16_t *)c->w);
    for (int64_t j = 0; j < n; j += NR) {
        const int64_t o = group * p->n_group + n0 + j;
        run_panel(c, panels + j * p->k_pairs * 2, m, o, n - j < NR ? n - j : NR,
                  y + m0 * s->y_pitch + o);
    }
}

/* ---- depthwise: pairs of taps instead of pairs of channels ---- */

IG_INLINE vi load_widened(const context *c, const uint8_t *p, int n)
{
    uint8_t rest[IG_VF] = { 0 };
    if (n < IG_VF) {
        memcpy(rest, p, (size_t)n);
        p = rest;
    }
    return (c->is_x_signed ? vi_load_s8((const int8_t *)p) : vi_load_u8(p)) - c->x_zero;
}

static void find_taps(const context *c, int64_t pixel, const uint8_t *padding, const uint8_t **taps)
{
    const ig_qconv_shape *s = &c->p->shape;
    const window w = window_of(s, pixel);
    int64_t n = 0;
    for (int64_t kd = 0; kd < s->kernel[0]; kd++)
        for (int64_t kh = 0; kh < s->kernel[1]; kh++) {
            const int64_t row = row_offset(s, &w, kd, kh);
            for (int64_t kw = 0; kw < s->kernel[2]; kw++) {
                const int64_t i = w.at[2] + kw * s->dilation[2];
                taps[n++] = row < 0 || i < 0 || i >= s->in[2]
                                ? padding
                                : (const uint8_t *)c->operands[0] + row + i * s->x_pitch;
            }
        }
    if (n & 1) taps[n] = padding;
}

static void run_depthwise(const context *c, const int16_t *weights, int64_t item)
{
    const ig_qconv_params *p = c->p;
    const ig_qconv_shape *s = &p->shape;
    const uint8_t **taps = (const uint8_t **)(void *)c->a;
    uint8_t *padding = (uint8_t *)(taps + p->k_pairs * 2);
    memset(padding, c->x_zero & 0xff, (size_t)s->c_out);
    const int64_t end = (item + 1) * p->m_block < p->m_rows ? (item + 1) * p->m_block : p->m_rows;
    for (int64_t pixel = item * p->m_block; pixel < end; pixel++) {
        find_taps(c, pixel, padding, taps);
        for (int64_t o = 0; o < s->c_out; o += IG_VF) {
            const int n = s->c_out - o < IG_VF ? (int)(s->c_out - o) : IG_VF;
            vi sum = { 0 };
            for (int64_t k = 0; k < p->k_pairs; k++) {
                const vi x0 = load_widened(c, taps[2 * k] + o, n);
                const vi x1 = load_widened(c, taps[2 * k + 1] + o, n);
                const vi pair = (x0 & 0xffff) | (vi)((vu)x1 << 16);
                sum += vi_madd16(pair, vi_load(weights + (k * p->n_block + o) * 2));
            }
            store_sums(c, sum, o, n, c->operands[9], pixel * s->y_pitch + o);
        }
    }
}

/* ---- */

static void fill_scales(const context *c)
{
    const ig_qconv_shape *s = &c->p->shape;
    if (s->y_dtype == INGOT_INT32) return;
    const float x_scale = *(const float *)c->operands[5], y_scale = *(const float *)c->operands[7];
    const float *w_scale = c->operands[6];
    for (int64_t o = 0; o < s->c_out; o++)
        c->scales[o] = (x_scale * w_scale[s->is_w_scale_per_channel ? o : 0]) / y_scale;
}

void IG_KERNEL(ig_k_qconv)(const void *params, void *const *operands, ig_part part)
{
    const ig_qconv_params *p = params;
    if (part.begin >= part.end) return;
    char *scratch = (char *)operands[10] + (size_t)part.i_thread * p->scratch_bytes_per_thread;
    const context c = { .p = p,
                        .operands = operands,
                        .x_zero = (int)ig_qconv_zero(operands[3], p->shape.x_dtype, 0),
                        .y_zero = (int)ig_qconv_zero(operands[8], p->shape.y_dtype, 0),
                        .is_x_signed = p->shape.x_dtype == INGOT_INT8,
                        .a = scratch,
                        .w = scratch + p->a_bytes,
                        .scales = (float *)(void *)(scratch + p->a_bytes + p->w_bytes) };
    fill_scales(&c);
    if (!p->is_depthwise) {
        for (int64_t w = part.begin; w < part.end; w++) run_block(&c, w);
        return;
    }
    const int16_t *weights = operands[1];
    if (!p->shape.w_is_packed) {
        ig_qconv_pack_panels(p, operands[1], operands[4], 0, 0, p->n_group, (int16_t *)c.w);
        weights = (const int16_t *)c.w;
    }
    for (int64_t w = part.begin; w < part.end; w++) run_depthwise(&c, weights, w);
}
