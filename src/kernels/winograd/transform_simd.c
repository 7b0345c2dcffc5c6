/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transform_simd.c: vectors run over channels, so that one tile's transform is plain arithmetic on
 * vectors: once along the columns, once along the rows.
 *
 * For points p_i (infinity last), row i of G is (1, p_i, p_i^2) / prod(p_i - p_j), column i of A^T
 * is (1, p_i, p_i^2, …), and row i of B^T holds the coefficients of prod(x - p_j) over j != i; at
 * infinity those of the highest powers. Products of points by powers of two are exact, so that only
 * sums round.
 */
#include "kernels/act.h"
#include "kernels/unroll.h"
#include "kernels/winograd/transform.h"

enum { MAX_POINTS = IG_WINOGRAD_MAX_POINTS, MAX_TILE = IG_WINOGRAD_MAX_TILE };

/* Vectors in memory are aligned like floats unless told otherwise, and would cross cache lines. */
#define ALIGNED __attribute__((aligned(64)))

/* Emulated lane by lane, a call is shorter than what it stands for. */
#ifdef IG_SIMD_EMULATE
static __attribute__((noinline)) vf mla(vf a, vf b, vf c) { return vf_mla(a, b, c); }
#else
IG_INLINE vf mla(vf a, vf b, vf c) { return vf_mla(a, b, c); }
#endif

/* The first n channels of a vector. */
IG_INLINE vf load_cols(const float *p, int n) { return n == IG_VF ? vf_load(p) : vf_load_n(p, n); }
IG_INLINE void store_cols(float *p, vf x, int n)
{
    if (n == IG_VF)
        vf_store(p, x);
    else
        vf_store_n(p, x, n);
}

/* ---- F(2,3): points 0, 1, -1, infinity ---- */
static const double g2[4][3] = { { 1, 0, 0 }, { 0.5, 0.5, 0.5 }, { 0.5, -0.5, 0.5 }, { 0, 0, 1 } };

IG_INLINE void input2(const vf d[4], vf v[4])
{
    v[0] = d[0] - d[2];
    v[1] = d[1] + d[2];
    v[2] = d[2] - d[1];
    v[3] = d[3] - d[1];
}

IG_INLINE void output2(const vf m[4], vf y[2])
{
    y[0] = m[0] + (m[1] + m[2]);
    y[1] = m[3] + (m[1] - m[2]);
}

/* ---- F(4,3): points 0, 1, -1, 1/2, -2, infinity ---- */
static const double g4[6][3] = { { 1, 0, 0 },
                                 { 1 / 3.0, 1 / 3.0, 1 / 3.0 },
                                 { -1 / 3.0, 1 / 3.0, -1 / 3.0 },
                                 { -16 / 15.0, -8 / 15.0, -4 / 15.0 },
                                 { 1 / 15.0, -2 / 15.0, 4 / 15.0 },
                                 { 0, 0, 1 } };

/* B^T =  1  -3/2   -2   3/2    1    0
 *        0   -1   1/2   5/2    1    0
 *        0    1  -5/2   1/2    1    0
 *        0   -2   -1     2     1    0
 *        0   1/2  -1   -1/2    1    0
 *        0    1  -3/2   -2    3/2   1   with what rows share taken out */
IG_INLINE void input4(const vf d[6], vf v[6])
{
    const vf half = vf_set1(0.5f), three_halves = vf_set1(1.5f), two = vf_set1(2.0f);
    const vf p = d[4] - d[2], q = d[3] - d[1];
    v[0] = (d[0] - d[2]) + mla(three_halves, q, p);
    v[1] = mla(three_halves, d[2] + d[3], p + q);
    v[2] = mla(three_halves, d[3] - d[2], p - q);
    v[3] = mla(two, q, p);
    v[4] = mla(-half, q, p);
    v[5] = mla(three_halves, p, (d[5] - d[3]) - q);
}

IG_INLINE void output4(const vf m[6], vf y[4])
{
    const vf sum = m[1] + m[2], difference = m[1] - m[2];
    y[0] = m[0] + sum + (m[3] + m[4]);
    y[1] = mla(vf_set1(0.5f), m[3], mla(vf_set1(-2.0f), m[4], difference));
    y[2] = mla(vf_set1(0.25f), m[3], mla(vf_set1(4.0f), m[4], sum));
    y[3] = mla(vf_set1(0.125f), m[3], mla(vf_set1(-8.0f), m[4], difference)) + m[5];
}

/* ---- two dimensions ---- */
IG_INLINE void input_side(const int points, const vf d[], vf v[])
{
    if (points == 4)
        input2(d, v);
    else
        input4(d, v);
}
IG_INLINE void output_side(const int points, const vf m[], vf y[])
{
    if (points == 4)
        output2(m, y);
    else
        output4(m, y);
}

/* n channels from c on, at most a vector. */
IG_INLINE void input_vec(const int points, const float *const *pixels, int64_t c, int n, float *v,
                         int64_t stride)
{
    vf t[MAX_POINTS][MAX_POINTS] ALIGNED, d[MAX_POINTS], r[MAX_POINTS];
    for (int j = 0; j < points; j++) {
        IG_UNROLL(6)
        for (int i = 0; i < points; i++) d[i] = load_cols(pixels[i * points + j] + c, n);
        input_side(points, d, r);
        IG_UNROLL(6)
        for (int i = 0; i < points; i++) t[i][j] = r[i];
    }
    for (int i = 0; i < points; i++, v += points * stride) {
        input_side(points, t[i], r);
        IG_UNROLL(6)
        for (int j = 0; j < points; j++) store_cols(v + j * stride + c, r[j], n);
    }
}

