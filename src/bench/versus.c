/* SPDX-License-Identifier: Apache-2.0 */
/* versus.c: reference, outputs, warm-up, blocks in random order, ratios. */
#include "bench/versus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#define BLOCK_NS 50e6 /* of one engine's turn */
#define MAX_BLOCK_RUNS 2000
#define WARM_UP_WINDOWS 20
#define IDLE_NS 200000000
#define MIN_RATIO_ROUNDS 6 /* fewer have no interval */
#define LEAK_BYTES ((size_t)2 << 20)

const char *ig_contender_state_name(ig_contender_state state)
{
    static const char *const names[] = { "fine", "missing", "refused", "wrong", "failed" };
    return names[state];
}

static void give_up(ig_contender *c, ig_contender_state state, ig_error *err, const char *why)
{
    c->state = state;
    snprintf(c->why, sizeof c->why, "%.399s", why ? why : err->message);
    ig_error_clear(err);
    ig_driver_stop(&c->driver);
}

static bool is_cancelled(const ig_versus *v) { return v->is_cancelled && v->is_cancelled(); }

/* ---- outputs ---- */

/* Load, run once, deliver: what both the reference and contenders do first. */
static ig_status first_run(const ig_versus *v, ig_driver *d, const char *label, ig_arena *arena,
                           double *first_ns, ig_driver_tensor **outputs, size_t *n_outputs,
                           ig_error *err)
{
    ig_samples ns = { .alloc = arena->alloc };
    char *prefix = ig_arena_printf(arena, "%s/%s", v->folder, label);
    if (!prefix) return IG_NOMEM(err, 0);
    ig_status status = ig_driver_run(d, 1, &ns, err);
    if (!status) *first_ns = ns.v[0];
    if (!status) status = ig_driver_outputs(d, prefix, outputs, n_outputs, err);
    ig_samples_free(&ns);
    return status;
}

static ig_status run_reference(const ig_versus *v, ig_arena *arena, ig_driver_tensor **outputs,
                               size_t *n_outputs, ig_error *err)
{
    ig_driver d;
    double ns;
    ig_status status = ig_driver_start(&d, v->reference_name, v->reference_command, v->timeout_s,
                                       v->is_cancelled, arena, err);
    if (!status) status = ig_driver_load(&d, v->model, v->n_threads, v->inputs, v->n_inputs, err);
    if (!status) status = first_run(v, &d, "reference", arena, &ns, outputs, n_outputs, err);
    if (status) ig_error_prepend(err, "the reference run");
    ig_driver_stop(&d);
    return status;
}

static void start_contender(ig_versus *v, ig_contender *c, ig_arena *arena, ig_error *err)
{
    char text[400];
    if (!c->command) {
        snprintf(text, sizeof text,
                 "no driver '%.60s' beside the program or in INGOT_DRIVERS; see docs/drivers.md",
                 c->name);
        give_up(c, IG_CONTENDER_MISSING, err, text);
        return;
    }
    if (ig_driver_start(&c->driver, c->name, c->command, v->timeout_s, v->is_cancelled, arena,
                        err)) {
        if (c->driver.install)
            snprintf(text, sizeof text, "%.200s; install it: %.150s", err->message,
                     c->driver.install);
        give_up(c, c->driver.install ? IG_CONTENDER_MISSING : IG_CONTENDER_FAILED, err,
                c->driver.install ? text : NULL);
        return;
    }
    if (ig_driver_load(&c->driver, v->model, v->n_threads, v->inputs, v->n_inputs, err))
        give_up(c, IG_CONTENDER_FAILED, err, NULL);
}

static void check_outputs(ig_versus *v, ig_contender *c, size_t i,
                          const ig_driver_tensor *reference, size_t n_reference, ig_arena *arena,
                          ig_error *err)
{
    ig_driver_tensor *outputs = NULL;
    size_t n_outputs = 0;
    char label[32], text[400];
    const char *ours = v->contenders[0].driver.precision;
    c->is_other_precision = i > 0 && strcmp(c->driver.precision, ours) != 0;
    if (c->is_other_precision && !v->allow_mixed) {
        snprintf(text, sizeof text,
                 "computes in %.40s, Ingot in %.40s: no fair comparison; --allow-mixed-precision "
                 "makes one",
                 c->driver.precision, ours);
        give_up(c, IG_CONTENDER_REFUSED, err, text);
        return;
    }
    snprintf(label, sizeof label, "%zu", i);
    if (first_run(v, &c->driver, label, arena, &c->first_ns, &outputs, &n_outputs, err) ||
        ig_compare_outputs(reference, n_reference, outputs, n_outputs, &c->difference, err)) {
        give_up(c, IG_CONTENDER_FAILED, err, NULL);
        return;
    }
    const double allowed = c->is_other_precision ? IG_VERSUS_MAX_MIXED_ERROR : IG_VERSUS_MAX_ERROR;
    if (c->difference.rms_error <= allowed) return;
    snprintf(text, sizeof text, "its outputs are wrong: rms error %.2g of the reference's rms",
             c->difference.rms_error);
    give_up(c, IG_CONTENDER_WRONG, err, text);
}

