/* SPDX-License-Identifier: Apache-2.0 */
/* junit.c: suites, cases, and what became of them. */
#include "bench/junit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/markup.h"

void ig_junit_init(ig_junit *j, ig_alloc *alloc)
{
    *j = (ig_junit){ .n_tests = 0 };
    ig_str_init(&j->suites, alloc);
}

void ig_junit_deinit(ig_junit *j) { ig_str_deinit(&j->suites); }

/* ---- cases ---- */

typedef struct outcome {
    const char *element; /* "failure", "error", "skipped"; NULL: passed */
    const char *type, *message;
} outcome;

static void count(ig_junit *sums, const outcome *o)
{
    sums->n_tests++;
    if (!o->element) return;
    if (strcmp(o->element, "failure") == 0) sums->n_failures++;
    if (strcmp(o->element, "error") == 0) sums->n_errors++;
    if (strcmp(o->element, "skipped") == 0) sums->n_skipped++;
}

/* ns: NaN where nothing was timed. */
static void put_case(ig_str *out, const char *class, const char *name, const char *label, double ns,
                     const outcome *o)
{
    ig_str_puts(out, "    <testcase classname=\"");
    ig_markup_text(out, class);
    ig_str_puts(out, "\" name=\"");
    ig_markup_text(out, name);
    if (label) ig_str_puts(out, " [");
    if (label) ig_markup_text(out, label);
    if (label) ig_str_puts(out, "]");
    ig_str_printf(out, "\" time=\"%.9f\"", isfinite(ns) ? ns * 1e-9 : 0);
    if (!o->element) {
        ig_str_puts(out, "/>\n");
        return;
    }
    ig_str_printf(out, ">\n      <%s", o->element);
    if (strcmp(o->element, "skipped") != 0) ig_str_printf(out, " type=\"%s\"", o->type);
    ig_str_puts(out, " message=\"");
    ig_markup_text(out, o->message);
    ig_str_puts(out, "\"/>\n    </testcase>\n");
}

/* An engine's own state first: an invalid measurement says nothing about it. */
static outcome outcome_of(const ig_view *v, const ig_view_series *s)
{
    static const char *const elements[] = { NULL, "skipped", "failure", "failure", "error" };
    const ig_contender *c = s->contender;
    if (c && c->state)
        return (outcome){ elements[c->state], ig_contender_state_name(c->state), c->why };
    if (v->reasons->n) return (outcome){ "failure", "invalid", ig_str_cstr(v->reasons) };
    if (v->is_overloaded)
        return (outcome){ "failure", "overloaded", "more requests arrived than could be answered" };
    return (outcome){ NULL, NULL, NULL };
}

static void put_property(ig_str *out, const char *name, const char *value)
{
    ig_str_printf(out, "      <property name=\"%s\" value=\"", name);
    ig_markup_text(out, value);
    ig_str_puts(out, "\"/>\n");
}

/* ---- suites ---- */

static void put_suite(ig_junit *j, const char *name, const ig_junit *sums, const ig_facts *facts,
                      const ig_str *cases)
{
    ig_str *out = &j->suites;
    ig_str_puts(out, "  <testsuite name=\"");
    ig_markup_text(out, name);
    ig_str_printf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
                  sums->n_tests, sums->n_failures, sums->n_errors, sums->n_skipped);
    if (facts) ig_str_puts(out, "    <properties>\n");
    for (size_t i = 0; facts && i < facts->n; i++)
        put_property(out, facts->items[i].name, facts->items[i].text);
    if (facts) ig_str_puts(out, "    </properties>\n");
    ig_str_puts(out, ig_str_cstr(cases));
    ig_str_puts(out, "  </testsuite>\n");
    if (!ig_str_ok(cases)) out->has_failed = true;
    j->n_tests += sums->n_tests;
    j->n_failures += sums->n_failures;
    j->n_errors += sums->n_errors;
    j->n_skipped += sums->n_skipped;
}

void ig_junit_add(ig_junit *j, const ig_view *v)
{
    ig_junit sums = { .n_tests = 0 };
    ig_str cases, name;
    ig_str_init(&cases, j->suites.alloc);
    ig_str_init(&name, j->suites.alloc);
    const char *slash = strrchr(v->model, '/');
    ig_str_printf(&name, "%s, %s", slash ? slash + 1 : v->model, v->scenario);
    for (size_t i = 0; i < v->n_series; i++) {
        const ig_view_series *s = &v->series[i];
        const outcome o = outcome_of(v, s);
        const double median = ig_view_is_timed(s)
                                  ? ig_quantile_of(s->sorted_ns, 0.5, IG_BENCH_CONFIDENCE).value
                                  : NAN;
        count(&sums, &o);
        put_case(&cases, ig_str_cstr(&name), s->name, s->label, median, &o);
    }
    put_suite(j, ig_str_cstr(&name), &sums, &v->settings, &cases);
    ig_str_deinit(&cases);
    ig_str_deinit(&name);
}

void ig_junit_add_failure(ig_junit *j, const char *model, const char *why)
{
    ig_junit sums = { .n_tests = 0 };
    ig_str cases;
    const outcome o = { "error", "failed", why };
    ig_str_init(&cases, j->suites.alloc);
    count(&sums, &o);
    put_case(&cases, model, "ingot", NULL, NAN, &o);
    put_suite(j, model, &sums, NULL, &cases);
    ig_str_deinit(&cases);
}

void ig_junit_add_diff(ig_junit *j, const ig_diff_row *rows, size_t n, double gate)
{
    ig_junit sums = { .n_tests = 0 };
    ig_str cases;
    char message[160];
    ig_str_init(&cases, j->suites.alloc);
    for (size_t i = 0; i < n; i++) {
        const ig_estimate *r = &rows[i].ratio;
        snprintf(message, sizeof message,
                 "after / before is %.3f (%.3f to %.3f), beyond the gate of %.3g %%", r->value,
                 r->low, r->high, 100 * gate);
        const outcome o = { rows[i].verdict == IG_DIFF_SLOWER ? "failure" : NULL, "slower",
                            message };
        count(&sums, &o);
        put_case(&cases, "bench diff", rows[i].name, NULL, rows[i].after_ms * 1e6, &o);
    }
    put_suite(j, "bench diff", &sums, NULL, &cases);
    ig_str_deinit(&cases);
}

void ig_junit_put(const ig_junit *j, ig_str *out)
{
    ig_str_printf(out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ingot bench\" "
                  "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
                  j->n_tests, j->n_failures, j->n_errors, j->n_skipped);
    ig_str_puts(out, ig_str_cstr(&j->suites));
    ig_str_puts(out, "</testsuites>\n");
    if (!ig_str_ok(&j->suites)) out->has_failed = true;
}
