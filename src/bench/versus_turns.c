/* SPDX-License-Identifier: Apache-2.0 */
/* versus_turns.c: rounds, and what an engine does in its turn. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "bench/versus_part.h"

#define MAX_BLOCK_RUNS 2000
#define MIN_PROCESSES 6
#define MIN_SHAPES 4 /* of a turn, where there are so many */

size_t ig_versus_runs_in(double ns, double run_ns)
{
    return (size_t)fmax(1, fmin(MAX_BLOCK_RUNS, ns / fmax(run_ns, 1)));
}

/* ---- turns: times go to run_ns, the time of an inference of this turn is *block_ns ---- */

static ig_status single_turn(const ig_versus *v, ig_contender *c, double *block_ns, ig_error *err)
{
    ig_samples ns = { .alloc = c->run_ns.alloc };
    (void)v;
    ig_status status = ig_driver_run(&c->driver, c->block_runs, &ns, err);
    if (!status) status = ig_samples_append(&c->run_ns, &ns, err);
    if (!status) *block_ns = ig_median(ns.v, ns.n);
    c->n_runs += c->block_runs;
    ig_samples_free(&ns);
    return status;
}

static ig_status offline_turn(const ig_versus *v, ig_contender *c, double *block_ns, ig_error *err)
{
    (void)v;
    IG_TRY(ig_driver_offline(&c->driver, c->block_runs, block_ns, err));
    *block_ns /= (double)c->block_runs;
    c->n_runs += c->block_runs;
    return ig_samples_add(&c->run_ns, *block_ns, err);
}

/* Some shapes by chance, the same for all engines of a round. */
static ig_status dynamic_turn(const ig_versus *v, ig_contender *c, double *block_ns, ig_error *err)
{
    uint64_t random = v->plan.seed + 0x9e3779b9 * (uint64_t)v->n_rounds;
    const size_t n = v->contenders[0].block_runs;
    ig_samples ns = { .alloc = c->run_ns.alloc };
    ig_status status = INGOT_OK;
    double sum = 0;
    for (size_t i = 0; !status && i < n; i++) {
        const size_t shape = (size_t)(ig_random_unit(&random) * (double)v->n_variants);
        ns.n = 0;
        status = ig_driver_feed(&c->driver, &v->variants[shape], err);
        if (!status) status = ig_driver_run(&c->driver, 1, &ns, err);
        if (!status) status = ig_samples_append(&c->run_ns, &ns, err);
        if (!status) status = ig_shape_times_add(&c->shapes, shape, ns.v[0], err);
        if (!status) sum += ns.v[0];
    }
    *block_ns = sum / (double)n;
    c->n_runs += n;
    ig_samples_free(&ns);
    return status;
}

/* A process that lives for one turn. How long Python takes to import is no property of an engine:
 * the start is told apart, and what counts is to load and to run for the first time. */
static ig_status cold_turn(const ig_versus *v, ig_contender *c, double *block_ns, ig_error *err)
{
    const ig_driver_task task = ig_versus_task(v);
    ig_arena arena;
    ig_driver d;
    double ns[IG_COLD_N_PARTS] = { 0 };
    ig_samples run = { .alloc = c->run_ns.alloc };
    ig_arena_init(&arena, c->run_ns.alloc, INGOT_MEM_OTHER);
    const uint64_t begin_ns = ig_clock_ns();
    ig_status status =
        ig_driver_start(&d, c->name, c->command, v->timeout_s, v->is_cancelled, &arena, err);
    ns[IG_COLD_PART_START] = (double)(ig_clock_ns() - begin_ns);
    if (!status) status = ig_driver_load(&d, &task, &v->variants[0], err);
    ns[IG_COLD_PART_LOAD] = d.load_ns;
    if (!status) status = ig_driver_run(&d, 1, &run, err);
    if (!status) ns[IG_COLD_PART_FIRST] = run.v[0];
    if (d.child.pid > 0) ig_process_facts_of(d.child.pid, &c->memory);
    ig_driver_stop(&d);
    ig_arena_deinit(&arena);
    ig_samples_free(&run);
    for (size_t k = 0; !status && k < IG_COLD_N_PARTS; k++)
        status = ig_samples_add(&c->cold_ns[k], ns[k], err);
    *block_ns = ns[IG_COLD_PART_LOAD] + ns[IG_COLD_PART_FIRST];
    c->cpu_ns_per_run += (double)c->memory.cpu_ns;
    c->n_runs++;
    return status ? status : ig_samples_add(&c->run_ns, *block_ns, err);
}

