/* SPDX-License-Identifier: Apache-2.0 */
/* article.c: one measurement: verdict, cards, sentences, plots, tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/markup.h"
#include "bench/page/figures.h"
#include "bench/page/page.h"

/* Widths of plots, in pixels: half and all of a wide page, a tablet or paper, a phone. */
#define HALF 524
#define WHOLE 1110
#define MIDDLE 620
#define PHONE 336

/* ---- verdicts ---- */

static void put_invalid(const ig_view *v, ig_str *out)
{
    if (v->reasons->n == 0) return;
    ig_str_puts(out, "<div class=\"banner\" role=\"alert\"><strong>INVALID</strong><ul>");
    for (const char *p = ig_str_cstr(v->reasons); *p;) {
        char reason[400];
        const char *end = strstr(p, "; ");
        const size_t n = end ? (size_t)(end - p) : strlen(p);
        snprintf(reason, sizeof reason, "%.*s", (int)(n < 399 ? n : 399), p);
        ig_str_puts(out, "<li>");
        ig_markup_text(out, reason);
        ig_str_puts(out, "</li>");
        p = end ? end + 2 : p + n;
    }
    ig_str_puts(out, "</ul><p>The numbers below are what was seen, not what the model can "
                     "do.</p></div>\n");
}

static void put_overloaded(const ig_view *v, ig_str *out)
{
    if (!v->is_overloaded) return;
    ig_str_puts(out, "<div class=\"banner warn\" role=\"alert\"><strong>OVERLOADED</strong><p>More "
                     "requests arrived than could be answered, so that the line of waiting ones "
                     "grew: latencies depend on how long was measured.</p></div>\n");
}

/* "A takes 1.3 times as long as Ingot", where the interval says that it is sure. */
static void put_sentences(const ig_view *v, ig_str *out)
{
    size_t n = 0;
    for (size_t i = 1; i < v->n_series; i++) {
        const ig_contender *c = v->series[i].contender;
        if (!c) continue;
        ig_str_puts(out, n++ ? "<li>" : "<ul class=\"says\"><li>");
        ig_page_put_name(out, c->name, v->series[i].label);
        if (c->state != IG_CONTENDER_FINE) {
            ig_str_printf(out, " has no speed here: %s (see below).",
                          ig_contender_state_name(c->state));
        } else if (!c->has_ratio) {
            ig_str_puts(out, " has no ratio: not enough rounds.");
        } else {
            const char *verdict = v->reasons->n       ? "the measurement is invalid"
                                  : c->ratio.low > 1  ? "Ingot is faster"
                                  : c->ratio.high < 1 ? "it is faster than Ingot"
                                                      : "no difference is seen";
            ig_str_printf(out, " takes %.3f times Ingot's time (%.3f to %.3f): %s.", c->ratio.value,
                          c->ratio.low, c->ratio.high, verdict);
        }
        if (c->has_first_ratio)
            ig_str_printf(out, " First runs of a shape: %.3f (%.3f to %.3f).", c->first_ratio.value,
                          c->first_ratio.low, c->first_ratio.high);
        ig_str_puts(out, "</li>");
    }
    if (n) ig_str_puts(out, "</ul>\n");
}

/* ---- cards ---- */

/* A text that begins with a number: that large, the unit small, the rest (after ; or parentheses)
 * left out. */
static void put_card(const char *text, const char *about, ig_str *out)
{
    size_t n = strcspn(text, ";(");
    while (n > 0 && text[n - 1] == ' ') n--;
    const char *space = strchr(text, ' ');
    const size_t n_number = space && (size_t)(space - text) < n ? (size_t)(space - text) : n;
    ig_str_printf(out, "<div class=\"card\"><b>%.*s<small>%.*s</small></b><span>%s</span></div>\n",
                  (int)n_number, text, (int)(n - n_number), text + n_number, about);
}

static void put_quantile_card(const ig_view_series *s, double share, const char *name, ig_str *out)
{
    char value[32], low[32], high[32], about[100];
    const ig_quantile q = ig_quantile_of(s->sorted_ns, share, IG_BENCH_CONFIDENCE);
    if (q.is_known) {
        snprintf(about, sizeof about, "%s, %s to %s", name, ig_view_time(q.low, low),
                 ig_view_time(q.high, high));
        put_card(ig_view_time(q.value, value), about, out);
        return;
    }
    ig_str_printf(out,
                  "<div class=\"card\"><b class=\"less\">not enough samples</b>"
                  "<span>%s: %zu of %zu</span></div>\n",
                  name, s->sorted_ns->n, ig_quantile_min_samples(share, IG_BENCH_CONFIDENCE));
}

