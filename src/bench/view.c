/* SPDX-License-Identifier: Apache-2.0 */
/* view.c: results of each scenario as series, results and settings. */
#include "bench/view.h"

#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "bench/checksum.h"

#define MAX_CHECKED_BYTES ((size_t)1 << 30)

/* ---- texts ---- */

static const char *with_unit(double value, double base, const char *const *units, int n,
                             char buf[32])
{
    int i = 0;
    if (!isfinite(value)) return "?";
    for (; i + 1 < n && fabs(value) >= 0.9995 * base; i++) value /= base;
    const int digits = value >= 99.95 ? 1 : value >= 9.995 ? 2 : 3;
    snprintf(buf, 32, "%.*f %s", digits, value, units[i]);
    return buf;
}

const char *ig_view_time(double ns, char buf[32])
{
    static const char *const units[] = { "ns", "µs", "ms", "s" };
    return with_unit(ns, 1000, units, IG_COUNT(units), buf);
}

const char *ig_view_bytes(double bytes, char buf[32])
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
    return with_unit(bytes, 1000, units, IG_COUNT(units), buf);
}

const char *ig_view_quantile(const ig_samples *sorted, double share, char buf[96])
{
    char value[32], low[32], high[32];
    const ig_quantile q = ig_quantile_of(sorted, share, IG_BENCH_CONFIDENCE);
    if (q.is_known)
        snprintf(buf, 96, "%s (%s to %s)", ig_view_time(q.value, value), ig_view_time(q.low, low),
                 ig_view_time(q.high, high));
    else
        snprintf(buf, 96, "not enough samples: %zu of %zu", sorted->n,
                 ig_quantile_min_samples(share, IG_BENCH_CONFIDENCE));
    return buf;
}

bool ig_view_is_timed(const ig_view_series *s)
{
    return (!s->contender || s->contender->state == IG_CONTENDER_FINE) && s->sorted_ns &&
           s->sorted_ns->n > 0;
}

static double median_of(const ig_samples *sorted)
{
    return sorted->n ? sorted->v[(sorted->n - 1) / 2] : 0;
}

/* ---- what all have ---- */

/* Which file it is; weights that lie beside it are not looked at. */
static void add_file(ig_facts *facts, const char *path)
{
    ig_file file = { 0 };
    ig_error err = { INGOT_OK, "" };
    char hex[65] = "not computed for so large a file";
    if (ig_file_open(path, &file, &err)) return;
    if (file.bytes <= MAX_CHECKED_BYTES) ig_sha256(file.data, file.bytes, hex);
    ig_facts_add(facts, "model's bytes", "%zu", file.bytes);
    ig_facts_add(facts, "model's SHA-256", "%s", hex);
    ig_file_close(&file);
}

static ig_status begin(ig_view *v, const char *model, const ig_bench_plan *plan, size_t n_series,
                       ig_arena *arena, ig_error *err)
{
    *v = (ig_view){ .model = model,
                    .scenario = ig_scenario_name(plan->scenario),
                    .results = { .arena = arena },
                    .settings = { .arena = arena } };
    v->series = ig_arena_array(arena, n_series + 1, sizeof *v->series);
    if (!v->series) return IG_NOMEM(err, n_series * sizeof *v->series);
    ig_facts_add(&v->settings, "model", "%s", model);
    add_file(&v->settings, model);
    ig_facts_add(&v->settings, "scenario", "%s", v->scenario);
    ig_facts_add(&v->settings, "duration", "at least %g s, at most %g s", plan->duration_s,
                 plan->duration_s * IG_BENCH_MAX_STRETCH);
    ig_facts_add(&v->settings, "seed", "%llu", (unsigned long long)plan->seed);
    ig_facts_add(&v->settings, "confidence of intervals", "%g %%", 100 * IG_BENCH_CONFIDENCE);
    return INGOT_OK;
}

static ig_status end(const ig_view *v, ig_error *err)
{
    return v->results.has_failed || v->settings.has_failed ? IG_NOMEM(err, 0) : INGOT_OK;
}

static void add_memory(ig_view *v, double peak_bytes, double pss_bytes)
{
    char peak[32], pss[32];
    ig_facts_add(&v->results, "peak memory (RSS)", "%s; PSS at the end %s",
                 ig_view_bytes(peak_bytes, peak), ig_view_bytes(pss_bytes, pss));
}