static ig_status take_turn(const ig_versus *v, ig_contender *c, ig_error *err)
{
    ig_process_facts before, after;
    ig_status status = INGOT_OK;
    double block_ns = 0;
    if (v->plan.scenario == IG_SCENARIO_COLD) {
        status = cold_turn(v, c, &block_ns, err);
        return status ? status : ig_samples_add(&c->block_ns, block_ns, err);
    }
    ig_driver_pause(&c->driver, false);
    ig_process_facts_of(c->driver.child.pid, &before);
    switch (v->plan.scenario) {
    case IG_SCENARIO_OFFLINE: status = offline_turn(v, c, &block_ns, err); break;
    case IG_SCENARIO_DYNAMIC: status = dynamic_turn(v, c, &block_ns, err); break;
    default: status = single_turn(v, c, &block_ns, err);
    }
    ig_process_facts_of(c->driver.child.pid, &after);
    ig_memory_trace_sample(&c->memory_trace, c->driver.child.pid);
    ig_driver_pause(&c->driver, true);
    c->cpu_ns_per_run += (double)(after.cpu_ns - before.cpu_ns);
    c->memory = after;
    return status ? status : ig_samples_add(&c->block_ns, block_ns, err);
}

/* ---- rounds ---- */

size_t ig_versus_shuffle(const ig_versus *v, size_t *order, uint64_t *random)
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

/* How many shapes a turn has: those that fill a block, judged by Ingot's first runs. */
static void size_dynamic_turns(ig_versus *v)
{
    ig_contender *first = &v->contenders[0];
    double sum = 0;
    for (size_t i = 0; i < v->n_variants; i++) sum += first->shapes.first_ns[i];
    const size_t n = ig_versus_runs_in(IG_VERSUS_BLOCK_NS, sum / (double)v->n_variants);
    const size_t least = v->n_variants < MIN_SHAPES ? v->n_variants : MIN_SHAPES;
    first->block_runs = n < least ? least : n > v->n_variants ? v->n_variants : n;
}

static bool is_enough(const ig_versus *v, double elapsed_s)
{
    /* One process is no sample: a median of them needs six. */
    if (v->plan.scenario == IG_SCENARIO_COLD && v->n_rounds < MIN_PROCESSES) return false;
    if (elapsed_s >= IG_BENCH_MAX_STRETCH * v->plan.duration_s && v->n_rounds >= 3) return true;
    return elapsed_s >= v->plan.duration_s && v->n_rounds >= IG_VERSUS_MIN_ROUNDS &&
           v->contenders[0].n_runs >= v->plan.min_runs;
}

ig_status ig_versus_run_rounds(ig_versus *v, size_t *order, uint64_t *random, ig_error *err)
{
    const uint64_t begin_ns = ig_clock_ns();
    ig_memory_trace_mark(&v->contenders[0].memory_trace, "rounds");
    if (v->plan.scenario == IG_SCENARIO_DYNAMIC) size_dynamic_turns(v);
    for (v->n_rounds = 0;; v->n_rounds++) {
        const size_t n = ig_versus_shuffle(v, order, random);
        /* By engine, so that a rival more does not shorten the turns of the others. */
        const double elapsed_s = (double)(ig_clock_ns() - begin_ns) * 1e-9 / (double)(n ? n : 1);
        if (is_enough(v, elapsed_s)) return INGOT_OK;
        ig_versus_progress(v, 0.3 + 0.7 * fmin(1, elapsed_s / v->plan.duration_s));
        for (size_t k = 0; k < n; k++) {
            ig_contender *c = &v->contenders[order[k]];
            if (ig_versus_is_cancelled(v)) return ig_fail(err, INGOT_ERR_CANCELLED, "interrupted");
            const ig_status status = take_turn(v, c, err);
            if (status && order[k] == 0) return status;
            if (status) ig_contender_give_up(c, IG_CONTENDER_FAILED, err, NULL);
        }
    }
}
