/* SPDX-License-Identifier: Apache-2.0 */
/* suite.h: several models, each measured with the same engines, and what that comes to. */
#ifndef IG_BENCH_SUITE_H
#define IG_BENCH_SUITE_H

#include "bench/versus.h"

typedef struct ig_suite_row {
    const char *model; /* as it was asked for */
    bool has_failed;   /* Ingot cannot open it or run it: there are no results */
    char why[400];
    ig_versus versus;
} ig_suite_row;

/* An engine over all models. */
typedef struct ig_suite_mean {
    const char *name;
    bool is_other_precision; /* in some model */
    size_t n_models;         /* that both engines ran, and often enough for a ratio */
    size_t n_invalid;        /* of these */
    ig_estimate ratio;       /* geometric mean of the models' ratios; meaningless for 0 models */
} ig_suite_mean;

typedef struct ig_suite {
    ig_suite_row *rows; /* all with the same contenders in the same order */
    size_t n;
    ig_suite_mean *means; /* of the engines but the first */
    size_t n_means;
} ig_suite;

/* Fill in the means, which are the arena's. */
ig_status ig_suite_conclude(ig_suite *suite, ig_arena *arena, ig_error *err) IG_MUST_USE;
void ig_suite_free(ig_suite *suite, ig_alloc *alloc);

/* {"models": [a report each, or "model" and "error"], "means": […]} */
void ig_suite_put_json(const ig_suite *suite, ig_str *out);
/* The lines of all models, then one a mean, whose model is "geometric mean". */
void ig_suite_put_csv(const ig_suite *suite, ig_str *out);

#endif
