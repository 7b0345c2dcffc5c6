/* SPDX-License-Identifier: Apache-2.0 */
/* convert.c: tile conversions, compiled once per instruction set. */
#include "kernels/eltwise/convert.h"

#include "base/simd.h"

typedef uint8_t v_u8 __attribute__((vector_size(IG_VF)));
typedef uint16_t v_u16 __attribute__((vector_size(IG_VF * 2)));
typedef int16_t v_s16 __attribute__((vector_size(IG_VF * 2)));
typedef int64_t v_i64 __attribute__((vector_size(IG_VF * 8)));

/* ---- IG_VF elements, from and to memory ---- */

IG_INLINE vi load16(const void *p)
{
    v_u16 h;
    memcpy(&h, p, sizeof h);
    return __builtin_convertvector(h, vi);
}
IG_INLINE void store16(void *p, vi x)
{
    const v_u16 h = __builtin_convertvector(x, v_u16);
    memcpy(p, &h, sizeof h);
}

IG_INLINE vf from_f32(const void *p) { return vf_load(p); }
IG_INLINE void to_f32(void *p, vf x) { vf_store(p, x); }

IG_INLINE vf from_f16(const void *p)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    return (vf)_mm512_cvtph_ps(_mm256_loadu_si256(p));
#elif defined(IG_SIMD_X86)
    return (vf)_mm256_cvtph_ps(_mm_loadu_si128(p));
#else
    const vi h = load16(p), magnitude = h & 0x7fff;
    /* exponent and fraction in place, 2^112 too small; exact for denormals too */
    const vi x = (vi)((vf)(magnitude << 13) * 0x1p112f);
    const vi special = (magnitude > 0x7bff) & 0x7f800000;
    const vi quiet = (magnitude > 0x7c00) & 0x00400000; /* as F16C: signalling NaN turn quiet */
    return (vf)(x | special | quiet | (vi)((vu)(h & 0x8000) << 16));
#endif
}
IG_INLINE void to_f16(void *p, vf v)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    _mm256_storeu_si256(p, _mm512_cvtps_ph((__m512)v, 0));
#elif defined(IG_SIMD_X86)
    _mm_storeu_si128(p, _mm256_cvtps_ph((__m256)v, 0));
#else
    const vi x = (vi)v, a = x & 0x7fffffff;
    /* rounding to nearest even by adding half a unit, less one where the last bit is even */
    const vi normal = (a - (112 << 23) + 0xfff + ((a >> 13) & 1)) >> 13;
    /* adding 1/2 leaves the denormal's bits, rounded, at the bottom */
    const vi denormal = (vi)((vf)a + 0.5f) - 0x3f000000;
    const vi nan = 0x7e00 | ((a >> 13) & 0x3ff);
    vi h = vi_select(a < 0x38800000, denormal, normal);
    h = vi_select(a >= 0x47800000, vi_set1(0x7c00), h);
    h = vi_select(a > 0x7f800000, nan, h);
    store16(p, h | (vi_shr_logical(x, 16) & 0x8000));
#endif
}

IG_INLINE vf from_bf16(const void *p) { return (vf)((vu)load16(p) << 16); }
IG_INLINE void to_bf16(void *p, vf v)
{
    const vi x = (vi)v;
    const vi rounded = vi_shr_logical((vi)((vu)x + 0x7fff + ((vu)(x >> 16) & 1)), 16);
    const vi nan = vi_shr_logical(x, 16) | 0x40;
    store16(p, vi_select(vf_is_nan(v), nan, rounded));
}

IG_INLINE vf from_bool(const void *p) { return vf_from_vi((vi_load_u8(p) != 0) & 1); }
IG_INLINE void to_bool(void *p, vf x) { vi_store_8(p, (x != vf_zero()) & 1); }

/* NaN stays NaN, which vi_from_vf turns into INT32_MIN: 0 in the low bytes. */
IG_INLINE vi round_clamp(vf x, float lo, float hi)
{
    return vi_from_vf(vf_max(vf_set1(lo), vf_min(vf_set1(hi), x)));
}
IG_INLINE vf from_u8(const void *p) { return vf_from_vi(vi_load_u8(p)); }
IG_INLINE void to_u8(void *p, vf x) { vi_store_8(p, round_clamp(x, 0, 255)); }
IG_INLINE vf from_s8(const void *p) { return vf_from_vi(vi_load_s8(p)); }
IG_INLINE void to_s8(void *p, vf x) { vi_store_8(p, round_clamp(x, -128, 127)); }
IG_INLINE vf from_u16(const void *p) { return vf_from_vi(load16(p)); }
IG_INLINE void to_u16(void *p, vf x) { store16(p, round_clamp(x, 0, 65535)); }
IG_INLINE vf from_s16(const void *p)
{
    v_s16 h;
    memcpy(&h, p, sizeof h);
    return vf_from_vi(__builtin_convertvector(h, vi));
}
IG_INLINE void to_s16(void *p, vf x) { store16(p, round_clamp(x, -32768, 32767)); }

