/* SPDX-License-Identifier: Apache-2.0 */
/* bench_versus_text.c: engines side by side for people. */
#include <math.h>

#include "cli/bench_text.h"
#include "cli/bench_versus_text.h"

/* ---- cells ---- */

void ig_versus_text_quantile(const ig_samples *sorted, double share, ig_table *t)
{
    char text[32];
    const ig_quantile q = ig_quantile_of(sorted, share, IG_BENCH_CONFIDENCE);
    ig_table_cell(t, "%s", q.is_known ? ig_format_ns(q.value, text) : "too few");
}

static void put_ns(double ns, ig_table *t)
{
    char text[32];
    ig_table_cell(t, "%s", ig_format_ns(ns, text));
}

void ig_versus_text_estimate(bool has_it, const ig_estimate *e, const char *otherwise, ig_table *t)
{
    if (has_it)
        ig_table_cell(t, "%.3f (%.3f to %.3f)", e->value, e->low, e->high);
    else
        ig_table_cell(t, "%s", otherwise);
}

void ig_versus_text_name(const ig_contender *c, ig_table *t)
{
    ig_table_cell(t, c->is_other_precision ? "%s [%s]" : "%s", c->name, c->driver.precision);
}

static void put_top1(const ig_contender *c, ig_table *t)
{
    if (isfinite(c->difference.top1))
        ig_table_cell(t, "%.1f %%", 100 * c->difference.top1);
    else
        ig_table_cell(t, "%s", "");
}

/* Median of first runs of all shapes. */
static double first_seen_ns(const ig_contender *c)
{
    ig_samples copy = { .alloc = c->run_ns.alloc };
    ig_error err = { 0 };
    double median = NAN;
    const ig_samples firsts = { .v = c->shapes.first_ns, .n = c->shapes.n };
    if (ig_samples_append(&copy, &firsts, &err) == INGOT_OK) median = ig_median(copy.v, copy.n);
    ig_samples_free(&copy);
    return median;
}

/* ---- one model ---- */

/* The columns between the engine's name and its memory: what each scenario is about. */
static const char *const single_head[] = { "P50", "P99", "ratio", "first", "CPU", NULL };
static const char *const offline_head[] = { "an inference", "rate", "ratio", "first", "CPU", NULL };
static const char *const dynamic_head[] = { "first seen", "ratio", "seen before",
                                            "ratio",      "CPU",   NULL };
static const char *const cold_head[] = { "load", "first", "both", "ratio", "process", NULL };

static const char *const *head_of(ig_scenario scenario)
{
    switch (scenario) {
    case IG_SCENARIO_OFFLINE: return offline_head;
    case IG_SCENARIO_DYNAMIC: return dynamic_head;
    case IG_SCENARIO_COLD: return cold_head;
    default: return single_head;
    }
}

static void put_dynamic(const ig_contender *c, const char *no_ratio, ig_table *t)
{
    put_ns(first_seen_ns(c), t);
    ig_versus_text_estimate(c->has_first_ratio, &c->first_ratio, no_ratio, t);
    ig_versus_text_quantile(&c->run_ns, 0.5, t);
    ig_versus_text_estimate(c->has_ratio, &c->ratio, no_ratio, t);
    put_ns(c->cpu_ns_per_run, t);
}

static void put_cold(const ig_contender *c, const char *no_ratio, ig_table *t)
{
    ig_versus_text_quantile(&c->cold_ns[IG_COLD_PART_LOAD], 0.5, t);
    ig_versus_text_quantile(&c->cold_ns[IG_COLD_PART_FIRST], 0.5, t);
    ig_versus_text_quantile(&c->run_ns, 0.5, t);
    ig_versus_text_estimate(c->has_ratio, &c->ratio, no_ratio, t);
    ig_versus_text_quantile(&c->cold_ns[IG_COLD_PART_START], 0.5, t);
}

static void put_steady(const ig_contender *c, bool is_offline, const char *no_ratio, ig_table *t)
{
    ig_versus_text_quantile(&c->run_ns, 0.5, t);
    if (is_offline)
        ig_table_cell(t, "%.1f/s", ig_versus_rate(c));
    else
        ig_versus_text_quantile(&c->run_ns, 0.99, t);
    ig_versus_text_estimate(c->has_ratio, &c->ratio, no_ratio, t);
    put_ns(c->first_ns, t);
    put_ns(c->cpu_ns_per_run, t);
}

