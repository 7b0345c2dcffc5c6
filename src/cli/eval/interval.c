/* SPDX-License-Identifier: Apache-2.0 */
/* interval.c: Wilson, bootstrap, paired differences. */
#include "cli/eval/interval.h"

#include <math.h>
#include <string.h>

#define Z 1.959963984540054 /* quantile 0.975 of the normal distribution */
#define N_RESAMPLES 1000
#define MIN_RESAMPLES 200
#define MIN_ITEMS 3 /* fewer say nothing of their spread */
/* Very many items, or boxes in them, are drawn fewer times: seconds, not minutes. */
#define MAX_STEPS ((size_t)200000000)

ig_figure ig_wilson(double right, double n)
{
    if (!(n > 0)) return (ig_figure){ NAN, NAN, NAN };
    const double share = right / n, below = 1 + Z * Z / n;
    const double middle = (share + Z * Z / (2 * n)) / below;
    const double half = Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)) / below;
    /* At the ends rounding must not lead past the share itself. */
    return (ig_figure){ share, fmax(0, fmin(share, middle - half)),
                        fmin(1, fmax(share, middle + half)) };
}

/* ---- bootstrap ---- */

/* As many items as there are, with replacement. */
static void draw(uint32_t *weights, size_t n, uint64_t *random)
{
    memset(weights, 0, n * sizeof *weights);
    for (size_t i = 0; i < n; i++) {
        size_t k = (size_t)(ig_random_unit(random) * (double)n);
        weights[k < n ? k : n - 1]++;
    }
}

static size_t count_resamples(const ig_tally *t)
{
    const size_t n_steps = t->metric->n_steps ? t->metric->n_steps(t) : t->n;
    if (n_steps <= MAX_STEPS / N_RESAMPLES) return N_RESAMPLES;
    const size_t n = MAX_STEPS / n_steps;
    return n > MIN_RESAMPLES ? n : MIN_RESAMPLES;
}

/* The middle 95 % of sorted values, moved so that their median is the value itself: draws of an
 * average precision lie above it, since what is drawn twice looks more certain than it is. */
static void set_percentiles(const ig_samples *values, ig_figure *out)
{
    const double last = (double)(values->n - 1);
    const double bias = values->v[values->n / 2] - out->value;
    const double moved = isfinite(bias) ? bias : 0;
    out->low = values->v[(size_t)(0.025 * last)] - moved;
    out->high = values->v[(size_t)ceil(0.975 * last)] - moved;
}

/* Values of b - a (a may be NULL: of b), percentiles of which are the interval round out->value. */
static ig_status bootstrap(const ig_tally *a, const ig_tally *b, uint64_t seed, ig_figure *out,
                           ig_error *err)
{
    const size_t n = b->n, bytes = n * sizeof(uint32_t);
    const size_t n_resamples = count_resamples(b);
    ig_samples values = { .alloc = b->alloc };
    uint64_t random = seed ^ 0xe7a1;
    ig_status status = INGOT_OK;
    out->low = out->high = NAN;
    if (n < MIN_ITEMS || b->metric->has_no_interval) return INGOT_OK;
    uint32_t *weights = ig_alloc_get(b->alloc, bytes, 0, INGOT_MEM_OTHER);
    if (!weights) return IG_NOMEM(err, bytes);
    for (size_t i = 0; i < n_resamples && !status; i++) {
        draw(weights, n, &random);
        const double one = b->metric->value(b, weights) - (a ? a->metric->value(a, weights) : 0);
        /* Where a draw has no value (auc of one class alone), it says nothing. */
        if (!isnan(one)) status = ig_samples_add(&values, one, err);
    }
    ig_samples_sort(&values);
    if (!status && values.n >= MIN_RESAMPLES / 2) set_percentiles(&values, out);
    ig_samples_free(&values);
    ig_alloc_put(b->alloc, weights, bytes, INGOT_MEM_OTHER);
    return status;
}

ig_status ig_figure_of(const ig_tally *t, uint64_t seed, ig_figure *out, ig_error *err)
{
    double right, n;
    if (t->metric->is_share) {
        ig_tally_sum(t, NULL, &right, &n);
        *out = ig_wilson(right, n);
        return INGOT_OK;
    }
    out->value = t->metric->value(t, NULL);
    return bootstrap(NULL, t, seed, out, err);
}

/* ---- pairs ---- */

/* Twice the binomial tail: k or fewer of n coins. */
static double sign_test(size_t k, size_t n)
{
    double term = -(double)n * log(2), sum = 0; /* log of P(0 of n) */
    if (n == 0) return 1;
    for (size_t i = 0; i <= k; i++) {
        sum += exp(term);
        term += log((double)(n - i)) - log((double)(i + 1));
    }
    return fmin(1, 2 * sum);
}

static void compare_shares(const ig_tally *a, ig_pairing *out)
{
    const double n = (double)a->n;
    const double only_a = (double)out->n_only_a, only_b = (double)out->n_only_b;
    /* One made-up item on either side keeps the interval honest where few differ. */
    const double p_a = (only_a + 1) / (n + 2), p_b = (only_b + 1) / (n + 2), middle = p_b - p_a;
    const double half = Z * sqrt((p_a + p_b - middle * middle) / (n + 2));
    out->difference =
        (ig_figure){ (only_b - only_a) / n, fmax(-1, middle - half), fmin(1, middle + half) };
    const size_t few = out->n_only_a < out->n_only_b ? out->n_only_a : out->n_only_b;
    out->p = sign_test(few, out->n_only_a + out->n_only_b);
}

ig_status ig_pairing_of(const ig_tally *a, const ig_tally *b, uint64_t seed, ig_pairing *out,
                        ig_error *err)
{
    *out = (ig_pairing){ .difference = { NAN, NAN, NAN }, .p = NAN };
    for (size_t i = 0; i < a->n; i++) {
        out->n_differ += a->marks[i].said != b->marks[i].said;
        out->n_only_a += !a->marks[i].is_wrong && b->marks[i].is_wrong;
        out->n_only_b += a->marks[i].is_wrong && !b->marks[i].is_wrong;
    }
    if (a->metric->is_share) {
        if (a->n) compare_shares(a, out);
        return INGOT_OK;
    }
    out->difference.value = b->metric->value(b, NULL) - a->metric->value(a, NULL);
    return bootstrap(a, b, seed, &out->difference, err);
}
