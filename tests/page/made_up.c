/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made_up.c: KIND: a page (or, with --junit, test cases) of measurements that nobody made, on
 * standard output. The same each time, and with what a measurement seldom has.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/junit.h"
#include "bench/page/page.h"

#define MAX_ENGINES 16

typedef struct stage {
    ig_arena arena;
    uint64_t random;
    ig_error err;
    ig_page page;
    ig_junit junit;
} stage;

static void need(const stage *s, bool is_ok)
{
    if (is_ok) return;
    fprintf(stderr, "made_up: %s\n", s->err.status ? s->err.message : "out of memory");
    exit(1);
}

/* ---- times ---- */

/* n times round `middle`, one in 50 of them much longer. */
static ig_samples times(stage *s, size_t n, double middle_ns, bool is_sorted)
{
    ig_samples out = { .alloc = s->arena.alloc };
    for (size_t i = 0; i < n; i++) {
        const double u = ig_random_unit(&s->random), tail = ig_random_unit(&s->random) < 0.02;
        need(s, !ig_samples_add(&out, middle_ns * (1 + 0.08 * u + 3 * tail * u), &s->err));
    }
    if (is_sorted) ig_samples_sort(&out);
    return out;
}

static ig_samples warm_up(stage *s, double middle_ns)
{
    ig_samples out = { .alloc = s->arena.alloc };
    for (int i = 0; i < 9; i++)
        need(s, !ig_samples_add(&out, middle_ns * (1 + 2.0 / (1 + i * i)), &s->err));
    return out;
}

static void remember(stage *s, ig_memory_trace *t, double bytes)
{
    *t = (ig_memory_trace){ .begin_ns = 1, .n = 120 };
    for (size_t i = 0; i < t->n; i++) {
        const double grown = bytes * fmin(1, 0.3 + (double)i / 20);
        t->points[i] = (ig_memory_point){ 0.05 * (double)i, (size_t)grown, (size_t)(0.9 * grown) };
    }
    static const char *const names[] = { "model is open", "warm-up", "measurement", "idle" };
    for (size_t i = 0; i < IG_COUNT(names); i++) {
        t->marks[i].name = names[i];
        t->marks[i].at_s = (double)i * (i == 3 ? 1.9 : 0.4);
    }
    t->n_marks = IG_COUNT(names);
    (void)s;
}

static void marks(ig_noise_mark *a, ig_noise_mark *b)
{
    *a = (ig_noise_mark){
        .at_ns = 1000000000u, .n_cpus = 2, .core_ns = 100, .trip_ns = 110, .shares_cache = true
    };
    *b = *a;
    b->at_ns += 6000000000u;
    b->busy_s = 11.8;
    b->own_s = 11.7;
    b->n_switches = 12;
    b->core_ns = 101;
}

/* ---- steps ---- */

static const ig_roofline *roofline(stage *s, bool is_hostile)
{
    static const char *const ops[] = { "Conv",      "Gemm",
                                       "Transpose", "Softmax",
                                       "MaxPool",   "GlobalAveragePool",
                                       "Add",       "LayerNormalization" };
    const size_t n = 60;
    ig_roofline *r = ig_arena_get(&s->arena, sizeof *r);
    ig_roofline_step *steps = ig_arena_array(&s->arena, n, sizeof *steps);
    need(s, r && steps);
    *r = (ig_roofline){ .gflops = 218,
                        .gbytes = 11.5,
                        .cached_gbytes = 160,
                        .cache_bytes = 1 << 25,
                        .steps = steps,
                        .n_steps = n };
    for (size_t i = 0; i < n; i++) {
        ig_roofline_step *step = &steps[i];
        step->info.op = is_hostile && i == 0 ? "<img src=x onerror=alert(1)>" : ops[i % 8];
        step->info.node = is_hostile
                              ? "\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82\xe5\xb1\x82"
                                "\xe5\xb1\x82\xe5\xb1\x82/\xff\xfe\"'</script><b>&\x01"
                              : "backbone/stage3/block2/expand";
        step->info.kernel = "ig_k_conv_f32_6x16__avx512";
        const double u = ig_random_unit(&s->random), w = ig_random_unit(&s->random);
        const size_t side = 112 >> (i / 12), n_channels = (size_t)16 << (i / 12);
        snprintf(step->info.shape, sizeof step->info.shape, "1x%zux%zux%zu", side, side,
                 n_channels);
        step->info.bytes = (int64_t)(8.0 * (double)(side * side * n_channels) * (0.6 + u));
        step->info.flops = (int64_t)((double)step->info.bytes * pow(10, 2.2 * w - 0.4));
        step->share = i % 8 == 2 ? NAN : 0.25 + 0.65 * ig_random_unit(&s->random);
        const double arithmetic_ns = (double)step->info.flops / r->gflops;
        const double memory_ns = (double)step->info.bytes / r->cached_gbytes;
        step->is_memory_bound = memory_ns > arithmetic_ns;
        step->ns = fmax(arithmetic_ns, memory_ns) / (i % 8 == 2 ? 0.5 : step->share);
        if (i % 8 == 2) step->info.flops = 0;
        r->total_ns += step->ns;
    }
    r->share = 0.54;
    return r;
}

