/* SPDX-License-Identifier: Apache-2.0 */
/* versus.c: start, measure, measure again after noise, conclude. */
#include "bench/versus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "bench/versus_part.h"

#define MIN_RATIO_ROUNDS 6 /* fewer have no interval */
#define LEAK_BYTES ((size_t)2 << 20)

const char *const ig_cold_part_names[IG_COLD_N_PARTS] = { "start", "load", "first" };

const char *ig_contender_state_name(ig_contender_state state)
{
    static const char *const names[] = { "fine", "missing", "refused", "wrong", "failed" };
    return names[state];
}

const char *ig_versus_refusal(ig_scenario scenario)
{
    switch (scenario) {
    case IG_SCENARIO_MULTI:
        return "sessions at once are compared by --scenario offline, by what they do together";
    case IG_SCENARIO_SERVER:
        return "requests that arrive by chance do not wait until an engine has its turn; measure "
               "each alone, or compare by --scenario offline";
    default: return NULL;
    }
}

ig_driver_task ig_versus_task(const ig_versus *v)
{
    return (ig_driver_task){ .model = v->model,
                             .n_threads = v->n_threads,
                             .n_streams = v->n_streams,
                             .is_dynamic = v->plan.scenario == IG_SCENARIO_DYNAMIC };
}

void ig_versus_progress(const ig_versus *v, double share)
{
    if (v->on_progress) v->on_progress(v->progress_ctx, share);
}

void ig_contender_give_up(ig_contender *c, ig_contender_state state, ig_error *err, const char *why)
{
    c->state = state;
    snprintf(c->why, sizeof c->why, "%.399s", why ? why : err->message);
    ig_error_clear(err);
    ig_driver_stop(&c->driver);
}

/* ---- what it means ---- */

static void sort_samples(ig_contender *c)
{
    ig_samples_sort(&c->run_ns);
    for (size_t k = 0; k < IG_COLD_N_PARTS; k++) ig_samples_sort(&c->cold_ns[k]);
}

/* Pairs are what was measured in the same round, or of the same shape. What blocks did not fit
 * together, because an engine has failed midway, has no ratio. */
static void find_ratios(const ig_versus *v, ig_contender *c, double *scratch)
{
    const ig_contender *first = &v->contenders[0];
    const size_t n = first->block_ns.n;
    c->has_ratio = n >= MIN_RATIO_ROUNDS && c->block_ns.n == n;
    if (c->has_ratio)
        c->ratio = ig_bootstrap_paired(first->block_ns.v, c->block_ns.v, n, IG_BENCH_CONFIDENCE,
                                       v->plan.seed, scratch);
    c->has_first_ratio = c->shapes.n >= MIN_RATIO_ROUNDS;
    if (c->has_first_ratio)
        c->first_ratio =
            ig_bootstrap_paired(first->shapes.first_ns, c->shapes.first_ns, c->shapes.n,
                                IG_BENCH_CONFIDENCE, v->plan.seed, scratch);
}

static ig_status conclude(ig_versus *v, ig_alloc *alloc, ig_error *err)
{
    const size_t n_blocks = v->contenders[0].block_ns.n;
    const size_t n = n_blocks > v->n_variants ? n_blocks : v->n_variants;
    const size_t bytes = (n + IG_BENCH_N_RESAMPLES) * sizeof(double);
    double *scratch = ig_alloc_get(alloc, bytes, 0, INGOT_MEM_OTHER);
    if (!scratch) return IG_NOMEM(err, bytes);
    for (size_t i = 0; i < v->n; i++) {
        ig_contender *c = &v->contenders[i];
        if (c->state != IG_CONTENDER_FINE) continue;
        const size_t begin = c->rss_begin_bytes, end = c->memory.rss_bytes;
        c->is_leaking = begin && end > begin + LEAK_BYTES && end - begin > begin / 20;
        c->cpu_ns_per_run /= (double)(c->n_runs ? c->n_runs : 1);
        if (i > 0) find_ratios(v, c, scratch);
        sort_samples(c);
    }
    ig_alloc_put(alloc, scratch, bytes, INGOT_MEM_OTHER);
    return INGOT_OK;
}

/* ---- all of it ---- */

static void forget(ig_contender *c)
{
    c->run_ns.n = c->block_ns.n = 0;
    for (size_t k = 0; k < IG_COLD_N_PARTS; k++) c->cold_ns[k].n = 0;
    for (size_t k = 0; k < c->shapes.n; k++) c->shapes.again_ns[k].n = 0;
    c->cpu_ns_per_run = 0;
    c->n_runs = 0;
}

static ig_status measure_once(ig_versus *v, size_t *order, int *pids, uint64_t *random,
                              ig_error *err)
{
    ig_noise_others others = { pids, 0 };
    for (size_t i = 0; i < v->n; i++) {
        ig_contender *c = &v->contenders[i];
        forget(c);
        if (c->state == IG_CONTENDER_FINE && c->driver.child.pid > 0)
            pids[others.n++] = c->driver.child.pid;
    }
    ig_noise_take(&v->before, &others);
    IG_TRY(ig_versus_run_rounds(v, order, random, err));
    ig_noise_take(&v->after, &others);
    v->after.n_turns = (int64_t)(v->n_rounds * v->n);
    ig_str_clear(&v->reasons);
    ig_noise_judge(&v->before, &v->after, v->n_threads * v->n_streams, &v->reasons);
    return INGOT_OK;
}

static ig_status measure(ig_versus *v, ig_arena *arena, ig_error *err)
{
    uint64_t random = v->plan.seed ^ 0xb10c;
    size_t *order = ig_arena_array(arena, v->n, sizeof *order);
    int *pids = ig_arena_array(arena, v->n, sizeof *pids);
    if (!order || !pids) return IG_NOMEM(err, v->n * sizeof *order);
    IG_TRY(ig_versus_start(v, arena, err));
    for (v->n_repeats = 0;; v->n_repeats++) {
        IG_TRY(measure_once(v, order, pids, &random, err));
        if (v->reasons.n == 0 || v->n_repeats >= v->plan.n_retries) break;
        ig_sleep_until(ig_clock_ns() + (uint64_t)(fmin(1.0, v->plan.duration_s) * 1e9));
    }
    return conclude(v, arena->alloc, err);
}

ig_status ig_versus_measure(ig_versus *v, ig_arena *arena, ig_error *err)
{
    const ig_status status = measure(v, arena, err);
    /* Another model may be next: nothing of this one may run beside it. */
    for (size_t i = 0; i < v->n; i++) ig_driver_stop(&v->contenders[i].driver);
    return status;
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
        for (size_t k = 0; k < IG_COLD_N_PARTS; k++) {
            c->cold_ns[k].alloc = alloc;
            ig_samples_free(&c->cold_ns[k]);
        }
        ig_shape_times_free(&c->shapes);
    }
    ig_str_deinit(&v->reasons);
}
