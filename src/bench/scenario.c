/* SPDX-License-Identifier: Apache-2.0 */
/* scenario.c: prepare, warm up, measure, judge; again when there was noise. */
#include "bench/scenario.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/cpu.h"

#define MIN_OFFLINE 24
#define IDLE_NS 200000000u

const char *ig_scenario_name(ig_scenario scenario)
{
    static const char *const names[] = {
        "single", "multi", "server", "offline", "cold", "dynamic"
    };
    return names[scenario];
}

/* ---- results ---- */

void ig_bench_result_init(ig_bench_result *r, ig_alloc *alloc)
{
    *r = (ig_bench_result){ 0 };
    r->latency_ns.alloc = r->first_seen_ns.alloc = r->warm_up_ns.alloc = r->window_ns.alloc = alloc;
    ig_str_init(&r->reasons, alloc);
}

void ig_bench_result_free(ig_bench_result *r)
{
    ig_samples_free(&r->latency_ns);
    ig_samples_free(&r->first_seen_ns);
    ig_samples_free(&r->warm_up_ns);
    ig_samples_free(&r->window_ns);
    ig_shape_times_free(&r->shapes);
    ig_str_deinit(&r->reasons);
}

/* ---- before ---- */

static void fill_in(const ig_bench_subject *subject, ig_bench_result *r)
{
    const int n_cpus = ig_cpu_n_usable();
    ig_bench_plan *plan = &r->plan;
    const bool has_many =
        plan->scenario == IG_SCENARIO_MULTI || plan->scenario == IG_SCENARIO_OFFLINE;
    if (plan->n_sessions < 1) plan->n_sessions = has_many ? (n_cpus > 1 ? n_cpus : 2) : 1;
    if (plan->scenario == IG_SCENARIO_SINGLE || plan->scenario == IG_SCENARIO_DYNAMIC)
        plan->n_sessions = 1;
    r->n_threads = subject->session.n_threads;
    if (r->n_threads < 1) r->n_threads = n_cpus / plan->n_sessions;
    if (r->n_threads < 1) r->n_threads = 1;
}

static ig_status start(const ig_bench_subject *subject, ig_bench_worker *workers,
                       ig_bench_result *r, ig_error *err)
{
    ingot_session_options options = subject->session;
    const ig_feeds *feeds = &subject->variants[0];
    options.n_threads = r->n_threads;
    for (int i = 0; i < r->plan.n_sessions; i++) {
        workers[i].random = r->plan.seed + (uint64_t)i;
        IG_TRY(ingot_session_create(subject->model, &options, &workers[i].session, err));
        /* Shapes are what a dynamic model is about: its first ones are measured, not prepared. */
        if (r->plan.scenario == IG_SCENARIO_DYNAMIC) {
            r->pack_ns = r->first_ns = NAN;
            continue;
        }
        uint64_t begin_ns = ig_clock_ns();
        IG_TRY(ingot_session_prepare(workers[i].session, feeds->values, feeds->n, err));
        if (i == 0) r->pack_ns = (double)(ig_clock_ns() - begin_ns);
        begin_ns = ig_clock_ns();
        IG_TRY(ingot_session_run(workers[i].session, feeds->values, feeds->n, err));
        if (i == 0) r->first_ns = (double)(ig_clock_ns() - begin_ns);
        ig_memory_trace_sample_now(&r->memory_trace, 0);
    }
    r->n_threads = ingot_session_n_threads(workers[0].session);
    return INGOT_OK;
}

/* Run until three windows in a row agree, or as long as the measurement itself would take. */
static ig_status warm_up(const ig_bench_subject *subject, ig_bench_worker *workers,
                         ig_bench_result *r, ig_alloc *alloc, ig_error *err)
{
    const ig_feeds *feeds = &subject->variants[0];
    ig_windows w;
    ig_status status = INGOT_OK;
    ig_windows_init(&w, alloc, r->plan.duration_s / IG_BENCH_N_WARM_UP_WINDOWS);
    ig_memory_trace_mark(&r->memory_trace, "warm-up");
    while (!status && w.medians.n < IG_BENCH_N_WARM_UP_WINDOWS &&
           ig_windows_spread(&w) > r->plan.stability) {
        const uint64_t begin_ns = ig_clock_ns();
        status = ingot_session_run(workers[0].session, feeds->values, feeds->n, err);
        const uint64_t end_ns = ig_clock_ns();
        if (!status) status = ig_windows_add(&w, end_ns, (double)(end_ns - begin_ns), err);
        ig_memory_trace_sample(&r->memory_trace, 0);
    }
    if (!status) status = ig_samples_append(&r->warm_up_ns, &w.medians, err);
    ig_windows_free(&w);
    return status;
}

/* ---- one measurement ---- */

