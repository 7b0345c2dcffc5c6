/* SPDX-License-Identifier: Apache-2.0 */
/* versus_csv.c: engines side by side as CSV. */
#include <math.h>
#include <string.h>

#include "bench/versus.h"

/* The columns: words, then numbers. */
/* clang-format off */
#define WORDS(X) \
    X(model) X(engine) X(state) X(why) X(version) X(precision) X(valid) X(scenario) X(leaks)
#define NUMBERS(X) \
    X(threads) X(max_error) X(rms_error) X(top1_agreement) X(load_ms) X(first_ms) \
    X(p50_ms) X(p90_ms) X(p95_ms) X(p99_ms) X(p999_ms) X(inferences) X(inferences_per_s) \
    X(ratio) X(ratio_low) X(ratio_high) X(first_ratio) X(first_ratio_low) X(first_ratio_high) \
    X(cold_start_ms) X(cold_load_ms) X(cold_first_ms) \
    X(cpu_ms_per_inference) X(idle_cpu_share) X(peak_rss_bytes) X(models)
/* clang-format on */

#define CONSTANT(name) COLUMN_##name,
enum { WORDS(CONSTANT) N_WORDS };
enum { NUMBERS(CONSTANT) N_NUMBERS };

typedef struct csv_line {
    const char *words[N_WORDS];
    double numbers[N_NUMBERS]; /* NaN, an empty field: not known */
} csv_line;

void ig_versus_put_csv_names(ig_str *out)
{
#define NAME(name) "," #name
    static const char names[] = WORDS(NAME) NUMBERS(NAME);
    ig_str_printf(out, "%s\n", names + 1);
}

static csv_line begin(const char *model, const char *engine, const char *state)
{
    csv_line line = {
        .words = { [COLUMN_model] = model, [COLUMN_engine] = engine, [COLUMN_state] = state }
    };
    for (size_t i = 0; i < N_NUMBERS; i++) line.numbers[i] = NAN;
    return line;
}

static void put(const csv_line *line, ig_str *out)
{
    for (size_t i = 0; i < N_WORDS; i++) {
        if (i) ig_str_putc(out, ',');
        ig_csv_put_text(out, line->words[i] ? line->words[i] : "");
    }
    for (size_t i = 0; i < N_NUMBERS; i++) {
        ig_str_putc(out, ',');
        if (isfinite(line->numbers[i])) ig_str_printf(out, "%.9g", line->numbers[i]);
    }
    ig_str_putc(out, '\n');
}

/* Three columns from `first` on. */
static void set_estimate(double *first, const ig_estimate *e)
{
    first[0] = e->value;
    first[1] = e->low;
    first[2] = e->high;
}

static void set_times(const ig_contender *c, double *numbers)
{
    numbers[COLUMN_load_ms] = c->driver.load_ns * 1e-6;
    numbers[COLUMN_first_ms] = c->first_ns * 1e-6;
    for (size_t i = 0; i < IG_BENCH_N_QUANTILES; i++)
        numbers[COLUMN_p50_ms + i] = ig_versus_quantile_ms(&c->run_ns, ig_bench_shares[i]);
    for (size_t i = 0; i < IG_COLD_N_PARTS; i++)
        numbers[COLUMN_cold_start_ms + i] = ig_versus_quantile_ms(&c->cold_ns[i], 0.5);
    numbers[COLUMN_inferences] = (double)c->n_runs;
    numbers[COLUMN_inferences_per_s] = ig_versus_rate(c);
    if (c->has_ratio) set_estimate(&numbers[COLUMN_ratio], &c->ratio);
    if (c->has_first_ratio) set_estimate(&numbers[COLUMN_first_ratio], &c->first_ratio);
    numbers[COLUMN_cpu_ms_per_inference] = c->cpu_ns_per_run * 1e-6;
    numbers[COLUMN_idle_cpu_share] = c->idle_cpu_share;
    numbers[COLUMN_peak_rss_bytes] = (double)c->memory.peak_rss_bytes;
}

void ig_versus_put_csv(const ig_versus *v, ig_str *out)
{
    for (size_t i = 0; i < v->n; i++) {
        const ig_contender *c = &v->contenders[i];
        csv_line line = begin(v->model, c->name, ig_contender_state_name(c->state));
        line.words[COLUMN_why] = c->why;
        line.words[COLUMN_version] = c->driver.version;
        line.words[COLUMN_precision] = c->driver.precision;
        line.words[COLUMN_valid] = v->reasons.n ? "no" : "yes";
        line.words[COLUMN_scenario] = ig_scenario_name(v->plan.scenario);
        line.numbers[COLUMN_threads] = v->n_threads;
        line.numbers[COLUMN_max_error] = c->difference.max_error;
        line.numbers[COLUMN_rms_error] = c->difference.rms_error;
        line.numbers[COLUMN_top1_agreement] = c->difference.top1;
        if (c->state == IG_CONTENDER_FINE) {
            set_times(c, line.numbers);
            line.words[COLUMN_leaks] = c->is_leaking ? "yes" : "no";
        }
        put(&line, out);
    }
}

void ig_versus_put_csv_failure(const char *model, const char *why, ig_str *out)
{
    csv_line line = begin(model, "ingot", ig_contender_state_name(IG_CONTENDER_FAILED));
    line.words[COLUMN_why] = why;
    put(&line, out);
}

void ig_versus_put_csv_mean(const char *engine, size_t n_models, const ig_estimate *ratio,
                            ig_str *out)
{
    csv_line line = begin("geometric mean", engine, "");
    line.numbers[COLUMN_models] = (double)n_models;
    if (ratio) set_estimate(&line.numbers[COLUMN_ratio], ratio);
    put(&line, out);
}