static void add_threads(ig_view *v, int n_threads, int n_sessions, const char *precision)
{
    v->n_threads = n_threads;
    v->n_running = n_threads * (n_sessions > 1 ? n_sessions : 1);
    ig_facts_add(&v->settings, "threads", "%d", n_threads);
    if (n_sessions > 1) ig_facts_add(&v->settings, "sessions", "%d, each of so many", n_sessions);
    ig_facts_add(&v->settings, "precision", "%s", precision ? precision : "?");
}

/* ---- one engine in this process ---- */

static void add_results(ig_view *v, const ig_bench_report *b)
{
    const ig_bench_result *r = b->result;
    char a[32], c[32], d[32], e[32];
    const size_t n = r->latency_ns.n + r->first_seen_ns.n;
    ig_facts_add(&v->results, "throughput (inferences)", "%.4g /s", (double)n / r->total_s);
    if (r->plan.scenario == IG_SCENARIO_SERVER)
        ig_facts_add(&v->results, "arrivals", "%.4g /s were asked for", r->plan.rate);
    ig_facts_add(&v->results, "opening the model", "%s (map %s, parse %s, optimise %s)",
                 ig_view_time(b->load_ns, a), ig_view_time((double)b->info->map_ns, c),
                 ig_view_time((double)b->info->parse_ns, d),
                 ig_view_time((double)b->info->optimise_ns, e));
    if (isfinite(r->first_ns))
        ig_facts_add(&v->results, "first inference", "%s (pack %s, run %s)",
                     ig_view_time(r->pack_ns + r->first_ns, a), ig_view_time(r->pack_ns, c),
                     ig_view_time(r->first_ns, d));
    ig_facts_add(&v->results, "CPU time an inference", "%s", ig_view_time(r->cpu_ns_per_run, a));
    ig_facts_add(&v->results, "CPU burnt while idle", "%.1f %% of a CPU", 100 * r->idle_cpu_share);
    add_memory(v, (double)r->memory.peak_rss_bytes, (double)r->memory.pss_bytes);
    ig_facts_add(&v->results, "weights", "%s; packed %s",
                 ig_view_bytes((double)b->info->weight_bytes, a),
                 ig_view_bytes((double)b->info->packed_bytes, c));
    ig_facts_add(&v->results, "page faults", "%lld minor, %lld major",
                 (long long)r->memory.minor_faults, (long long)r->memory.major_faults);
}

ig_status ig_view_of_bench(const ig_bench_report *b, ig_arena *arena, ig_view *v, ig_error *err)
{
    const ig_bench_result *r = b->result;
    const bool is_dynamic = r->plan.scenario == IG_SCENARIO_DYNAMIC;
    IG_TRY(begin(v, b->model, &r->plan, 2, arena, err));
    v->reasons = &r->reasons;
    v->is_overloaded = r->is_overloaded;
    v->before = &r->before;
    v->after = &r->after;
    v->n_repeats = r->n_repeats;
    v->window_s = r->plan.duration_s / IG_BENCH_N_WINDOWS;
    v->warm_up_window_s = r->plan.duration_s / IG_BENCH_N_WARM_UP_WINDOWS;
    v->roofline = b->roofline;
    v->series[v->n_series++] =
        (ig_view_series){ .name = is_dynamic                                ? "shape seen before"
                                  : r->plan.scenario == IG_SCENARIO_SERVER  ? "from arrival"
                                  : r->plan.scenario == IG_SCENARIO_OFFLINE ? "from the begin"
                                                                            : "ingot",
                          .sorted_ns = &r->latency_ns,
                          .warm_up_ns = is_dynamic ? NULL : &r->warm_up_ns,
                          .window_ns = &r->window_ns,
                          .memory_trace = &r->memory_trace,
                          .first_ns = is_dynamic ? NAN : r->first_ns };
    if (is_dynamic)
        v->series[v->n_series++] = (ig_view_series){ .name = "shape first seen",
                                                     .sorted_ns = &r->first_seen_ns,
                                                     .first_ns = NAN };
    add_results(v, b);
    add_threads(v, r->n_threads, r->plan.n_sessions, b->info->precision);
    for (size_t i = 0; i < b->n_vary; i++) ig_facts_add(&v->settings, "shapes", "%s", b->vary[i]);
    ig_facts_add(&v->settings, "least runs", "%zu", r->plan.min_runs);
    ig_facts_add(&v->settings, "calm", "the last three windows' medians within %g %%",
                 100 * r->plan.stability);
    return end(v, err);
}

/* ---- fresh processes ---- */