/* When each request arrives: gaps of a Poisson process, or all at once. */
static ig_status schedule(ig_bench_result *r, double run_ns, ig_samples *due, ig_error *err)
{
    ig_bench_plan *plan = &r->plan;
    uint64_t state = plan->seed ^ 0x5eed;
    if (plan->scenario == IG_SCENARIO_OFFLINE) {
        double n = plan->duration_s * 1e9 / run_ns * plan->n_sessions;
        n = fmax(fmax(n, (double)plan->min_runs), MIN_OFFLINE);
        for (size_t i = 0; i < (size_t)fmin(n, IG_BENCH_MAX_SAMPLES); i++)
            IG_TRY(ig_samples_add(due, 0, err));
        return INGOT_OK;
    }
    if (plan->rate <= 0) plan->rate = 0.5e9 / run_ns;
    for (double at_ns = 0; due->n < IG_BENCH_MAX_SAMPLES;) {
        at_ns += -log(1 - ig_random_unit(&state)) * 1e9 / plan->rate;
        if (at_ns > plan->duration_s * 1e9 && due->n >= plan->min_runs) break;
        if (at_ns > IG_BENCH_MAX_STRETCH * plan->duration_s * 1e9 && due->n) break;
        IG_TRY(ig_samples_add(due, at_ns, err));
    }
    return INGOT_OK;
}

static void clear_workers(ig_bench_worker *workers, int n, ig_alloc *alloc, double window_s)
{
    for (int i = 0; i < n; i++) {
        workers[i].latency_ns.n = workers[i].first_seen_ns.n = 0;
        ig_windows_free(&workers[i].windows);
        ig_windows_init(&workers[i].windows, alloc, window_s);
    }
}

/* Latencies of an offline set are the moments at which its answers were done: the time between two
 * of them, in stretches of equally many. */
static ig_status offline_windows(const ig_samples *done_ns, ig_samples *windows, ig_error *err)
{
    const size_t n = done_ns->n / 2 < IG_BENCH_N_WINDOWS ? done_ns->n / 2 : IG_BENCH_N_WINDOWS;
    for (size_t i = 0, from = 0; i < n; i++) {
        const size_t to = (i + 1) * done_ns->n / n;
        const double ns = done_ns->v[to - 1] - (from ? done_ns->v[from - 1] : 0);
        if (ns > 0) IG_TRY(ig_samples_add(windows, ns / (double)(to - from), err));
        from = to;
    }
    return INGOT_OK;
}

static ig_status gather(ig_bench_result *r, const ig_bench_worker *workers, ig_error *err)
{
    r->latency_ns.n = r->first_seen_ns.n = r->window_ns.n = 0;
    r->spread = 0;
    for (int i = 0; i < r->plan.n_sessions; i++) {
        IG_TRY(ig_samples_append(&r->latency_ns, &workers[i].latency_ns, err));
        IG_TRY(ig_samples_append(&r->first_seen_ns, &workers[i].first_seen_ns, err));
    }
    r->spread = ig_windows_spread(&workers[0].windows);
    ig_samples_sort(&r->latency_ns);
    ig_samples_sort(&r->first_seen_ns);
    if (r->plan.scenario == IG_SCENARIO_OFFLINE)
        return offline_windows(&r->latency_ns, &r->window_ns, err);
    return ig_samples_append(&r->window_ns, &workers[0].windows.medians, err);
}

static ig_status measure_once(const ig_bench_subject *subject, ig_bench_worker *workers,
                              ig_bench_result *r, const ig_samples *due, ig_alloc *alloc,
                              ig_error *err)
{
    ig_bench_loop loop = { .subject = subject, .plan = &r->plan };
    const int n = r->plan.n_sessions;
    if (r->shapes.n) loop.shapes = &r->shapes;
    if (due->n) loop.due_ns = due->v, loop.n_due = due->n;
    ig_memory_trace_mark(&r->memory_trace, "measurement");
    clear_workers(workers, n, alloc, r->plan.duration_s / IG_BENCH_N_WINDOWS);
    for (int i = 0; i < n; i++) workers[i].loop = &loop;
    workers[0].memory = &r->memory_trace;
    ig_noise_take(&r->before, NULL);
    const uint64_t cpu_ns = ig_process_cpu_ns();
    const ig_status status = ig_bench_loop_run(&loop, workers, (size_t)n, alloc, err);
    const uint64_t end_ns = ig_clock_ns();
    r->cpu_ns_per_run = (double)(ig_process_cpu_ns() - cpu_ns);
    if (status) return status;
    r->total_s = (double)(end_ns - loop.begin_ns) * 1e-9;
    ig_process_facts_of(0, &r->memory);
    ig_noise_take(&r->after, NULL);
    IG_TRY(gather(r, workers, err));
    r->cpu_ns_per_run /= (double)(r->latency_ns.n + r->first_seen_ns.n);
    return INGOT_OK;
}

