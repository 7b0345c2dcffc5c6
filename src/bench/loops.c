/* SPDX-License-Identifier: Apache-2.0 */
/* loops.c: sessions at work, in closed loops (the next when the last is done) or open ones. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "bench/scenario.h"

#define IDLE_ENOUGH_NS 1000000u /* to look at the memory before the next request */

struct ig_bench_counters {
    atomic_size_t n_runs, next;
    atomic_bool is_over;
};

/* ---- windows ---- */

void ig_windows_init(ig_windows *w, ig_alloc *alloc, double window_s)
{
    *w = (ig_windows){ .window_ns = window_s * 1e9,
                       .current = { .alloc = alloc },
                       .medians = { .alloc = alloc } };
}

void ig_windows_free(ig_windows *w)
{
    ig_samples_free(&w->current);
    ig_samples_free(&w->medians);
}

ig_status ig_windows_add(ig_windows *w, uint64_t now_ns, double ns, ig_error *err)
{
    IG_TRY(ig_samples_add(&w->current, ns, err));
    if (w->begin_ns == 0) w->begin_ns = now_ns - (uint64_t)ns;
    if ((double)(now_ns - w->begin_ns) < w->window_ns) return INGOT_OK;
    IG_TRY(ig_samples_add(&w->medians, ig_median(w->current.v, w->current.n), err));
    w->current.n = 0;
    w->begin_ns = now_ns;
    return INGOT_OK;
}

double ig_windows_spread(const ig_windows *w)
{
    const size_t n = w->medians.n;
    if (n < 3) return INFINITY;
    double low = w->medians.v[n - 1], high = low;
    for (size_t i = n - 3; i < n; i++) {
        low = fmin(low, w->medians.v[i]);
        high = fmax(high, w->medians.v[i]);
    }
    return low > 0 ? high / low - 1 : INFINITY;
}

/* ---- workers ---- */

static ig_status run_variant(ig_bench_worker *w, size_t variant)
{
    const ig_feeds *feeds = &w->loop->subject->variants[variant];
    return ingot_session_run(w->session, feeds->values, feeds->n, &w->err);
}

/* Long enough, often enough and calm; or too long. */
static bool is_enough(const ig_bench_worker *w, uint64_t now_ns)
{
    const ig_bench_plan *plan = w->loop->plan;
    const double elapsed_s = (double)(now_ns - w->loop->begin_ns) * 1e-9;
    const size_t n_runs = atomic_load_explicit(&w->loop->counters->n_runs, memory_order_relaxed);
    if (elapsed_s < plan->duration_s) return false;
    if (elapsed_s >= IG_BENCH_MAX_STRETCH * plan->duration_s || n_runs >= IG_BENCH_MAX_SAMPLES)
        return true;
    return n_runs >= plan->min_runs &&
           (w->loop->shapes || ig_windows_spread(&w->windows) <= plan->stability);
}

static ig_status closed_loop(ig_bench_worker *w, bool is_first)
{
    ig_bench_loop *loop = w->loop;
    while (!atomic_load_explicit(&loop->counters->is_over, memory_order_relaxed)) {
        const size_t n_variants = loop->subject->n_variants;
        const size_t variant =
            n_variants > 1 ? (size_t)(ig_random_unit(&w->random) * (double)n_variants) : 0;
        const uint64_t begin_ns = ig_clock_ns();
        IG_TRY(run_variant(w, variant));
        const uint64_t end_ns = ig_clock_ns();
        const double ns = (double)(end_ns - begin_ns);
        const bool is_new = loop->shapes && ig_shape_is_new(loop->shapes, variant);
        if (loop->shapes) IG_TRY(ig_shape_times_add(loop->shapes, variant, ns, &w->err));
        IG_TRY(ig_samples_add(is_new ? &w->first_seen_ns : &w->latency_ns, ns, &w->err));
        IG_TRY(ig_windows_add(&w->windows, end_ns, ns, &w->err));
        atomic_fetch_add_explicit(&loop->counters->n_runs, 1, memory_order_relaxed);
        if (w->memory) ig_memory_trace_sample(w->memory, 0);
        if (is_first && is_enough(w, end_ns)) break;
    }
    return INGOT_OK;
}

/* Requests wait in one line for the next session that is free. */
static ig_status open_loop(ig_bench_worker *w)
{
    ig_bench_loop *loop = w->loop;
    while (!atomic_load_explicit(&loop->counters->is_over, memory_order_relaxed)) {
        const size_t i = atomic_fetch_add(&loop->counters->next, 1);
        if (i >= loop->n_due) break;
        const uint64_t due_ns = loop->begin_ns + (uint64_t)loop->due_ns[i];
        /* Nobody waits for it, or only the rate counts. */
        if (w->memory && (due_ns > ig_clock_ns() + IDLE_ENOUGH_NS || loop->due_ns[i] <= 0))
            ig_memory_trace_sample(w->memory, 0);
        ig_sleep_until(due_ns);
        IG_TRY(run_variant(w, 0));
        const uint64_t end_ns = ig_clock_ns();
        const double ns = (double)(end_ns - due_ns);
        IG_TRY(ig_samples_add(&w->latency_ns, ns, &w->err));
        IG_TRY(ig_windows_add(&w->windows, end_ns, ns, &w->err));
        if ((double)(end_ns - loop->begin_ns) * 1e-9 >=
            IG_BENCH_MAX_STRETCH * loop->plan->duration_s)
            break;
    }
    return INGOT_OK;
}

static void work(ig_bench_worker *w, bool is_first)
{
    w->status = w->loop->due_ns ? open_loop(w) : closed_loop(w, is_first);
    if (w->status || is_first) /* an open loop's first may end while others still work */
        if (w->status || !w->loop->due_ns) atomic_store(&w->loop->counters->is_over, true);
}

static void *work_on(void *ctx)
{
    work(ctx, false);
    return NULL;
}

ig_status ig_bench_loop_run(ig_bench_loop *loop, ig_bench_worker *workers, size_t n,
                            ig_alloc *alloc, ig_error *err)
{
    struct ig_bench_counters counters = { 0 };
    pthread_t *threads = ig_alloc_get(alloc, n * sizeof *threads, 0, INGOT_MEM_OTHER);
    ig_status status = INGOT_OK;
    size_t n_started = 1;
    if (!threads) return IG_NOMEM(err, n * sizeof *threads);
    loop->counters = &counters;
    loop->begin_ns = ig_clock_ns();
    for (; n_started < n; n_started++)
        if (pthread_create(&threads[n_started], NULL, work_on, &workers[n_started])) {
            status = ig_fail(err, INGOT_ERR_LIMIT, "the system refused thread %zu of %zu",
                             n_started + 1, n);
            atomic_store(&counters.is_over, true);
            break;
        }
    if (!status) work(&workers[0], true);
    for (size_t i = 1; i < n_started; i++) pthread_join(threads[i], NULL);
    for (size_t i = 0; !status && i < n; i++)
        if (workers[i].status)
            status = ig_fail(err, workers[i].status, "%s", workers[i].err.message);
    ig_alloc_put(alloc, threads, n * sizeof *threads, INGOT_MEM_OTHER);
    loop->counters = NULL;
    return status;
}
