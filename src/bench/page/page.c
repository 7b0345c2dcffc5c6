/* SPDX-License-Identifier: Apache-2.0 */
/* page.c: head, one article for each measurement, and how to do it again. */
#include "bench/page/page.h"

#include <stdio.h>
#include <string.h>

#include "bench/markup.h"

void ig_page_init(ig_page *p, ig_alloc *alloc)
{
    *p = (ig_page){ .n_views = 0 };
    ig_str_init(&p->articles, alloc);
    ig_str_init(&p->overview, alloc);
    ig_str_init(&p->means, alloc);
}

void ig_page_deinit(ig_page *p)
{
    ig_str_deinit(&p->articles);
    ig_str_deinit(&p->overview);
    ig_str_deinit(&p->means);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* ---- articles ---- */

static void add_to_overview(ig_page *p, const ig_view *v)
{
    ig_str *out = &p->overview;
    char text[96];
    ig_str_printf(out, "<tr><td><a href=\"#m%zu\"><bdi>", p->n_views);
    ig_markup_cut(out, base_name(v->model), 80);
    ig_str_printf(out, "</bdi></a></td><td class=\"word\">%s</td><td>", v->scenario);
    ig_str_puts(out, ig_view_quantile(v->series[0].sorted_ns, 0.5, text));
    ig_str_puts(out, "</td><td>");
    ig_str_puts(out, ig_view_quantile(v->series[0].sorted_ns, 0.99, text));
    ig_str_puts(out, "</td><td class=\"text\">");
    for (size_t i = 1; i < v->n_series; i++) {
        const ig_contender *c = v->series[i].contender;
        if (!c) continue;
        ig_page_put_name(out, c->name, v->series[i].label);
        if (c->has_ratio)
            ig_str_printf(out, " %.3f (%.3f to %.3f); ", c->ratio.value, c->ratio.low,
                          c->ratio.high);
        else
            ig_str_printf(out, ": %s; ",
                          c->state ? ig_contender_state_name(c->state) : "not enough rounds");
    }
    ig_str_printf(out, "</td><td class=\"word%s</td></tr>\n",
                  v->reasons->n ? " bad\">INVALID" : "\">valid");
}

/* The begin of an article, which is a place that the overview leads to. */
static void open_article(ig_page *p, const char *model)
{
    if (p->n_views == 0) snprintf(p->title, sizeof p->title, "%.100s", base_name(model));
    ig_str_printf(&p->articles, "<article id=\"m%zu\">\n<h2><bdi>", p->n_views++);
    ig_markup_cut(&p->articles, base_name(model), 200);
    ig_str_puts(&p->articles, "</bdi></h2>\n");
}

void ig_page_add(ig_page *p, const ig_view *v)
{
    add_to_overview(p, v);
    open_article(p, v->model);
    p->n_invalid += v->reasons->n > 0;
    ig_page_put_article(v, &p->articles);
    ig_str_puts(&p->articles, "</article>\n");
}

void ig_page_add_failure(ig_page *p, const char *model, const char *why)
{
    ig_str_printf(&p->overview, "<tr><td><a href=\"#m%zu\"><bdi>", p->n_views);
    ig_markup_cut(&p->overview, base_name(model), 80);
    ig_str_puts(&p->overview, "</bdi></a></td><td></td><td></td><td></td><td></td>"
                              "<td class=\"word bad\">failed</td></tr>\n");
    open_article(p, model);
    ig_str_puts(&p->articles, "<div class=\"banner\" role=\"alert\"><strong>FAILED</strong><p>");
    ig_markup_text(&p->articles, why);
    ig_str_puts(&p->articles, "</p></div>\n</article>\n");
}

void ig_page_add_means(ig_page *p, const ig_suite *suite)
{
    for (size_t i = 0; i < suite->n_means; i++) {
        const ig_suite_mean *m = &suite->means[i];
        if (m->n_models == 0) continue;
        ig_str_puts(&p->means, "<li>");
        ig_page_put_name(&p->means, m->name, m->is_other_precision ? "other precision" : NULL);
        ig_str_printf(&p->means,
                      " takes %.3f times Ingot's time (%.3f to %.3f), the geometric mean over %zu "
                      "model%s",
                      m->ratio.value, m->ratio.low, m->ratio.high, m->n_models,
                      m->n_models == 1 ? "" : "s");
        if (m->n_invalid) ig_str_printf(&p->means, ", %zu of them INVALID", m->n_invalid);
        ig_str_puts(&p->means, ".</li>");
    }
}

/* ---- the page ---- */

static void put_head(const ig_page *p, ig_str *out)
{
    /* The policy lets nothing in, whatever a name holds. */
    ig_str_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action "
                     "'none'\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                     "<meta name=\"referrer\" content=\"no-referrer\">\n"
                     "<link rel=\"icon\" href=\"data:,\">\n<title>");
    ig_markup_text(out, p->title);
    ig_str_puts(out, " – ingot bench</title>\n<style>\n");
    for (const char *const *s = ig_page_style; *s; s++) ig_str_puts(out, *s);
    ig_str_puts(out, "</style>\n</head>\n<body>\n");
}

