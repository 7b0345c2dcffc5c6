/* SPDX-License-Identifier: Apache-2.0 */
/* nbits_simd.c: weights of few bits to floats, compiled once per instruction set. */
#include "base/simd_math.h"
#include "kernels/nbits/nbits.h"
#include "kernels/unroll.h"

extern void IG_KERNEL(ig_k_nbits_dot_f32)(const ig_nbits_cols *c);
extern void IG_KERNEL(ig_k_nbits_widen_f32)(const ig_nbits_cols *c, float *dst);

#define MAX_ROWS IG_NBITS_FEW_ROWS
#define MAX_COLS 4

/* IG_VF numbers from a byte on. Blocks are multiples of 16, so all of them exist. */
IG_INLINE vf unpack(const uint8_t *p, int bits)
{
    if (bits == 8) return vf_from_vi(vi_load_u8(p));
#if defined(IG_SIMD_X86)
    const vi shifts = vi_iota() * bits, mask = vi_set1((1 << bits) - 1);
#if IG_VF == 16
    if (bits == 4) { /* 64 bits: lanes 8 to 15 take the upper half, whose shifts count anew */
        const vi halves = vi_iota() >> 3;
        int64_t word;
        memcpy(&word, p, sizeof word);
        const __m512i both = _mm512_permutexvar_epi32((__m512i)halves, _mm512_set1_epi64(word));
        return vf_from_vi((vi)_mm512_srlv_epi32(both, (__m512i)(shifts & vi_set1(31))) & mask);
    }
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return vf_from_vi((vi)_mm512_srlv_epi32((__m512i)vi_set1((int32_t)word), (__m512i)shifts) &
                      mask);
#else
    uint32_t word = 0;
    memcpy(&word, p, bits == 4 ? 4 : 2);
    return vf_from_vi((vi)_mm256_srlv_epi32((__m256i)vi_set1((int32_t)word), (__m256i)shifts) &
                      mask);
#endif
#else
    vf v;
    for (int i = 0; i < IG_VF; i++) v[i] = (float)ig_nbits_get(p, i, bits);
    return v;
#endif
}

IG_INLINE float zero_of(const ig_nbits_cols *c, int64_t col, int64_t block, int bits,
                        int64_t n_blocks)
{
    switch (c->shape->zero) {
    case IG_NBITS_ZERO_PACKED:
        return (float)ig_nbits_get((const uint8_t *)c->zeros + col * ((n_blocks * bits + 7) / 8),
                                   block, bits);
    case IG_NBITS_ZERO_FLOAT: return ((const float *)c->zeros)[col * n_blocks + block];
    default: return (float)(1 << (bits - 1));
    }
}

IG_INLINE vf load_a(const float *a, int64_t n_left)
{
    return n_left >= IG_VF ? vf_load(a) : vf_load_n(a, (int)n_left);
}

/* n_rows rows by n_cols columns from `col`. Each sum is one chain a lane: of a block, then of the
 * blocks times their scales. Beyond K the row reads as zeros. */
