/* SPDX-License-Identifier: Apache-2.0 */
/* bench_text.c: results of `ingot bench` in lines and tables. */
#include "cli/bench_text.h"

#include <math.h>
#include <stdlib.h>

#include "cli/table.h"

#define MAX_STEPS 10
#define MAX_CURVE 8

/* ---- parts ---- */

void ig_bench_text_verdict(const ig_str *reasons, ig_str *out)
{
    if (reasons->n == 0) return;
    ig_str_printf(out, "%sINVALID%s: %s\n", ig_bold(stdout), ig_plain(stdout),
                  ig_str_cstr(reasons));
}

static void put_quantiles(const char *title, const ig_samples *sorted, ig_str *out)
{
    for (size_t i = 0; i < IG_BENCH_N_QUANTILES; i++) {
        static const char *const names[IG_BENCH_N_QUANTILES] = { "P50", "P90", "P95", "P99",
                                                                 "P99.9" };
        const ig_quantile q = ig_quantile_of(sorted, ig_bench_shares[i], IG_BENCH_CONFIDENCE);
        ig_str_printf(out, "%-17s%-6s ", i ? "" : title, names[i]);
        if (q.is_known)
            ig_str_printf(out, "%.3f ms   (%.3f to %.3f)", q.value * 1e-6, q.low * 1e-6,
                          q.high * 1e-6);
        else
            ig_str_printf(out, "not enough samples: %zu of %zu", sorted->n,
                          ig_quantile_min_samples(ig_bench_shares[i], IG_BENCH_CONFIDENCE));
        ig_str_puts(out, i ? "\n" : "");
        if (i == 0) ig_str_printf(out, "   %zu runs\n", sorted->n);
    }
}

/* A few points of the curve, first and last among them. */
static void put_curve(const ig_samples *ns, ig_str *out)
{
    ig_str_printf(out, "%-17s", "warm-up");
    for (size_t i = 0; i < ns->n; i++) {
        if (ns->n > MAX_CURVE && i + 2 > MAX_CURVE && i + 1 < ns->n) continue;
        ig_str_printf(out, "%s%.3f",
                      i == 0                             ? ""
                      : i + 1 == ns->n && i >= MAX_CURVE ? " … "
                                                         : " ",
                      ns->v[i] * 1e-6);
    }
    ig_str_puts(out, " ms\n");
}

static void put_inputs(const ig_engine *e, ig_str *out)
{
    for (size_t i = 0; i < e->n_inputs; i++) {
        if (!e->feeds[i]) continue;
        ig_str_printf(out, "%-17s%s  ", i ? "" : "input", e->inputs[i].name);
        ig_describe_value(e->feeds[i], out);
        ig_str_putc(out, '\n');
    }
}

static void put_phases(const ig_bench_report *b, ig_str *out)
{
    const ingot_model_info *info = b->info;
    ig_str_printf(out, "%-17s%.2f ms   (map %.2f, parse %.2f, optimise %.2f)\n", "load",
                  b->load_ns * 1e-6, (double)info->map_ns * 1e-6, (double)info->parse_ns * 1e-6,
                  (double)info->optimise_ns * 1e-6);
    if (b->result->plan.scenario == IG_SCENARIO_DYNAMIC) return;
    ig_str_printf(out, "%-17s%.2f ms   (pack %.2f, run %.2f)\n", "first inference",
                  (b->result->pack_ns + b->result->first_ns) * 1e-6, b->result->pack_ns * 1e-6,
                  b->result->first_ns * 1e-6);
}

static void put_machine(const ig_bench_result *r, ig_str *out)
{
    char bytes[32], pss[32];
    ig_str_printf(out, "%-17s%.3f ms an inference; %.1f %% of a CPU while idle\n", "CPU time",
                  r->cpu_ns_per_run * 1e-6, 100 * r->idle_cpu_share);
    ig_str_printf(out, "%-17s%s   (PSS %s)\n", "peak memory",
                  ig_format_bytes((double)r->memory.peak_rss_bytes, bytes),
                  ig_format_bytes((double)r->memory.pss_bytes, pss));
    ig_str_printf(out, "%-17ssteal %.1f %%, other processes %.1f %%", "noise",
                  100 * ig_noise_steal(&r->before, &r->after),
                  100 * ig_noise_foreign(&r->before, &r->after));
    if (r->before.trip_ns > 0 && r->after.trip_ns > 0)
        ig_str_printf(out, ", between CPUs %.0f then %.0f ns", r->before.trip_ns, r->after.trip_ns);
    if (r->n_repeats) ig_str_printf(out, "; measured %d times", r->n_repeats + 1);
    ig_str_putc(out, '\n');
}

static int by_loss(const void *a, const void *b)
{
    const ig_roofline_step *x = a, *y = b;
    const double lost_x = isfinite(x->share) ? x->ns * (1 - x->share) : x->ns;
    const double lost_y = isfinite(y->share) ? y->ns * (1 - y->share) : y->ns;
    return lost_x > lost_y ? -1 : lost_x < lost_y;
}

