/* SPDX-License-Identifier: Apache-2.0 */
/* interval.h: how surely a metric is known from the items that there were, and two engines' answers
 * to the same items against each other. All intervals hold the true value with 95 %. */
#ifndef IG_CLI_EVAL_INTERVAL_H
#define IG_CLI_EVAL_INTERVAL_H

#include "bench/stats.h"
#include "cli/eval/metric.h"

typedef struct ig_figure {
    double value, low, high; /* low and high NaN: not known */
} ig_figure;

/* A share of `right` of n: Wilson's score interval. */
ig_figure ig_wilson(double right, double n);
/* A tally's value: Wilson for shares, else the middle of a bootstrap over items, round the value.
 */
ig_status ig_figure_of(const ig_tally *tally, uint64_t seed, ig_figure *out,
                       ig_error *err) IG_MUST_USE;

/* Engine b against engine a on the same items. */
typedef struct ig_pairing {
    ig_figure difference;      /* value of b - value of a */
    size_t n_differ;           /* items that they answer differently */
    size_t n_only_a, n_only_b; /* right items of one alone */
    double p; /* McNemar's exact test, two-sided; NaN for other metrics than shares */
} ig_pairing;

/* Shares: Bonett and Price's interval for paired shares. Else the same items are drawn for both. */
ig_status ig_pairing_of(const ig_tally *a, const ig_tally *b, uint64_t seed, ig_pairing *out,
                        ig_error *err) IG_MUST_USE;

#endif
