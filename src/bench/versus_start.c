/* SPDX-License-Identifier: Apache-2.0 */
/* versus_start.c: engines take their places: loaded, compared with the reference, warm. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "bench/versus_part.h"

#define IDLE_NS 200000000

/* A list of outputs for each variant of the inputs. */
typedef struct variant_outputs {
    ig_driver_tensor *tensors;
    size_t n;
} variant_outputs;

/* ---- the first run ---- */

/* Run once, deliver: what both the reference and contenders do first. */
static ig_status first_run(const ig_versus *v, ig_driver *d, size_t variant, const char *label,
                           double *first_ns, variant_outputs *outputs, ig_error *err)
{
    ig_samples ns = { .alloc = d->arena->alloc };
    char *prefix = ig_arena_printf(d->arena, "%s/%s", v->folder, label);
    ig_status status = prefix ? INGOT_OK : IG_NOMEM(err, 0);
    if (!status && v->n_variants > 1) status = ig_driver_feed(d, &v->variants[variant], err);
    if (!status) status = ig_driver_run(d, 1, &ns, err);
    if (!status) *first_ns = ns.v[0];
    if (!status)
        status = ig_driver_outputs(d, prefix, d->arena, &outputs->tensors, &outputs->n, err);
    ig_samples_free(&ns);
    return status;
}

static ig_status run_reference(const ig_versus *v, ig_arena *arena, variant_outputs *outputs,
                               ig_error *err)
{
    ig_driver d;
    char label[40];
    double ns;
    ig_driver_task task = ig_versus_task(v);
    task.n_streams = 1;
    ig_status status = ig_driver_start(&d, v->reference_name, v->reference_command, v->timeout_s,
                                       v->is_cancelled, arena, err);
    if (!status) status = ig_driver_load(&d, &task, &v->variants[0], err);
    for (size_t i = 0; !status && i < v->n_variants; i++) {
        snprintf(label, sizeof label, "reference-%zu", i);
        status = first_run(v, &d, i, label, &ns, &outputs[i], err);
    }
    if (status) ig_error_prepend(err, "the reference run");
    ig_driver_stop(&d);
    return status;
}

static void start_contender(ig_versus *v, ig_contender *c, ig_arena *arena, ig_error *err)
{
    char text[400];
    const ig_driver_task task = ig_versus_task(v);
    if (!c->command) {
        snprintf(text, sizeof text,
                 "no driver '%.60s' beside the program or in INGOT_DRIVERS; see docs/drivers.md",
                 c->name);
        ig_contender_give_up(c, IG_CONTENDER_MISSING, err, text);
        return;
    }
    if (ig_driver_start(&c->driver, c->name, c->command, v->timeout_s, v->is_cancelled, arena,
                        err)) {
        if (c->driver.install)
            snprintf(text, sizeof text, "%.200s; install it: %.150s", err->message,
                     c->driver.install);
        ig_contender_give_up(c, c->driver.install ? IG_CONTENDER_MISSING : IG_CONTENDER_FAILED, err,
                             c->driver.install ? text : NULL);
        return;
    }
    if (ig_driver_load(&c->driver, &task, &v->variants[0], err))
        ig_contender_give_up(c, IG_CONTENDER_FAILED, err, NULL);
}

/* ---- outputs and precision ---- */

static void check_precision(const ig_versus *v, ig_contender *c, ig_error *err)
{
    char text[400];
    const char *ours = v->contenders[0].driver.precision;
    c->is_other_precision = strcmp(c->driver.precision, ours) != 0;
    if (!c->is_other_precision || v->allow_mixed) return;
    snprintf(text, sizeof text,
             "computes in %.40s, Ingot in %.40s: no fair comparison; --allow-mixed-precision "
             "makes one",
             c->driver.precision, ours);
    ig_contender_give_up(c, IG_CONTENDER_REFUSED, err, text);
}

/* The first run with these inputs, and what came of it: the largest differences of all variants
 * stay. */
