/* SPDX-License-Identifier: Apache-2.0 */
/* plot.c: frame, axes and marks. */
#include "bench/page/plot.h"

#include <math.h>
#include <string.h>

#include "bench/markup.h"

#define NARROW 420
#define FONT 11.0

bool ig_plot_is_narrow(const ig_plot *p) { return p->width < NARROW; }

/* ---- frame ---- */

double ig_plot_text_width(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return (double)n * IG_PLOT_CHAR;
}

static double widest_label(const ig_axis *a)
{
    char buf[32];
    double width = IG_PLOT_CHAR;
    for (int i = 0; i < a->n_ticks; i++)
        width = fmax(width, ig_plot_text_width(ig_axis_label(a, i, buf)));
    return width;
}

static void put_text(ig_plot *p, double x, double y, const char *anchor, const char *style,
                     const char *text)
{
    ig_str_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y,
                  anchor, style);
    ig_markup_text(p->out, text);
    ig_str_puts(p->out, "</text>\n");
}

static void put_grid(ig_plot *p, double x0, double y0, double x1, double y1)
{
    ig_str_printf(p->out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                  x0, y0, x1, y1);
}

static void put_x_axis(ig_plot *p)
{
    char buf[32];
    for (int i = 0; i < p->x.n_ticks; i++) {
        const double at = ig_axis_at(&p->x, p->x.ticks[i]);
        put_grid(p, at, p->top, at, p->bottom);
        put_text(p, at, p->bottom + 16, "middle", "tick", ig_axis_label(&p->x, i, buf));
    }
    put_text(p, (p->left + p->right) / 2, p->bottom + 36, "middle", "axis", p->x.title);
}

static void put_y_axis(ig_plot *p)
{
    char buf[32];
    for (int i = 0; p->gutter <= 0 && i < p->y.n_ticks; i++) {
        const double at = ig_axis_at(&p->y, p->y.ticks[i]);
        put_grid(p, p->left, at, p->right, at);
        put_text(p, p->left - 7, at + 4, "end", "tick", ig_axis_label(&p->y, i, buf));
    }
    /* On top, and not on its side: it is read as it stands. */
    put_text(p, 0, FONT + 2, "start", "axis", p->y.title);
}

void ig_plot_open(ig_plot *p, const char *title, const char *description)
{
    const bool is_narrow = ig_plot_is_narrow(p);
    if (p->y.n_ticks == 0) ig_axis_settle(&p->y, is_narrow ? 5 : 6);
    if (p->x.n_ticks == 0) ig_axis_settle(&p->x, is_narrow ? 4 : p->width > 700 ? 10 : 6);
    p->top = 28;
    p->bottom = p->height - 42;
    p->left = p->gutter > 0 ? p->gutter : ceil(widest_label(&p->y)) + 10;
    /* The last label is centred under its tick. */
    p->right = p->width - fmax(12, widest_label(&p->x) / 2 + 2);
    p->left = fmax(p->left, widest_label(&p->x) / 2 + 2);
    p->x.from = p->left;
    p->x.to = p->right;
    p->y.from = p->bottom;
    p->y.to = p->top;
    ig_str_printf(p->out,
                  "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 %.0f %.0f\" "
                  "style=\"max-width:%.0fpx\" aria-label=\"",
                  p->width, p->height, p->width);
    ig_markup_text(p->out, title);
    ig_str_puts(p->out, "\"><title>");
    ig_markup_text(p->out, title);
    ig_str_puts(p->out, "</title><desc>");
    ig_markup_text(p->out, description);
    ig_str_puts(p->out, "</desc>\n");
    put_x_axis(p);
    put_y_axis(p);
    ig_str_printf(p->out, "<path class=\"frame\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", p->left, p->top,
                  p->bottom, p->right);
}

void ig_plot_close(ig_plot *p) { ig_str_puts(p->out, "</svg>\n"); }

/* ---- marks ---- */

static int colour(int series) { return series % IG_PLOT_N_COLOURS; }

static void put_path(ig_plot *p, const double *x, const double *y, size_t n, bool is_staircase)
{
    ig_str_puts(p->out, " d=\"");
    for (size_t i = 0; i < n; i++) {
        const double at_x = ig_axis_at(&p->x, x[i]), at_y = ig_axis_at(&p->y, y[i]);
        if (i == 0)
            ig_str_printf(p->out, "M%.1f %.1f", at_x, at_y);
        else if (is_staircase)
            ig_str_printf(p->out, "H%.1fV%.1f", at_x, at_y);
        else
            ig_str_printf(p->out, "L%.1f %.1f", at_x, at_y);
    }
    ig_str_puts(p->out, "\"/>\n");
}

void ig_plot_line(ig_plot *p, int series, const double *x, const double *y, size_t n,
                  bool is_staircase)
{
    if (n == 0) return;
    ig_str_printf(p->out, "<path class=\"line s%d d%d\"", colour(series), series % 5);
    put_path(p, x, y, n, is_staircase);
}

void ig_plot_thin_line(ig_plot *p, int series, const double *x, const double *y, size_t n)
{
    if (n == 0) return;
    ig_str_printf(p->out, "<path class=\"line thin s%d\"", colour(series));
    put_path(p, x, y, n, false);
}

