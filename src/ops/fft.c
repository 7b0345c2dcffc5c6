/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fft.c: see fft.h. Each pass of a factor p takes points that lie n / p apart, transforms those p,
 * turns them by their twiddles, and stores them in the order that the next pass wants: after the
 * last one everything lies in order.
 */
#include "ops/fft.h"

#include <math.h>

#define MAX_FACTORS 64
#define MAX_POINTS (INT64_C(1) << 30)
#define TURN 6.283185307179586476925

typedef struct point {
    double re, im;
} point;

typedef struct pass {
    int64_t p, n_before, n_after; /* the factor; the product of those before, and of those after */
    const point *twiddles;        /* [n_after][p]: e^(2 pi i j a n_before / n) */
    const double *roots;          /* of other primes: cos and sin of 2 pi k / p */
} pass;

struct ig_fft {
    int64_t n;
    int n_passes;
    pass passes[MAX_FACTORS];
};

/* ---- planning ---- */

static int factorize(int64_t n, int64_t *factors)
{
    int count = 0;
    for (; n % 4 == 0; n /= 4) factors[count++] = 4;
    if (n % 2 == 0) {
        /* The usual order, which decides how errors round: a 2 goes before the 4s. */
        n /= 2;
        factors[count++] = 2;
        const int64_t first = factors[0];
        factors[0] = 2;
        factors[count - 1] = first;
    }
    for (int64_t p = 3; p * p <= n; p += 2)
        for (; n % p == 0; n /= p) factors[count++] = p;
    if (n > 1) factors[count++] = n;
    return count;
}

/* e^(2 pi i k / n), k >= 0. */
static void root_of(int64_t k, int64_t n, double *re, double *im)
{
    const double angle = TURN * (double)(k % n) / (double)n;
    *re = cos(angle);
    *im = sin(angle);
}

static ig_status plan_pass(int64_t n, pass *s, ig_arena *arena, ig_error *err)
{
    const size_t n_twiddles = (size_t)(s->n_after * s->p), n_roots = (size_t)s->p * 2;
    point *twiddles = ig_arena_array(arena, n_twiddles, sizeof *twiddles);
    double *roots = ig_arena_array(arena, n_roots, sizeof *roots);
    if (!twiddles || !roots) return IG_NOMEM(err, n_twiddles * sizeof *twiddles);
    for (int64_t a = 0; a < s->n_after; a++)
        for (int64_t j = 0; j < s->p; j++) {
            double re, im;
            root_of(j * a * s->n_before, n, &re, &im);
            twiddles[a * s->p + j] = (point){ re, im };
        }
    for (int64_t k = 0; k < s->p; k++) root_of(k, s->p, &roots[2 * k], &roots[2 * k + 1]);
    s->twiddles = twiddles;
    s->roots = roots;
    return INGOT_OK;
}

ig_status ig_fft_create(int64_t n, ig_arena *arena, const ig_fft **out, ig_error *err)
{
    int64_t factors[MAX_FACTORS], n_before = 1;
    if (n < 1) return ig_fail(err, INGOT_ERR_SHAPE, "a transform of %lld points", (long long)n);
    if (n > MAX_POINTS)
        return ig_fail(err, INGOT_ERR_LIMIT, "a transform of %lld points is too long",
                       (long long)n);
    ig_fft *fft = ig_arena_get(arena, sizeof *fft);
    if (!fft) return IG_NOMEM(err, sizeof *fft);
    fft->n = n;
    fft->n_passes = factorize(n, factors);
    for (int k = 0; k < fft->n_passes; k++) {
        const int64_t p = factors[k];
        fft->passes[k] = (pass){ .p = p, .n_before = n_before, .n_after = n / (n_before * p) };
        IG_TRY(plan_pass(n, &fft->passes[k], arena, err));
        n_before *= p;
    }
    *out = fft;
    return INGOT_OK;
}

/* ---- the small transforms: x[j * step], j < p, in; y[j] out ---- */

