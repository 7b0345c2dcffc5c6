/* SPDX-License-Identifier: Apache-2.0 */
/* figure_steps.c: the steps of the model: under the roofline, and by their time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/page/figures.h"

#define MAX_BARS 20
#define MAX_NARROW_BARS 15
#define ROW 19
#define LABEL_DISTANCE 16
#define ROOF_SERIES 5 /* solid and grey */

bool ig_has_roofline(const ig_view *v) { return v->roofline && v->roofline->n_steps > 0; }

/* ---- operators ---- */

/* Sums by operator, found one after the other: models have few. */
void ig_operator_classes_of(const ig_roofline *roof, ig_operator_classes *c)
{
    double rest = roof->total_ns;
    *c = (ig_operator_classes){ .n = 0 };
    while (c->n < IG_N_OPERATOR_CLASSES - 1) {
        const char *best = NULL;
        double best_ns = 0;
        for (size_t i = 0; i < roof->n_steps; i++) {
            const char *op = roof->steps[i].info.op;
            double ns = 0;
            bool is_known = best && strcmp(op, best) == 0;
            for (int k = 0; k < c->n; k++) is_known |= strcmp(op, c->names[k]) == 0;
            for (size_t k = i; !is_known && k < roof->n_steps; k++)
                if (strcmp(roof->steps[k].info.op, op) == 0) ns += roof->steps[k].ns;
            if (ns > best_ns) best = op, best_ns = ns;
        }
        if (!best) break;
        c->names[c->n] = best;
        c->ns[c->n++] = best_ns;
        rest -= best_ns;
    }
    if (rest > roof->total_ns * 1e-6) {
        c->names[c->n] = "others";
        c->ns[c->n++] = rest;
    }
}

static int class_of(const ig_operator_classes *c, const char *op)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->names[i], op) == 0) return i;
    return c->n - 1;
}

size_t ig_slowest_steps(const ig_roofline *roof, const ig_roofline_step **steps, size_t n)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < roof->n_steps; i++) {
        size_t at = n_kept;
        while (at > 0 && steps[at - 1]->ns < roof->steps[i].ns) at--;
        if (at == n) continue;
        if (n_kept < n) n_kept++;
        memmove(&steps[at + 1], &steps[at], (n_kept - at - 1) * sizeof *steps);
        steps[at] = &roof->steps[i];
    }
    return n_kept;
}

static void describe(const ig_roofline_step *s, char *text, size_t bytes)
{
    char time[32], share[32] = "share of the roof unknown";
    if (isfinite(s->share)) snprintf(share, sizeof share, "%.0f %% of the roof", 100 * s->share);
    snprintf(text, bytes, "%.60s %.80s, %s: %s, %s, %.80s", s->info.op, s->info.node, s->info.shape,
             ig_view_time(s->ns, time), share, s->info.kernel);
}

/* ---- roofline ---- */

static bool has_place(const ig_roofline_step *s)
{
    return s->info.flops > 0 && s->info.bytes > 0 && s->ns > 0;
}

static double intensity(const ig_roofline_step *s)
{
    return (double)s->info.flops / (double)s->info.bytes;
}

/* A rising roof of so many GB/s, up to the peak of arithmetic. */
static bool slope_of(const ig_plot *p, const ig_roofline *roof, double gbytes, double *from,
                     double *to)
{
    if (!(gbytes > 0)) return false;
    *from = fmax(p->x.low, p->y.low / gbytes);
    *to = fmin(roof->gflops / gbytes, p->x.high);
    return *from < *to;
}

static void draw_slope(ig_plot *p, const ig_roofline *roof, double gbytes)
{
    double from, to;
    if (!slope_of(p, roof, gbytes, &from, &to)) return;
    ig_plot_line(p, ROOF_SERIES, (double[]){ from, to }, (double[]){ from * gbytes, to * gbytes },
                 2, false);
}

/* Its name below it, where there is room. */
static void name_slope(ig_plot *p, const ig_roofline *roof, double gbytes, const char *name,
                       double *last)
{
    char text[64];
    double from, to;
    if (!slope_of(p, roof, gbytes, &from, &to)) return;
    const double x = from * pow(to / from, 0.2), at = ig_axis_at(&p->y, x * gbytes);
    if (fabs(at - *last) < LABEL_DISTANCE) return;
    snprintf(text, sizeof text, "%s %.3g GB/s", name, gbytes);
    ig_plot_words(p, x, x * gbytes, 8, 12, "start", text);
    *last = at;
}

