/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simd.h: the vector vocabulary that kernels are written in.
 *
 * A source file that uses it is compiled once per instruction set. The build gives it
 * IG_TARGET_AVX2 or IG_TARGET_AVX512 (with the matching compiler flags); without either it is
 * portable code on vectors of four. With IG_TARGET_AVX512 and IG_SIMD_EMULATE the same 16-lane
 * source runs on any CPU, lane by lane: that is how AVX-512 kernels are tested on machines that
 * lack it.
 *
 *   vf  IG_VF floats        vi  IG_VF int32, and masks (a lane is all ones or all zeros)
 *
 * Arithmetic (+ - * / < <= == …, & | ^ ~ << >> on vi) is written with C operators, which gcc and
 * clang define on vector types; comparisons give a vi mask. Everything is static inline: no symbol
 * of an ISA can leak into another.
 */
#ifndef IG_BASE_SIMD_H
#define IG_BASE_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(IG_TARGET_AVX512)
#define IG_VF 16
#define IG_ISA_SUFFIX avx512
#elif defined(IG_TARGET_AVX2)
#define IG_VF 8
#define IG_ISA_SUFFIX avx2
#else
#define IG_VF 4
#define IG_ISA_SUFFIX portable
#endif

#if (defined(IG_TARGET_AVX2) || defined(IG_TARGET_AVX512)) && !defined(IG_SIMD_EMULATE)
#define IG_SIMD_X86 1
#include <immintrin.h>
#endif

#define IG_CONCAT3_(a, b, c) a##b##c
#define IG_CONCAT3(a, b, c) IG_CONCAT3_(a, b, c)
/* IG_KERNEL(ig_k_relu_f32) is ig_k_relu_f32__avx2 in the AVX2 compilation. Emulated code has its
 * own suffix. */
#ifdef IG_SIMD_EMULATE
#define IG_KERNEL(name) IG_CONCAT3(name, __, avx512emu)
#else
#define IG_KERNEL(name) IG_CONCAT3(name, __, IG_ISA_SUFFIX)
#endif

#define IG_INLINE static inline __attribute__((always_inline, unused))

typedef float vf __attribute__((vector_size(IG_VF * 4), aligned(4), may_alias));
typedef int32_t vi __attribute__((vector_size(IG_VF * 4), aligned(4), may_alias));
typedef uint32_t vu __attribute__((vector_size(IG_VF * 4), aligned(4), may_alias));

/* ---- load, store, set ---- */
/* By dereference of the unaligned type: gcc 12 moves a 32-byte memcpy through the stack. */
IG_INLINE vf vf_load(const float *p) { return *(const vf *)p; }
IG_INLINE void vf_store(float *p, vf v) { *(vf *)p = v; }
typedef int32_t vi_bytes __attribute__((vector_size(IG_VF * 4), aligned(1), may_alias));
IG_INLINE vi vi_load(const void *p) { return *(const vi_bytes *)p; }
IG_INLINE void vi_store(void *p, vi v) { *(vi_bytes *)p = v; }
IG_INLINE vf vf_set1(float x) { return x - (vf){ 0 }; } /* x - 0 keeps -0 and NaN */
IG_INLINE vi vi_set1(int32_t x) { return x + (vi){ 0 }; }
IG_INLINE vf vf_zero(void) { return (vf){ 0 }; }
IG_INLINE vi vi_iota(void)
{
    vi v;
    for (int i = 0; i < IG_VF; i++) v[i] = i;
    return v;
}

/* First n lanes (0 <= n <= IG_VF); the others are zero. Touches no byte beyond them. */
IG_INLINE vf vf_load_n(const float *p, int n)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    return (vf)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
#elif defined(IG_SIMD_X86)
    return (vf)_mm256_maskload_ps(p, (__m256i)(vi_iota() < vi_set1(n)));
#else
    vf v = { 0 };
    for (int i = 0; i < n; i++) v[i] = p[i];
    return v;