static point add(point a, point b) { return (point){ a.re + b.re, a.im + b.im }; }
static point sub(point a, point b) { return (point){ a.re - b.re, a.im - b.im }; }
static point scaled(point a, double s) { return (point){ a.re * s, a.im * s }; }
static point times_i(point a) { return (point){ -a.im, a.re }; }
static point times(point a, point b)
{
    return (point){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static void small_2(const point *x, int64_t step, point *y)
{
    y[0] = add(x[0], x[step]);
    y[1] = sub(x[0], x[step]);
}

static void small_3(const point *x, int64_t step, point *y)
{
    const double cos_1 = -0.5, sin_1 = 0.86602540378443864676;
    const point sum = add(x[step], x[2 * step]), diff = sub(x[step], x[2 * step]);
    const point even = add(x[0], scaled(sum, cos_1)), odd = times_i(scaled(diff, sin_1));
    y[0] = add(x[0], sum);
    y[1] = add(even, odd);
    y[2] = sub(even, odd);
}

static void small_4(const point *x, int64_t step, point *y)
{
    const point sum_02 = add(x[0], x[2 * step]), diff_02 = sub(x[0], x[2 * step]);
    const point sum_13 = add(x[step], x[3 * step]), diff_13 = times_i(sub(x[step], x[3 * step]));
    y[0] = add(sum_02, sum_13);
    y[1] = add(diff_02, diff_13);
    y[2] = sub(sum_02, sum_13);
    y[3] = sub(diff_02, diff_13);
}

static void small_5(const point *x, int64_t step, point *y)
{
    const double cos_1 = 0.30901699437494742410, sin_1 = 0.95105651629515357212;
    const double cos_2 = -0.80901699437494742410, sin_2 = 0.58778525229247312917;
    const point sum_1 = add(x[step], x[4 * step]), diff_1 = sub(x[step], x[4 * step]);
    const point sum_2 = add(x[2 * step], x[3 * step]), diff_2 = sub(x[2 * step], x[3 * step]);
    const point even_1 = add(add(x[0], scaled(sum_1, cos_1)), scaled(sum_2, cos_2));
    const point even_2 = add(add(x[0], scaled(sum_1, cos_2)), scaled(sum_2, cos_1));
    const point odd_1 = times_i(add(scaled(diff_1, sin_1), scaled(diff_2, sin_2)));
    const point odd_2 = times_i(sub(scaled(diff_1, sin_2), scaled(diff_2, sin_1)));
    y[0] = add(add(x[0], sum_1), sum_2);
    y[1] = add(even_1, odd_1);
    y[4] = sub(even_1, odd_1);
    y[2] = add(even_2, odd_2);
    y[3] = sub(even_2, odd_2);
}

/* Term j of p points by the definition. */
static point small_term(const pass *s, const point *x, int64_t step, int64_t j)
{
    double re = 0, im = 0;
    int64_t at = 0;
    for (int64_t m = 0; m < s->p; m++) {
        const double c = s->roots[2 * at], d = s->roots[2 * at + 1];
        re += x[m * step].re * c - x[m * step].im * d;
        im += x[m * step].re * d + x[m * step].im * c;
        at += j;
        if (at >= s->p) at -= s->p;
    }
    return (point){ re, im };
}

/* ---- passes ---- */

/* For all a < n_after, b < n_before: the p terms of the points a + n_after (m + p b), m < p. The
 * twiddles of term 0 and of a = 0 are 1: left out, since infinity times their 0 would be NaN. */
#define PASS_(p_)                                                                                  \
    static void pass_##p_(const pass *s, const point *x, point *y)                                 \
    {                                                                                              \
        const int64_t step = s->n_after, stride = s->n_after * s->n_before;                        \
        for (int64_t b = 0; b < s->n_before; b++, x += (p_)*step, y += step)                       \
            for (int64_t a = 0; a < step; a++) {                                                   \
                const point *w = s->twiddles + a * (p_);                                           \
                point term[p_];                                                                    \
                small_##p_(x + a, step, term);                                                     \
                y[a] = term[0];                                                                    \
                for (int j = 1; j < (p_); j++)                                                     \
                    y[a + j * stride] = a ? times(term[j], w[j]) : term[j];                        \
            }                                                                                      \
    }
PASS_(2)
PASS_(3)
PASS_(4)
PASS_(5)
#undef PASS_

static void pass_other(const pass *s, const point *x, point *y)
{
    const int64_t step = s->n_after, stride = s->n_after * s->n_before;
    for (int64_t b = 0; b < s->n_before; b++, x += s->p * step, y += step)
        for (int64_t a = 0; a < step; a++)
            for (int64_t j = 0; j < s->p; j++) {
                const point term = small_term(s, x + a, step, j);
                y[a + j * stride] = a && j ? times(term, s->twiddles[a * s->p + j]) : term;
            }
}

double *ig_fft_run(const ig_fft *fft, double *x, double *other)
{
    point *from = (point *)(void *)x, *to = (point *)(void *)other;
    for (int k = 0; k < fft->n_passes; k++) {
        const pass *s = &fft->passes[k];
        switch (s->p) {
        case 2: pass_2(s, from, to); break;
        case 3: pass_3(s, from, to); break;
        case 4: pass_4(s, from, to); break;
        case 5: pass_5(s, from, to); break;
        default: pass_other(s, from, to); break;
        }
        point *swap = from;
        from = to;
        to = swap;
    }
    return (double *)(void *)from;
}