/* Medians of the phases; the last part is what the process took beyond them. */
static void set_phases(ig_view_series *s, const ig_samples *phases_ns)
{
    double sum = 0;
    for (size_t i = 1; i < IG_COLD_N_PHASES; i++) {
        s->parts_ns[i - 1] = median_of(&phases_ns[i]);
        sum += s->parts_ns[i - 1];
    }
    s->parts_ns[IG_COLD_N_PHASES - 1] = fmax(0, median_of(&phases_ns[0]) - sum);
}

static void add_process_series(ig_view *v, const char *name, const ig_samples *phases_ns)
{
    ig_view_series *s = &v->series[v->n_series];
    if (phases_ns[0].n == 0) return;
    *s = (ig_view_series){ .name = name, .sorted_ns = &phases_ns[0], .first_ns = NAN };
    set_phases(s, phases_ns);
    v->n_series++;
}

ig_status ig_view_of_cold(const char *model, const ig_bench_plan *plan, const ig_cold_result *r,
                          ig_arena *arena, ig_view *v, ig_error *err)
{
    static const char *const names[IG_COLD_N_PHASES] = { "map",  "parse", "optimise",
                                                         "pack", "first", "process, the rest" };
    IG_TRY(begin(v, model, plan, 2, arena, err));
    v->reasons = &r->reasons;
    v->before = &r->before;
    v->after = &r->after;
    v->n_running = 2;
    v->note = r->why_no_cold[0] ? r->why_no_cold : NULL;
    v->part_names = names;
    v->n_parts = IG_COLD_N_PHASES;
    add_process_series(v, "filled cache", r->warm_ns);
    add_process_series(v, "empty cache", r->cold_ns);
    ig_facts_add(&v->results, "measured", "from the start of a process to its first answer");
    ig_facts_add(&v->results, "processes", "%zu with the model in the page cache, %zu without",
                 r->warm_ns[0].n, r->cold_ns[0].n);
    ig_facts_add(&v->settings, "precision", "%s", r->precision);
    return end(v, err);
}

/* ---- rivals ---- */

static void add_contender(ig_view *v, const ig_versus *r, const ig_contender *c)
{
    ig_view_series *s = &v->series[v->n_series++];
    const bool is_cold = r->plan.scenario == IG_SCENARIO_COLD;
    *s = (ig_view_series){ .name = c->name,
                           .label = c->is_other_precision ? c->driver.precision : NULL,
                           .sorted_ns = &c->run_ns,
                           .warm_up_ns = &c->warm_up_ns,
                           .window_ns = &c->block_ns,
                           .memory_trace = &c->memory_trace,
                           .first_ns = is_cold ? NAN : c->first_ns,
                           .contender = c };
    for (size_t i = 0; is_cold && i < IG_COLD_N_PARTS; i++)
        s->parts_ns[i] = median_of(&c->cold_ns[i]);
}

static void add_versus_results(ig_view *v, const ig_versus *r)
{
    const ig_contender *first = &r->contenders[0];
    char text[32];
    const double rate = ig_versus_rate(first);
    if (isfinite(rate)) ig_facts_add(&v->results, "throughput (inferences)", "%.4g /s", rate);
    ig_facts_add(&v->results, "rounds", "%zu, in each a turn of every engine, in random order",
                 r->n_rounds);
    ig_facts_add(&v->results, "CPU time an inference", "%s",
                 ig_view_time(first->cpu_ns_per_run, text));
    add_memory(v, (double)first->memory.peak_rss_bytes, (double)first->memory.pss_bytes);
}

ig_status ig_view_of_versus(const ig_versus *r, const ig_roofline *roofline, ig_arena *arena,
                            ig_view *v, ig_error *err)
{
    const ig_contender *first = &r->contenders[0];
    IG_TRY(begin(v, r->model, &r->plan, r->n, arena, err));
    v->reasons = &r->reasons;
    v->before = &r->before;
    v->after = &r->after;
    v->n_repeats = r->n_repeats;
    v->warm_up_window_s = r->plan.duration_s / IG_BENCH_N_WARM_UP_WINDOWS;
    v->reference_name = r->reference_name;
    v->roofline = roofline;
    if (r->plan.scenario == IG_SCENARIO_COLD) {
        v->part_names = ig_cold_part_names;
        v->n_parts = IG_COLD_N_PARTS;
    }
    for (size_t i = 0; i < r->n; i++) add_contender(v, r, &r->contenders[i]);
    add_versus_results(v, r);
    add_threads(v, r->n_threads, r->n_streams, first->driver.precision);
    for (size_t i = 0; i < r->n_vary; i++) ig_facts_add(&v->settings, "shapes", "%s", r->vary[i]);
    ig_facts_add(&v->settings, "reference of the outputs", "%s", r->reference_name);
    return end(v, err);
}
