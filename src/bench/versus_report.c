/* SPDX-License-Identifier: Apache-2.0 */
/* versus_report.c: engines side by side as JSON. */
#include <math.h>
#include <stdio.h>

#include "bench/versus.h"

double ig_versus_quantile_ms(const ig_samples *sorted, double share)
{
    return ig_quantile_of(sorted, share, IG_BENCH_CONFIDENCE).value * 1e-6;
}

double ig_versus_rate(const ig_contender *c)
{
    double total_ns = 0; /* of run_ns, in which offline has times by inference already */
    if (c->cold_ns[0].n) return NAN;
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
        ig_json_put_number(w, key, ig_versus_quantile_ms(&c->run_ns, ig_bench_shares[i]));
    }
    ig_json_put_number(w, "min_ms", c->run_ns.n ? c->run_ns.v[0] * 1e-6 : NAN);
    ig_json_put_number(w, "max_ms", c->run_ns.n ? c->run_ns.v[c->run_ns.n - 1] * 1e-6 : NAN);
    ig_json_put_number(w, "inferences", (double)c->n_runs);
    ig_json_put_number(w, "inferences_per_s", ig_versus_rate(c));
    ig_json_put_number(w, "peak_rss_bytes", (double)c->memory.peak_rss_bytes);
    ig_json_put_number(w, "cpu_ms_per_inference", c->cpu_ns_per_run * 1e-6);
    ig_json_put_number(w, "idle_cpu_share", c->idle_cpu_share);
}

/* What only some scenarios have. */
static void put_parts(const ig_contender *c, ig_json_writer *w)
{
    for (size_t k = 0; k < IG_COLD_N_PARTS && c->cold_ns[k].n; k++) {
        char key[24];
        snprintf(key, sizeof key, "cold_%s_ms", ig_cold_part_names[k]);
        ig_json_put_number(w, key, ig_versus_quantile_ms(&c->cold_ns[k], 0.5));
    }
    if (c->shapes.n == 0) return;
    ig_json_put_estimate(w, "first_ratio", c->has_first_ratio ? &c->first_ratio : NULL);
    ig_shape_times_put_json(&c->shapes, w);
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
        ig_json_put_estimate(w, "ratio", c->has_ratio ? &c->ratio : NULL);
        put_parts(c, w);
        ig_json_put_number(w, "rss_bytes", (double)c->memory.rss_bytes);
        ig_json_put_number(w, "pss_bytes", (double)c->memory.pss_bytes);
        ig_json_put_number(w, "rss_begin_bytes", (double)c->rss_begin_bytes);
        ig_json_put_flag(w, "leaks", c->is_leaking);
        ig_memory_trace_put_json(&c->memory_trace, w);
        ig_json_put_quantiles(w, "quantiles", &c->run_ns);
        ig_json_put_samples_ms(w, "warm_up_ms", &c->warm_up_ns);
        ig_json_put_samples_ms(w, "windows_ms", &c->block_ns);
    }
    ig_json_close(w, '}');
}

void ig_versus_put_json(const ig_versus *v, ig_json_writer *w)
{
    char cpu[300];
    ig_json_open(w, '{');
    ig_json_put_text(w, "model", v->model);
    ig_json_put_text(w, "scenario", ig_scenario_name(v->plan.scenario));
    ig_json_put_flag(w, "valid", v->reasons.n == 0);
    ig_json_put_text(w, "invalid_because", v->reasons.n ? ig_str_cstr(&v->reasons) : NULL);
    put_times(&v->contenders[0], w);
    ig_json_put_number(w, "threads", v->n_threads);
    ig_json_put_number(w, "streams", v->n_streams);
    ig_json_put_vary(w, v->vary, v->n_vary);
    ig_json_put_text(w, "precision", v->contenders[0].driver.precision);
    ig_json_put_text(w, "cpu", ingot_cpu_describe(cpu, sizeof cpu));
    ig_json_put_text(w, "version", ingot_version());
    ig_json_put_quantiles(w, "quantiles", &v->contenders[0].run_ns);
    ig_json_put_samples_ms(w, "windows_ms", &v->contenders[0].block_ns);
    ig_json_put_text(w, "reference", v->reference_name);
    ig_json_put_number(w, "rounds", (double)v->n_rounds);
    ig_json_put_number(w, "repeats", v->n_repeats);
    ig_json_put_marks(w, &v->before, &v->after);
    ig_json_key(w, "engines");
    ig_json_open(w, '[');
    for (size_t i = 0; i < v->n; i++) put_contender(&v->contenders[i], w);
    ig_json_close(w, ']');
    ig_json_close(w, '}');
}
