/* SPDX-License-Identifier: Apache-2.0 */
/* figure_rivals.c: engines beside each other: ratios of their times, accuracy against speed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/page/figures.h"

#define ROW 44
#define MAX_SPECKS 200
#define LEAST_ERROR 1e-8 /* what is smaller, or nothing, lies on the edge */

static size_t n_rivals(const ig_view *v)
{
    size_t n = 0;
    for (size_t i = 1; i < v->n_series; i++) n += ig_view_is_timed(&v->series[i]);
    return n;
}

bool ig_has_rivals(const ig_view *v) { return v->series[0].contender && n_rivals(v) > 0; }

/* ---- ratios ---- */

/* A rival's block in a round over Ingot's; NaN beyond the rounds of either. */
static double round_ratio(const ig_view *v, const ig_view_series *s, size_t round)
{
    const ig_samples *ours = v->series[0].window_ns, *theirs = s->window_ns;
    return round < ours->n && round < theirs->n ? theirs->v[round] / ours->v[round] : NAN;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The middle of the rounds' ratios: a round that was disturbed does not stretch the axis. */
static void include_rounds(const ig_view *v, const ig_view_series *s, ig_axis *axis)
{
    double some[MAX_SPECKS];
    size_t n = 0;
    const size_t n_all = v->series[0].window_ns->n, stride = n_all / MAX_SPECKS + 1;
    for (size_t i = 0; i < n_all; i += stride)
        if (isfinite(round_ratio(v, s, i))) some[n++] = round_ratio(v, s, i);
    qsort(some, n, sizeof *some, by_value);
    if (n == 0) return;
    ig_axis_include(axis, some[n / 20]);
    ig_axis_include(axis, some[n - 1 - n / 20]);
}

static void draw_specks(ig_plot *p, const ig_view *v, int k, double y)
{
    uint64_t random = 7;
    const size_t n_all = v->series[0].window_ns->n, stride = n_all / MAX_SPECKS + 1;
    for (size_t i = 0; i < n_all; i += stride) {
        const double ratio = round_ratio(v, &v->series[k], i);
        if (ratio >= p->x.low && ratio <= p->x.high)
            ig_plot_speck(p, k, ratio, y + 0.5 * ig_random_unit(&random) - 0.25);
    }
}

void ig_draw_ratio(const ig_view *v, double width, ig_str *out)
{
    const size_t n = n_rivals(v);
    ig_plot p = { .out = out, .width = width, .height = 76 + ROW * (double)n };
    p.gutter = ig_plot_is_narrow(&p) ? 92 : 130;
    ig_axis_init(&p.x, "its time / Ingot's time (×)", false);
    p.y = (ig_axis){ .title = "engine", .low = 0, .high = (double)n, .n_ticks = -1 };
    ig_axis_include(&p.x, 1);
    for (size_t k = 1; k < v->n_series; k++) {
        const ig_contender *c = v->series[k].contender;
        if (!ig_view_is_timed(&v->series[k])) continue;
        include_rounds(v, &v->series[k], &p.x);
        if (c->has_ratio) ig_axis_include(&p.x, c->ratio.low);
        if (c->has_ratio) ig_axis_include(&p.x, c->ratio.high);
    }
    ig_plot_open(&p, "Ratio of times",
                 "For each rival its time over Ingot's, with the bootstrap interval.");
    ig_plot_rule(&p, 1, p.y.low, 1, p.y.high);
    double y = (double)n - 0.5;
    for (size_t k = 1; k < v->n_series; k++) {
        const ig_contender *c = v->series[k].contender;
        char text[200];
        if (!ig_view_is_timed(&v->series[k])) continue;
        ig_plot_name(&p, y, v->series[k].name);
        draw_specks(&p, v, (int)k, y);
        if (c->has_ratio) {
            snprintf(text, sizeof text, "%.3f (%.3f to %.3f)", c->ratio.value, c->ratio.low,
                     c->ratio.high);
            ig_plot_interval(&p, (int)k, c->ratio.low, c->ratio.high, y);
            ig_plot_dot(&p, (int)k, c->ratio.value, y, 5, text);
        } else {
            ig_plot_words(&p, p.x.low, y, 8, 4, "start", "not enough rounds for a ratio");
        }
        y -= 1;
    }
    ig_plot_close(&p);
}

/* ---- accuracy ---- */

void ig_draw_accuracy(const ig_view *v, double width, ig_str *out)
{
    double scale, high = 0;
    char title[64];
    ig_plot p = { .out = out, .width = width, .height = 280 };
    for (size_t k = 0; k < v->n_series; k++) {
        const ig_quantile q = ig_quantile_of(v->series[k].sorted_ns, 0.5, IG_BENCH_CONFIDENCE);
        if (ig_view_is_timed(&v->series[k]) && q.is_known) high = fmax(high, q.high);
    }
    snprintf(title, sizeof title, "median latency (%s)", ig_axis_time_unit(high, &scale));
    ig_axis_init(&p.x, title, false);
    ig_axis_init(&p.y, "rms error (share of the reference's rms)", true);
    p.x.holds_zero = true;
    ig_axis_include(&p.x, high * scale);
    ig_axis_include(&p.y, LEAST_ERROR);
    ig_axis_include(&p.y, 2 * IG_VERSUS_MAX_ERROR);
    for (size_t k = 0; k < v->n_series; k++)
        if (ig_view_is_timed(&v->series[k]))
            ig_axis_include(&p.y, v->series[k].contender->difference.rms_error);
    ig_plot_open(&p, "Accuracy against speed",
                 "For each engine its error against the reference and its median latency.");
    ig_plot_rule(&p, p.x.low, IG_VERSUS_MAX_ERROR, p.x.high, IG_VERSUS_MAX_ERROR);
    ig_plot_words(&p, p.x.low, IG_VERSUS_MAX_ERROR, 6, 14, "start", "beyond: wrong answers");
    for (size_t k = 0; k < v->n_series; k++) {
        const ig_view_series *s = &v->series[k];
        const ig_quantile q = ig_quantile_of(s->sorted_ns, 0.5, IG_BENCH_CONFIDENCE);
        char text[300], range[96];
        if (!ig_view_is_timed(s) || !q.is_known) continue;
        const double error = s->contender->difference.rms_error;
        snprintf(text, sizeof text, "%.120s: %s, rms error %.2g", s->name,
                 ig_view_quantile(s->sorted_ns, 0.5, range), error);
        const double edge = fmax(error, LEAST_ERROR);
        ig_plot_interval(&p, (int)k, q.low * scale, q.high * scale, edge);
        ig_plot_dot(&p, (int)k, q.value * scale, edge, 6, text);
    }
    ig_plot_close(&p);
}