static void put_row(const ig_versus *v, const ig_contender *c, ig_table *t)
{
    char text[32];
    const char *no_ratio = c == v->contenders ? "" : "too few rounds";
    ig_versus_text_name(c, t);
    switch (v->plan.scenario) {
    case IG_SCENARIO_DYNAMIC: put_dynamic(c, no_ratio, t); break;
    case IG_SCENARIO_COLD: put_cold(c, no_ratio, t); break;
    default: put_steady(c, v->plan.scenario == IG_SCENARIO_OFFLINE, no_ratio, t);
    }
    ig_table_cell(t, "%s", ig_format_bytes((double)c->memory.peak_rss_bytes, text));
    ig_table_cell(t, "%.2g", c->difference.max_error);
    ig_table_cell(t, "%.2g", c->difference.rms_error);
    put_top1(c, t);
}

static void put_table(ig_cli *cli, const ig_versus *v, ig_str *out)
{
    static const char *const tail[] = { "memory", "max error", "rms error", "top-1" };
    ig_table t;
    ig_table_init(&t, cli->alloc, 10);
    ig_table_cell(&t, "engine");
    for (const char *const *h = head_of(v->plan.scenario); *h; h++) ig_table_cell(&t, "%s", *h);
    for (size_t i = 0; i < IG_COUNT(tail); i++) ig_table_cell(&t, "%s", tail[i]);
    t.is_left[0] = true;
    for (size_t i = 0; i < v->n; i++)
        if (v->contenders[i].state == IG_CONTENDER_FINE) put_row(v, &v->contenders[i], &t);
    ig_table_put(&t, ig_dim(stdout), ig_plain(stdout), out);
    ig_table_deinit(&t);
}

static void put_label(const ig_contender *c, ig_str *out)
{
    ig_str_puts(out, c->name);
    if (c->is_other_precision) ig_str_printf(out, " [%s]", c->driver.precision);
}

void ig_versus_text_settings(const ig_contender *c, ig_str *out)
{
    ig_json_writer w;
    put_label(c, out);
    ig_str_printf(out, ": %s %s, %s, settings ", c->driver.engine, c->driver.version,
                  c->driver.precision);
    ig_json_begin(&w, out, -1);
    ig_driver_put_settings(&c->driver, &w);
}

static void put_remarks(const ig_contender *c, ig_str *out)
{
    char text[32];
    if (c->idle_cpu_share > 0.05)
        ig_str_printf(out, "; burns %.0f %% of a CPU while idle", 100 * c->idle_cpu_share);
    if (c->is_leaking)
        ig_str_printf(out, "; GROWS: %s more memory at the end than after the warm-up",
                      ig_format_bytes((double)(c->memory.rss_bytes - c->rss_begin_bytes), text));
}

void ig_versus_text_state(const ig_contender *c, ig_str *out)
{
    put_label(c, out);
    ig_str_printf(out, ": %s: %s\n", ig_contender_state_name(c->state), c->why);
}

void ig_versus_text_threads(const ig_versus *v, ig_str *out)
{
    if (v->n_streams > 1) ig_str_printf(out, "%d streams of ", v->n_streams);
    ig_str_printf(out, "%d thread%s", v->n_threads, v->n_threads == 1 ? "" : "s");
    if (v->n_variants > 1) ig_str_printf(out, ", %zu shapes", v->n_variants);
}

void ig_versus_text_legend(const ig_versus *v, ig_str *out)
{
    ig_str_puts(out, "ratio: its time / Ingot's, of neighbouring blocks, with its 95 % interval; "
                     "above 1 Ingot is faster\n");
    if (v->plan.scenario == IG_SCENARIO_COLD)
        ig_str_puts(out, "cold: fresh processes, files in the page cache; process: its start and "
                         "imports, not in the ratio\n");
    ig_str_printf(out, "errors: against %s; rms relative to the reference's\n", v->reference_name);
}

void ig_bench_text_versus(ig_cli *cli, const ig_versus *v, ig_str *out)
{
    char cpu[300];
    ig_str_printf(out, "%s%s%s, ", ig_bold(stdout), v->model, ig_plain(stdout));
    ig_versus_text_threads(v, out);
    ig_str_printf(out, ", %zu rounds in random order\n", v->n_rounds);
    ig_bench_text_verdict(&v->reasons, out);
    put_table(cli, v, out);
    ig_versus_text_legend(v, out);
    for (size_t i = 0; i < v->n; i++) {
        const ig_contender *c = &v->contenders[i];
        if (c->state) {
            ig_versus_text_state(c, out);
            continue;
        }
        ig_versus_text_settings(c, out);
        put_remarks(c, out);
        ig_str_putc(out, '\n');
    }
    ig_str_printf(out, "%s\n", ingot_cpu_describe(cpu, sizeof cpu));
}
