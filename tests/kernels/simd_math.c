/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sweeps the vector functions of simd_math.h over the whole float range (every exponent, both
 * signs, special values, dense stretches where it is hard) and compares with the C library's double
 * precision. One executable an instruction set; prints the largest error in ULP.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "base/simd_math.h"

typedef vf (*vf_fn)(vf);

#define CASE_FN(name, expr)                                                                        \
    static vf v_##name(vf x) { return expr; }
CASE_FN(exp, vf_exp(x))
CASE_FN(expm1, vf_expm1(x))
CASE_FN(exp2, vf_exp2(x))
CASE_FN(log, vf_log(x))
CASE_FN(log1p, vf_log1p(x))
CASE_FN(softplus, vf_softplus(x))
CASE_FN(sigmoid, vf_sigmoid(x))
CASE_FN(tanh, vf_tanh(x))
CASE_FN(erf, vf_erf(x))
CASE_FN(sin, vf_sin(x))
CASE_FN(cos, vf_cos(x))

static double d_softplus(double x) { return fmax(x, 0) + log1p(exp(-fabs(x))); }
static double d_sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }

static const struct {
    const char *name;
    vf_fn fn;
    double (*ref)(double);
    double max_ulp;
} cases[] = {
    { "exp", v_exp, exp, 2 },       { "expm1", v_expm1, expm1, 4 },
    { "exp2", v_exp2, exp2, 1 },    { "log", v_log, log, 2 },
    { "log1p", v_log1p, log1p, 4 }, { "softplus", v_softplus, d_softplus, 4 },
    { "tanh", v_tanh, tanh, 2 },    { "sigmoid", v_sigmoid, d_sigmoid, 3 },
    { "erf", v_erf, erf, 2 },       { "sin", v_sin, sin, 2 },
    { "cos", v_cos, cos, 2 },
};

static uint32_t rng_state = 1;
static uint32_t rng(void)
{
    rng_state ^= rng_state << 13, rng_state ^= rng_state >> 17, rng_state ^= rng_state << 5;
    return rng_state;
}

/* Distance in units of the last place of the exact value's float; -1: wrong special value. */
static double ulp_error(float got, double want)
{
    const float w = (float)want;
    if (isnan(want)) return isnan(got) ? 0 : -1;
    if (isnan(got)) return -1;
    if (isinf(w) || isinf(got)) {
        if (got == w) return 0;
        /* FLT_MAX and infinity are neighbours */
        return isinf(w) ? (fabsf(got) > 3.4028e38f && (got > 0) == (w > 0) ? 1 : -1)
                        : (fabsf(w) > 3.4028e38f && (got > 0) == (w > 0) ? 1 : -1);
    }
    if (want == 0 && !signbit(got) != !signbit(want)) return -1;
    int exponent;
    frexp(want, &exponent);
    const double ulp = ldexp(1, exponent - 24 < -149 ? -149 : exponent - 24);
    return fabs((double)got - want) / ulp;
}

static float input(int64_t i)
{
    static const float special[] = { 0.0f,
                                     -0.0f,
                                     INFINITY,
                                     -INFINITY,
                                     NAN,
                                     1,
                                     -1,
                                     1e-45f,
                                     -1e-45f,
                                     1.17549435e-38f,
                                     3.40282347e38f,
                                     -3.40282347e38f,
                                     88.72f,
                                     88.73f,
                                     -87.3f,
                                     -103.9f,
                                     -104.1f,
                                     0.5f,
                                     4.0f,
                                     1e5f,
                                     9.99e5f,
                                     1.001e6f };
    if (i < (int64_t)IG_COUNT(special)) return special[i];
    if (i & 1) { /* any exponent */
        const uint32_t bits = rng();
        float x;
        memcpy(&x, &bits, 4);
        return x == x ? x : NAN; /* no signaling NaN: C's pow is not of one mind about them */
    }
    const float unit = (float)rng() / 2147483648.0f - 1;
    switch ((i >> 1) & 3) {
    case 0: return unit * 105;
    case 1: return unit * 5;
    case 2: return 1 + unit;
    default: return unit * 1e5f;
    }
}

static int sweep(int i_case, int64_t n)
{
    double worst = 0;
    float worst_x = 0;
    int n_failed = 0;
    for (int64_t i = 0; i < n; i += IG_VF) {
        float x[IG_VF], y[IG_VF];
        for (int k = 0; k < IG_VF; k++) x[k] = input(i + k);
        vf_store(y, cases[i_case].fn(vf_load(x)));
        for (int k = 0; k < IG_VF; k++) {
            const double e = ulp_error(y[k], cases[i_case].ref(x[k]));
            if (e < 0 || e > cases[i_case].max_ulp) {
                if (n_failed++ < 3)
                    printf("FAIL %s(%.9g) = %.9g, want %.9g\n", cases[i_case].name, x[k], y[k],
                           cases[i_case].ref(x[k]));
            }
            if (e > worst) worst = e, worst_x = x[k];
        }
    }
    printf("%-8s max %.2f ulp at %.9g\n", cases[i_case].name, worst, worst_x);
    return n_failed;
}

static int sweep_pow(int64_t n)
{
    static const float special[] = { 0.0f, -0.0f,  1,       -1,    2,           -2,
                                     3,    -3,     0.5f,    -0.5f, INFINITY,    -INFINITY,
                                     NAN,  1e-40f, -1e-40f, 1e38f, 16777216.0f, 16777215.0f };
    const int64_t n_special = IG_COUNT(special);
    double worst = 0;
    float worst_x = 0, worst_y = 0;
    int n_failed = 0;
    for (int64_t i = 0; i < n; i += IG_VF) {
        float x[IG_VF], y[IG_VF], z[IG_VF];
        for (int k = 0; k < IG_VF; k++) {
            const int64_t j = i + k;
            x[k] = j < n_special * n_special ? special[j / n_special] : fabsf(input(j));
            y[k] = j < n_special * n_special ? special[j % n_special] : input(j * 5 + 30);
            if (j > n / 2) y[k] = rintf(y[k] / 8), x[k] = j & 1 ? -x[k] : x[k];
        }
        vf_store(z, vf_pow(vf_load(x), vf_load(y)));
        for (int k = 0; k < IG_VF; k++) {
            const double e = ulp_error(z[k], pow(x[k], y[k]));
            if ((e < 0 || e > 1) && n_failed++ < 5)
                printf("FAIL pow(%.9g, %.9g) = %.9g, want %.9g\n", x[k], y[k], z[k],
                       pow(x[k], y[k]));
            if (e > worst) worst = e, worst_x = x[k], worst_y = y[k];
        }
    }
    printf("pow      max %.2f ulp at %.9g, %.9g\n", worst, worst_x, worst_y);
    return n_failed;
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 1 << 20;
#if defined(IG_SIMD_X86)
    if (!ig_cpu_get()->has_isa[IG_VF == 16 ? IG_ISA_AVX512 : IG_ISA_AVX2]) {
        printf("this CPU lacks the instruction set\n");
        return 77; /* meson: skipped */
    }
#endif
    int n_failed = 0;
    for (int i = 0; i < (int)IG_COUNT(cases); i++) n_failed += sweep(i, n);
    n_failed += sweep_pow(n);
    printf("%d failed\n", n_failed);
    return n_failed != 0;
}