static void put_overview(const ig_page *p, ig_str *out)
{
    if (p->n_views < 2) return;
    ig_str_printf(out, "<section><h3>%zu measurements", p->n_views);
    if (p->n_invalid) ig_str_printf(out, ", %zu of them INVALID", p->n_invalid);
    ig_str_puts(out, "</h3><div class=\"scroll all\" tabindex=\"0\" role=\"region\" "
                     "aria-label=\"Overview\"><table><thead><tr><th scope=\"col\">model</th>"
                     "<th scope=\"col\" class=\"word\">scenario</th><th scope=\"col\">P50</th>"
                     "<th scope=\"col\">P99</th><th scope=\"col\" class=\"word\">time / Ingot's"
                     "</th><th scope=\"col\" class=\"word\">verdict</th></tr></thead><tbody>\n");
    ig_str_puts(out, ig_str_cstr(&p->overview));
    ig_str_puts(out, "</tbody></table></div>");
    if (p->means.n) ig_str_printf(out, "<ul class=\"says\">%s</ul>", ig_str_cstr(&p->means));
    ig_str_puts(out, "</section>\n");
}

void ig_page_put(const ig_page *p, const ig_facts *command, const ig_facts *machine, ig_str *out)
{
    put_head(p, out);
    ig_str_puts(out, "<header><h1>ingot bench</h1><p class=\"lead\">");
    for (size_t i = 0; i < machine->n; i++)
        if (strcmp(machine->items[i].name, "CPU") == 0) ig_markup_text(out, machine->items[i].text);
    for (size_t i = 0; i < command->n; i++)
        if (strcmp(command->items[i].name, "finished") == 0) {
            ig_str_puts(out, " · ");
            ig_markup_text(out, command->items[i].text);
        }
    ig_str_puts(out, "</p></header>\n<main>\n");
    put_overview(p, out);
    ig_str_puts(out, ig_str_cstr(&p->articles));
    ig_str_puts(out, "<div class=\"columns\"><section><h3>To do it again</h3>");
    ig_page_put_facts(command, out);
    ig_str_puts(out, "</section><section><h3>Machine</h3>");
    ig_page_put_facts(machine, out);
    ig_str_puts(out, "</section></div>\n</main>\n<footer><p>Times of runs are wall-clock times by "
                     "a monotonic clock. Intervals of quantiles come from order statistics and "
                     "assume no distribution; intervals of ratios are bootstraps over rounds."
                     "</p></footer>\n</body>\n</html>\n");
    if (!ig_str_ok(&p->articles) || !ig_str_ok(&p->overview) || !ig_str_ok(&p->means))
        out->has_failed = true;
}