/* What is shown when a mark is pointed at. */
static void put_hint(ig_str *out, const char *element, const char *text)
{
    if (!text) {
        ig_str_puts(out, "/>\n");
        return;
    }
    ig_str_puts(out, "><title>");
    ig_markup_text(out, text);
    ig_str_printf(out, "</title></%s>\n", element);
}

/* Circle, square, diamond, triangle, triangle on its head. */
static void put_shape(ig_str *out, int series, double x, double y, double r, const char *text)
{
    const double s = r * 0.9, t = r * 1.2;
    switch (series % 5) {
    case 0:
        ig_str_printf(out, "<circle class=\"dot s%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"",
                      colour(series), x, y, r);
        put_hint(out, "circle", text);
        return;
    case 1:
        ig_str_printf(out, "<path class=\"dot s%d\" d=\"M%.1f %.1fh%.1fv%.1fh%.1fz\"",
                      colour(series), x - s, y - s, 2 * s, 2 * s, -2 * s);
        break;
    case 2:
        ig_str_printf(out,
                      "<path class=\"dot s%d\" d=\"M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz\"",
                      colour(series), x, y - t, t, t, -t, t, -t, -t);
        break;
    default: {
        const double up = series % 5 == 3 ? t : -t;
        ig_str_printf(out, "<path class=\"dot s%d\" d=\"M%.1f %.1fL%.1f %.1fH%.1fz\"",
                      colour(series), x, y - up, x + t, y + up * 0.8, x - t);
    }
    }
    put_hint(out, "path", text);
}

void ig_plot_dot(ig_plot *p, int series, double x, double y, double radius, const char *text)
{
    put_shape(p->out, series, ig_axis_at(&p->x, x), ig_axis_at(&p->y, y), radius, text);
}

void ig_plot_speck(ig_plot *p, int series, double x, double y)
{
    ig_str_printf(p->out, "<circle class=\"speck s%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>\n",
                  colour(series), ig_axis_at(&p->x, x), ig_axis_at(&p->y, y));
}

void ig_plot_interval(ig_plot *p, int series, double low, double high, double y)
{
    const double x0 = ig_axis_at(&p->x, low), x1 = ig_axis_at(&p->x, high);
    const double at = ig_axis_at(&p->y, y);
    ig_str_printf(p->out,
                  "<path class=\"line s%d\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8\"/>\n",
                  colour(series), x0, at, x1, x0, at - 4, x1, at - 4);
}

void ig_plot_upright_interval(ig_plot *p, int series, double x, double low, double high)
{
    const double y0 = ig_axis_at(&p->y, low), y1 = ig_axis_at(&p->y, high);
    const double at = ig_axis_at(&p->x, x);
    ig_str_printf(p->out,
                  "<path class=\"line s%d\" d=\"M%.1f %.1fV%.1fM%.1f %.1fh6M%.1f %.1fh6\"/>\n",
                  colour(series), at, y0, y1, at - 3, y0, at - 3, y1);
}

void ig_plot_bar(ig_plot *p, int series, double x0, double x1, double y, double height,
                 bool is_pale, const char *text)
{
    const double from = ig_axis_at(&p->x, x0), to = ig_axis_at(&p->x, x1);
    ig_str_printf(p->out,
                  "<rect class=\"bar%s s%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                  "height=\"%.1f\"",
                  is_pale ? " pale" : "", colour(series), from, ig_axis_at(&p->y, y) - height / 2,
                  fmax(to - from, 0.5), height);
    put_hint(p->out, "rect", text);
}

void ig_plot_rule(ig_plot *p, double x0, double y0, double x1, double y1)
{
    ig_str_printf(
        p->out, "<line class=\"rule\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
        ig_axis_at(&p->x, x0), ig_axis_at(&p->y, y0), ig_axis_at(&p->x, x1), ig_axis_at(&p->y, y1));
}

void ig_plot_words(ig_plot *p, double x, double y, double dx, double dy, const char *anchor,
                   const char *text)
{
    put_text(p, ig_axis_at(&p->x, x) + dx, ig_axis_at(&p->y, y) + dy, anchor, "words", text);
}

void ig_plot_name(ig_plot *p, double y, const char *text)
{
    ig_str_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" class=\"tick\">",
                  p->left - 7, ig_axis_at(&p->y, y) + 4);
    ig_markup_cut(p->out, text, (size_t)((p->gutter - 7) / IG_PLOT_CHAR));
    ig_str_puts(p->out, "</text>\n");
}

void ig_plot_put_key(ig_str *out, int series, ig_plot_key key)
{
    ig_str_puts(out, "<svg class=\"key\" aria-hidden=\"true\" width=\"28\" height=\"12\" "
                     "viewBox=\"0 0 28 12\">");
    if (key == IG_KEY_AREA)
        ig_str_printf(out, "<rect class=\"bar s%d\" x=\"8\" y=\"1\" width=\"12\" height=\"10\"/>",
                      colour(series));
    if (key == IG_KEY_LINE)
        ig_str_printf(out, "<path class=\"line s%d d%d\" d=\"M0 6H28\"/>", colour(series),
                      series % 5);
    if (key != IG_KEY_AREA) put_shape(out, series, 14, 6, 4, NULL);
    ig_str_puts(out, "</svg>");
}
