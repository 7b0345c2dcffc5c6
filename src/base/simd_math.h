/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simd_math.h: elementary functions on vectors of float.
 *
 * Every function is within 2 ULP of the exact value (4 where stated) over all finite floats,
 * denormal inputs and results included, and gives the C library's answer for NaN, infinities and
 * signed zeros. tests/kernels (family simd_math) measures this against double precision.
 *
 * Polynomials: exp, log, tanh, sin and cos use the coefficients of S. Moshier's Cephes library
 * (single precision), erf a Chebyshev fit of our own (erf(x)/x on [0, 1] in x^2; -log(erfc(x)) on
 * [1, 4]); exp2 and log2 in double are truncated series.
 */
#ifndef IG_BASE_SIMD_MATH_H
#define IG_BASE_SIMD_MATH_H

#include "base/simd.h"

/* Doubles, for the few places where float cannot carry the accuracy: two registers wide. */
typedef double vd __attribute__((vector_size(IG_VF * 8), aligned(8), may_alias));
typedef int64_t vl __attribute__((vector_size(IG_VF * 8), aligned(8), may_alias));
typedef uint64_t vul __attribute__((vector_size(IG_VF * 8), aligned(8), may_alias));

IG_INLINE vd vd_from_vf(vf x) { return __builtin_convertvector(x, vd); }
IG_INLINE vf vf_from_vd(vd x) { return __builtin_convertvector(x, vf); }

