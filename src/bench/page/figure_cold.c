/* SPDX-License-Identifier: Apache-2.0 */
/* figure_cold.c: where the time of a fresh process goes. */
#include <math.h>
#include <stdio.h>

#include "bench/page/figures.h"

#define ROW 52

bool ig_has_parts(const ig_view *v) { return v->n_parts > 0; }

static double sum_of(const ig_view *v, const ig_view_series *s)
{
    double sum = 0;
    for (size_t i = 0; i < v->n_parts; i++) sum += s->parts_ns[i];
    return sum;
}

static void draw_bar(ig_plot *p, const ig_view *v, const ig_view_series *s, double y, double scale)
{
    double at = 0;
    char text[96], time[32];
    for (size_t i = 0; i < v->n_parts; i++) {
        snprintf(text, sizeof text, "%s: %s", v->part_names[i], ig_view_time(s->parts_ns[i], time));
        ig_plot_bar(p, (int)i, at * scale, (at + s->parts_ns[i]) * scale, y, ROW * 0.55, false,
                    text);
        at += s->parts_ns[i];
    }
}

void ig_draw_parts(const ig_view *v, double width, ig_str *out)
{
    double high = 0, scale, y = 0;
    char title[64];
    ig_plot p = { .out = out, .width = width };
    for (size_t k = 0; k < v->n_series; k++) {
        if (!ig_view_is_timed(&v->series[k])) continue;
        high = fmax(high, sum_of(v, &v->series[k]));
        y += 1;
    }
    snprintf(title, sizeof title, "time, medians of processes (%s)",
             ig_axis_time_unit(high, &scale));
    ig_axis_init(&p.x, title, false);
    p.x.holds_zero = true;
    ig_axis_include(&p.x, high * scale);
    p.height = 76 + ROW * y;
    p.gutter = 112;
    p.y = (ig_axis){ .title = "process", .high = y, .n_ticks = -1 };
    ig_plot_open(&p, "Phases of a cold start", "The phases of a fresh process one after another.");
    y -= 0.5;
    for (size_t k = 0; k < v->n_series; k++) {
        if (!ig_view_is_timed(&v->series[k])) continue;
        ig_plot_name(&p, y, v->series[k].name);
        draw_bar(&p, v, &v->series[k], y, scale);
        y -= 1;
    }
    ig_plot_close(&p);
}