IG_INLINE void input_tile(const int points, const float *const *pixels, int64_t n, float *v,
                          int64_t stride)
{
    int64_t c = 0;
    for (; c + IG_VF <= n; c += IG_VF) input_vec(points, pixels, c, IG_VF, v, stride);
    if (c < n) input_vec(points, pixels, c, (int)(n - c), v, stride);
}

IG_INLINE void output_vec(const int points, const float *m, int64_t stride, int n, float *const *y,
                          const float *const *residual, int64_t col, const ig_winograd_end *end)
{
    const int tile = points - 2;
    vf t[MAX_TILE][MAX_POINTS] ALIGNED, d[MAX_POINTS], r[MAX_TILE];
    for (int j = 0; j < points; j++) {
        IG_UNROLL(6)
        for (int i = 0; i < points; i++) d[i] = load_cols(m + (i * points + j) * stride, n);
        output_side(points, d, r);
        IG_UNROLL(4)
        for (int i = 0; i < tile; i++) t[i][j] = r[i];
    }
    const vf bias = end->bias ? load_cols(end->bias + col, n) : vf_set1(-0.0f);
    const vf lo = vf_set1(end->lo), hi = vf_set1(end->hi);
    for (int i = 0; i < tile; i++) {
        output_side(points, t[i], r);
        IG_UNROLL(4)
        for (int j = 0; j < tile; j++) {
            vf x = r[j] + bias;
            if (residual) x = x + load_cols(residual[i * tile + j] + col, n);
            store_cols(y[i * tile + j] + col, vf_min(hi, vf_max(lo, x)), n);
        }
    }
}

/* Activations that are no clamp: over the finished pixels. */
static __attribute__((noinline)) void activate(const ig_epilogue *epilogue, int n_pixels,
                                               float *const *y, int64_t col, int64_t n)
{
    for (int i = 0; i < n_pixels; i++) {
        float *p = y[i] + col;
        for (int64_t c = 0; c < n; c += IG_VF) {
            const int rest = n - c < IG_VF ? (int)(n - c) : IG_VF;
            store_cols(p + c, vf_act(epilogue, load_cols(p + c, rest)), rest);
        }
    }
}

IG_INLINE void output_tile(const int points, const float *m, int64_t stride, int64_t n,
                           float *const *y, const float *const *residual, int64_t col,
                           const ig_winograd_end *end)
{
    int64_t c = 0;
    for (; c + IG_VF <= n; c += IG_VF)
        output_vec(points, m + c, stride, IG_VF, y, residual, col + c, end);
    if (c < n) output_vec(points, m + c, stride, (int)(n - c), y, residual, col + c, end);
    if (!end->is_clamp) activate(&end->epilogue, (points - 2) * (points - 2), y, col, n);
}

/* ---- weights ---- */
enum { N_CHANNELS = 8 };

/* A row of G times three vectors. */
IG_INLINE void apply_g(const double g[3], const double *a, const double *b, const double *c,
                       double *out)
{
    for (int i = 0; i < N_CHANNELS; i++) out[i] = g[0] * a[i] + g[1] * b[i] + g[2] * c[i];
}

IG_INLINE void weights_tile(const int points, const double g[][3], const float *w, int64_t w_stride,
                            int64_t tap_stride, int64_t n, float *u, int64_t stride)
{
    double taps[9][N_CHANNELS] = { 0 }, t[3][N_CHANNELS], r[N_CHANNELS];
    for (int64_t first = 0; first < n; first += N_CHANNELS) {
        const int n_now = n - first < N_CHANNELS ? (int)(n - first) : N_CHANNELS;
        for (int i = 0; i < n_now; i++)
            for (int tap = 0; tap < 9; tap++)
                taps[tap][i] = (double)w[(first + i) * w_stride + tap * tap_stride];
        for (int i = 0; i < points; i++) {
            for (int j = 0; j < 3; j++) apply_g(g[i], taps[j], taps[3 + j], taps[6 + j], t[j]);
            for (int j = 0; j < points; j++) {
                apply_g(g[j], t[0], t[1], t[2], r);
                for (int k = 0; k < n_now; k++)
                    u[(i * points + j) * stride + first + k] = (float)r[k];
            }
        }
    }
}

#define INSTANCE(tile, points, g)                                                                  \
    static void input_##tile(const float *const *pixels, int64_t n, float *v, int64_t stride)      \
    {                                                                                              \
        input_tile(points, pixels, n, v, stride);                                                  \
    }                                                                                              \
    static void output_##tile(const float *m, int64_t stride, int64_t n, float *const *y,          \
                              const float *const *residual, int64_t col,                           \
                              const ig_winograd_end *end)                                          \
    {                                                                                              \
        output_tile(points, m, stride, n, y, residual, col, end);                                  \
    }                                                                                              \
    static void weights_##tile(const float *w, int64_t w_stride, int64_t tap_stride, int64_t n,    \
                               float *u, int64_t stride)                                           \
    {                                                                                              \
        weights_tile(points, g, w, w_stride, tap_stride, n, u, stride);                            \
    }                                                                                              \
    extern const ig_winograd_transforms IG_KERNEL(ig_winograd_transforms_##tile);                  \
    const ig_winograd_transforms IG_KERNEL(                                                        \
        ig_winograd_transforms_##tile) = { input_##tile, output_##tile, weights_##tile };

INSTANCE(2, 4, g2)
INSTANCE(4, 6, g4)
