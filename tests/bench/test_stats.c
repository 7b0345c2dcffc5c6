/* SPDX-License-Identifier: Apache-2.0 */
/* test_stats.c: ranks against exact sums, and how often intervals hold the truth. */
#include "bench/stats.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { N_TRIALS = 3000, N_BOOTSTRAPS = 400, MAX_N = 4000 };
#define LEAST_COVERAGE 0.93

static double values[MAX_N], scratch[MAX_N + IG_BENCH_N_RESAMPLES];

/* Skewed, with a heavy tail, as times are: exp of a sum of uniform numbers. */
static double time_like(uint64_t *state)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += ig_random_unit(state);
    return exp(0.3 * (sum - 6));
}

/* P(B <= k) of a binomial, summed term by term. */
static double binomial_cdf(size_t n, double p, size_t k)
{
    long double term = powl(1 - (long double)p, (long double)n), sum = term;
    for (size_t i = 0; i < k; i++) {
        term *= (long double)(n - i) / (long double)(i + 1) * p / (1 - (long double)p);
        sum += term;
    }
    return (double)sum;
}

static void test_ranks(void)
{
    static const double shares[] = { 0.5, 0.9, 0.95, 0.99 };
    static const size_t counts[] = { 6, 40, 100, 367, 368, 1000 };
    size_t low, high;
    for (size_t s = 0; s < IG_COUNT(shares); s++)
        for (size_t c = 0; c < IG_COUNT(counts); c++) {
            const size_t n = counts[c];
            const bool is_known = ig_quantile_ranks(n, shares[s], 0.95, &low, &high);
            CHECK(is_known == (n >= ig_quantile_min_samples(shares[s], 0.95)));
            if (!is_known) continue;
            CHECK(low >= 1 && low < high && high <= n);
            CHECK(binomial_cdf(n, shares[s], low - 1) <= 0.025 + 1e-9);
            CHECK(binomial_cdf(n, shares[s], low) > 0.025 - 1e-9); /* no wider than needed */
            CHECK(1 - binomial_cdf(n, shares[s], high - 1) <= 0.025 + 1e-9);
            CHECK(1 - binomial_cdf(n, shares[s], high - 2) > 0.025 - 1e-9);
        }
    CHECK(ig_quantile_min_samples(0.5, 0.95) == 6);
    CHECK(ig_quantile_min_samples(0.9, 0.95) == 36);
    CHECK(ig_quantile_min_samples(0.99, 0.95) == 368);
    CHECK(ig_quantile_min_samples(0.999, 0.95) == 3688);
    CHECK(!ig_quantile_ranks(0, 0.5, 0.95, &low, &high));
    /* Millions: the interval of a median narrows with the root of n. */
    CHECK(ig_quantile_ranks(4000000, 0.5, 0.95, &low, &high));
    CHECK(fabs((double)(high - low) - 2 * 1.96 * sqrt(1e6)) < 10);
}

static void test_nearest_rank(void)
{
    ig_samples s = { .v = values, .n = 100 };
    for (int i = 0; i < 100; i++) values[i] = i + 1;
    CHECK(ig_quantile_of(&s, 0.5, 0.95).value == 50);
    CHECK(ig_quantile_of(&s, 0.9, 0.95).value == 90);
    CHECK(!ig_quantile_of(&s, 0.99, 0.95).is_known);
    CHECK(isnan(ig_quantile_of(&s, 0.99, 0.95).value));
    s.n = 5;
    CHECK(!ig_quantile_of(&s, 0.5, 0.95).is_known);
    CHECK(ig_median(values, 4) == 2.5 && ig_median(values, 5) == 3 && isnan(ig_median(values, 0)));
}

/* How often the interval of n samples holds the true quantile. */
static double coverage_of_quantile(double share, size_t n)
{
    static double truth_of[MAX_N * 25];
    uint64_t state = 7;
    int n_held = 0;
    for (size_t i = 0; i < IG_COUNT(truth_of); i++) truth_of[i] = time_like(&state);
    ig_samples all = { .v = truth_of, .n = IG_COUNT(truth_of) };
    ig_samples_sort(&all);
    const double truth = ig_quantile_of(&all, share, 0.95).value;
    for (int t = 0; t < N_TRIALS; t++) {
        ig_samples s = { .v = values, .n = n };
        for (size_t i = 0; i < n; i++) values[i] = time_like(&state);
        ig_samples_sort(&s);
        const ig_quantile q = ig_quantile_of(&s, share, 0.95);
        n_held += q.low <= truth && truth <= q.high;
    }
    return (double)n_held / N_TRIALS;
}