/* The steps that lose the most time first. */
static void put_roofline(const ig_roofline *roof, ig_alloc *alloc, ig_str *out)
{
    static const char *const head[] = { "time",     "of roof", "bound by",
                                        "operator", "output",  "kernel" };
    ig_table t;
    char text[32];
    ig_str_printf(out,
                  "%-17s%.0f GFLOP/s, %.1f GB/s from memory, %.0f from cache; reached: %.0f %%\n",
                  "roofline", roof->gflops, roof->gbytes, roof->cached_gbytes, 100 * roof->share);
    ig_table_init(&t, alloc, (int)IG_COUNT(head));
    for (size_t c = 0; c < IG_COUNT(head); c++) {
        ig_table_cell(&t, "%s", head[c]);
        t.is_left[c] = c >= 2;
    }
    qsort(roof->steps, roof->n_steps, sizeof *roof->steps, by_loss);
    for (size_t i = 0; i < roof->n_steps && i < MAX_STEPS; i++) {
        const ig_roofline_step *s = &roof->steps[i];
        ig_table_cell(&t, "%s", ig_format_ns(s->ns, text));
        if (isfinite(s->share))
            ig_table_cell(&t, "%.0f %%", 100 * s->share);
        else
            ig_table_cell(&t, "?");
        ig_table_cell(&t, "%s", s->is_memory_bound ? "memory" : "arithmetic");
        ig_table_cell(&t, "%s", s->info.op);
        ig_table_cell(&t, "%s", s->info.shape);
        ig_table_cell(&t, "%s", s->info.kernel);
    }
    ig_table_put(&t, ig_dim(stdout), ig_plain(stdout), out);
    ig_table_deinit(&t);
}

/* ---- pages ---- */

void ig_bench_text(const ig_engine *e, const ig_bench_report *b, ig_str *out)
{
    char cpu[300];
    const ig_bench_result *r = b->result;
    const bool is_dynamic = r->plan.scenario == IG_SCENARIO_DYNAMIC;
    const size_t n_runs = r->latency_ns.n + r->first_seen_ns.n;
    ig_str_printf(out, "%s%s%s\n", ig_bold(stdout), e->path, ig_plain(stdout));
    ig_bench_text_verdict(&r->reasons, out);
    put_inputs(e, out);
    put_phases(b, out);
    if (!is_dynamic) put_curve(&r->warm_up_ns, out);
    if (is_dynamic) put_quantiles("shape first seen", &r->first_seen_ns, out);
    put_quantiles(is_dynamic                                ? "seen before"
                  : r->plan.scenario == IG_SCENARIO_SERVER  ? "from arrival"
                  : r->plan.scenario == IG_SCENARIO_OFFLINE ? "from the begin"
                                                            : "inference",
                  &r->latency_ns, out);
    ig_str_printf(out, "%-17s%.1f inferences/s", "rate", (double)n_runs / r->total_s);
    if (r->plan.scenario == IG_SCENARIO_SERVER)
        ig_str_printf(out, " of %.1f that were asked for%s", r->plan.rate,
                      r->is_overloaded ? ": OVERLOADED" : "");
    ig_str_putc(out, '\n');
    put_machine(r, out);
    if (b->roofline) put_roofline(b->roofline, r->latency_ns.alloc, out);
    ig_str_printf(out, "%-17s%s, ", "with", ig_scenario_name(r->plan.scenario));
    if (r->plan.n_sessions > 1) ig_str_printf(out, "%d sessions of ", r->plan.n_sessions);
    ig_str_printf(out, "%d thread%s, %s, %s\n", r->n_threads, r->n_threads == 1 ? "" : "s",
                  b->info->precision, ingot_cpu_describe(cpu, sizeof cpu));
}

void ig_bench_text_cold(const char *model, const ig_cold_result *r, ig_str *out)
{
    ig_str_printf(out, "%s%s%s\n", ig_bold(stdout), model, ig_plain(stdout));
    ig_bench_text_verdict(&r->reasons, out);
    ig_str_printf(out, "medians of fresh processes, from their start to the first answer\n");
    for (int half = 0; half < 2; half++) {
        const ig_samples *samples = half ? r->cold_ns : r->warm_ns;
        ig_str_printf(out, "%-17s", half ? "empty cache" : "filled cache");
        if (samples[0].n == 0) {
            ig_str_printf(out, "not measured: %s\n", r->why_no_cold);
            continue;
        }
        for (size_t i = 0; i < IG_COLD_N_PHASES; i++)
            ig_str_printf(out, "%s%s %.2f",
                          i == 1 ? " ms   ("
                          : i    ? ", "
                                 : "",
                          i ? ig_cold_phases[i] : "process",
                          ig_quantile_of(&samples[i], 0.5, IG_BENCH_CONFIDENCE).value * 1e-6);
        ig_str_printf(out, ")   %zu processes\n", samples[0].n);
    }
}
