/* SPDX-License-Identifier: Apache-2.0 */
/* figures.h: the plots of a page, each of one measurement. The list is in page.c. */
#ifndef IG_BENCH_PAGE_FIGURES_H
#define IG_BENCH_PAGE_FIGURES_H

#include "bench/page/plot.h"
#include "bench/view.h"

/* What a legend names. */
typedef enum ig_legend {
    IG_LEGEND_NONE = 0,
    IG_LEGEND_SERIES,
    IG_LEGEND_PARTS,
    IG_LEGEND_OPERATORS
} ig_legend;

typedef struct ig_figure {
    const char *title, *caption;
    /* Has the measurement, or one series at least, what it shows? One of the two. */
    bool (*has)(const ig_view *view);
    bool (*has_series)(const ig_view_series *series);
    void (*draw)(const ig_view *view, double width, ig_str *out);
    ig_legend legend;
    ig_plot_key key;
    bool is_wide; /* takes the whole width of the page */
} ig_figure;

extern const ig_figure ig_figures[];
extern const size_t ig_n_figures;

bool ig_figure_is_there(const ig_figure *figure, const ig_view *view);

/* figure_latency.c */
void ig_draw_distribution(const ig_view *view, double width, ig_str *out);
bool ig_has_quantiles(const ig_view_series *series);
void ig_draw_tail(const ig_view *view, double width, ig_str *out);

/* figure_time.c */
bool ig_has_warm_up(const ig_view_series *series);
void ig_draw_warm_up(const ig_view *view, double width, ig_str *out);
bool ig_has_windows(const ig_view_series *series);
void ig_draw_windows(const ig_view *view, double width, ig_str *out);
bool ig_has_memory(const ig_view_series *series);
void ig_draw_memory(const ig_view *view, double width, ig_str *out);

/* figure_rivals.c */
bool ig_has_rivals(const ig_view *view);
void ig_draw_ratio(const ig_view *view, double width, ig_str *out);
void ig_draw_accuracy(const ig_view *view, double width, ig_str *out);

/* figure_cold.c */
bool ig_has_parts(const ig_view *view);
void ig_draw_parts(const ig_view *view, double width, ig_str *out);

/* figure_steps.c */
#define IG_N_OPERATOR_CLASSES 6
/* The operators that take most of the time, and at last "others". */
typedef struct ig_operator_classes {
    const char *names[IG_N_OPERATOR_CLASSES];
    double ns[IG_N_OPERATOR_CLASSES];
    int n;
} ig_operator_classes;
void ig_operator_classes_of(const ig_roofline *roofline, ig_operator_classes *out);
bool ig_has_roofline(const ig_view *view);
void ig_draw_roofline(const ig_view *view, double width, ig_str *out);
void ig_draw_layers(const ig_view *view, double width, ig_str *out);
/* Steps in the order of their time, as many as fit; returns their number. */
size_t ig_slowest_steps(const ig_roofline *roofline, const ig_roofline_step **steps, size_t n);

#endif
