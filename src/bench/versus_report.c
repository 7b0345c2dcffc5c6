/* SPDX-License-Identifier: Apache-2.0 */
/* versus_report.c: engines side by side as JSON and CSV. */
#include <math.h>
#include <stdio.h>

#include "bench/versus.h"

static double quantile_ms(const ig_samples *sorted, double share)
{
    return ig_quantile_of(sorted, share, IG_BENCH_CONFIDENCE).value * 1e-6;
}

static double rate_of(const ig_contender *c)
{
    double total_ns = 0;
    for (size_t i = 0; i < c->run_ns.n; i++) total_ns += c->run_ns.v[i];
    return (double)c->run_ns.n / (total_ns * 1e-9);
}

static void put_times(const ig_contender *c, ig_json_writer *w)
{
    ig_json_put_number(w, "load_ms", c->driver.load_ns * 1e-6);
    ig_json_put_number(w, "first_ms", c->first_ns * 1e-6);
    for (size_t i = 0; i < IG_BENCH_N_QUANTILES; i++) {
        char key[16];
        snprintf(key, sizeof key, "%s_ms", ig_bench_share_names[i]);
        ig_json_put_number(w, key, quantile_ms(&c->run_ns, ig_bench_shares[i]));
    }
    ig_json_put_number(w, "min_ms", c->run_ns.n ? c->run_ns.v[0] * 1e-6 : NAN);
    ig_json_put_number(w, "max_ms", c->run_ns.n ? c->run_ns.v[c->run_ns.n - 1] * 1e-6 : NAN);
    ig_json_put_number(w, "inferences", (double)c->run_ns.n);
    ig_json_put_number(w, "inferences_per_s", rate_of(c));
    ig_json_put_number(w, "peak_rss_bytes", (double)c->memory.peak_rss_bytes);
    ig_json_put_number(w, "cpu_ms_per_inference", c->cpu_ns_per_run * 1e-6);
    ig_json_put_number(w, "idle_cpu_share", c->idle_cpu_share);
}

static void put_ratio(const ig_contender *c, ig_json_writer *w)
{
    ig_json_key(w, "ratio");
    if (!c->has_ratio) {
        ig_json_null(w);
        return;
    }
    ig_json_open(w, '{');
    ig_json_put_number(w, "value", c->ratio.value);
    ig_json_put_number(w, "low", c->ratio.low);
    ig_json_put_number(w, "high", c->ratio.high);
    ig_json_close(w, '}');
}

static void put_contender(const ig_contender *c, ig_json_writer *w)
{
    ig_json_open(w, '{');
    ig_json_put_text(w, "name", c->name);
    ig_json_put_text(w, "state", ig_contender_state_name(c->state));
    ig_json_put_text(w, "why", c->state ? c->why : NULL);
    ig_json_put_text(w, "engine", c->driver.engine);
    ig_json_put_text(w, "version", c->driver.version);
    ig_json_put_text(w, "precision", c->driver.precision);
    ig_json_put_flag(w, "other_precision", c->is_other_precision);
    ig_json_key(w, "settings");
    ig_driver_put_settings(&c->driver, w);
    ig_json_put_number(w, "max_error", c->difference.max_error);
    ig_json_put_number(w, "rms_error", c->difference.rms_error);
    ig_json_put_number(w, "top1_agreement", c->difference.top1);
    if (c->state == IG_CONTENDER_FINE) {
        put_times(c, w);
        put_ratio(c, w);
        ig_json_put_number(w, "rss_bytes", (double)c->memory.rss_bytes);
        ig_json_put_number(w, "pss_bytes", (double)c->memory.pss_bytes);
        ig_json_put_number(w, "rss_begin_bytes", (double)c->rss_begin_bytes);
        ig_json_put_flag(w, "leaks", c->is_leaking);
        ig_json_put_quantiles(w, "quantiles", &c->run_ns);
        ig_json_put_samples_ms(w, "warm_up_ms", &c->warm_up_ns);
        ig_json_put_samples_ms(w, "windows_ms", &c->block_ns);
    }
    ig_json_close(w, '}');
}