/* ---- measurements ---- */

static void add(stage *s, const ig_view *view)
{
    ig_page_add(&s->page, view);
    ig_junit_add(&s->junit, view);
}

static void add_bench(stage *s, ig_scenario scenario, size_t n_runs, const char *reasons)
{
    ig_bench_result *r = ig_arena_get(&s->arena, sizeof *r);
    static ingot_model_info info = { .map_ns = 30000,
                                     .parse_ns = 400000,
                                     .optimise_ns = 2600000,
                                     .weight_bytes = 18600000,
                                     .packed_bytes = 19100000 };
    ig_view view;
    need(s, r != NULL);
    ig_bench_result_init(r, s->arena.alloc);
    r->plan = (ig_bench_plan){ .scenario = scenario,
                               .duration_s = 3,
                               .min_runs = 6,
                               .stability = 0.05,
                               .n_sessions = 1,
                               .rate = 50 };
    r->n_threads = 2;
    r->pack_ns = 5e6;
    r->first_ns = 9e6;
    r->latency_ns = times(s, n_runs, 7.3e6, true);
    r->first_seen_ns = times(s, scenario == IG_SCENARIO_DYNAMIC ? 40 : 0, 12e6, true);
    r->warm_up_ns = warm_up(s, 7.3e6);
    r->window_ns = times(s, 10, 7.3e6, false);
    r->total_s = 3.1;
    r->cpu_ns_per_run = 14.4e6;
    r->is_overloaded = scenario == IG_SCENARIO_SERVER;
    r->memory.peak_rss_bytes = r->memory.rss_bytes = 38900000;
    r->memory.pss_bytes = 36000000;
    remember(s, &r->memory_trace, 38.9e6);
    marks(&r->before, &r->after);
    ig_str_puts(&r->reasons, reasons);
    ig_bench_report report = { .model = "models/pictures.onnx",
                               .load_ns = 3e6,
                               .info = &info,
                               .result = r,
                               .roofline = roofline(s, false) };
    need(s, !ig_view_of_bench(&report, &s->arena, &view, &s->err));
    add(s, &view);
}

static void add_cold(stage *s)
{
    ig_cold_result *r = ig_arena_get(&s->arena, sizeof *r);
    const ig_bench_plan plan = { .scenario = IG_SCENARIO_COLD, .duration_s = 3 };
    ig_view view;
    need(s, r != NULL);
    ig_cold_result_init(r, s->arena.alloc);
    for (int i = 0; i < IG_COLD_N_PHASES; i++) {
        r->warm_ns[i] = times(s, 40, i ? 1e6 * i : 21e6, true);
        r->cold_ns[i] = times(s, 40, i ? 2e6 * i : 42e6, true);
    }
    marks(&r->before, &r->after);
    need(s, !ig_view_of_cold("models/pictures.onnx", &plan, r, &s->arena, &view, &s->err));
    add(s, &view);
}

/* An engine that is so many times as slow as the first. */
static void fill_contender(stage *s, ig_contender *c, const ig_contender *first, double factor)
{
    static const char settings[] =
        "{\"intra_op_num_threads\": 2, \"execution_mode\": \"sequential\", "
        "\"<b>\": \"</script><script>alert(1)</script>\", \"on\": true}";
    double scratch[100 + IG_BENCH_N_RESAMPLES];
    c->driver.engine = c->name;
    c->driver.version = "1.32.0";
    c->driver.precision = c->is_other_precision ? "bf16" : "fp32";
    c->driver.load_ns = 230e6;
    need(s, !ig_json_parse(&s->arena, settings, sizeof settings - 1, &c->driver.settings, &s->err));
    c->first_ns = 60e6 * factor;
    c->warm_up_ns = warm_up(s, 7e6 * factor);
    c->run_ns = times(s, 4000, 7e6 * factor, true);
    c->block_ns = times(s, 60, 7e6 * factor, false);
    c->difference =
        (ig_difference){ .max_error = 1e-6, .rms_error = c == first ? 0 : 3e-6, .top1 = 1 };
    c->memory.peak_rss_bytes = c->memory.rss_bytes = (size_t)(40e6 * factor);
    remember(s, &c->memory_trace, 40e6 * factor);
    c->cpu_ns_per_run = 14e6 * factor;
    if (c == first) return;
    c->has_ratio = true;
    c->ratio =
        ig_bootstrap_paired(first->block_ns.v, c->block_ns.v, 60, IG_BENCH_CONFIDENCE, 1, scratch);
}

static void fail_contender(ig_contender *c, ig_contender_state state, const char *why)
{
    c->state = state;
    snprintf(c->why, sizeof c->why, "%s", why);
    c->has_ratio = false;
    c->run_ns.n = c->block_ns.n = c->warm_up_ns.n = c->memory_trace.n = 0;
}

