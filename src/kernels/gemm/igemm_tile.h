/* SPDX-License-Identifier: Apache-2.0 */
/*
 * igemm_tile.h: the microkernel, written once in the vector vocabulary. A file per instruction set
 * includes it and instantiates the tiles of kernels.inc.
 */
#ifndef IG_KERNELS_GEMM_IGEMM_TILE_H
#define IG_KERNELS_GEMM_IGEMM_TILE_H

#include "base/simd.h"
#include "kernels/act.h"
#include "kernels/gemm/igemm.h"
#include "kernels/unroll.h"

#define IG_IGEMM_MAX_ROWS 12

/* Emulated tiles call what would be one instruction: expanded lane by lane at each place, a
 * compiler takes a minute over them. */
#ifdef IG_SIMD_EMULATE
static __attribute__((noinline)) vf tile_mla(vf a, vf b, vf c) { return vf_mla(a, b, c); }
static __attribute__((noinline)) vf tile_clamp(vf x, vf lo, vf hi)
{
    return vf_min(hi, vf_max(lo, x));
}
#else
IG_INLINE vf tile_mla(vf a, vf b, vf c) { return vf_mla(a, b, c); }
IG_INLINE vf tile_clamp(vf x, vf lo, vf hi) { return vf_min(hi, vf_max(lo, x)); }
#endif

/* Columns of a vector that lie inside n. */
IG_INLINE vf load_cols(const float *p, int rest)
{
    return rest >= IG_VF ? vf_load(p) : vf_load_n(p, rest);
}
IG_INLINE void store_cols(float *p, vf x, int rest)
{
    if (rest >= IG_VF)
        vf_store(p, x);
    else
        vf_store_n(p, x, rest);
}

/* The end in full generality: sums[m][pitch] -> y, for m rows and n columns. */
static __attribute__((noinline, unused)) void
igemm_finish(const ig_igemm_tile *t, const float *sums, int64_t pitch, int m, int64_t n)
{
    const ig_igemm_end *end = t->end;
    const vf alpha = vf_set1(end->alpha), beta = vf_set1(end->beta);
    for (int i = 0; i < m; i++) {
        const float *c = t->c ? t->c[i] + t->col * end->c_step : NULL;
        const float *residual = t->residual ? t->residual[i] + t->col : NULL;
        float *y = t->y[i] + t->col;
        for (int64_t j = 0; j < n; j += IG_VF) {
            const int rest = n - j < IG_VF ? (int)(n - j) : IG_VF;
            vf x = load_cols(sums + i * pitch + j, rest) * alpha;
            if (t->bias) x = x + beta * load_cols(t->bias + t->col + j, rest);
            if (c) x = x + beta * (end->c_step ? load_cols(c + j, rest) : vf_set1(*c));
            if (residual) x = x + load_cols(residual + j, rest);
            store_cols(y + j, vf_act(&end->epilogue, x), rest);
        }
    }
}

/*
 * The accumulators are named, not an array: with constant MR, NP and NV what is not used vanishes
 * and the rest stays in registers, in gcc and clang alike (arrays were spilled by both). The grid
 * is "virtual rows" r by vectors v; row r is row r / NP of A times panel r % NP of B.
 */
#define IG_TILE_VECS(M, r) M(r, 0) M(r, 1) M(r, 2) M(r, 3)
#define IG_TILE_ROWS(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11)
#define IG_TILE_ON(r, v) ((r) < MR * NP && (v) < NV)
#define IG_TILE_AT(r, v, pitch) ((r) / NP * (pitch) + (r) % NP * nr + (v)*IG_VF)

#define IG_TILE_DECLARE_VEC(r, v) vf acc##r##_##v = vf_zero();
#define IG_TILE_DECLARE(r)                                                                         \
    const float *a##r = NULL, *b##r = t->b + (r) % NP * t->panel_stride;                           \
    IG_TILE_VECS(IG_TILE_DECLARE_VEC, r)                                                           \
    (void)a##r, (void)b##r;
#define IG_TILE_RESUME_VEC(r, v)                                                                   \
    if (IG_TILE_ON(r, v)) acc##r##_##v = vf_load(t->acc_in + IG_TILE_AT(r, v, t->acc_pitch));
#define IG_TILE_RESUME(r) IG_TILE_VECS(IG_TILE_RESUME_VEC, r)
#define IG_TILE_POINT(r)                                                                           \
    if (IG_TILE_ON(r, 0)) a##r = a[(r) / NP] + t->a_offset + k;
#define IG_TILE_LOAD(v)                                                                            \
    if (NP == 1 && (v) < NV) b_##v = vf_load(b0 + (v)*IG_VF);
