/* SPDX-License-Identifier: Apache-2.0 */
/* report.c: results as JSON and CSV. */
#include "bench/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const double ig_bench_shares[IG_BENCH_N_QUANTILES] = { 0.5, 0.9, 0.95, 0.99, 0.999 };
const char *const ig_bench_share_names[IG_BENCH_N_QUANTILES] = { "p50", "p90", "p95", "p99",
                                                                 "p999" };

/* ---- members ---- */

void ig_json_put_number(ig_json_writer *w, const char *key, double value)
{
    ig_json_key(w, key);
    ig_json_number(w, value);
}

void ig_json_put_text(ig_json_writer *w, const char *key, const char *text)
{
    ig_json_key(w, key);
    ig_json_cstr(w, text);
}

void ig_json_put_flag(ig_json_writer *w, const char *key, bool value)
{
    ig_json_key(w, key);
    ig_json_bool(w, value);
}

void ig_json_put_samples_ms(ig_json_writer *w, const char *key, const ig_samples *ns)
{
    ig_json_key(w, key);
    ig_json_open(w, '[');
    for (size_t i = 0; i < ns->n; i++) ig_json_number(w, ns->v[i] * 1e-6);
    ig_json_close(w, ']');
}

void ig_json_put_quantiles(ig_json_writer *w, const char *key, const ig_samples *sorted_ns)
{
    ig_json_key(w, key);
    ig_json_open(w, '[');
    for (size_t i = 0; i < IG_BENCH_N_QUANTILES; i++) {
        const double share = ig_bench_shares[i];
        const ig_quantile q = ig_quantile_of(sorted_ns, share, IG_BENCH_CONFIDENCE);
        ig_json_open(w, '{');
        ig_json_put_number(w, "share", share);
        ig_json_put_number(w, "ms", q.value * 1e-6);
        ig_json_put_number(w, "low_ms", q.low * 1e-6);
        ig_json_put_number(w, "high_ms", q.high * 1e-6);
        ig_json_put_number(w, "needs", (double)ig_quantile_min_samples(share, IG_BENCH_CONFIDENCE));
        ig_json_close(w, '}');
    }
    ig_json_close(w, ']');
}

void ig_json_put_estimate(ig_json_writer *w, const char *key, const ig_estimate *e)
{
    ig_json_key(w, key);
    if (!e) {
        ig_json_null(w);
        return;
    }
    ig_json_open(w, '{');
    ig_json_put_number(w, "value", e->value);
    ig_json_put_number(w, "low", e->low);
    ig_json_put_number(w, "high", e->high);
    ig_json_close(w, '}');
}

void ig_json_put_marks(ig_json_writer *w, const ig_noise_mark *before, const ig_noise_mark *after)
{
    ig_json_key(w, "noise");
    ig_json_open(w, '{');
    ig_json_put_number(w, "steal_share", ig_noise_steal(before, after));
    ig_json_put_number(w, "foreign_share", ig_noise_foreign(before, after));
    ig_json_put_number(w, "involuntary_switches", (double)(after->n_switches - before->n_switches));
    ig_json_put_number(w, "core_speed_change",
                       before->core_ns > 0 ? before->core_ns / after->core_ns - 1 : NAN);
    ig_json_put_number(w, "throttled_periods",
                       after->n_throttled < 0 ? NAN
                                              : (double)(after->n_throttled - before->n_throttled));
    ig_json_put_number(w, "round_trip_before_ns", before->trip_ns > 0 ? before->trip_ns : NAN);
    ig_json_put_number(w, "round_trip_after_ns", after->trip_ns > 0 ? after->trip_ns : NAN);
    ig_json_close(w, '}');
}

void ig_json_put_vary(ig_json_writer *w, const char *const *vary, size_t n)
{
    if (n == 0) return;
    ig_json_key(w, "vary");
    ig_json_open(w, '[');
    for (size_t i = 0; i < n; i++) ig_json_cstr(w, vary[i]);
    ig_json_close(w, ']');
}

/* ---- sections ---- */

static double quantile_ms(const ig_bench_result *r, double share)
{
    return ig_quantile_of(&r->latency_ns, share, IG_BENCH_CONFIDENCE).value * 1e-6;
}

static size_t n_runs(const ig_bench_result *r) { return r->latency_ns.n + r->first_seen_ns.n; }

static double edge_ms(const ig_samples *sorted, bool is_last)
{
    return sorted->n ? sorted->v[is_last ? sorted->n - 1 : 0] * 1e-6 : NAN;
}

