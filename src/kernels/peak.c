/* SPDX-License-Identifier: Apache-2.0 */
/* peak.c: the loop is compiled once per instruction set, the clock once (IG_BASE). */
#ifdef IG_BASE

#include "kernels/peak.h"

#include "base/clock.h"

void ig_k_peak_f32__portable(int64_t n, float *sink);
#if defined(__x86_64__)
void ig_k_peak_f32__avx2(int64_t n, float *sink);
void ig_k_peak_f32__avx512(int64_t n, float *sink);
#endif

/* Multiply-adds of one turn of the loop. */
enum { N_CHAINS = 12, N_UNROLL = 4 };

double ig_kernels_peak_gflops(ig_isa isa, int ms)
{
    void (*fn)(int64_t, float *) = ig_k_peak_f32__portable;
    int n_lanes = 4;
#if defined(__x86_64__)
    if (isa == IG_ISA_AVX2) fn = ig_k_peak_f32__avx2, n_lanes = 8;
    if (isa == IG_ISA_AVX512) fn = ig_k_peak_f32__avx512, n_lanes = 16;
#endif
    const int64_t n = 10000; /* about 0.1 ms */
    const uint64_t start = ig_clock_ns(), limit = (uint64_t)(ms > 0 ? ms : 1) * 1000000u;
    double best = 0;
    float sink = 0;
    for (uint64_t now = start; now - start < limit;) {
        fn(n, &sink);
        const uint64_t end = ig_clock_ns();
        const double flops = 2.0 * N_CHAINS * N_UNROLL * n_lanes * (double)n;
        if (end > now && flops / (double)(end - now) > best) best = flops / (double)(end - now);
        now = end;
    }
    return best;
}

#else

#include "base/simd_math.h"

#if defined(IG_SIMD_X86)
#define HIDE(c) __asm__("" : "+v"(c))
#elif defined(__x86_64__) && IG_VF == 4
#define HIDE(c) __asm__("" : "+x"(c))
#else
#define HIDE(c)
#endif

void IG_KERNEL(ig_k_peak_f32)(int64_t n, float *sink);
void IG_KERNEL(ig_k_peak_f32)(int64_t n, float *sink)
{
    vf a = vf_set1(*sink), b = a + 1.0f;
    vf c0 = a, c1 = a, c2 = a, c3 = a, c4 = a, c5 = a, c6 = a, c7 = a, c8 = a, c9 = a, c10 = a,
       c11 = a;
    for (int64_t i = 0; i < n; i++) {
        for (int u = 0; u < 4; u++) {
            /* all chains would be the same sum: hide each from the compiler */
            HIDE(c0);
            HIDE(c1);
            HIDE(c2);
            HIDE(c3);
            HIDE(c4);
            HIDE(c5);
            HIDE(c6);
            HIDE(c7);
            HIDE(c8);
            HIDE(c9);
            HIDE(c10);
            HIDE(c11);
            c0 = vf_mla(a, b, c0), c1 = vf_mla(a, b, c1), c2 = vf_mla(a, b, c2);
            c3 = vf_mla(a, b, c3), c4 = vf_mla(a, b, c4), c5 = vf_mla(a, b, c5);
            c6 = vf_mla(a, b, c6), c7 = vf_mla(a, b, c7), c8 = vf_mla(a, b, c8);
            c9 = vf_mla(a, b, c9), c10 = vf_mla(a, b, c10), c11 = vf_mla(a, b, c11);
        }
    }
    *sink = vf_hsum(c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7 + c8 + c9 + c10 + c11);
}

#endif