/* ---- warm-up ---- */

static size_t runs_in(double ns, double run_ns)
{
    return (size_t)fmax(1, fmin(MAX_BLOCK_RUNS, ns / fmax(run_ns, 1)));
}

static ig_status warm_up(const ig_versus *v, ig_contender *c, ig_alloc *alloc, ig_error *err)
{
    ig_windows w;
    ig_samples ns = { .alloc = alloc };
    double run_ns = c->first_ns;
    const double window_s = v->plan.duration_s / WARM_UP_WINDOWS;
    ig_status status = INGOT_OK;
    ig_windows_init(&w, alloc, window_s);
    while (!status && w.medians.n < WARM_UP_WINDOWS && !is_cancelled(v) &&
           ig_windows_spread(&w) > v->plan.stability) {
        ns.n = 0;
        status = ig_driver_run(&c->driver, runs_in(window_s * 1e9 / 4, run_ns), &ns, err);
        for (size_t i = 0; !status && i < ns.n; i++)
            status = ig_windows_add(&w, ig_clock_ns(), ns.v[i], err);
        if (!status) run_ns = ig_median(ns.v, ns.n);
    }
    if (!status) status = ig_samples_append(&c->warm_up_ns, &w.medians, err);
    c->block_runs = runs_in(BLOCK_NS, run_ns);
    ig_samples_free(&ns);
    ig_windows_free(&w);
    return status;
}

/* CPU time that it burns when nobody asks it anything. */
static void measure_idle(ig_contender *c)
{
    ig_process_facts a, b;
    const struct timespec nap = { 0, IDLE_NS };
    ig_process_facts_of(c->driver.child.pid, &a);
    nanosleep(&nap, NULL);
    ig_process_facts_of(c->driver.child.pid, &b);
    c->idle_cpu_share = (double)(b.cpu_ns - a.cpu_ns) / IDLE_NS;
    c->rss_begin_bytes = b.rss_bytes;
}

/* ---- rounds ---- */

static ig_status run_block(ig_contender *c, ig_alloc *alloc, ig_error *err)
{
    ig_samples ns = { .alloc = alloc };
    ig_process_facts before, after;
    ig_driver_pause(&c->driver, false);
    ig_process_facts_of(c->driver.child.pid, &before);
    ig_status status = ig_driver_run(&c->driver, c->block_runs, &ns, err);
    ig_process_facts_of(c->driver.child.pid, &after);
    ig_driver_pause(&c->driver, true);
    if (!status) status = ig_samples_append(&c->run_ns, &ns, err);
    if (!status) status = ig_samples_add(&c->block_ns, ig_median(ns.v, ns.n), err);
    c->cpu_ns_per_run += (double)(after.cpu_ns - before.cpu_ns);
    c->memory = after;
    ig_samples_free(&ns);
    return status;
}

/* The order of a round: a permutation of the contenders that are still fine. */
static size_t shuffle(const ig_versus *v, size_t *order, uint64_t *random)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        if (v->contenders[i].state == IG_CONTENDER_FINE) order[n++] = i;
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)(ig_random_unit(random) * (double)i), other = order[k];
        order[k] = order[i - 1];
        order[i - 1] = other;
    }
    return n;
}

static ig_status run_rounds(ig_versus *v, size_t *order, uint64_t *random, ig_alloc *alloc,
                            ig_error *err)
{
    const uint64_t begin_ns = ig_clock_ns();
    for (v->n_rounds = 0;; v->n_rounds++) {
        const size_t n = shuffle(v, order, random);
        const double elapsed_s = (double)(ig_clock_ns() - begin_ns) * 1e-9 / (double)(n ? n : 1);
        if (elapsed_s >= IG_BENCH_MAX_STRETCH * v->plan.duration_s && v->n_rounds >= 3) break;
        if (elapsed_s >= v->plan.duration_s && v->n_rounds >= IG_VERSUS_MIN_ROUNDS &&
            v->contenders[0].run_ns.n >= v->plan.min_runs)
            break;
        for (size_t k = 0; k < n; k++) {
            ig_contender *c = &v->contenders[order[k]];
            if (is_cancelled(v)) return ig_fail(err, INGOT_ERR_CANCELLED, "interrupted");
            const ig_status status = run_block(c, alloc, err);
            if (status && order[k] == 0) return status;
            if (status) give_up(c, IG_CONTENDER_FAILED, err, NULL);
        }
    }
    return INGOT_OK;
}