static void check_outputs(ig_versus *v, size_t i, size_t variant, const variant_outputs *reference,
                          ig_error *err)
{
    variant_outputs outputs = { 0 };
    ig_contender *c = &v->contenders[i];
    ig_difference difference;
    char label[32], text[400];
    double ns = 0;
    snprintf(label, sizeof label, "%zu", i);
    if (first_run(v, &c->driver, variant, label, &ns, &outputs, err) ||
        ig_compare_outputs(reference->tensors, reference->n, outputs.tensors, outputs.n,
                           &difference, err)) {
        ig_contender_give_up(c, IG_CONTENDER_FAILED, err, NULL);
        return;
    }
    if (c->shapes.n && ig_shape_times_add(&c->shapes, variant, ns, err)) {
        ig_contender_give_up(c, IG_CONTENDER_FAILED, err, NULL);
        return;
    }
    if (variant == 0) c->first_ns = ns;
    if (variant == 0) c->difference = difference;
    c->difference.max_error = fmax(c->difference.max_error, difference.max_error);
    c->difference.rms_error = fmax(c->difference.rms_error, difference.rms_error);
    c->difference.top1 = fmin(c->difference.top1, difference.top1);
    const double allowed = c->is_other_precision ? IG_VERSUS_MAX_MIXED_ERROR : IG_VERSUS_MAX_ERROR;
    if (difference.rms_error <= allowed) return;
    if (difference.why[0])
        snprintf(text, sizeof text, "its outputs are wrong: %s", difference.why);
    else
        snprintf(text, sizeof text, "its outputs are wrong: rms error %.2g of the reference's rms",
                 difference.rms_error);
    ig_contender_give_up(c, IG_CONTENDER_WRONG, err, text);
}

/* ---- warm-up ---- */

static ig_status warm_up(const ig_versus *v, ig_contender *c, ig_alloc *alloc, ig_error *err)
{
    ig_windows w;
    ig_samples ns = { .alloc = alloc };
    double run_ns = c->first_ns;
    const double window_s = v->plan.duration_s / IG_BENCH_N_WARM_UP_WINDOWS;
    ig_status status = INGOT_OK;
    ig_windows_init(&w, alloc, window_s);
    while (!status && w.medians.n < IG_BENCH_N_WARM_UP_WINDOWS && !ig_versus_is_cancelled(v) &&
           ig_windows_spread(&w) > v->plan.stability) {
        ns.n = 0;
        status = ig_driver_run(&c->driver, ig_versus_runs_in(window_s * 1e9 / 4, run_ns), &ns, err);
        for (size_t i = 0; !status && i < ns.n; i++)
            status = ig_windows_add(&w, ig_clock_ns(), ns.v[i], err);
        ig_memory_trace_sample(&c->memory_trace, c->driver.child.pid);
        if (!status) run_ns = ig_median(ns.v, ns.n);
    }
    if (!status) status = ig_samples_append(&c->warm_up_ns, &w.medians, err);
    c->block_runs = ig_versus_runs_in(IG_VERSUS_BLOCK_NS, run_ns);
    ig_samples_free(&ns);
    ig_windows_free(&w);
    return status;
}

/* The other streams are cold still; and how many runs fill a block they alone tell. Whole turns of
 * all streams, so that none waits for the last. */