static void put_phases(const ig_bench_report *b, ig_json_writer *w)
{
    const ig_bench_result *r = b->result;
    ig_json_key(w, "phases_ms");
    ig_json_open(w, '{');
    ig_json_put_number(w, "map", (double)b->info->map_ns * 1e-6);
    ig_json_put_number(w, "parse", (double)b->info->parse_ns * 1e-6);
    ig_json_put_number(w, "optimise", (double)b->info->optimise_ns * 1e-6);
    ig_json_key(w, "tune"); /* kernels are chosen by rule */
    ig_json_null(w);
    ig_json_put_number(w, "pack", r->pack_ns * 1e-6);
    ig_json_put_number(w, "first", r->first_ns * 1e-6);
    ig_json_put_number(w, "steady", quantile_ms(r, 0.5));
    ig_json_close(w, '}');
}

static void put_memory(const ig_bench_report *b, ig_json_writer *w)
{
    const ig_process_facts *m = &b->result->memory;
    ig_json_key(w, "memory");
    ig_json_open(w, '{');
    ig_json_put_number(w, "rss_bytes", (double)m->rss_bytes);
    ig_json_put_number(w, "pss_bytes", (double)m->pss_bytes);
    ig_json_put_number(w, "peak_rss_bytes", (double)m->peak_rss_bytes);
    ig_json_put_number(w, "after_idle_rss_bytes", (double)b->result->after_idle.rss_bytes);
    ig_json_put_number(w, "weight_bytes", (double)b->info->weight_bytes);
    ig_json_put_number(w, "packed_bytes", (double)b->info->packed_bytes);
    ig_json_put_number(w, "minor_faults", (double)m->minor_faults);
    ig_json_put_number(w, "major_faults", (double)m->major_faults);
    ig_json_close(w, '}');
}

static void put_settings(const ig_bench_result *r, ig_json_writer *w)
{
    ig_json_key(w, "settings");
    ig_json_open(w, '{');
    ig_json_put_number(w, "duration_s", r->plan.duration_s);
    ig_json_put_number(w, "min_runs", (double)r->plan.min_runs);
    ig_json_put_number(w, "stability", r->plan.stability);
    ig_json_put_number(w, "sessions", r->plan.n_sessions);
    ig_json_put_number(w, "threads", r->n_threads);
    ig_json_put_number(w, "rate_per_s", r->plan.rate > 0 ? r->plan.rate : NAN);
    ig_json_put_number(w, "seed", (double)r->plan.seed);
    ig_json_put_number(w, "confidence", IG_BENCH_CONFIDENCE);
    ig_json_close(w, '}');
}

static void put_roofline(const ig_roofline *roof, ig_json_writer *w)
{
    ig_json_key(w, "roofline");
    ig_json_open(w, '{');
    ig_json_put_number(w, "gflops", roof->gflops);
    ig_json_put_number(w, "gbytes_per_s", roof->gbytes);
    ig_json_put_number(w, "cached_gbytes_per_s", roof->cached_gbytes);
    ig_json_put_number(w, "share", roof->share);
    ig_json_key(w, "steps");
    ig_json_open(w, '[');
    for (size_t i = 0; i < roof->n_steps; i++) {
        const ig_roofline_step *s = &roof->steps[i];
        ig_json_open(w, '{');
        ig_json_put_text(w, "node", s->info.node);
        ig_json_put_text(w, "operator", s->info.op);
        ig_json_put_text(w, "kernel", s->info.kernel);
        ig_json_put_number(w, "ms", s->ns * 1e-6);
        ig_json_put_number(w, "share", s->share);
        ig_json_put_text(w, "bound", s->is_memory_bound ? "memory" : "arithmetic");
        ig_json_close(w, '}');
    }
    ig_json_close(w, ']');
    ig_json_close(w, '}');
}

static void put_numbers(const ig_bench_report *b, ig_json_writer *w)
{
    const ig_bench_result *r = b->result;
    ig_json_put_number(w, "load_ms", b->load_ns * 1e-6);
    ig_json_put_number(w, "first_ms", (r->pack_ns + r->first_ns) * 1e-6);
    for (size_t i = 0; i < IG_BENCH_N_QUANTILES; i++) {
        char key[16];
        snprintf(key, sizeof key, "%s_ms", ig_bench_share_names[i]);
        ig_json_put_number(w, key, quantile_ms(r, ig_bench_shares[i]));
    }
    ig_json_put_number(w, "min_ms", edge_ms(&r->latency_ns, false));
    ig_json_put_number(w, "max_ms", edge_ms(&r->latency_ns, true));
    ig_json_put_number(w, "inferences", (double)n_runs(r));
    ig_json_put_number(w, "inferences_per_s", (double)n_runs(r) / r->total_s);
    ig_json_put_number(w, "peak_rss_bytes", (double)r->memory.peak_rss_bytes);
    ig_json_put_number(w, "threads", r->n_threads);
    ig_json_put_number(w, "cpu_ms_per_inference", r->cpu_ns_per_run * 1e-6);
    ig_json_put_number(w, "idle_cpu_share", r->idle_cpu_share);
}

