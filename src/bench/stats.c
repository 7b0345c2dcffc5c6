/* SPDX-License-Identifier: Apache-2.0 */
/* stats.c: samples, quantiles with intervals from order statistics, bootstrap of ratios. */
#include "bench/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples ---- */

ig_status ig_samples_add(ig_samples *s, double value, ig_error *err)
{
    if (s->n == s->cap) {
        const size_t cap = s->cap ? 2 * s->cap : 1024;
        double *v = ig_alloc_get(s->alloc, cap * sizeof *v, 0, INGOT_MEM_OTHER);
        if (!v) return IG_NOMEM(err, cap * sizeof *v);
        if (s->n) memcpy(v, s->v, s->n * sizeof *v);
        ig_alloc_put(s->alloc, s->v, s->cap * sizeof *v, INGOT_MEM_OTHER);
        s->v = v;
        s->cap = cap;
    }
    s->v[s->n++] = value;
    return INGOT_OK;
}

ig_status ig_samples_append(ig_samples *s, const ig_samples *other, ig_error *err)
{
    for (size_t i = 0; i < other->n; i++) IG_TRY(ig_samples_add(s, other->v[i], err));
    return INGOT_OK;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void sort(double *v, size_t n)
{
    if (n) qsort(v, n, sizeof *v, by_value);
}

void ig_samples_sort(ig_samples *s) { sort(s->v, s->n); }

void ig_samples_free(ig_samples *s)
{
    if (s->v) ig_alloc_put(s->alloc, s->v, s->cap * sizeof *s->v, INGOT_MEM_OTHER);
    *s = (ig_samples){ .alloc = s->alloc };
}

static double median_of_sorted(const double *v, size_t n)
{
    return n == 0 ? NAN : n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

double ig_median(double *v, size_t n)
{
    sort(v, n);
    return median_of_sorted(v, n);
}

/* ---- quantiles ---- */

static double log_binomial(double n, double k, double share)
{
    int sign;
    return lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign) +
           k * log(share) + (n - k) * log1p(-share);
}

/* The largest k with P(fewer than k of n samples lie below the quantile) <= tail; 0: none. Summed
 * from where the terms begin to count. */
static size_t low_rank(size_t n, double share, double tail)
{
    const double mean = (double)n * share, width = 14 * sqrt(mean * (1 - share)) + 30;
    size_t k = mean > width ? (size_t)(mean - width) : 0;
    double term = exp(log_binomial((double)n, (double)k, share)), sum = term;
    while (sum <= tail && k < n) {
        term *= (double)(n - k) / (double)(k + 1) * share / (1 - share);
        sum += term;
        k++;
    }
    return k; /* sum is P(B <= k) > tail, and P(B <= k - 1) was not */
}

bool ig_quantile_ranks(size_t n, double share, double confidence, size_t *low, size_t *high)
{
    const double tail = (1 - confidence) / 2;
    if (n == 0 || share <= 0 || share >= 1) return false;
    *low = low_rank(n, share, tail);
    /* The samples above the quantile are counted from the other end. */
    const size_t from_top = low_rank(n, 1 - share, tail);
    *high = n + 1 - from_top;
    return *low >= 1 && from_top >= 1;
}

size_t ig_quantile_min_samples(double share, double confidence)
{
    /* All n samples must not lie on one side: the rarer side decides. */
    const double rare = share > 0.5 ? share : 1 - share;
    return (size_t)ceil(log((1 - confidence) / 2) / log(rare) - 1e-9);
}

ig_quantile ig_quantile_of(const ig_samples *sorted, double share, double confidence)
{
    size_t low = 0, high = 0;
    ig_quantile q = { .value = NAN, .low = NAN, .high = NAN };
    if (!ig_quantile_ranks(sorted->n, share, confidence, &low, &high)) return q;
    size_t rank = (size_t)ceil(share * (double)sorted->n - 1e-9);
    if (rank < 1) rank = 1;
    if (rank > sorted->n) rank = sorted->n;
    q.is_known = true;
    q.value = sorted->v[rank - 1];
    q.low = sorted->v[low - 1];
    q.high = sorted->v[high - 1];
    return q;
}

/* ---- bootstrap ---- */

uint64_t ig_random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double ig_random_unit(uint64_t *state) { return (double)(ig_random_next(state) >> 11) * 0x1p-53; }

static double resampled_median(const double *v, size_t n, uint64_t *state, double *scratch)
{
    for (size_t i = 0; i < n; i++) scratch[i] = v[(size_t)(ig_random_unit(state) * (double)n)];
    return ig_median(scratch, n);
}

static ig_estimate interval_of(double value, double *resampled, double confidence)
{
    const double tail = (1 - confidence) / 2;
    const size_t cut = (size_t)(tail * IG_BENCH_N_RESAMPLES);
    sort(resampled, IG_BENCH_N_RESAMPLES);
    return (ig_estimate){ value, resampled[cut], resampled[IG_BENCH_N_RESAMPLES - 1 - cut] };
}

ig_estimate ig_bootstrap_paired(const double *a, const double *b, size_t n, double confidence,
                                uint64_t seed, double *scratch)
{
    double *resampled = scratch + n;
    for (size_t i = 0; i < n; i++) scratch[i] = b[i] / a[i];
    const double value = ig_median(scratch, n);
    for (size_t r = 0; r < IG_BENCH_N_RESAMPLES; r++) {
        for (size_t i = 0; i < n; i++) {
            const size_t k = (size_t)(ig_random_unit(&seed) * (double)n);
            scratch[i] = b[k] / a[k];
        }
        resampled[r] = ig_median(scratch, n);
    }
    return interval_of(value, resampled, confidence);
}

ig_estimate ig_bootstrap_ratio(const double *a, size_t n_a, const double *b, size_t n_b,
                               double confidence, uint64_t seed, double *scratch)
{
    double *resampled = scratch + (n_a > n_b ? n_a : n_b);
    memcpy(scratch, a, n_a * sizeof *a);
    const double median_a = ig_median(scratch, n_a);
    memcpy(scratch, b, n_b * sizeof *b);
    const double value = ig_median(scratch, n_b) / median_a;
    for (size_t r = 0; r < IG_BENCH_N_RESAMPLES; r++) {
        const double of_b = resampled_median(b, n_b, &seed, scratch);
        resampled[r] = of_b / resampled_median(a, n_a, &seed, scratch);
    }
    return interval_of(value, resampled, confidence);
}

static double paired_ratio(const ig_paired *m, uint64_t *state, double *scratch)
{
    for (size_t i = 0; i < m->n; i++) {
        const size_t k = state ? (size_t)(ig_random_unit(state) * (double)m->n) : i;
        scratch[i] = m->b[k] / m->a[k];
    }
    return ig_median(scratch, m->n);
}

/* With a state, of pairs drawn anew. */
static double geomean(const ig_paired *models, size_t n_models, uint64_t *state, double *scratch)
{
    double sum = 0;
    for (size_t m = 0; m < n_models; m++) sum += log(paired_ratio(&models[m], state, scratch));
    return exp(sum / (double)n_models);
}

ig_estimate ig_bootstrap_geomean(const ig_paired *models, size_t n_models, double confidence,
                                 uint64_t seed, double *scratch)
{
    size_t most = 0;
    for (size_t m = 0; m < n_models; m++) most = models[m].n > most ? models[m].n : most;
    double *resampled = scratch + most;
    for (size_t r = 0; r < IG_BENCH_N_RESAMPLES; r++)
        resampled[r] = geomean(models, n_models, &seed, scratch);
    return interval_of(geomean(models, n_models, NULL, scratch), resampled, confidence);
}