static ig_status warm_up_streams(const ig_versus *v, ig_contender *c, ig_error *err)
{
    const size_t n_streams = (size_t)v->n_streams;
    double ns = 0;
    for (int i = 0; i < 2; i++) {
        IG_TRY(ig_driver_offline(&c->driver, 2 * n_streams, &ns, err));
        const size_t n = ig_versus_runs_in(IG_VERSUS_BLOCK_NS, ns / (double)(2 * n_streams));
        c->block_runs = (n / n_streams < 2 ? 2 : n / n_streams) * n_streams;
    }
    return INGOT_OK;
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

/* ---- all of it ---- */

/* After the outputs were found right: ready for its turns, and stopped. */
static void make_ready(const ig_versus *v, ig_contender *c, ig_alloc *alloc, ig_error *err)
{
    ig_status status = INGOT_OK;
    if (v->plan.scenario == IG_SCENARIO_COLD) {
        ig_driver_stop(&c->driver); /* what it said of itself stays */
        return;
    }
    if (v->plan.scenario != IG_SCENARIO_DYNAMIC) status = warm_up(v, c, alloc, err);
    if (!status && v->n_streams > 1) status = warm_up_streams(v, c, err);
    if (status) {
        ig_contender_give_up(c, IG_CONTENDER_FAILED, err, NULL);
        return;
    }
    measure_idle(c);
    ig_driver_pause(&c->driver, true);
}

/* Each shape for the first time, by all engines next to each other. */
static ig_status see_shapes(ig_versus *v, const variant_outputs *reference, ig_arena *arena,
                            ig_error *err)
{
    uint64_t random = v->plan.seed ^ 0x5ee5;
    size_t *order = ig_arena_array(arena, v->n, sizeof *order);
    if (!order) return IG_NOMEM(err, v->n * sizeof *order);
    for (size_t variant = 0; variant < v->n_variants; variant++) {
        const size_t n = ig_versus_shuffle(v, order, &random);
        for (size_t k = 0; k < n; k++) {
            ig_contender *c = &v->contenders[order[k]];
            if (ig_versus_is_cancelled(v)) return ig_fail(err, INGOT_ERR_CANCELLED, "interrupted");
            ig_driver_pause(&c->driver, false);
            check_outputs(v, order[k], variant, &reference[variant], err);
            if (c->state == IG_CONTENDER_FINE) ig_driver_pause(&c->driver, true);
            if (order[k] == 0 && c->state)
                return ig_fail(err, INGOT_ERR_INTERNAL, "Ingot: %s", c->why);
        }
        ig_versus_progress(v, 0.3 * (double)variant / (double)v->n_variants);
    }
    /* Only what grows after all shapes were seen is a leak. */
    for (size_t i = 0; i < v->n; i++) {
        ig_process_facts facts;
        if (v->contenders[i].state) continue;
        ig_process_facts_of(v->contenders[i].driver.child.pid, &facts);
        v->contenders[i].rss_begin_bytes = facts.rss_bytes;
    }
    return INGOT_OK;
}

static ig_status init_samples(const ig_versus *v, ig_contender *c, ig_alloc *alloc, ig_error *err)
{
    c->warm_up_ns.alloc = c->run_ns.alloc = c->block_ns.alloc = alloc;
    for (size_t k = 0; k < IG_COLD_N_PARTS; k++) c->cold_ns[k].alloc = alloc;
    if (v->plan.scenario != IG_SCENARIO_DYNAMIC) return INGOT_OK;
    return ig_shape_times_init(&c->shapes, alloc, v->n_variants, err);
}

ig_status ig_versus_start(ig_versus *v, ig_arena *arena, ig_error *err)
{
    const bool is_dynamic = v->plan.scenario == IG_SCENARIO_DYNAMIC;
    variant_outputs *reference = ig_arena_array(arena, v->n_variants, sizeof *reference);
    if (!reference) return IG_NOMEM(err, v->n_variants * sizeof *reference);
    const uint64_t begin_ns = ig_clock_ns();
    IG_TRY(run_reference(v, arena, reference, err));
    for (size_t i = 0; i < v->n; i++) {
        ig_contender *c = &v->contenders[i];
        if (ig_versus_is_cancelled(v)) return ig_fail(err, INGOT_ERR_CANCELLED, "interrupted");
        if (!is_dynamic) ig_versus_progress(v, 0.3 * (double)i / (double)v->n);
        IG_TRY(init_samples(v, c, arena->alloc, err));
        if (v->plan.scenario != IG_SCENARIO_COLD) ig_memory_trace_begin(&c->memory_trace, begin_ns);
        start_contender(v, c, arena, err);
        if (c->state == IG_CONTENDER_FINE)
            ig_memory_trace_sample_now(&c->memory_trace, c->driver.child.pid);
        if (c->state == IG_CONTENDER_FINE) check_precision(v, c, err);
        if (c->state == IG_CONTENDER_FINE && !is_dynamic)
            check_outputs(v, i, 0, &reference[0], err);
        if (c->state == IG_CONTENDER_FINE) make_ready(v, c, arena->alloc, err);
        if (i == 0 && c->state) return ig_fail(err, INGOT_ERR_INTERNAL, "Ingot: %s", c->why);
    }
    return is_dynamic ? see_shapes(v, reference, arena, err) : INGOT_OK;
}