static void put_cards(const ig_view *v, ig_str *out)
{
    static const char *const wanted[] = { "throughput (inferences)", "first inference",
                                          "CPU time an inference", "peak memory (RSS)" };
    ig_str_puts(out, "<div class=\"cards\">\n");
    put_quantile_card(&v->series[0], 0.5, "P50", out);
    put_quantile_card(&v->series[0], 0.99, "P99", out);
    for (size_t i = 0; i < v->results.n; i++)
        for (size_t k = 0; k < IG_COUNT(wanted); k++)
            if (strcmp(v->results.items[i].name, wanted[k]) == 0)
                put_card(v->results.items[i].text, wanted[k], out);
    ig_str_puts(out, "</div>\n");
}

/* ---- figures ---- */

/* Plots of half the width stand in pairs; the last of an odd number takes all of it. */
static const ig_figure *lonely_figure(const ig_view *v)
{
    const ig_figure *last = NULL;
    size_t n = 0;
    for (size_t i = 0; i < ig_n_figures; i++)
        if (!ig_figures[i].is_wide && ig_figure_is_there(&ig_figures[i], v))
            last = &ig_figures[i], n++;
    return n % 2 ? last : NULL;
}

static void put_legend(const ig_figure *f, const ig_view *v, ig_str *out)
{
    ig_operator_classes classes = { .n = 0 };
    int n = (int)v->n_series;
    if (f->legend == IG_LEGEND_NONE) return;
    if (f->legend == IG_LEGEND_OPERATORS) ig_operator_classes_of(v->roofline, &classes);
    if (f->legend == IG_LEGEND_OPERATORS) n = classes.n;
    if (f->legend == IG_LEGEND_PARTS) n = (int)v->n_parts;
    ig_str_puts(out, "<ul class=\"legend\">");
    for (int i = 0; i < n; i++) {
        char time[32];
        const bool is_series = f->legend == IG_LEGEND_SERIES;
        if (is_series && !(f->has_series ? f->has_series : ig_view_is_timed)(&v->series[i]))
            continue;
        ig_str_puts(out, "<li>");
        ig_plot_put_key(out, i, f->key);
        if (f->legend == IG_LEGEND_SERIES)
            ig_page_put_name(out, v->series[i].name, v->series[i].label);
        else if (f->legend == IG_LEGEND_PARTS)
            ig_str_puts(out, v->part_names[i]);
        else
            ig_page_put_name(out, classes.names[i], NULL);
        if (f->legend == IG_LEGEND_OPERATORS)
            ig_str_printf(out, " <span class=\"soft\">%s</span>",
                          ig_view_time(classes.ns[i], time));
        ig_str_puts(out, "</li>");
    }
    ig_str_puts(out, "</ul>\n");
}

static void put_variant(const ig_figure *f, const ig_view *v, const char *variant, double width,
                        ig_str *out)
{
    ig_str_printf(out, "<div class=\"%s\">", variant);
    f->draw(v, width, out);
    ig_str_puts(out, "</div>");
}

static void put_figures(const ig_view *v, ig_str *out)
{
    ig_str_puts(out, "<div class=\"figures\">\n");
    for (size_t i = 0; i < ig_n_figures; i++) {
        const ig_figure *f = &ig_figures[i];
        const bool is_wide = f->is_wide || f == lonely_figure(v);
        if (!ig_figure_is_there(f, v)) continue;
        ig_str_printf(out, "<figure%s><figcaption><h3>%s</h3><p>%s</p></figcaption>\n",
                      is_wide ? " class=\"wide\"" : "", f->title, f->caption);
        put_legend(f, v, out);
        put_variant(f, v, "l", is_wide ? WHOLE : HALF, out);
        if (is_wide) put_variant(f, v, "m", MIDDLE, out);
        put_variant(f, v, "s", PHONE, out);
        ig_str_puts(out, "</figure>\n");
    }
    ig_str_puts(out, "</div>\n");
}

/* ---- all of it ---- */

void ig_page_put_article(const ig_view *v, ig_str *out)
{
    ig_str_printf(out, "<p class=\"lead\">scenario %s", v->scenario);
    if (v->n_threads)
        ig_str_printf(out, ", %d thread%s", v->n_threads, v->n_threads == 1 ? "" : "s");
    ig_str_puts(out, "</p>\n");
    put_invalid(v, out);
    put_overloaded(v, out);
    put_cards(v, out);
    put_sentences(v, out);
    put_figures(v, out);
    ig_page_put_latencies(v, out);
    ig_page_put_engines(v, out);
    ig_page_put_engine_settings(v, out);
    ig_str_puts(out, "<div class=\"columns\"><section><h3>Results</h3>");
    ig_page_put_facts(&v->results, out);
    ig_str_puts(out, "</section><section><h3>Settings</h3>");
    ig_page_put_facts(&v->settings, out);
    ig_str_puts(out, "</section></div>\n");
    ig_page_put_noise(v, out);
    ig_page_put_steps(v, out);
}
