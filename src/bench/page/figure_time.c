/* SPDX-License-Identifier: Apache-2.0 */
/* figure_time.c: what changes while it is measured: warm-up, windows, memory. */
#include <math.h>
#include <stdio.h>

#include "bench/page/figures.h"

#define MAX_POINTS 400
#define LOG_RATIO 6
#define MARK_HEIGHT 1.15 /* room above the highest line for the names of marks */

static const ig_samples *warm_up_of(const ig_view_series *s) { return s->warm_up_ns; }
static const ig_samples *windows_of(const ig_view_series *s) { return s->window_ns; }

bool ig_has_warm_up(const ig_view_series *s)
{
    return ig_view_is_timed(s) && s->warm_up_ns && s->warm_up_ns->n >= 1;
}

bool ig_has_windows(const ig_view_series *s)
{
    return ig_view_is_timed(s) && s->window_ns && s->window_ns->n >= 2;
}

/* Medians one after the other; with the first inference at 0 where it belongs to them. */
static void draw_medians(const ig_view *v, const ig_samples *(*of)(const ig_view_series *),
                         bool has_first, ig_plot *p, const char *title, const char *description)
{
    double low = INFINITY, high = 0, scale, x[MAX_POINTS + 1], y[MAX_POINTS + 1];
    char y_title[64];
    for (size_t k = 0; k < v->n_series; k++) {
        const ig_view_series *s = &v->series[k];
        if (!ig_view_is_timed(s) || !of(s)) continue;
        for (size_t i = 0; i < of(s)->n; i++) {
            low = fmin(low, of(s)->v[i]);
            high = fmax(high, of(s)->v[i]);
        }
        if (has_first && isfinite(s->first_ns)) high = fmax(high, s->first_ns);
        ig_axis_include(&p->x, (double)of(s)->n);
    }
    snprintf(y_title, sizeof y_title, "median latency (%s)", ig_axis_time_unit(high, &scale));
    ig_axis_init(&p->y, y_title, high > LOG_RATIO * low);
    p->y.holds_zero = true;
    ig_axis_include(&p->y, low * scale);
    ig_axis_include(&p->y, high * scale);
    ig_axis_include(&p->x, has_first ? 0 : 1);
    ig_plot_open(p, title, description);
    for (size_t k = 0; k < v->n_series; k++) {
        const ig_view_series *s = &v->series[k];
        size_t n = 0;
        if (!ig_view_is_timed(s) || !of(s)) continue;
        if (has_first && isfinite(s->first_ns)) x[n] = 0, y[n++] = s->first_ns * scale;
        const size_t n_all = of(s)->n, stride = n_all / MAX_POINTS + 1;
        for (size_t i = 0; i < n_all; i += stride)
            x[n] = (double)(i + 1), y[n++] = of(s)->v[i] * scale;
        ig_plot_line(p, (int)k, x, y, n, false);
        for (size_t i = 0; n <= 24 && i < n; i++) ig_plot_dot(p, (int)k, x[i], y[i], 3, NULL);
    }
    ig_plot_close(p);
}

void ig_draw_warm_up(const ig_view *v, double width, ig_str *out)
{
    char title[80], text[32];
    ig_plot p = { .out = out, .width = width, .height = 280 };
    snprintf(title, sizeof title, "window (%s each; 0: first run)",
             ig_view_time(v->warm_up_window_s * 1e9, text));
    ig_axis_init(&p.x, title, false);
    p.x.is_whole = true;
    draw_medians(v, warm_up_of, true, &p, "Warm-up",
                 "The first inference and the medians of the windows of the warm-up.");
}

void ig_draw_windows(const ig_view *v, double width, ig_str *out)
{
    char title[80] = "round (blocks of every engine)", text[32];
    ig_plot p = { .out = out, .width = width, .height = 280 };
    if (v->window_s > 0)
        snprintf(title, sizeof title, "window (%s each)", ig_view_time(v->window_s * 1e9, text));
    ig_axis_init(&p.x, title, false);
    p.x.is_whole = true;
    draw_medians(v, windows_of, false, &p, "While it was measured",
                 "Medians of the windows or rounds of the measurement, in their order.");
}

/* ---- memory ---- */

bool ig_has_memory(const ig_view_series *s) { return s->memory_trace && s->memory_trace->n >= 2; }

/* The begins of parts, named where there is room for the name. */
static void draw_marks(ig_plot *p, const ig_memory_trace *t, double top)
{
    double free_from = -1;
    for (size_t i = 0; i < t->n_marks; i++) {
        const double at = ig_axis_at(&p->x, t->marks[i].at_s);
        double n = 0;
        for (const char *c = t->marks[i].name; *c; c++) n++;
        ig_plot_rule(p, t->marks[i].at_s, p->y.low, t->marks[i].at_s, top);
        if (at < free_from || at + (n + 1) * IG_PLOT_CHAR > p->right) continue;
        ig_plot_words(p, t->marks[i].at_s, top, 4, 10, "start", t->marks[i].name);
        free_from = at + (n + 2) * IG_PLOT_CHAR;
    }
}

void ig_draw_memory(const ig_view *v, double width, ig_str *out)
{
    double x[IG_TRACE_MAX_POINTS], rss[IG_TRACE_MAX_POINTS], pss[IG_TRACE_MAX_POINTS];
    ig_plot p = { .out = out, .width = width, .height = 280 };
    double high = 0;
    bool has_marks = false;
    ig_axis_init(&p.x, "time since the begin (s)", false);
    ig_axis_init(&p.y, "memory (MB)", false);
    p.y.holds_zero = p.x.holds_zero = true;
    for (size_t k = 0; k < v->n_series; k++) {
        const ig_memory_trace *t = v->series[k].memory_trace;
        for (size_t i = 0; t && i < t->n; i++) {
            high = fmax(high, (double)t->points[i].rss_bytes * 1e-6);
            ig_axis_include(&p.x, t->points[i].at_s);
        }
    }
    ig_axis_include(&p.y, high * MARK_HEIGHT);
    ig_plot_open(&p, "Memory over time", "Resident and proportional memory of each process.");
    for (size_t k = 0; k < v->n_series; k++) {
        const ig_memory_trace *t = v->series[k].memory_trace;
        if (!ig_has_memory(&v->series[k])) continue;
        for (size_t i = 0; i < t->n; i++) {
            x[i] = t->points[i].at_s;
            rss[i] = (double)t->points[i].rss_bytes * 1e-6;
            pss[i] = (double)t->points[i].pss_bytes * 1e-6;
        }
        if (!has_marks) draw_marks(&p, t, p.y.high); /* they are the same for all */
        has_marks = true;
        ig_plot_line(&p, (int)k, x, rss, t->n, false);
        if (pss[t->n - 1] > 0) ig_plot_thin_line(&p, (int)k, x, pss, t->n);
    }
    ig_plot_close(&p);
}