/* What the process burns when nobody asks it anything. */
static ig_status measure_idle(const ig_bench_subject *subject, const ig_bench_worker *worker,
                              ig_bench_result *r, ig_error *err)
{
    const ig_feeds *feeds = &subject->variants[0];
    ig_memory_trace_mark(&r->memory_trace, "idle");
    IG_TRY(ingot_session_run(worker->session, feeds->values, feeds->n, err));
    const uint64_t cpu_ns = ig_process_cpu_ns(), begin_ns = ig_clock_ns();
    const struct timespec nap = { 0, IDLE_NS };
    nanosleep(&nap, NULL);
    r->idle_cpu_share = (double)(ig_process_cpu_ns() - cpu_ns) / (double)(ig_clock_ns() - begin_ns);
    ig_process_facts_of(0, &r->after_idle);
    ig_memory_trace_sample_now(&r->memory_trace, 0);
    return INGOT_OK;
}

static void judge(ig_bench_result *r)
{
    const int n_running = r->n_threads * r->plan.n_sessions;
    const bool wants_calm = r->plan.scenario != IG_SCENARIO_DYNAMIC &&
                            r->plan.scenario != IG_SCENARIO_SERVER &&
                            r->plan.scenario != IG_SCENARIO_OFFLINE;
    ig_str_clear(&r->reasons);
    ig_noise_judge(&r->before, &r->after, n_running, &r->reasons);
    r->is_stable = !wants_calm || r->spread <= r->plan.stability;
    if (!r->is_stable)
        ig_str_printf(&r->reasons, "%sthe last three windows' medians lie %.0f %% apart",
                      r->reasons.n ? "; " : "", isfinite(r->spread) ? 100 * r->spread : 999.0);
    /* A line that grows: what is waited for at the end is no property of the model. */
    const double achieved = (double)r->latency_ns.n / r->total_s;
    r->is_overloaded = r->plan.scenario == IG_SCENARIO_SERVER && achieved < 0.95 * r->plan.rate &&
                       r->total_s > 1.05 * r->plan.duration_s;
}

static ig_status measure_with(const ig_bench_subject *subject, ig_bench_worker *workers,
                              ig_bench_result *r, ig_samples *due, ig_alloc *alloc, ig_error *err)
{
    const bool is_dynamic = r->plan.scenario == IG_SCENARIO_DYNAMIC;
    if (!is_dynamic) {
        IG_TRY(warm_up(subject, workers, r, alloc, err));
        const double run_ns = r->warm_up_ns.v[r->warm_up_ns.n - 1];
        if (r->plan.scenario == IG_SCENARIO_SERVER || r->plan.scenario == IG_SCENARIO_OFFLINE)
            IG_TRY(schedule(r, run_ns, due, err));
    }
    /* Shapes are new only once: noise cannot be answered by doing it again. */
    const int n_retries = is_dynamic ? 0 : r->plan.n_retries;
    for (r->n_repeats = 0;; r->n_repeats++) {
        IG_TRY(measure_once(subject, workers, r, due, alloc, err));
        judge(r);
        if (r->reasons.n == 0 || r->n_repeats >= n_retries) break;
        ig_sleep_until(ig_clock_ns() + (uint64_t)(fmin(1.0, r->plan.duration_s) * 1e9));
    }
    return measure_idle(subject, &workers[0], r, err);
}

ig_status ig_bench_measure(const ig_bench_subject *subject, const ig_bench_plan *plan,
                           ig_bench_result *r, ig_error *err)
{
    ig_alloc *alloc = r->latency_ns.alloc;
    ig_samples due = { .alloc = alloc };
    r->plan = *plan;
    fill_in(subject, r);
    ig_memory_trace_begin(&r->memory_trace, ig_clock_ns());
    ig_memory_trace_mark(&r->memory_trace, "model is open");
    ig_memory_trace_sample_now(&r->memory_trace, 0);
    const size_t n = (size_t)r->plan.n_sessions;
    ig_bench_worker *workers = ig_alloc_get(alloc, n * sizeof *workers, 0, INGOT_MEM_OTHER);
    ig_status status = workers ? INGOT_OK : IG_NOMEM(err, n * sizeof *workers);
    if (workers) memset(workers, 0, n * sizeof *workers);
    if (!status && plan->scenario == IG_SCENARIO_DYNAMIC)
        status = ig_shape_times_init(&r->shapes, alloc, subject->n_variants, err);
    for (size_t i = 0; workers && i < n; i++)
        workers[i].latency_ns.alloc = workers[i].first_seen_ns.alloc = alloc;
    if (!status) status = start(subject, workers, r, err);
    if (!status) status = measure_with(subject, workers, r, &due, alloc, err);
    for (size_t i = 0; workers && i < n; i++) {
        ingot_session_destroy(workers[i].session);
        ig_samples_free(&workers[i].latency_ns);
        ig_samples_free(&workers[i].first_seen_ns);
        ig_windows_free(&workers[i].windows);
    }
    ig_samples_free(&due);
    if (workers) ig_alloc_put(alloc, workers, n * sizeof *workers, INGOT_MEM_OTHER);
    return status;
}
