/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c: the numbers of a page. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/markup.h"
#include "bench/page/page.h"

#define MAX_STEPS 400

/* ---- parts ---- */

void ig_page_put_name(ig_str *out, const char *name, const char *label)
{
    ig_str_puts(out, "<bdi>");
    ig_markup_cut(out, name, 200);
    if (label) ig_str_puts(out, " [");
    if (label) ig_markup_cut(out, label, 40);
    if (label) ig_str_puts(out, "]");
    ig_str_puts(out, "</bdi>");
}

/* `label` names the box for who scrolls by keyboard; words: bits of the columns of words. */
static void open_table(ig_str *out, const char *label, const char *const *head, size_t n,
                       unsigned words)
{
    ig_str_printf(out,
                  "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"%s\"><table><thead><tr>",
                  label);
    for (size_t i = 0; i < n; i++)
        ig_str_printf(out, "<th scope=\"col\"%s>%s</th>", words >> i & 1 ? " class=\"word\"" : "",
                      head[i]);
    ig_str_puts(out, "</tr></thead><tbody>\n");
}

static void close_table(ig_str *out) { ig_str_puts(out, "</tbody></table></div>\n"); }

static void put_cell(ig_str *out, const char *text)
{
    ig_str_puts(out, "<td>");
    ig_markup_text(out, text);
    ig_str_puts(out, "</td>");
}

void ig_page_put_facts(const ig_facts *facts, ig_str *out)
{
    ig_str_puts(out, "<dl>");
    for (size_t i = 0; i < facts->n; i++) {
        const bool is_code = strcmp(facts->items[i].name, "command") == 0 ||
                             strcmp(facts->items[i].name, "environment") == 0;
        ig_str_printf(out, "<dt>%s</dt><dd>%s", facts->items[i].name, is_code ? "<code>" : "");
        ig_markup_text(out, facts->items[i].text);
        ig_str_printf(out, "%s</dd>\n", is_code ? "</code>" : "");
    }
    ig_str_puts(out, "</dl>\n");
}

/* ---- latencies ---- */

/* The value, and what is known about it in small letters below. */
static void put_quantile(const ig_samples *sorted, double share, ig_str *out)
{
    char text[32], low[32], high[32];
    const ig_quantile q = ig_quantile_of(sorted, share, IG_BENCH_CONFIDENCE);
    if (q.is_known)
        ig_str_printf(out, "<td>%s<br><small>%s to %s</small></td>", ig_view_time(q.value, text),
                      ig_view_time(q.low, low), ig_view_time(q.high, high));
    else
        ig_str_printf(out, "<td>not enough samples<br><small>%zu of %zu</small></td>", sorted->n,
                      ig_quantile_min_samples(share, IG_BENCH_CONFIDENCE));
}

void ig_page_put_latencies(const ig_view *v, ig_str *out)
{
    static const char *const head[] = { "",    "runs", "fastest", "P50",    "P90",
                                        "P95", "P99",  "P99.9",   "slowest" };
    char text[32];
    ig_str_puts(out, "<section><h3>Latency</h3>"
                     "<p class=\"soft\">With intervals that hold the true value in 95 of 100 "
                     "measurements. What the runs are too few for is not stated.</p>\n");
    open_table(out, "Latencies", head, IG_COUNT(head), 1);
    for (size_t i = 0; i < v->n_series; i++) {
        const ig_view_series *s = &v->series[i];
        if (!ig_view_is_timed(s)) continue;
        ig_str_puts(out, "<tr><td>");
        ig_page_put_name(out, s->name, s->label);
        ig_str_printf(out, "</td><td>%zu</td>", s->sorted_ns->n);
        put_cell(out, ig_view_time(s->sorted_ns->v[0], text));
        for (size_t q = 0; q < IG_BENCH_N_QUANTILES; q++)
            put_quantile(s->sorted_ns, ig_bench_shares[q], out);
        put_cell(out, ig_view_time(s->sorted_ns->v[s->sorted_ns->n - 1], text));
        ig_str_puts(out, "</tr>\n");
    }
    close_table(out);
    if (v->note) {
        ig_str_puts(out, "<p class=\"soft\">Not measured with an empty page cache: ");
        ig_markup_text(out, v->note);
        ig_str_puts(out, "</p>");
    }
    ig_str_puts(out, "</section>\n");
}

/* ---- engines ---- */

/* "name: value" of what a driver says that it set. */
static void put_settings(const ig_driver *d, ig_str *out)
{
    const ig_json *m = d->settings ? d->settings->child : NULL;
    for (; m; m = m->next) {
        ig_markup_cut(out, m->key, 100);
        ig_str_puts(out, ": ");
        if (m->kind == IG_JSON_STRING)
            ig_markup_cut(out, m->string, 300);
        else if (m->kind == IG_JSON_NUMBER)
            ig_str_printf(out, "%.9g", m->number);
        else
            ig_str_puts(out, m->kind == IG_JSON_TRUE    ? "true"
                             : m->kind == IG_JSON_FALSE ? "false"
                                                        : "?");
        if (m->next) ig_str_puts(out, "; ");
    }
}