void ig_bench_put_json(const ig_bench_report *b, ig_str *out)
{
    const ig_bench_result *r = b->result;
    char cpu[300];
    ig_json_writer w;
    ig_json_begin(&w, out, 2);
    ig_json_open(&w, '{');
    ig_json_put_text(&w, "model", b->model);
    ig_json_put_text(&w, "scenario", ig_scenario_name(r->plan.scenario));
    ig_json_put_vary(&w, b->vary, b->n_vary);
    ig_json_put_flag(&w, "valid", r->reasons.n == 0);
    ig_json_put_text(&w, "invalid_because", r->reasons.n ? ig_str_cstr(&r->reasons) : NULL);
    put_numbers(b, &w);
    ig_json_put_text(&w, "precision", b->info->precision);
    ig_json_put_text(&w, "cpu", ingot_cpu_describe(cpu, sizeof cpu));
    ig_json_put_text(&w, "version", ingot_version());
    ig_json_put_quantiles(&w, "quantiles", &r->latency_ns);
    if (r->plan.scenario == IG_SCENARIO_DYNAMIC) {
        ig_json_put_quantiles(&w, "first_seen_quantiles", &r->first_seen_ns);
        ig_json_put_samples_ms(&w, "first_seen_ms", &r->first_seen_ns);
        ig_shape_times_put_json(&r->shapes, &w);
    }
    if (r->plan.scenario == IG_SCENARIO_SERVER)
        ig_json_put_flag(&w, "overloaded", r->is_overloaded);
    put_phases(b, &w);
    put_memory(b, &w);
    ig_memory_trace_put_json(&r->memory_trace, &w);
    ig_json_put_samples_ms(&w, "warm_up_ms", &r->warm_up_ns);
    ig_json_put_samples_ms(&w, "windows_ms", &r->window_ns);
    ig_json_put_number(&w, "repeats", r->n_repeats);
    ig_json_put_marks(&w, &r->before, &r->after);
    put_settings(r, &w);
    if (b->roofline) put_roofline(b->roofline, &w);
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}

/* ---- CSV ---- */

void ig_csv_put_text(ig_str *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        ig_str_puts(out, text);
        return;
    }
    ig_str_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"') ig_str_putc(out, '"');
        ig_str_putc(out, *text);
    }
    ig_str_putc(out, '"');
}

static void put_csv_number(ig_str *out, double value)
{
    ig_str_putc(out, ',');
    if (isfinite(value)) ig_str_printf(out, "%.9g", value); /* what is not known stays empty */
}

void ig_bench_put_csv(const ig_bench_report *b, ig_str *out)
{
    const ig_bench_result *r = b->result;
    ig_str_puts(out, "model,scenario,valid,invalid_because,version,precision,threads,sessions,"
                     "inferences,inferences_per_s,load_ms,first_ms,cpu_ms_per_inference,"
                     "idle_cpu_share,peak_rss_bytes,rss_bytes,pss_bytes");
    for (size_t i = 0; i < IG_BENCH_N_QUANTILES; i++)
        ig_str_printf(out, ",%s_ms,%s_low_ms,%s_high_ms", ig_bench_share_names[i],
                      ig_bench_share_names[i], ig_bench_share_names[i]);
    ig_str_putc(out, '\n');
    ig_csv_put_text(out, b->model);
    ig_str_printf(out, ",%s,%s,", ig_scenario_name(r->plan.scenario), r->reasons.n ? "no" : "yes");
    ig_csv_put_text(out, ig_str_cstr(&r->reasons));
    ig_str_printf(out, ",%s,%s", ingot_version(), b->info->precision);
    const double numbers[] = { r->n_threads,
                               r->plan.n_sessions,
                               (double)n_runs(r),
                               (double)n_runs(r) / r->total_s,
                               b->load_ns * 1e-6,
                               (r->pack_ns + r->first_ns) * 1e-6,
                               r->cpu_ns_per_run * 1e-6,
                               r->idle_cpu_share,
                               (double)r->memory.peak_rss_bytes,
                               (double)r->memory.rss_bytes,
                               (double)r->memory.pss_bytes };
    for (size_t i = 0; i < IG_COUNT(numbers); i++) put_csv_number(out, numbers[i]);
    for (size_t i = 0; i < IG_BENCH_N_QUANTILES; i++) {
        const ig_quantile q =
            ig_quantile_of(&r->latency_ns, ig_bench_shares[i], IG_BENCH_CONFIDENCE);
        put_csv_number(out, q.value * 1e-6);
        put_csv_number(out, q.low * 1e-6);
        put_csv_number(out, q.high * 1e-6);
    }
    ig_str_putc(out, '\n');
}