/* Contenders beyond the fourth: misfortunes, then more engines. */
static void add_versus(stage *s, size_t n, bool is_hostile, const char *reasons)
{
    static const char *const names[] = { "ingot", "amber", "birch", "cedar",
                                         "dune",  "ember", "fjord", "grove" };
    ig_versus *v = ig_arena_get(&s->arena, sizeof *v);
    ig_view view;
    need(s, v && (v->contenders = ig_arena_array(&s->arena, n, sizeof *v->contenders)));
    v->plan = (ig_bench_plan){ .scenario = IG_SCENARIO_SINGLE, .duration_s = 6, .min_runs = 6 };
    v->model = is_hostile ? "models/<script>alert('model')</script>&\xe2\x80\xae txt.onnx"
                          : "models/pictures.onnx";
    v->n_threads = 2;
    v->n_streams = 1;
    v->n_rounds = 60;
    v->reference_name = "ingot --opt none --cpu portable";
    v->n = n;
    ig_str_init(&v->reasons, s->arena.alloc);
    ig_str_puts(&v->reasons, reasons);
    marks(&v->before, &v->after);
    for (size_t i = 0; i < n; i++) {
        ig_contender *c = &v->contenders[i];
        c->name = is_hostile && i == 2 ? "\"><img src=http://example.com/x onerror=alert(2)>"
                  : is_hostile && i == 3
                      ? "a_name_that_is_much_longer_than_any_name_of_an_engine_should_ever_be_"
                        "and_has_no_place_to_break_it_anywhere_at_all_before_it_ends"
                      : names[i % IG_COUNT(names)];
        c->is_other_precision = i == 2;
        fill_contender(s, c, v->contenders, i == 0 ? 1 : 0.6 + 0.35 * (double)i);
        if (i == 4) fail_contender(c, IG_CONTENDER_WRONG, "its outputs are wrong: rms error 0.3");
        if (i == 5) fail_contender(c, IG_CONTENDER_FAILED, "crashed: <b>Segmentation fault</b>");
        if (i == 6) fail_contender(c, IG_CONTENDER_MISSING, "No module named 'fjord'");
        if (i == 7) fail_contender(c, IG_CONTENDER_REFUSED, "computes in bf16, Ingot in fp32");
    }
    need(s, !ig_view_of_versus(v, roofline(s, is_hostile), &s->arena, &view, &s->err));
    add(s, &view);
}

static bool make(stage *s, const char *kind)
{
    const bool is_all = strcmp(kind, "all") == 0;
    static const char noise[] =
        "other processes used 74 % of the CPU time; 350 involuntary context "
        "switches a second and thread";
    bool is_known = is_all;
#define KIND(name) (is_all || strcmp(kind, name) == 0 ? (is_known = true) : false)
    if (KIND("single")) add_bench(s, IG_SCENARIO_SINGLE, 5000, "");
    if (KIND("invalid")) add_bench(s, IG_SCENARIO_SINGLE, 400, noise);
    if (KIND("few")) add_bench(s, IG_SCENARIO_SINGLE, 3, "");
    if (KIND("none")) add_bench(s, IG_SCENARIO_SINGLE, 0, "");
    if (KIND("server")) add_bench(s, IG_SCENARIO_SERVER, 400, "");
    if (KIND("dynamic")) add_bench(s, IG_SCENARIO_DYNAMIC, 400, "");
    if (KIND("cold")) add_cold(s);
    if (KIND("versus")) add_versus(s, 4, false, "");
    if (KIND("many")) add_versus(s, MAX_ENGINES, false, "");
    if (KIND("hostile")) add_versus(s, 8, true, "<b>steal</b>; </ul><script>alert(3)</script>");
    return is_known;
}

int main(int argc, char **argv)
{
    stage s = { .random = 1, .err = { INGOT_OK, "" } };
    ig_str out;
    const bool is_junit = argc > 2 && strcmp(argv[2], "--junit") == 0;
    ig_arena_init(&s.arena, ig_alloc_default(), INGOT_MEM_OTHER);
    ig_page_init(&s.page, s.arena.alloc);
    ig_junit_init(&s.junit, s.arena.alloc);
    ig_str_init(&out, s.arena.alloc);
    if (argc < 2 || !make(&s, argv[1])) {
        fprintf(stderr, "made_up: no kind '%s'\n", argc > 1 ? argv[1] : "");
        return 2;
    }
    ig_facts command = { .arena = &s.arena }, machine = { .arena = &s.arena };
    ig_facts_add(&command, "command", "ingot bench 'a model.onnx' --report out.html");
    ig_facts_add(&command, "finished", "2026-12-01 12:00 UTC");
    ig_facts_add(&machine, "CPU", "A CPU of some kind");
    ig_facts_add(&machine, "environment", "INGOT_X=<script>alert(4)</script>");
    if (is_junit)
        ig_junit_put(&s.junit, &out);
    else
        ig_page_put(&s.page, &command, &machine, &out);
    fwrite(ig_str_cstr(&out), 1, out.n, stdout);
    return ig_str_ok(&out) && fflush(stdout) == 0 ? 0 : 1;
}
