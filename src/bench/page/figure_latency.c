/* SPDX-License-Identifier: Apache-2.0 */
/* figure_latency.c: how times are distributed: the share below a time, and the tail. */
#include <math.h>
#include <stdio.h>

#include "bench/page/figures.h"

#define MAX_POINTS 240
#define LOG_RATIO 6 /* wider ranges are shown on log axes */

/* Fastest and slowest of all series, in nanoseconds. */
static void range_of(const ig_view *v, double *low, double *high)
{
    *low = INFINITY;
    *high = 0;
    for (size_t i = 0; i < v->n_series; i++) {
        const ig_view_series *s = &v->series[i];
        if (!ig_view_is_timed(s)) continue;
        *low = fmin(*low, s->sorted_ns->v[0]);
        *high = fmax(*high, s->sorted_ns->v[s->sorted_ns->n - 1]);
    }
}

void ig_draw_distribution(const ig_view *v, double width, ig_str *out)
{
    double low, high, scale, x[MAX_POINTS + 1], y[MAX_POINTS + 1];
    char title[64];
    ig_plot p = { .out = out, .width = width, .height = 300 };
    range_of(v, &low, &high);
    snprintf(title, sizeof title, "latency (%s)", ig_axis_time_unit(high, &scale));
    ig_axis_init(&p.x, title, high > LOG_RATIO * low);
    ig_axis_init(&p.y, "runs that took at most so long (%)", false);
    ig_axis_include(&p.x, low * scale);
    ig_axis_include(&p.x, high * scale);
    ig_axis_include(&p.y, 0);
    ig_axis_include(&p.y, 100);
    ig_plot_open(&p, "Distribution of latencies",
                 "For each series the share of runs that took at most a time.");
    for (size_t k = 0; k < v->n_series; k++) {
        const ig_samples *ns = v->series[k].sorted_ns;
        if (!ig_view_is_timed(&v->series[k])) continue;
        const size_t n = ns->n < MAX_POINTS ? ns->n : MAX_POINTS;
        x[0] = ns->v[0] * scale;
        y[0] = 0;
        for (size_t i = 0; i < n; i++) {
            const size_t rank = n < 2 ? 0 : i * (ns->n - 1) / (n - 1);
            x[i + 1] = ns->v[rank] * scale;
            y[i + 1] = 100.0 * (double)(rank + 1) / (double)ns->n;
        }
        ig_plot_line(&p, (int)k, x, y, n + 1, true);
    }
    ig_plot_close(&p);
}

/* ---- the tail ---- */

/* Quantiles at equal distances of the logarithm of what lies beyond them. */
static double tail_place(double share) { return -log10(1 - share); }

static bool is_known(const ig_samples *ns, double share)
{
    return ig_quantile_of(ns, share, IG_BENCH_CONFIDENCE).is_known;
}

/* The place of the farthest quantile that the samples tell; 0: none. */
static double farthest(const ig_samples *ns)
{
    double place = 0;
    for (double at = 0.1; at < 6.5 && is_known(ns, 1 - pow(10, -at)); at += 0.02) place = at;
    return place;
}

static double farthest_of_all(const ig_view *v)
{
    double place = 0;
    for (size_t i = 0; i < v->n_series; i++)
        if (ig_view_is_timed(&v->series[i])) place = fmax(place, farthest(v->series[i].sorted_ns));
    return place;
}

bool ig_has_quantiles(const ig_view_series *s)
{
    return ig_view_is_timed(s) && farthest(s->sorted_ns) >= tail_place(0.5);
}

static void draw_tail_of(ig_plot *p, int series, const ig_samples *ns, double scale)
{
    double x[MAX_POINTS], y[MAX_POINTS];
    const double end = farthest(ns);
    for (int i = 0; i < MAX_POINTS; i++) {
        x[i] = end * i / (MAX_POINTS - 1);
        const size_t rank = (size_t)ceil((1 - pow(10, -x[i])) * (double)ns->n - 1e-9);
        y[i] = ns->v[rank > 0 ? rank - 1 : 0] * scale;
    }
    ig_plot_line(p, series, x, y, MAX_POINTS, false);
    for (size_t i = 0; i < IG_BENCH_N_QUANTILES; i++) {
        char text[160], range[96];
        const ig_quantile q = ig_quantile_of(ns, ig_bench_shares[i], IG_BENCH_CONFIDENCE);
        if (!q.is_known) continue;
        const double at = tail_place(ig_bench_shares[i]);
        ig_plot_upright_interval(p, series, at, q.low * scale, q.high * scale);
        snprintf(text, sizeof text, "P%g: %s", 100 * ig_bench_shares[i],
                 ig_view_quantile(ns, ig_bench_shares[i], range));
        ig_plot_dot(p, series, at, q.value * scale, 3.5, text);
    }
}

void ig_draw_tail(const ig_view *v, double width, ig_str *out)
{
    static const double shares[] = { 0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999 };
    static const char *const names[] = { "0", "50", "90", "99", "99.9", "99.99", "99.999" };
    double low = INFINITY, high = 0, scale;
    char title[64];
    ig_plot p = { .out = out, .width = width, .height = 300 };
    const double end = farthest_of_all(v);
    for (size_t i = 0; i < v->n_series; i++) {
        const ig_samples *ns = v->series[i].sorted_ns;
        if (!ig_has_quantiles(&v->series[i])) continue;
        low = fmin(low, ns->v[0]);
        for (size_t k = 0; k < IG_BENCH_N_QUANTILES; k++)
            high = fmax(high, ig_quantile_of(ns, ig_bench_shares[k], IG_BENCH_CONFIDENCE).high);
        const double far = ceil((1 - pow(10, -farthest(ns))) * (double)ns->n - 1e-9);
        high = fmax(high, ns->v[(size_t)far - 1]);
    }
    snprintf(title, sizeof title, "latency (%s)", ig_axis_time_unit(high, &scale));
    ig_axis_init(&p.x, "quantile (% of runs)", false);
    ig_axis_init(&p.y, title, high > LOG_RATIO * low);
    p.y.holds_zero = true;
    ig_axis_include(&p.y, low * scale);
    ig_axis_include(&p.y, high * scale);
    p.x.low = 0;
    p.x.high = end;
    p.x.names = names;
    while (p.x.n_ticks < (int)IG_COUNT(shares) && tail_place(shares[p.x.n_ticks]) <= end) {
        p.x.ticks[p.x.n_ticks] = tail_place(shares[p.x.n_ticks]);
        p.x.n_ticks++;
    }
    ig_plot_open(&p, "Quantiles of latency",
                 "For each series the latency at each quantile, with intervals at those stated.");
    for (size_t i = 0; i < v->n_series; i++)
        if (ig_has_quantiles(&v->series[i]))
            draw_tail_of(&p, (int)i, v->series[i].sorted_ns, scale);
    ig_plot_close(&p);
}