#endif
}
IG_INLINE void vf_store_n(float *p, vf v, int n)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), (__m512)v);
#elif defined(IG_SIMD_X86)
    _mm256_maskstore_ps(p, (__m256i)(vi_iota() < vi_set1(n)), (__m256)v);
#else
    for (int i = 0; i < n; i++) p[i] = v[i];
#endif
}

/* ---- bits ---- */
IG_INLINE vi vi_bits(vf x) { return (vi)x; }
IG_INLINE vf vf_bits(vi x) { return (vf)x; }
IG_INLINE vi vi_shr_logical(vi x, int n) { return (vi)((vu)x >> n); }

/* mask ? a : b, lane by lane. mask lanes must be all ones or all zeros. */
IG_INLINE vf vf_select(vi mask, vf a, vf b)
{
#if defined(IG_SIMD_X86) && IG_VF == 8
    return (vf)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#else
    return (vf)((mask & (vi)a) | (~mask & (vi)b));
#endif
}
IG_INLINE vi vi_select(vi mask, vi a, vi b) { return (vi)vf_select(mask, (vf)a, (vf)b); }
IG_INLINE vi vf_is_nan(vf x) { return x != x; }

/* ---- arithmetic that has no operator ---- */
/* a*b + c with one rounding */
IG_INLINE vf vf_fma(vf a, vf b, vf c)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(IG_SIMD_X86)
    return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    vf v;
    for (int i = 0; i < IG_VF; i++) v[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return v;
#endif
}
/* c - a*b with one rounding */
IG_INLINE vf vf_fnma(vf a, vf b, vf c) { return vf_fma(-a, b, c); }

/* Larger / smaller; where either is NaN, or both are zeros: b. So vf_max(vf_zero(), x) propagates
 * NaN. */
IG_INLINE vf vf_max(vf a, vf b)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(IG_SIMD_X86)
    return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return vf_select(a > b, a, b);
#endif
}
IG_INLINE vf vf_min(vf a, vf b)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    return (vf)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(IG_SIMD_X86)
    return (vf)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return vf_select(a < b, a, b);
#endif
}
/* Larger / smaller where a NaN in either wins (IEEE 754-2019 maximum, NumPy's maximum). */
IG_INLINE vf vf_max_nan(vf a, vf b) { return vf_select(vf_is_nan(a), a, vf_max(a, b)); }
IG_INLINE vf vf_min_nan(vf a, vf b) { return vf_select(vf_is_nan(a), a, vf_min(a, b)); }

IG_INLINE vi vi_max(vi a, vi b) { return vi_select(a > b, a, b); }
IG_INLINE vi vi_min(vi a, vi b) { return vi_select(a < b, a, b); }

IG_INLINE vf vf_abs(vf x) { return (vf)((vi)x & vi_set1(0x7fffffff)); }
/* x with the sign of s */
IG_INLINE vf vf_copysign(vf x, vf s)
{
    const vi sign = vi_set1((int32_t)0x80000000u);
    return (vf)(((vi)x & ~sign) | ((vi)s & sign));
}
IG_INLINE vf vf_sqrt(vf x)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    return (vf)_mm512_sqrt_ps((__m512)x);
#elif defined(IG_SIMD_X86)
    return (vf)_mm256_sqrt_ps((__m256)x);
#else
    vf v;
    for (int i = 0; i < IG_VF; i++) v[i] = sqrtf(x[i]);
    return v;
#endif
}

#if defined(IG_SIMD_X86) && IG_VF == 16
#define IG_VF_ROUND_(x, mode, fn)                                                                  \
    ((vf)_mm512_roundscale_ps((__m512)(x), (mode) | _MM_FROUND_NO_EXC))
#elif defined(IG_SIMD_X86)
#define IG_VF_ROUND_(x, mode, fn) ((vf)_mm256_round_ps((__m256)(x), (mode) | _MM_FROUND_NO_EXC))
#else
#define IG_VF_ROUND_(x, mode, fn)                                                                  \
    __extension__({                                                                                \
        vf v_ = (x);                                                                               \
        for (int i_ = 0; i_ < IG_VF; i_++) v_[i_] = fn(v_[i_]);                                    \
        v_;                                                                                        \
    })