/* What blocks did not fit together, because one has failed midway, is left out. */
static ig_status conclude(ig_versus *v, ig_alloc *alloc, ig_error *err)
{
    ig_contender *first = &v->contenders[0];
    const size_t n = first->block_ns.n, bytes = (n + IG_BENCH_N_RESAMPLES) * sizeof(double);
    double *scratch = ig_alloc_get(alloc, bytes, 0, INGOT_MEM_OTHER);
    if (!scratch) return IG_NOMEM(err, bytes);
    for (size_t i = 0; i < v->n; i++) {
        ig_contender *c = &v->contenders[i];
        if (c->state != IG_CONTENDER_FINE) continue;
        const size_t grown =
            c->memory.rss_bytes > c->rss_begin_bytes ? c->memory.rss_bytes - c->rss_begin_bytes : 0;
        c->is_leaking = grown > LEAK_BYTES && grown > c->rss_begin_bytes / 20;
        c->cpu_ns_per_run /= (double)(c->run_ns.n ? c->run_ns.n : 1);
        c->has_ratio = i > 0 && n >= MIN_RATIO_ROUNDS && c->block_ns.n == n;
        if (c->has_ratio)
            c->ratio = ig_bootstrap_paired(first->block_ns.v, c->block_ns.v, n, IG_BENCH_CONFIDENCE,
                                           v->plan.seed, scratch);
        ig_samples_sort(&c->run_ns);
    }
    ig_alloc_put(alloc, scratch, bytes, INGOT_MEM_OTHER);
    return INGOT_OK;
}

static ig_status measure_once(ig_versus *v, size_t *order, int *pids, uint64_t *random,
                              ig_alloc *alloc, ig_error *err)
{
    ig_noise_others others = { pids, 0 };
    for (size_t i = 0; i < v->n; i++) {
        ig_contender *c = &v->contenders[i];
        c->run_ns.n = c->block_ns.n = 0;
        c->cpu_ns_per_run = 0;
        if (c->state == IG_CONTENDER_FINE) pids[others.n++] = c->driver.child.pid;
    }
    ig_noise_take(&v->before, &others);
    IG_TRY(run_rounds(v, order, random, alloc, err));
    ig_noise_take(&v->after, &others);
    ig_str_clear(&v->reasons);
    ig_noise_judge(&v->before, &v->after, v->n_threads, &v->reasons);
    return INGOT_OK;
}

static ig_status prepare(ig_versus *v, ig_arena *arena, ig_error *err)
{
    ig_driver_tensor *reference = NULL;
    size_t n_reference = 0;
    IG_TRY(run_reference(v, arena, &reference, &n_reference, err));
    for (size_t i = 0; i < v->n; i++) {
        ig_contender *c = &v->contenders[i];
        c->warm_up_ns.alloc = c->run_ns.alloc = c->block_ns.alloc = arena->alloc;
        if (is_cancelled(v)) return ig_fail(err, INGOT_ERR_CANCELLED, "interrupted");
        start_contender(v, c, arena, err);
        if (c->state == IG_CONTENDER_FINE)
            check_outputs(v, c, i, reference, n_reference, arena, err);
        if (c->state == IG_CONTENDER_FINE && warm_up(v, c, arena->alloc, err))
            give_up(c, IG_CONTENDER_FAILED, err, NULL);
        if (c->state == IG_CONTENDER_FINE) {
            measure_idle(c);
            ig_driver_pause(&c->driver, true);
        }
        if (i == 0 && c->state) return ig_fail(err, INGOT_ERR_INTERNAL, "Ingot: %s", c->why);
    }
    return INGOT_OK;
}

ig_status ig_versus_measure(ig_versus *v, ig_arena *arena, ig_error *err)
{
    uint64_t random = v->plan.seed ^ 0xb10c;
    size_t *order = ig_arena_array(arena, v->n, sizeof *order);
    int *pids = ig_arena_array(arena, v->n, sizeof *pids);
    if (!order || !pids) return IG_NOMEM(err, v->n * sizeof *order);
    IG_TRY(prepare(v, arena, err));
    for (v->n_repeats = 0;; v->n_repeats++) {
        IG_TRY(measure_once(v, order, pids, &random, arena->alloc, err));
        if (v->reasons.n == 0 || v->n_repeats >= v->plan.n_retries) break;
        ig_sleep_until(ig_clock_ns() + (uint64_t)(fmin(1.0, v->plan.duration_s) * 1e9));
    }
    return conclude(v, arena->alloc, err);
}

void ig_versus_free(ig_versus *v, ig_alloc *alloc)
{
    for (size_t i = 0; i < v->n; i++) {
        ig_contender *c = &v->contenders[i];
        ig_driver_stop(&c->driver);
        c->warm_up_ns.alloc = c->run_ns.alloc = c->block_ns.alloc = alloc;
        ig_samples_free(&c->warm_up_ns);
        ig_samples_free(&c->run_ns);
        ig_samples_free(&c->block_ns);
    }
    ig_str_deinit(&v->reasons);
}