/* a*b + c: fused where that is one instruction (or pretends to be), two roundings elsewhere. */
IG_INLINE vf vf_mla(vf a, vf b, vf c)
{
#if defined(IG_TARGET_AVX2) || defined(IG_TARGET_AVX512)
    return vf_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/* f(x) lane by lane, for functions of the C library that have no vector form here. */
#define IG_VF_MAP1(x, f)                                                                           \
    __extension__({                                                                                \
        vf map_ = (x);                                                                             \
        for (int i_ = 0; i_ < IG_VF; i_++) map_[i_] = f(map_[i_]);                                 \
        map_;                                                                                      \
    })
#define IG_VF_MAP2(x, y, f)                                                                        \
    __extension__({                                                                                \
        vf map_ = (x);                                                                             \
        const vf map_y_ = (y);                                                                     \
        for (int i_ = 0; i_ < IG_VF; i_++) map_[i_] = f(map_[i_], map_y_[i_]);                     \
        map_;                                                                                      \
    })

/* Does any lane of a mask hold? */
IG_INLINE int vi_any(vi mask)
{
#if defined(IG_SIMD_X86) && IG_VF == 16
    return _mm512_movepi32_mask((__m512i)mask) != 0;
#elif defined(IG_SIMD_X86)
    return _mm256_movemask_ps((__m256)mask) != 0;
#else
    int32_t any = 0;
    for (int i = 0; i < IG_VF; i++) any |= mask[i];
    return any != 0;
#endif
}

/* 2^n for -126 <= n <= 127 */
IG_INLINE vf vf_pow2i(vi n) { return (vf)((vu)(n + 127) << 23); }

/* x 2^n for -252 <= n <= 254, rounded once. */
IG_INLINE vf vf_scale2(vf x, vi n)
{
    const vi half = n >> 1;
    return x * vf_pow2i(half) * vf_pow2i(n - half);
}

/* (exp(r) - 1 - r) / r^2 for |r| <= log(2)/2 */
IG_INLINE vf vf_exp_poly(vf r)
{
    vf p = vf_set1(1.9875691500e-4f);
    p = vf_mla(p, r, vf_set1(1.3981999507e-3f));
    p = vf_mla(p, r, vf_set1(8.3334519073e-3f));
    p = vf_mla(p, r, vf_set1(4.1665795894e-2f));
    p = vf_mla(p, r, vf_set1(1.6666665459e-1f));
    return vf_mla(p, r, vf_set1(5.0000001201e-1f));
}

/* e^x. Below -104 it is 0, above 88.73 infinity. */
IG_INLINE vf vf_exp(vf x)
{
    const vf magic = vf_set1(12582912.0f); /* 1.5 * 2^23: adding it rounds to an integer */
    x = vf_max(vf_set1(-104.0f), vf_min(vf_set1(89.0f), x)); /* NaN stays */
    const vf t = x * vf_set1(1.44269504088896341f) + magic;
    const vi n = (vi)t - (vi)magic;
    const vf fn = t - magic;
    /* log 2 in two parts; the product with the first is exact */
    vf r = vf_mla(fn, vf_set1(-0.693359375f), x);
    r = vf_mla(fn, vf_set1(2.12194440e-4f), r);
    const vf y = vf_mla(vf_exp_poly(r), r * r, r) + 1.0f;
    return vf_scale2(y, n);
}

/* e^x - 1; 4 ULP */
IG_INLINE vf vf_expm1(vf x)
{
    const vf small = vf_mla(vf_exp_poly(x), x * x, x);
    const vf y = vf_select(vf_abs(x) < 0.34f, small, vf_exp(x) - 1.0f);
    return vf_select(x == vf_zero(), x, y);
}

/* Natural logarithm. log(±0) = -inf, log(x < 0) = NaN. */
IG_INLINE vf vf_log(vf x)
{
    const vi tiny = x < 1.17549435e-38f; /* denormals (zero and negatives are replaced below) */
    const vf scaled = vf_select(tiny, x * 8388608.0f, x);
    /* x = m 2^e with sqrt(1/2) <= m < sqrt(2) */
    const vi off = (vi)((vu)scaled - 0x3f3504f3u); /* negatives wrap */
    const vi e = (off >> 23) - (tiny & 23);
    const vf f = (vf)((vu)scaled - ((vu)(off >> 23) << 23)) - 1.0f;
    const vf fe = vf_from_vi(e), z = f * f;
    vf p = vf_set1(7.0376836292e-2f);
    p = vf_mla(p, f, vf_set1(-1.1514610310e-1f));
    p = vf_mla(p, f, vf_set1(1.1676998740e-1f));
    p = vf_mla(p, f, vf_set1(-1.2420140846e-1f));
    p = vf_mla(p, f, vf_set1(1.4249322787e-1f));
    p = vf_mla(p, f, vf_set1(-1.6668057665e-1f));
    p = vf_mla(p, f, vf_set1(2.0000714765e-1f));
    p = vf_mla(p, f, vf_set1(-2.4999993993e-1f));
    p = vf_mla(p, f, vf_set1(3.3333331174e-1f));
    vf y = vf_mla(fe, vf_set1(-2.12194440e-4f), p * f * z);
    y = vf_mla(z, vf_set1(-0.5f), y);
    y = vf_mla(fe, vf_set1(0.693359375f), f + y);
    y = vf_select(x > 3.40282347e38f, x, y);
    y = vf_select(x < vf_zero(), vf_set1(NAN), y);
    y = vf_select(x == vf_zero(), vf_set1(-INFINITY), y);
    return vf_select(vf_is_nan(x), x, y);
}

/* log(1 + x) for x > -1, accurate near 0; 4 ULP. */
IG_INLINE vf vf_log1p(vf x)
{
    const vf u = x + 1.0f;
    /* what 1 + x lost to rounding, to first order */
    const vf lost = vf_select(vf_abs(x) < 1.0f, x - (u - 1.0f), vf_set1(1.0f) - (u - x));
    vf y = vf_log(u);
    y = vf_select((u > vf_zero()) & (u <= 3.40282347e38f), y + lost / u, y);
    return vf_select(x == vf_zero(), x, y);
}

/* log(1 + e^x) */
IG_INLINE vf vf_softplus(vf x) { return vf_max(vf_zero(), x) + vf_log1p(vf_exp(-vf_abs(x))); }

/* 1 / (1 + e^-x), down to denormal results; 3 ULP */
IG_INLINE vf vf_sigmoid(vf x)
{
    const vf e = vf_exp(-vf_abs(x));
    return vf_select(x < vf_zero(), e, vf_set1(1.0f)) / (e + 1.0f);
}

IG_INLINE vf vf_tanh(vf x)
{
    const vf a = vf_abs(x), z = x * x;
    vf p = vf_set1(-5.70498872745e-3f);
    p = vf_mla(p, z, vf_set1(2.06390887954e-2f));
    p = vf_mla(p, z, vf_set1(-5.37397155531e-2f));
    p = vf_mla(p, z, vf_set1(1.33314422036e-1f));
    p = vf_mla(p, z, vf_set1(-3.33332819422e-1f));
    const vf small = vf_mla(p * z, x, x);
    const vf large = 1.0f - vf_set1(2.0f) / (vf_exp(a + a) + 1.0f);
    return vf_copysign(vf_select(a < 0.625f, small, large), x);
}

/* Error function */
IG_INLINE vf vf_erf(vf x)
{
    const vf a = vf_abs(x), z = x * x;
    vf p = vf_set1(7.882497111e-5f);
    p = vf_mla(p, z, vf_set1(-8.018854992e-4f));
    p = vf_mla(p, z, vf_set1(5.189311943e-3f));
    p = vf_mla(p, z, vf_set1(-2.685432880e-2f));
    p = vf_mla(p, z, vf_set1(1.128359746e-1f));
    p = vf_mla(p, z, vf_set1(-3.761262690e-1f));
    /* 2/sqrt(pi) - 1 and x apart: keeps the last bit */
    p = vf_mla(p, z, vf_set1(1.283791671e-1f));
    const vf small = vf_mla(p, x, x);
    const vf t = vf_min(vf_set1(4.0f), a); /* NaN stays; erf(4) rounds to 1 */
    vf q = vf_set1(-1.614061602e-6f);
    q = vf_mla(q, t, vf_set1(4.559062242e-5f));
    q = vf_mla(q, t, vf_set1(-5.927695376e-4f));
    q = vf_mla(q, t, vf_set1(4.740222340e-3f));
    q = vf_mla(q, t, vf_set1(-2.636471736e-2f));
    q = vf_mla(q, t, vf_set1(1.099782451e-1f));
    q = vf_mla(q, t, vf_set1(6.319370937e-1f));
    q = vf_mla(q, t, vf_set1(1.130166676f));
    q = vf_mla(q, t, vf_set1(-3.032129692e-4f));
    const vf large = 1.0f - vf_exp(-q);
    return vf_select(a < 1.0f, small, vf_copysign(large, x));
}

/* sin(x + i_quarter pi/2). Range reduction in double (two parts of pi/2), good to |x| < 1e6;
 * larger arguments go to the C library, lane by lane. */
IG_INLINE vf vf_sin_quarter(vf x, int i_quarter)
{
    const double magic = 6755399441055744.0; /* 1.5 * 2^52 */
    const vd xd = vd_from_vf(x);
    const vd t = xd * 0.63661977236758134308 + magic;
    const vd n = t - magic;
    const vf r = vf_from_vd((xd - n * 1.57079632673412561417) - n * 6.07710050650619224932e-11);
    const vi q = __builtin_convertvector((vl)t, vi) + i_quarter;
    const vf z = r * r;
    vf s = vf_set1(-1.9515295891e-4f);
    s = vf_mla(s, z, vf_set1(8.3321608736e-3f));
    s = vf_mla(s, z, vf_set1(-1.6666654611e-1f));
    s = vf_mla(s * z, r, r);
    vf c = vf_set1(2.443315711809948e-5f);
    c = vf_mla(c, z, vf_set1(-1.388731625493765e-3f));
    c = vf_mla(c, z, vf_set1(4.166664568298827e-2f));
    c = vf_mla(c * z, z, vf_mla(z, vf_set1(-0.5f), vf_set1(1.0f)));
    vf y = vf_select((q & 1) != 0, c, s);
    y = (vf)((vi)y ^ (vi)((vu)(q & 2) << 30));
    const vi far = ~(vf_abs(x) < 1e6f); /* infinities and NaN too */
    if (__builtin_expect(vi_any(far), 0))
        for (int i = 0; i < IG_VF; i++)
            if (far[i]) y[i] = i_quarter ? cosf(x[i]) : sinf(x[i]);
    return y;
}
IG_INLINE vf vf_sin(vf x) { return vf_select(x == vf_zero(), x, vf_sin_quarter(x, 0)); }
IG_INLINE vf vf_cos(vf x) { return vf_sin_quarter(x, 1); }

/* log2 of positive normal doubles (every positive float is one), relative error 2^-43: the
 * series of atanh((m-1)/(m+1)). */
IG_INLINE vd vd_log2(vd x)
{
    const uint64_t one = 0x3ff0000000000000u, sqrt_half = 0x3fe6a09e667f3bcdu;
    const vul e = ((vul)x + (one - sqrt_half)) >> 52; /* biased exponent, m in [sqrt 1/2, sqrt 2) */
    const vd m = (vd)((vul)x - ((e - 1023) << 52));
    const vd fe = (vd)(e | 0x4330000000000000u) - (4503599627370496.0 + 1023.0);
    const vd s = (m - 1.0) / (m + 1.0), z = s * s;
    vd p = z * (1.0 / 15) + 1.0 / 13;
    p = p * z + 1.0 / 11;
    p = p * z + 1.0 / 9;
    p = p * z + 1.0 / 7;
    p = p * z + 1.0 / 5;
    p = p * z + 1.0 / 3;
    return fe + (s + s * z * p) * 2.88539008177792681472;
}

/* 2^x for |x| < 1000, relative error 2^-42: the series of e^(f log 2). */
IG_INLINE vd vd_exp2(vd x)
{
    const double magic = 6755399441055744.0;
    const vd t = x + magic;
    const vd f = (x - (t - magic)) * 0.69314718055994530942;
    vd p = f * (1.0 / 3628800) + 1.0 / 362880;
    p = p * f + 1.0 / 40320;
    p = p * f + 1.0 / 5040;
    p = p * f + 1.0 / 720;
    p = p * f + 1.0 / 120;
    p = p * f + 1.0 / 24;
    p = p * f + 1.0 / 6;
    p = p * f + 0.5;
    p = p * f + 1.0;
    p = p * f + 1.0;
    return p * (vd)(((vul)t << 52) + 0x3ff0000000000000u);
}

/* x^y as in C (pow(x, 0) = pow(1, y) = 1, negative x with integral y, …). Common lanes through
 * double, zeros, infinities, NaN and negative x with a fraction through the C library. */
IG_INLINE vf vf_pow(vf x, vf y)
{
    const vf a = vf_abs(x);
    const vi ok = (a > vf_zero()) & (a <= 3.40282347e38f) & (vf_abs(y) <= 3.40282347e38f) &
                  ((x > vf_zero()) | (vf_trunc(y) == y));
    vd t = vd_from_vf(y) * vd_log2(vd_from_vf(vf_select(ok, a, vf_set1(1.0f))));
    const vd limit = (vd){ 0 } + 300.0;
    t = (vd)(((t < limit) & (vl)t) | (~(t < limit) & (vl)limit));
    t = (vd)(((t > -limit) & (vl)t) | (~(t > -limit) & (vl)-limit));
    vf r = vf_from_vd(vd_exp2(t));
    /* odd y: only integers below 2^24 can be */
    const vi odd = (x < vf_zero()) & (vf_abs(y) < 16777216.0f) & ((vi_from_vf(y) & 1) != 0);
    r = (vf)((vi)r ^ (odd & (int32_t)0x80000000u));
    if (__builtin_expect(vi_any(~ok), 0))
        for (int i = 0; i < IG_VF; i++)
            if (!ok[i]) r[i] = powf(x[i], y[i]);
    return r;
}

IG_INLINE vf vf_exp2(vf x)
{
    x = vf_max(vf_set1(-200.0f), vf_min(vf_set1(200.0f), x));
    return vf_from_vd(vd_exp2(vd_from_vf(x)));
}

/* Gauss error linear unit, x (1 + erf(x / sqrt 2)) / 2 */
IG_INLINE vf vf_gelu(vf x) { return x * 0.5f * (vf_erf(x * 0.70710678118654752f) + 1.0f); }

#endif