#define IG_TILE_PANEL(r) ((r) % NP == 0 ? b0 : (r) % NP == 1 ? b1 : (r) % NP == 2 ? b2 : b3)
#define IG_TILE_FMA_VEC(r, v)                                                                      \
    if (IG_TILE_ON(r, v))                                                                          \
        acc##r##_##v =                                                                             \
            tile_mla(av, NP == 1 ? b_##v : vf_load(IG_TILE_PANEL(r) + (v)*IG_VF), acc##r##_##v);
#define IG_TILE_FMA(r)                                                                             \
    if (IG_TILE_ON(r, 0)) {                                                                        \
        const vf av = vf_set1(a##r[kk]);                                                           \
        IG_TILE_VECS(IG_TILE_FMA_VEC, r)                                                           \
    }
#define IG_TILE_ADVANCE(r)                                                                         \
    if ((r) < NP) b##r += nr;
#define IG_TILE_STORE_VEC(r, v)                                                                    \
    if (IG_TILE_ON(r, v)) vf_store(out + IG_TILE_AT(r, v, pitch), acc##r##_##v);
#define IG_TILE_STORE(r) IG_TILE_VECS(IG_TILE_STORE_VEC, r)
#define IG_TILE_END_VEC(r, v)                                                                      \
    if (IG_TILE_ON(r, v)) {                                                                        \
        const int64_t j = IG_TILE_AT(r, v, 0);                                                     \
        vf x = acc##r##_##v + (bias ? vf_load(bias + j) : vf_set1(-0.0f));                         \
        if (residual) x = x + vf_load(residual + j);                                               \
        vf_store(y + j, tile_clamp(x, lo, hi));                                                    \
    }
#define IG_TILE_END(r)                                                                             \
    if (IG_TILE_ON(r, 0)) {                                                                        \
        const float *residual = t->residual ? t->residual[(r) / NP] + t->col : NULL;               \
        float *y = t->y[(r) / NP] + t->col;                                                        \
        IG_TILE_VECS(IG_TILE_END_VEC, r)                                                           \
    }

/* MR rows by NP panels of NV vectors; nr is the width of a panel. */
IG_INLINE void igemm_tile(const ig_igemm_tile *t, const int MR, const int NP, const int NV,
                          const int64_t nr)
{
    IG_TILE_ROWS(IG_TILE_DECLARE)
    if (t->acc_in) {
        IG_TILE_ROWS(IG_TILE_RESUME)
    }
    const int64_t k = t->k;
    const float *const *a = t->a;
    for (int64_t tap = 0; tap < t->n_taps; tap++, a += t->a_tap_stride) {
        IG_TILE_ROWS(IG_TILE_POINT)
        for (int64_t kk = -k; kk < 0; kk++) {
            vf b_0 = vf_zero(), b_1 = b_0, b_2 = b_0, b_3 = b_0;
            IG_TILE_LOAD(0)
            IG_TILE_LOAD(1)
            IG_TILE_LOAD(2) IG_TILE_LOAD(3) IG_TILE_ROWS(IG_TILE_FMA) IG_TILE_ROWS(IG_TILE_ADVANCE)
        }
    }
    if (t->acc_out || !t->end->is_simple || t->n != NP * NV * IG_VF) {
        float sums[IG_IGEMM_MAX_ROWS * 4 * IG_VF];
        float *out = t->acc_out ? t->acc_out : sums;
        const int64_t pitch = t->acc_out ? t->acc_pitch : NP * nr;
        IG_TILE_ROWS(IG_TILE_STORE)
        if (!t->acc_out) igemm_finish(t, sums, pitch, MR, t->n);
        return;
    }
    const vf lo = vf_set1(t->end->lo), hi = vf_set1(t->end->hi);
    const float *bias = t->bias ? t->bias + t->col : NULL;
    IG_TILE_ROWS(IG_TILE_END)
}

/* The tile of a row of kernels.inc by the rows and vectors that are left. */
#define IG_IGEMM_CASE(m_, np_, nv_)                                                                \
    case (m_)*64 + (np_)*8 + (nv_):                                                                \
        tile_##m_##x##np_##x##nv_(t, nr);                                                          \
        break;
#define IG_IGEMM_INSTANCE(m_, np_, nv_)                                                            \
    static __attribute__((noinline)) void tile_##m_##x##np_##x##nv_(const ig_igemm_tile *t,        \
                                                                    int64_t nr)                    \
    {                                                                                              \
        igemm_tile(t, m_, np_, nv_, nr);                                                           \
    }

/* x for every number of rows up to the name's, then two whole panels at two rows, four at one: the
 * shapes that a tile of `nv` vectors a panel needs. */
#define IG_IGEMM_ROWS_4(x, np, nv) x(1, np, nv) x(2, np, nv) x(3, np, nv) x(4, np, nv)
#define IG_IGEMM_ROWS_6(x, np, nv) IG_IGEMM_ROWS_4(x, np, nv) x(5, np, nv) x(6, np, nv)
#define IG_IGEMM_ROWS_8(x, np, nv) IG_IGEMM_ROWS_6(x, np, nv) x(7, np, nv) x(8, np, nv)
#define IG_IGEMM_ROWS_12(x, np, nv)                                                                \
    IG_IGEMM_ROWS_8(x, np, nv) x(9, np, nv) x(10, np, nv) x(11, np, nv) x(12, np, nv)
#define IG_IGEMM_PANELS(x, nv) x(2, 2, nv) x(1, 4, nv)

/* Call tile_<m>x<np>x<nv> for a tile, where n_panels > 1 always means whole panels of `nv`. */
#define IG_IGEMM_DISPATCH(name, nr_, cases)                                                        \
    void IG_KERNEL(name)(const ig_igemm_tile *t);                                                  \
    void IG_KERNEL(name)(const ig_igemm_tile *t)                                                   \
    {                                                                                              \
        const int64_t nr = nr_;                                                                    \
        const int np = t->n_panels;                                                                \
        const int nv = np > 1 ? nr_ / IG_VF : (t->n + IG_VF - 1) / IG_VF;                          \
        switch (t->m * 64 + np * 8 + nv) {                                                         \
            cases                                                                                  \
        }                                                                                          \
    }

/* sums += A * B for B stored by rows of K: eight rows at a time over the columns, so that B is
 * read once and in order. */
IG_INLINE void rows_times_n(const ig_gemm_rows *r, const int n_k, int64_t k0, int i)
{
    vf av[8];
    const float *b[8];
    IG_UNROLL(8)
    for (int q = 0; q < n_k; q++) {
        av[q] = vf_set1(r->a[i][k0 + q]);
        b[q] = r->b + (k0 + q) * r->ldb;
    }
    float *sums = r->sums + i * r->sums_pitch;
    for (int64_t j = 0; j < r->n; j += IG_VF) {
        const int rest = r->n - j < IG_VF ? (int)(r->n - j) : IG_VF;
        vf x = k0 ? vf_load(sums + j) : vf_zero();
        IG_UNROLL(8)
        for (int q = 0; q < n_k; q++) x = vf_mla(av[q], load_cols(b[q] + j, rest), x);
        vf_store(sums + j, x);
    }
}

/* sums = A * B^T: dot products, four columns at a time, one chain of sums per lane. */
IG_INLINE void rows_times_t(const ig_gemm_rows *r, const int n_j, int64_t j, int i)
{
    vf acc[4];
    IG_UNROLL(4)
    for (int q = 0; q < n_j; q++) acc[q] = vf_zero();
    for (int64_t k = 0; k < r->k; k += IG_VF) {
        const int rest = r->k - k < IG_VF ? (int)(r->k - k) : IG_VF;
        const vf av = load_cols(r->a[i] + k, rest);
        IG_UNROLL(4)
        for (int q = 0; q < n_j; q++)
            acc[q] = vf_mla(av, load_cols(r->b + (j + q) * r->ldb + k, rest), acc[q]);
    }
    IG_UNROLL(4)
    for (int q = 0; q < n_j; q++) r->sums[i * r->sums_pitch + j + q] = vf_hsum(acc[q]);
}

void IG_KERNEL(ig_k_gemm_f32_rows_n)(const ig_gemm_rows *r);
void IG_KERNEL(ig_k_gemm_f32_rows_n)(const ig_gemm_rows *r)
{
    int64_t k = 0;
    for (int i = 0; r->k == 0 && i < r->m; i++)
        memset(r->sums + i * r->sums_pitch, 0, (size_t)r->n * sizeof(float));
    for (; k + 8 <= r->k; k += 8)
        for (int i = 0; i < r->m; i++) rows_times_n(r, 8, k, i);
    for (; k < r->k; k++)
        for (int i = 0; i < r->m; i++) rows_times_n(r, 1, k, i);
    igemm_finish(&r->end, r->sums, r->sums_pitch, r->m, r->n);
}

void IG_KERNEL(ig_k_gemm_f32_rows_t)(const ig_gemm_rows *r);
void IG_KERNEL(ig_k_gemm_f32_rows_t)(const ig_gemm_rows *r)
{
    int64_t j = 0;
    for (; j + 4 <= r->n; j += 4)
        for (int i = 0; i < r->m; i++) rows_times_t(r, 4, j, i);
    for (; j < r->n; j++)
        for (int i = 0; i < r->m; i++) rows_times_t(r, 1, j, i);
    igemm_finish(&r->end, r->sums, r->sums_pitch, r->m, r->n);
}

#endif
