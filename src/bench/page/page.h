/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.h: measurements as one page of HTML that needs nothing else: no network, no script. Each
 * measurement is written when it is added, so its results need not be kept.
 */
#ifndef IG_BENCH_PAGE_PAGE_H
#define IG_BENCH_PAGE_PAGE_H

#include "bench/suite.h"
#include "bench/view.h"

typedef struct ig_page {
    ig_str articles, overview; /* what was added: in full, and as rows of a table */
    ig_str means;              /* of all measurements, in sentences */
    size_t n_views, n_invalid;
    char title[128]; /* of the first */
} ig_page;

void ig_page_init(ig_page *page, ig_alloc *alloc);
void ig_page_deinit(ig_page *page);
void ig_page_add(ig_page *page, const ig_view *view);
/* A model that could not be measured. */
void ig_page_add_failure(ig_page *page, const char *model, const char *why);
/* What all measurements together come to. */
void ig_page_add_means(ig_page *page, const ig_suite *suite);
/* The whole page. Failed allocations show in ig_str_ok of `out`. */
void ig_page_put(const ig_page *page, const ig_facts *command, const ig_facts *machine,
                 ig_str *out);

/* style.c: the style sheet, in pieces; NULL ends. */
extern const char *const ig_page_style[];
/* article.c: a measurement, below its name. */
void ig_page_put_article(const ig_view *view, ig_str *out);

/* ---- tables.c: parts of an article ---- */

void ig_page_put_latencies(const ig_view *view, ig_str *out);
void ig_page_put_engines(const ig_view *view, ig_str *out);
void ig_page_put_engine_settings(const ig_view *view, ig_str *out);
void ig_page_put_noise(const ig_view *view, ig_str *out);
void ig_page_put_steps(const ig_view *view, ig_str *out);
/* A list of names and texts. */
void ig_page_put_facts(const ig_facts *facts, ig_str *out);
/* A name that nobody vouches for, kept apart from the text around. */
void ig_page_put_name(ig_str *out, const char *name, const char *label);

#endif