void ig_draw_roofline(const ig_view *v, double width, ig_str *out)
{
    const ig_roofline *roof = v->roofline;
    ig_operator_classes classes;
    char text[400];
    double last_label = -1000;
    ig_plot p = { .out = out, .width = width };
    p.height = ig_plot_is_narrow(&p) ? 320 : 400;
    ig_operator_classes_of(roof, &classes);
    ig_axis_init(&p.x, "arithmetic intensity (FLOP/byte)", true);
    ig_axis_init(&p.y, "performance (GFLOP/s)", true);
    ig_axis_include(&p.y, roof->gflops * 1.6);
    if (roof->gbytes > 0) ig_axis_include(&p.x, roof->gflops / roof->gbytes * 1.5);
    for (size_t i = 0; i < roof->n_steps; i++) {
        const ig_roofline_step *s = &roof->steps[i];
        if (!has_place(s)) continue;
        ig_axis_include(&p.x, intensity(s));
        ig_axis_include(&p.y, (double)s->info.flops / s->ns);
    }
    ig_plot_open(&p, "Roofline",
                 "Each step at its arithmetic intensity and speed, under the measured peaks.");
    const double ridge = fmax(p.x.low, roof->gflops / fmax(roof->cached_gbytes, 1e-9));
    ig_plot_line(&p, ROOF_SERIES, (double[]){ fmin(ridge, p.x.high), p.x.high },
                 (double[]){ roof->gflops, roof->gflops }, 2, false);
    draw_slope(&p, roof, roof->gbytes);
    draw_slope(&p, roof, roof->cached_gbytes);
    for (size_t i = 0; i < roof->n_steps; i++) {
        const ig_roofline_step *s = &roof->steps[i];
        if (!has_place(s)) continue;
        describe(s, text, sizeof text);
        ig_plot_dot(&p, class_of(&classes, s->info.op), intensity(s), (double)s->info.flops / s->ns,
                    2.5 + 10 * sqrt(s->ns / roof->total_ns), text);
    }
    snprintf(text, sizeof text, "peak %.3g GFLOP/s", roof->gflops);
    ig_plot_words(&p, p.x.high, roof->gflops, -2, -6, "end", text);
    name_slope(&p, roof, roof->gbytes, "memory", &last_label);
    name_slope(&p, roof, roof->cached_gbytes, "L2 cache", &last_label);
    ig_plot_close(&p);
}

/* ---- bars ---- */

static void name_of(const ig_roofline_step *s, bool is_short, char *text, size_t bytes)
{
    snprintf(text, bytes, "%.60s %.90s%s%.200s", s->info.op, s->info.shape, is_short ? "" : " ",
             is_short ? "" : s->info.node);
}

void ig_draw_layers(const ig_view *v, double width, ig_str *out)
{
    const ig_roofline *roof = v->roofline;
    const ig_roofline_step *steps[MAX_BARS];
    ig_operator_classes classes;
    double scale;
    char title[64], text[400];
    ig_plot p = { .out = out, .width = width };
    const bool is_narrow = ig_plot_is_narrow(&p);
    const size_t n = ig_slowest_steps(roof, steps, is_narrow ? MAX_NARROW_BARS : MAX_BARS);
    ig_operator_classes_of(roof, &classes);
    snprintf(title, sizeof title, "time of a run (%s)",
             ig_axis_time_unit(n ? steps[0]->ns : 0, &scale));
    p.height = 74 + ROW * (double)n;
    for (size_t i = 0; i < n; i++) {
        name_of(steps[i], is_narrow, text, sizeof text);
        p.gutter = fmax(p.gutter, ig_plot_text_width(text) + 8);
    }
    p.gutter = fmin(p.gutter, is_narrow ? 146 : width < 700 ? 220 : 420);
    ig_axis_init(&p.x, title, false);
    p.x.holds_zero = true;
    ig_axis_include(&p.x, n ? steps[0]->ns * scale : 1);
    p.y = (ig_axis){ .title = is_narrow ? "step" : "step: operator, output, node",
                     .high = (double)n,
                     .n_ticks = -1 };
    ig_plot_open(&p, "Slowest steps", "The steps that take most of the time, the slowest first.");
    for (size_t i = 0; i < n; i++) {
        const ig_roofline_step *s = steps[i];
        const double y = (double)(n - i) - 0.5;
        const int series = class_of(&classes, s->info.op);
        name_of(s, is_narrow, text, sizeof text);
        ig_plot_name(&p, y, text);
        describe(s, text, sizeof text);
        ig_plot_bar(&p, series, 0, s->ns * scale, y, ROW * 0.68, true, text);
        if (isfinite(s->share))
            ig_plot_bar(&p, series, 0, fmin(s->share, 1) * s->ns * scale, y, ROW * 0.68, false,
                        text);
    }
    ig_plot_close(&p);
}
