/* SPDX-License-Identifier: Apache-2.0 */
/* suite.c: means over models; reports of all of them. */
#include "bench/suite.h"

#include <math.h>

/* ---- means ---- */

static const ig_suite_row *first_measured(const ig_suite *suite)
{
    for (size_t i = 0; i < suite->n; i++)
        if (!suite->rows[i].has_failed) return &suite->rows[i];
    return NULL;
}

/* Of contender k: pairs of the models that have a ratio. */
static size_t gather(const ig_suite *suite, size_t k, ig_paired *pairs, ig_suite_mean *mean)
{
    size_t most = 0;
    for (size_t i = 0; i < suite->n; i++) {
        const ig_versus *v = &suite->rows[i].versus;
        if (suite->rows[i].has_failed) continue;
        const ig_contender *first = &v->contenders[0], *c = &v->contenders[k];
        if (c->state != IG_CONTENDER_FINE || !c->has_ratio) continue;
        pairs[mean->n_models++] =
            (ig_paired){ first->block_ns.v, c->block_ns.v, first->block_ns.n };
        mean->n_invalid += v->reasons.n > 0;
        mean->is_other_precision |= c->is_other_precision;
        if (first->block_ns.n > most) most = first->block_ns.n;
    }
    return most;
}

static ig_status find_mean(const ig_suite *suite, size_t k, ig_paired *pairs, ig_arena *arena,
                           ig_suite_mean *mean, ig_error *err)
{
    const size_t most = gather(suite, k, pairs, mean);
    if (mean->n_models == 0) return INGOT_OK;
    double *scratch = ig_arena_array(arena, most + IG_BENCH_N_RESAMPLES, sizeof *scratch);
    if (!scratch) return IG_NOMEM(err, most * sizeof *scratch);
    const uint64_t seed = suite->rows[0].versus.plan.seed;
    mean->ratio = ig_bootstrap_geomean(pairs, mean->n_models, IG_BENCH_CONFIDENCE, seed, scratch);
    return INGOT_OK;
}

ig_status ig_suite_conclude(ig_suite *suite, ig_arena *arena, ig_error *err)
{
    const ig_suite_row *measured = first_measured(suite);
    const size_t n = measured && measured->versus.n ? measured->versus.n - 1 : 0;
    ig_paired *pairs = ig_arena_array(arena, suite->n + 1, sizeof *pairs);
    suite->means = ig_arena_array(arena, n + 1, sizeof *suite->means);
    if (!pairs || !suite->means) return IG_NOMEM(err, suite->n * sizeof *pairs);
    suite->n_means = n;
    for (size_t k = 0; k < n; k++) {
        suite->means[k] = (ig_suite_mean){ .name = measured->versus.contenders[k + 1].name };
        IG_TRY(find_mean(suite, k + 1, pairs, arena, &suite->means[k], err));
    }
    return INGOT_OK;
}

void ig_suite_free(ig_suite *suite, ig_alloc *alloc)
{
    for (size_t i = 0; i < suite->n; i++) ig_versus_free(&suite->rows[i].versus, alloc);
}

/* ---- reports ---- */

void ig_suite_put_json(const ig_suite *suite, ig_str *out)
{
    ig_json_writer w;
    ig_json_begin(&w, out, 2);
    ig_json_open(&w, '{');
    ig_json_key(&w, "models");
    ig_json_open(&w, '[');
    for (size_t i = 0; i < suite->n; i++) {
        const ig_suite_row *row = &suite->rows[i];
        if (!row->has_failed) {
            ig_versus_put_json(&row->versus, &w);
            continue;
        }
        ig_json_open(&w, '{');
        ig_json_put_text(&w, "model", row->model);
        ig_json_put_text(&w, "error", row->why);
        ig_json_close(&w, '}');
    }
    ig_json_close(&w, ']');
    ig_json_key(&w, "means");
    ig_json_open(&w, '[');
    for (size_t k = 0; k < suite->n_means; k++) {
        const ig_suite_mean *mean = &suite->means[k];
        ig_json_open(&w, '{');
        ig_json_put_text(&w, "engine", mean->name);
        ig_json_put_flag(&w, "other_precision", mean->is_other_precision);
        ig_json_put_number(&w, "models", (double)mean->n_models);
        ig_json_put_number(&w, "invalid_models", (double)mean->n_invalid);
        ig_json_put_estimate(&w, "ratio", mean->n_models ? &mean->ratio : NULL);
        ig_json_close(&w, '}');
    }
    ig_json_close(&w, ']');
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}

void ig_suite_put_csv(const ig_suite *suite, ig_str *out)
{
    ig_versus_put_csv_names(out);
    for (size_t i = 0; i < suite->n; i++) {
        const ig_suite_row *row = &suite->rows[i];
        if (!row->has_failed)
            ig_versus_put_csv(&row->versus, out);
        else
            ig_versus_put_csv_failure(row->model, row->why, out);
    }
    for (size_t k = 0; suite->n > 1 && k < suite->n_means; k++) {
        const ig_suite_mean *mean = &suite->means[k];
        ig_versus_put_csv_mean(mean->name, mean->n_models, mean->n_models ? &mean->ratio : NULL,
                               out);
    }
}