void ig_versus_put_json(const ig_versus *v, ig_str *out)
{
    char cpu[300];
    ig_json_writer w;
    ig_json_begin(&w, out, 2);
    ig_json_open(&w, '{');
    ig_json_put_text(&w, "model", v->model);
    ig_json_put_text(&w, "scenario", "single");
    ig_json_put_flag(&w, "valid", v->reasons.n == 0);
    ig_json_put_text(&w, "invalid_because", v->reasons.n ? ig_str_cstr(&v->reasons) : NULL);
    put_times(&v->contenders[0], &w);
    ig_json_put_number(&w, "threads", v->n_threads);
    ig_json_put_text(&w, "precision", v->contenders[0].driver.precision);
    ig_json_put_text(&w, "cpu", ingot_cpu_describe(cpu, sizeof cpu));
    ig_json_put_text(&w, "version", ingot_version());
    ig_json_put_quantiles(&w, "quantiles", &v->contenders[0].run_ns);
    ig_json_put_samples_ms(&w, "windows_ms", &v->contenders[0].block_ns);
    ig_json_put_text(&w, "reference", v->reference_name);
    ig_json_put_number(&w, "rounds", (double)v->n_rounds);
    ig_json_put_number(&w, "repeats", v->n_repeats);
    ig_json_put_marks(&w, &v->before, &v->after);
    ig_json_key(&w, "engines");
    ig_json_open(&w, '[');
    for (size_t i = 0; i < v->n; i++) put_contender(&v->contenders[i], &w);
    ig_json_close(&w, ']');
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}

static void put_cell(ig_str *out, double value)
{
    ig_str_putc(out, ',');
    if (isfinite(value)) ig_str_printf(out, "%.9g", value);
}

void ig_versus_put_csv(const ig_versus *v, ig_str *out)
{
    ig_str_puts(out, "model,engine,state,why,version,precision,valid,threads,max_error,rms_error,"
                     "top1_agreement,load_ms,first_ms,p50_ms,p90_ms,p95_ms,p99_ms,p999_ms,"
                     "inferences,ratio,ratio_low,ratio_high,cpu_ms_per_inference,idle_cpu_share,"
                     "peak_rss_bytes,leaks\n");
    for (size_t i = 0; i < v->n; i++) {
        const ig_contender *c = &v->contenders[i];
        const bool is_fine = c->state == IG_CONTENDER_FINE;
        ig_csv_put_text(out, v->model);
        ig_str_putc(out, ',');
        ig_csv_put_text(out, c->name);
        ig_str_printf(out, ",%s,", ig_contender_state_name(c->state));
        ig_csv_put_text(out, c->why);
        ig_str_putc(out, ',');
        ig_csv_put_text(out, c->driver.version ? c->driver.version : "");
        ig_str_putc(out, ',');
        ig_csv_put_text(out, c->driver.precision ? c->driver.precision : "");
        ig_str_printf(out, ",%s,%d", v->reasons.n ? "no" : "yes", v->n_threads);
        put_cell(out, c->difference.max_error);
        put_cell(out, c->difference.rms_error);
        put_cell(out, c->difference.top1);
        put_cell(out, is_fine ? c->driver.load_ns * 1e-6 : NAN);
        put_cell(out, is_fine ? c->first_ns * 1e-6 : NAN);
        for (size_t q = 0; q < IG_BENCH_N_QUANTILES; q++)
            put_cell(out, is_fine ? quantile_ms(&c->run_ns, ig_bench_shares[q]) : NAN);
        put_cell(out, (double)c->run_ns.n);
        put_cell(out, c->has_ratio ? c->ratio.value : NAN);
        put_cell(out, c->has_ratio ? c->ratio.low : NAN);
        put_cell(out, c->has_ratio ? c->ratio.high : NAN);
        put_cell(out, is_fine ? c->cpu_ns_per_run * 1e-6 : NAN);
        put_cell(out, is_fine ? c->idle_cpu_share : NAN);
        put_cell(out, is_fine ? (double)c->memory.peak_rss_bytes : NAN);
        ig_str_printf(out, ",%s\n", !is_fine ? "" : c->is_leaking ? "yes" : "no");
    }
}