#endif
IG_INLINE vf vf_round_even(vf x) { return IG_VF_ROUND_(x, 0, rintf); }
IG_INLINE vf vf_floor(vf x) { return IG_VF_ROUND_(x, 1, floorf); }
IG_INLINE vf vf_ceil(vf x) { return IG_VF_ROUND_(x, 2, ceilf); }
IG_INLINE vf vf_trunc(vf x) { return IG_VF_ROUND_(x, 3, truncf); }

/* ---- conversion ---- */
IG_INLINE vf vf_from_vi(vi x) { return __builtin_convertvector(x, vf); }
/* Round to nearest even. NaN and values outside int32 give INT32_MIN. */
IG_INLINE vi vi_from_vf(vf x)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    return (vi)_mm512_cvtps_epi32((__m512)x);
#elif defined(IG_SIMD_X86)
    return (vi)_mm256_cvtps_epi32((__m256)x);
#else
    vi v;
    for (int i = 0; i < IG_VF; i++)
        v[i] = x[i] >= -2147483648.0f && x[i] < 2147483648.0f ? (int32_t)rintf(x[i]) : INT32_MIN;
    return v;
#endif
}
/* IG_VF bytes widened. */
IG_INLINE vi vi_load_u8(const uint8_t *p)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    return (vi)_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)p));
#elif defined(IG_SIMD_X86)
    return (vi)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)p));
#else
    typedef uint8_t v8 __attribute__((vector_size(IG_VF)));
    v8 b;
    memcpy(&b, p, sizeof b);
    return __builtin_convertvector(b, vi);
#endif
}
IG_INLINE vi vi_load_s8(const int8_t *p)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    return (vi)_mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)p));
#elif defined(IG_SIMD_X86)
    return (vi)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)p));
#else
    typedef int8_t v8 __attribute__((vector_size(IG_VF)));
    v8 b;
    memcpy(&b, p, sizeof b);
    return __builtin_convertvector(b, vi);
#endif
}
/* Low byte of each lane. */
IG_INLINE void vi_store_8(void *p, vi x)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    _mm_storeu_si128(p, _mm512_cvtepi32_epi8((__m512i)x));
#elif defined(IG_SIMD_X86)
    const __m256i low = _mm256_set1_epi32(0x0c080400); /* byte 0 of every lane, in each half */
    const __m256i b = _mm256_shuffle_epi8((__m256i)x, low);
    _mm_storel_epi64(p,
                     _mm_unpacklo_epi32(_mm256_castsi256_si128(b), _mm256_extracti128_si256(b, 1)));
#else
    typedef uint8_t v8 __attribute__((vector_size(IG_VF)));
    v8 b = __builtin_convertvector(x, v8);
    memcpy(p, &b, sizeof b);
#endif
}

/* ---- across lanes, always in the same order: halves, quarters, … ---- */
IG_INLINE float vf_hsum(vf v)
{
    float a[IG_VF];
    memcpy(a, &v, sizeof v);
    for (int h = IG_VF / 2; h > 0; h /= 2)
        for (int i = 0; i < h; i++) a[i] += a[i + h];
    return a[0];
}
/* NaN wins. */
IG_INLINE float vf_hmax(vf v)
{
    float m = v[0];
    for (int i = 1; i < IG_VF; i++) m = v[i] > m || v[i] != v[i] ? v[i] : m;
    return m;
}
IG_INLINE float vf_hmin(vf v)
{
    float m = v[0];
    for (int i = 1; i < IG_VF; i++) m = v[i] < m || v[i] != v[i] ? v[i] : m;
    return m;
}

/* Pairs of int16 (low, high half of each lane): a.lo*b.lo + a.hi*b.hi, exact unless all four are
 * -32768. */
IG_INLINE vi vi_madd16(vi a, vi b)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    return (vi)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(IG_SIMD_X86)
    return (vi)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
    return ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
#endif
}

#endif