static void test_coverage(void)
{
    static const struct {
        double share;
        size_t n;
    } cases[] = { { 0.5, 6 }, { 0.5, 51 }, { 0.9, 100 }, { 0.95, 200 }, { 0.99, 500 } };
    for (size_t i = 0; i < IG_COUNT(cases); i++) {
        const double held = coverage_of_quantile(cases[i].share, cases[i].n);
        if (!CHECK(held >= LEAST_COVERAGE))
            printf("  P%g of %zu: %.3f\n", 100 * cases[i].share, cases[i].n, held);
    }
}

static void test_bootstrap(void)
{
    enum { N = 20 };
    double a[N], b[N];
    uint64_t state = 11;
    int n_paired = 0, n_apart = 0;
    for (int t = 0; t < N_BOOTSTRAPS; t++) {
        /* A machine that changes its speed from block to block: pairs see the same. */
        for (int i = 0; i < N; i++) {
            const double speed = 1 + ig_random_unit(&state);
            a[i] = speed * time_like(&state);
            b[i] = 1.5 * speed * time_like(&state);
        }
        const ig_estimate p = ig_bootstrap_paired(a, b, N, 0.95, (uint64_t)t, scratch);
        n_paired += p.low <= 1.5 && 1.5 <= p.high;
        CHECK(p.low <= p.value && p.value <= p.high);
        for (int i = 0; i < N; i++) {
            a[i] = time_like(&state);
            b[i] = 1.5 * time_like(&state);
        }
        const ig_estimate r = ig_bootstrap_ratio(a, N, b, N, 0.95, (uint64_t)t, scratch);
        n_apart += r.low <= 1.5 && 1.5 <= r.high;
    }
    if (!CHECK(n_paired >= LEAST_COVERAGE * N_BOOTSTRAPS) ||
        !CHECK(n_apart >= LEAST_COVERAGE * N_BOOTSTRAPS))
        printf("  paired %d, apart %d of %d\n", n_paired, n_apart, N_BOOTSTRAPS);
    /* Equal pairs leave no doubt, and a seed gives the same answer twice. */
    const ig_estimate same = ig_bootstrap_paired(a, a, N, 0.95, 1, scratch);
    CHECK(same.low == 1 && same.value == 1 && same.high == 1);
    const ig_estimate one = ig_bootstrap_ratio(a, N, b, N, 0.95, 5, scratch);
    const ig_estimate two = ig_bootstrap_ratio(a, N, b, N, 0.95, 5, scratch);
    CHECK(one.low == two.low && one.high == two.high);
}

/* Each model has a ratio of its own; the mean holds the geometric mean of the truths. */
static void test_geomean(void)
{
    enum { N = 20, N_MODELS = 3 };
    static const double truths[N_MODELS] = { 0.5, 1, 4 };
    double a[N_MODELS][N], b[N_MODELS][N];
    ig_paired models[N_MODELS];
    uint64_t state = 12;
    int n_held = 0;
    const double truth = cbrt(0.5 * 1 * 4);
    for (int t = 0; t < N_BOOTSTRAPS; t++) {
        for (int m = 0; m < N_MODELS; m++) {
            for (int i = 0; i < N; i++) {
                a[m][i] = time_like(&state);
                b[m][i] = truths[m] * time_like(&state);
            }
            models[m] = (ig_paired){ a[m], b[m], N };
        }
        const ig_estimate e = ig_bootstrap_geomean(models, N_MODELS, 0.95, (uint64_t)t, scratch);
        n_held += e.low <= truth && truth <= e.high;
        CHECK(e.low <= e.value && e.value <= e.high);
    }
    if (!CHECK(n_held >= LEAST_COVERAGE * N_BOOTSTRAPS))
        printf("  geometric mean %d of %d\n", n_held, N_BOOTSTRAPS);
    /* Of one model it is that model's own. */
    const ig_estimate own = ig_bootstrap_paired(a[0], b[0], N, 0.95, 3, scratch);
    const ig_estimate mean = ig_bootstrap_geomean(models, 1, 0.95, 3, scratch);
    CHECK(fabs(mean.value / own.value - 1) < 1e-12 && fabs(mean.low / own.low - 1) < 1e-12);
}

int main(void)
{
    test_ranks();
    test_nearest_rank();
    test_coverage();
    test_bootstrap();
    test_geomean();
    return check_report();
}