IG_INLINE vf from_i32(const void *p) { return vf_from_vi(vi_load(p)); }
IG_INLINE void to_i32(void *p, vf x)
{
    vi_store(p, vi_select(x >= 2147483648.0f, vi_set1(INT32_MAX), vi_from_vf(x)));
}

IG_INLINE vf from_i64(const void *p)
{
    v_i64 x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, vf);
}
IG_INLINE void to_i64(void *p, vf x)
{
    v_i64 y;
    for (int i = 0; i < IG_VF; i++) {
        const float v = x[i];
        y[i] = v >= 9223372036854775808.0f    ? INT64_MAX
               : v >= -9223372036854775808.0f ? (int64_t)rintf(v)
                                              : INT64_MIN;
    }
    memcpy(p, &y, sizeof y);
}

/* ---- runs of any length: the rest goes through a block on the stack ---- */

#define CONVERT(name, type_bytes)                                                                  \
    static void load_##name(float *dst, const void *src, int64_t n)                                \
    {                                                                                              \
        const char *p = src;                                                                       \
        int64_t i = 0;                                                                             \
        for (; i + IG_VF <= n; i += IG_VF) vf_store(dst + i, from_##name(p + i * (type_bytes)));   \
        if (i < n) {                                                                               \
            char rest[IG_VF * (type_bytes)] = { 0 };                                               \
            memcpy(rest, p + i * (type_bytes), (size_t)(n - i) * (type_bytes));                    \
            vf_store_n(dst + i, from_##name(rest), (int)(n - i));                                  \
        }                                                                                          \
    }                                                                                              \
    static void store_##name(void *dst, const float *src, int64_t n)                               \
    {                                                                                              \
        char *p = dst;                                                                             \
        int64_t i = 0;                                                                             \
        for (; i + IG_VF <= n; i += IG_VF) to_##name(p + i * (type_bytes), vf_load(src + i));      \
        if (i < n) {                                                                               \
            char rest[IG_VF * (type_bytes)];                                                       \
            to_##name(rest, vf_load_n(src + i, (int)(n - i)));                                     \
            memcpy(p + i * (type_bytes), rest, (size_t)(n - i) * (type_bytes));                    \
        }                                                                                          \
    }
CONVERT(f32, 4)
CONVERT(f16, 2)
CONVERT(bf16, 2)
CONVERT(bool, 1)
CONVERT(u8, 1)
CONVERT(s8, 1)
CONVERT(u16, 2)
CONVERT(s16, 2)
CONVERT(i32, 4)
CONVERT(i64, 8)

static void splat(float *dst, float x, int64_t n)
{
    const vf v = vf_set1(x);
    int64_t i = 0;
    for (; i + IG_VF <= n; i += IG_VF) vf_store(dst + i, v);
    if (i < n) vf_store_n(dst + i, v, (int)(n - i));
}

/* Short rows: whole vectors may run over into the next row, which is written after; only the last
 * rows of the block must end exactly. */
static void rows(float *dst, const float *src, int64_t stride, int64_t inner_stride, int64_t n_rows,
                 int64_t n)
{
    int64_t r = 0;
    if (inner_stride == 0)
        for (; r * n + n + IG_VF <= n_rows * n; r++) {
            const vf v = vf_set1(src[r * stride]);
            for (int64_t i = 0; i < n; i += IG_VF) vf_store(dst + r * n + i, v);
        }
    for (; r < n_rows; r++) {
        if (inner_stride == 0)
            splat(dst + r * n, src[r * stride], n);
        else
            load_f32(dst + r * n, src + r * stride, n);
    }
}

extern const ig_tile_convert IG_KERNEL(ig_k_tile_convert);
const ig_tile_convert IG_KERNEL(ig_k_tile_convert) = {
    .load = { load_f32, load_f16, load_bf16, load_bool, load_u8, load_s8, load_u16, load_s16,
              load_i32, load_i64 },
    .store = { store_f32, store_f16, store_bf16, store_bool, store_u8, store_s8, store_u16,
               store_s16, store_i32, store_i64 },
    .splat = splat,
    .rows = rows,
};
