/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plot.h: a plot as inline SVG: a frame with two axes, and marks in it. Colours, dashes and shapes
 * follow the number of a series, so that they agree over all plots of a page; style.c has the
 * colours, for light, dark and paper.
 */
#ifndef IG_BENCH_PAGE_PLOT_H
#define IG_BENCH_PAGE_PLOT_H

#include "base/str.h"
#include "bench/page/axis.h"

#define IG_PLOT_N_COLOURS 7
#define IG_PLOT_CHAR 6.9 /* the width of a character of 11 pixels in a wide font */

typedef struct ig_plot {
    ig_str *out;
    double width, height;            /* pixels */
    double left, right, top, bottom; /* the frame */
    ig_axis x, y;
    double gutter; /* for names at the left instead of ticks; 0: ticks */
} ig_plot;

/* Is it narrow, for small screens? */
bool ig_plot_is_narrow(const ig_plot *plot);

/* Begin: settle the axes (their values are included already), draw them. `title` names the plot to
 * who cannot see it, `description` says what it tells. */
void ig_plot_open(ig_plot *plot, const char *title, const char *description);
void ig_plot_close(ig_plot *plot);

/* About the pixels that a tick's text takes. */
double ig_plot_text_width(const char *text);

/* ---- marks, at values of the axes ---- */

/* A line through n points; a staircase goes right first, then up. Series with the same colour
 * differ by dashes. */
void ig_plot_line(ig_plot *plot, int series, const double *x, const double *y, size_t n,
                  bool is_staircase);
/* A thin, dashed line of the same colour: what accompanies a series. */
void ig_plot_thin_line(ig_plot *plot, int series, const double *x, const double *y, size_t n);
/* A dot of the series' shape; what it says when pointed at (escaped here), or NULL. */
void ig_plot_dot(ig_plot *plot, int series, double x, double y, double radius, const char *text);
/* Small and pale: one of many. */
void ig_plot_speck(ig_plot *plot, int series, double x, double y);
/* From low to high at y. */
void ig_plot_interval(ig_plot *plot, int series, double low, double high, double y);
/* The same upright. */
void ig_plot_upright_interval(ig_plot *plot, int series, double x, double low, double high);
/* From x0 to x1, centred at y, so many pixels high; is_pale: what is lacking. */
void ig_plot_bar(ig_plot *plot, int series, double x0, double x1, double y, double height,
                 bool is_pale, const char *text);
/* A line that is no series: a roof, a bound, the begin of a part. */
void ig_plot_rule(ig_plot *plot, double x0, double y0, double x1, double y1);
/* Words at a value, moved by pixels; anchor "start", "middle" or "end". Escaped here. */
void ig_plot_words(ig_plot *plot, double x, double y, double dx, double dy, const char *anchor,
                   const char *text);
/* A name in the gutter at y, cut to its width. */
void ig_plot_name(ig_plot *plot, double y, const char *text);

/* A legend's key: a little picture of the marks of a series. */
typedef enum ig_plot_key { IG_KEY_LINE = 0, IG_KEY_DOT, IG_KEY_AREA } ig_plot_key;
void ig_plot_put_key(ig_str *out, int series, ig_plot_key key);

#endif
