/* SPDX-License-Identifier: Apache-2.0 */
/* stats.h: what samples say, and how surely. Nothing here assumes a distribution. */
#ifndef IG_BENCH_STATS_H
#define IG_BENCH_STATS_H

#include "base/alloc.h"

#define IG_BENCH_CONFIDENCE 0.95
#define IG_BENCH_N_RESAMPLES 2000

/* A growing list of numbers. Zeroed: empty, but for the allocator. */
typedef struct ig_samples {
    ig_alloc *alloc;
    double *v;
    size_t n, cap;
} ig_samples;

ig_status ig_samples_add(ig_samples *s, double value, ig_error *err) IG_MUST_USE;
ig_status ig_samples_append(ig_samples *s, const ig_samples *other, ig_error *err) IG_MUST_USE;
void ig_samples_sort(ig_samples *s);
void ig_samples_free(ig_samples *s); /* accepts a zeroed one */

/* Median of n numbers, which are sorted by it; NaN when n is 0. */
double ig_median(double *v, size_t n);

/* A quantile of the distribution that samples come from: the nearest rank, and the order statistics
 * that hold it with the confidence. Unknown where no such pair exists: the samples are too few. */
typedef struct ig_quantile {
    bool is_known;
    double value, low, high;
} ig_quantile;
ig_quantile ig_quantile_of(const ig_samples *sorted, double share, double confidence);

/* Ranks (1…n) of those order statistics: P(x[low] <= quantile <= x[high]) >= confidence, with at
 * most half of the rest on either side. False when n is too small. */
bool ig_quantile_ranks(size_t n, double share, double confidence, size_t *low, size_t *high);
/* The fewest samples for which there are such ranks. */
size_t ig_quantile_min_samples(double share, double confidence);

/* An estimate and its bootstrap interval (percentiles of resampled medians). */
typedef struct ig_estimate {
    double value, low, high;
} ig_estimate;
/* Median of b[i] / a[i], pairs drawn together: what was measured in the same block stays together.
 * `scratch` holds n + IG_BENCH_N_RESAMPLES numbers. n >= 1, all values > 0. */
ig_estimate ig_bootstrap_paired(const double *a, const double *b, size_t n, double confidence,
                                uint64_t seed, double *scratch);
/* median(b) / median(a), drawn apart. `scratch` holds max(n_a, n_b) + IG_BENCH_N_RESAMPLES. */
ig_estimate ig_bootstrap_ratio(const double *a, size_t n_a, const double *b, size_t n_b,
                               double confidence, uint64_t seed, double *scratch);

/* Pairs of one model. */
typedef struct ig_paired {
    const double *a, *b;
    size_t n; /* >= 1 */
} ig_paired;
/* Geometric mean over models of median(b[i] / a[i]), each model's pairs drawn anew: how sure the
 * mean of these models is, not what others would do. n_models >= 1; `scratch` holds
 * (most pairs of a model) + IG_BENCH_N_RESAMPLES. */
ig_estimate ig_bootstrap_geomean(const ig_paired *models, size_t n_models, double confidence,
                                 uint64_t seed, double *scratch);

/* A generator of 64 bits of state, and numbers in [0, 1) from it. */
uint64_t ig_random_next(uint64_t *state);
double ig_random_unit(uint64_t *state);

#endif