IG_INLINE void dot(const ig_nbits_cols *c, int64_t col, int bits, int n_rows, int n_cols)
{
    const ig_nbits_shape *s = c->shape;
    const int64_t n_blocks = (s->k + s->block - 1) / s->block;
    const int64_t block_bytes = s->block / 8 * bits, step = IG_VF * bits / 8;
    vf sum[MAX_ROWS][MAX_COLS];
    IG_UNROLL(4)
    for (int i = 0; i < n_rows * n_cols; i++) sum[i / n_cols][i % n_cols] = vf_zero();
    for (int64_t b = 0; b < n_blocks; b++) {
        const int64_t k0 = b * s->block, k1 = k0 + s->block < s->k ? k0 + s->block : s->k;
        vf part[MAX_ROWS][MAX_COLS], zero[MAX_COLS];
        const uint8_t *w[MAX_COLS];
        IG_UNROLL(4)
        for (int j = 0; j < n_cols; j++) {
            zero[j] = vf_set1(zero_of(c, col + j, b, bits, n_blocks));
            w[j] = c->w + ((col + j) * n_blocks + b) * block_bytes;
        }
        IG_UNROLL(4)
        for (int i = 0; i < n_rows * n_cols; i++) part[i / n_cols][i % n_cols] = vf_zero();
        for (int64_t k = k0, at = 0; k < k1; k += IG_VF, at += step) {
            vf a[MAX_ROWS];
            IG_UNROLL(4)
            for (int r = 0; r < n_rows; r++)
                a[r] = load_a(c->a + (r < s->m ? r : s->m - 1) * s->k + k, k1 - k);
            IG_UNROLL(4)
            for (int j = 0; j < n_cols; j++) {
                const vf q = unpack(w[j] + at, bits) - zero[j];
                IG_UNROLL(4)
                for (int r = 0; r < n_rows; r++) part[r][j] = vf_mla(a[r], q, part[r][j]);
            }
        }
        IG_UNROLL(4)
        for (int j = 0; j < n_cols; j++) {
            const vf scale = vf_set1(c->scales[(col + j) * n_blocks + b]);
            IG_UNROLL(4)
            for (int r = 0; r < n_rows; r++) sum[r][j] = vf_mla(part[r][j], scale, sum[r][j]);
        }
    }
    for (int r = 0; r < n_rows && r < s->m; r++)
        for (int j = 0; j < n_cols; j++)
            c->y[r * s->n + col + j] = vf_hsum(sum[r][j]) + (c->bias ? c->bias[col + j] : 0.0f);
}

IG_INLINE void dot_bits(const ig_nbits_cols *c, int bits)
{
    int64_t col = c->begin;
    if (c->shape->m == 1)
        for (; col + MAX_COLS <= c->end; col += MAX_COLS) dot(c, col, bits, 1, MAX_COLS);
    for (; col < c->end; col++) {
        if (c->shape->m == 1)
            dot(c, col, bits, 1, 1);
        else
            dot(c, col, bits, MAX_ROWS, 1);
    }
}

void IG_KERNEL(ig_k_nbits_dot_f32)(const ig_nbits_cols *c)
{
    if (c->shape->bits == 4)
        dot_bits(c, 4);
    else if (c->shape->bits == 8)
        dot_bits(c, 8);
    else
        dot_bits(c, 2);
}

IG_INLINE void widen_bits(const ig_nbits_cols *c, int bits, float *dst)
{
    const ig_nbits_shape *s = c->shape;
    const int64_t n_blocks = (s->k + s->block - 1) / s->block;
    const int64_t block_bytes = s->block / 8 * bits, step = IG_VF * bits / 8;
    for (int64_t col = c->begin; col < c->end; col++, dst += s->k) {
        for (int64_t b = 0; b < n_blocks; b++) {
            const int64_t k0 = b * s->block, k1 = k0 + s->block < s->k ? k0 + s->block : s->k;
            const vf zero = vf_set1(zero_of(c, col, b, bits, n_blocks));
            const vf scale = vf_set1(c->scales[col * n_blocks + b]);
            const uint8_t *w = c->w + (col * n_blocks + b) * block_bytes;
            for (int64_t k = k0; k < k1; k += IG_VF, w += step) {
                const vf v = (unpack(w, bits) - zero) * scale;
                if (k1 - k >= IG_VF)
                    vf_store(dst + k, v);
                else
                    vf_store_n(dst + k, v, (int)(k1 - k));
            }
        }
    }
}

void IG_KERNEL(ig_k_nbits_widen_f32)(const ig_nbits_cols *c, float *dst)
{
    if (c->shape->bits == 4)
        widen_bits(c, 4, dst);
    else if (c->shape->bits == 8)
        widen_bits(c, 8, dst);
    else
        widen_bits(c, 2, dst);
}