static void put_numbers(const ig_contender *c, bool is_first, ig_str *out)
{
    char text[96];
    if (c->has_ratio)
        snprintf(text, sizeof text, "%.3f (%.3f to %.3f)", c->ratio.value, c->ratio.low,
                 c->ratio.high);
    put_cell(out, is_first ? "1" : c->has_ratio ? text : "not enough rounds");
    put_cell(out, ig_view_time(c->driver.load_ns, text));
    put_cell(out, ig_view_time(c->first_ns, text));
    put_cell(out, ig_view_time(c->cpu_ns_per_run, text));
    snprintf(text, sizeof text, "%.0f %%", 100 * c->idle_cpu_share);
    put_cell(out, text);
    put_cell(out, ig_view_bytes((double)c->memory.peak_rss_bytes, text));
}

static void put_errors(const ig_contender *c, ig_str *out)
{
    char text[32];
    snprintf(text, sizeof text, "%.2g", c->difference.max_error);
    put_cell(out, text);
    snprintf(text, sizeof text, "%.2g", c->difference.rms_error);
    put_cell(out, text);
    snprintf(text, sizeof text, "%.1f %%", 100 * c->difference.top1);
    put_cell(out, isfinite(c->difference.top1) ? text : "none");
}

static void put_engine(const ig_view_series *s, bool is_first, ig_str *out)
{
    const ig_contender *c = s->contender;
    const char *precision = c->driver.precision, *version = c->driver.version;
    ig_str_puts(out, "<tr><td>");
    ig_page_put_name(out, s->name, s->label);
    ig_str_puts(out, "</td>");
    if (c->state == IG_CONTENDER_FINE) {
        put_numbers(c, is_first, out);
        put_errors(c, out);
    } else {
        ig_str_printf(
            out, "<td class=\"text bad\" colspan=\"9\">%s: ", ig_contender_state_name(c->state));
        ig_markup_text(out, c->why);
        ig_str_puts(out, "</td>");
    }
    ig_str_puts(out, "<td class=\"word\">");
    ig_markup_cut(out, precision ? precision : "?", 40);
    ig_str_puts(out, "</td><td class=\"word\">");
    ig_markup_cut(out, version ? version : "?", 60);
    ig_str_puts(out, "</td>");
    ig_str_puts(out, "</tr>\n");
}

void ig_page_put_engines(const ig_view *v, ig_str *out)
{
    static const char *const head[] = { "engine",    "time / Ingot's", "loading",   "first run",
                                        "CPU a run", "CPU idle",       "memory",    "max error",
                                        "rms error", "top-1",          "precision", "version" };
    if (!v->series[0].contender) return;
    ig_str_puts(out, "<section><h3>Engines</h3><p class=\"soft\">Errors are against <code>");
    ig_markup_text(out, v->reference_name);
    ig_str_puts(out, "</code>; rms relative to the reference's; top-1: share of rows with the "
                     "same largest element. Memory is the peak of each process.</p>\n");
    open_table(out, "Engines", head, IG_COUNT(head), 1 << 0 | 1 << 10 | 1 << 11);
    for (size_t i = 0; i < v->n_series; i++) put_engine(&v->series[i], i == 0, out);
    close_table(out);
    ig_str_puts(out, "</section>\n");
}

void ig_page_put_engine_settings(const ig_view *v, ig_str *out)
{
    if (!v->series[0].contender) return;
    ig_str_puts(out, "<section><h3>Settings of each engine</h3><dl>");
    for (size_t i = 0; i < v->n_series; i++) {
        const ig_driver *d = &v->series[i].contender->driver;
        if (!d->settings) continue;
        ig_str_puts(out, "<dt>");
        ig_page_put_name(out, v->series[i].name, v->series[i].label);
        ig_str_puts(out, "</dt><dd>");
        put_settings(d, out);
        ig_str_puts(out, "</dd>\n");
    }
    ig_str_puts(out, "</dl></section>\n");
}

/* ---- noise ---- */

static void put_noise_row(ig_str *out, const char *name, double value, double bound, int digits,
                          const char *unit)
{
    char text[64];
    ig_str_printf(out, "<tr><td>%s</td>", name);
    snprintf(text, sizeof text, "%.*f%s", digits, value, unit);
    put_cell(out, isfinite(value) ? text : "not told by the system");
    snprintf(text, sizeof text, "%.*f%s", digits, bound, unit);
    put_cell(out, text);
    const bool is_bad = isfinite(value) && value > bound;
    ig_str_printf(out, "<td class=\"word%s\">%s</td></tr>\n", is_bad ? " bad" : "",
                  !isfinite(value) ? "unknown"
                  : is_bad         ? "disturbed"
                                   : "quiet");
}

void ig_page_put_noise(const ig_view *v, ig_str *out)
{
    static const char *const head[] = { "what", "measured", "bound", "verdict" };
    const ig_noise_mark *a = v->before, *b = v->after;
    /* As ig_noise_judge has them: what the system counts in ticks is not known better. */
    const double seconds = fmax((double)(b->at_ns - a->at_ns) * 1e-9, 1e-3);
    const double tick_share = 0.02 / seconds;
    const bool has_trips = v->n_running > 1 && a->trip_ns > 0 && b->trip_ns > 0;
    const double near = fmin(a->trip_ns, b->trip_ns), far = fmax(a->trip_ns, b->trip_ns);
    ig_str_printf(out,
                  "<section><h3>Noise</h3><p class=\"soft\">What else the machine did meanwhile, "
                  "by marks before and after. The guard's verdict: %s.",
                  v->reasons->n ? "<span class=\"bad\">INVALID</span>" : "valid");
    if (v->n_repeats)
        ig_str_printf(out, " Measured %d times: earlier tries were disturbed.", v->n_repeats + 1);
    ig_str_puts(out, "</p>\n");
    open_table(out, "Noise", head, IG_COUNT(head), 1 << 0 | 1 << 3);
    put_noise_row(out, "CPU time that the host took", 100 * ig_noise_steal(a, b),
                  100 * (IG_NOISE_MAX_STEAL + tick_share), 2, " %");
    put_noise_row(out, "CPU time of other processes", 100 * ig_noise_foreign(a, b),
                  100 * (IG_NOISE_MAX_FOREIGN + tick_share), 2, " %");
    put_noise_row(out, "involuntary switches a second and thread",
                  (double)(b->n_switches - a->n_switches) / (seconds * v->n_running),
                  IG_NOISE_MAX_SWITCHES, 1, "");
    put_noise_row(out, "change of one core's speed",
                  a->core_ns > 0 ? 100 * fabs(b->core_ns / a->core_ns - 1) : NAN,
                  100 * IG_NOISE_MAX_DRIFT, 1, " %");
    put_noise_row(out, "periods stopped by a quota",
                  b->n_throttled < 0 ? NAN : (double)(b->n_throttled - a->n_throttled), 0, 0, "");
    if (has_trips)
        put_noise_row(out, "cache line between CPUs, slower / faster mark", far / near,
                      IG_NOISE_MAX_TRIP_RATIO, 2, "");
    if (has_trips && b->shares_cache)
        put_noise_row(out, "cache line between CPUs and back", near, IG_NOISE_FAR_TRIP_NS, 0,
                      " ns");
    close_table(out);
    ig_str_puts(out, "</section>\n");
}

/* ---- steps ---- */

static void put_step(const ig_roofline_step *s, double total_ns, ig_str *out)
{
    char text[64];
    ig_str_puts(out, "<tr>");
    ig_str_puts(out, "<td><bdi>");
    ig_markup_cut(out, s->info.op, 60);
    ig_str_puts(out, "</bdi></td>");
    put_cell(out, ig_view_time(s->ns, text));
    snprintf(text, sizeof text, "%.1f %%", 100 * s->ns / total_ns);
    put_cell(out, text);
    snprintf(text, sizeof text, "%.1f", (double)s->info.flops / fmax(s->ns, 1));
    put_cell(out, s->info.flops > 0 ? text : "");
    snprintf(text, sizeof text, "%.1f", (double)s->info.bytes / fmax(s->ns, 1));
    put_cell(out, s->info.bytes > 0 ? text : "");
    snprintf(text, sizeof text, "%.0f %%", 100 * s->share);
    put_cell(out, isfinite(s->share) ? text : "unknown");
    ig_str_printf(out, "<td class=\"word\">%s</td>",
                  !isfinite(s->share)  ? ""
                  : s->is_memory_bound ? "memory"
                                       : "arithmetic");
    ig_str_puts(out, "<td class=\"word\">");
    ig_markup_cut(out, s->info.shape, 60);
    ig_str_puts(out, "</td><td class=\"word\">");
    ig_markup_cut(out, s->info.kernel, 80);
    ig_str_puts(out, "</td><td class=\"word\"><bdi>");
    ig_markup_cut(out, s->info.node, 80);
    ig_str_puts(out, "</bdi></td></tr>\n");
}

void ig_page_put_steps(const ig_view *v, ig_str *out)
{
    static const char *const head[] = { "operator", "time",     "of all", "GFLOP/s", "GB/s",
                                        "of roof",  "bound by", "output", "kernel",  "node" };
    const ig_roofline *roof = v->roofline;
    if (!roof || roof->n_steps == 0) return;
    ig_str_puts(out, "<section class=\"long\"><h3>Steps</h3><p class=\"soft\">");
    ig_str_printf(out,
                  "%zu steps in the order of execution%s; Ingot, the fastest of some runs with "
                  "the profiler on. Measured peaks: %.3g GFLOP/s, %.3g GB/s from memory, %.3g GB/s "
                  "from the second cache. The whole model reaches %.0f %% of its roof.</p>\n",
                  roof->n_steps, roof->n_steps > MAX_STEPS ? ", the first 400" : "", roof->gflops,
                  roof->gbytes, roof->cached_gbytes, 100 * roof->share);
    open_table(out, "Steps", head, IG_COUNT(head), 1 << 0 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 9);
    for (size_t i = 0; i < roof->n_steps && i < MAX_STEPS; i++)
        put_step(&roof->steps[i], roof->total_ns, out);
    close_table(out);
    ig_str_puts(out, "</section>\n");
}
