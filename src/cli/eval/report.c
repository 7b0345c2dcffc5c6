/* SPDX-License-Identifier: Apache-2.0 */
/* report.c: figures, and the report in words. */
#include <math.h>
#include <string.h>

#include "cli/eval/eval.h"
#include "cli/table.h"

#define MAX_PAIRS_SHOWN 10

/* ---- figures ---- */

ig_status ig_eval_figures(ig_evaluation *ev, ig_eval_row **out)
{
    ig_error *err = &ev->cli->err;
    const uint64_t seed = ev->cli->options.seed;
    ig_eval_row *rows =
        ig_arena_array(&ev->cli->arena, ev->n_engines * ev->n_metrics, sizeof *rows);
    if (!rows) return IG_NOMEM(err, ev->n_engines * ev->n_metrics * sizeof *rows);
    for (size_t e = 0; e < ev->n_engines; e++) {
        ig_eval_engine *engine = &ev->engines[e];
        if (engine->state != IG_CONTENDER_FINE) continue;
        for (size_t m = 0; m < ev->n_metrics; m++) {
            ig_eval_row *row = &rows[e * ev->n_metrics + m];
            ig_tally *t = &engine->tallies[m];
            if (t->metric->finish) IG_TRY(t->metric->finish(t, err));
            IG_TRY(ig_figure_of(t, seed, &row->figure, err));
            row->is_paired = e > 0;
            if (e > 0)
                IG_TRY(ig_pairing_of(&ev->engines[0].tallies[m], t, seed, &row->paired, err));
        }
    }
    *out = rows;
    return INGOT_OK;
}

/* ---- numbers ---- */

static const char *format_value(const ig_metric *m, double value, bool is_signed, char buf[48])
{
    const char *plus = is_signed && value > 0 ? "+" : "";
    if (isnan(value))
        snprintf(buf, 48, "undefined");
    else if (m->is_percent)
        snprintf(buf, 48, "%s%.2f %%", plus, 100 * value);
    else if (m->truth == IG_TRUTH_ARRAYS)
        snprintf(buf, 48, "%s%.6g%s%s", plus, value, *m->unit ? " " : "", m->unit);
    else
        snprintf(buf, 48, "%s%.4f", plus, value);
    return buf;
}

static void put_interval(const ig_metric *m, const ig_figure *f, bool is_signed, ig_table *t)
{
    char low[48], high[48];
    if (isnan(f->low) || isnan(f->high)) {
        ig_table_cell(t, "%s", m->has_no_interval ? "none" : "too few items");
        return;
    }
    ig_table_cell(t, "%s to %s", format_value(m, f->low, is_signed, low),
                  format_value(m, f->high, is_signed, high));
}

/* ---- tables ---- */

static void put_row(const ig_evaluation *ev, const ig_eval_engine *engine, size_t m,
                    const ig_eval_row *row, ig_table *t)
{
    const ig_metric *metric = ev->metrics[m];
    char text[48];
    ig_table_cell(t, "%s", engine->name);
    ig_table_cell(t, "%s", metric->name);
    ig_table_cell(t, "%s", format_value(metric, row->figure.value, false, text));
    put_interval(metric, &row->figure, false, t);
    if (ev->n_engines == 1) return;
    if (!row->is_paired) {
        for (int i = 0; i < 3; i++) ig_table_cell(t, "%s", "");
        return;
    }
    ig_table_cell(t, "%s", format_value(metric, row->paired.difference.value, true, text));
    put_interval(metric, &row->paired.difference, true, t);
    ig_table_cell(t, "%zu", row->paired.n_differ);
}

static void put_figures(ig_evaluation *ev, const ig_eval_row *rows, ig_str *out)
{
    static const char *const head[] = { "engine",     "metric",        "value",    "95 % interval",
                                        "difference", "95 % interval", "otherwise" };
    ig_table t;
    const int n_columns = ev->n_engines > 1 ? 7 : 4;
    ig_table_init(&t, ev->cli->alloc, n_columns);
    t.is_left[0] = t.is_left[1] = true;
    for (int c = 0; c < n_columns; c++) ig_table_cell(&t, "%s", head[c]);
    for (size_t e = 0; e < ev->n_engines; e++)
        for (size_t m = 0; m < ev->n_metrics; m++)
            if (ev->engines[e].state == IG_CONTENDER_FINE)
                put_row(ev, &ev->engines[e], m, &rows[e * ev->n_metrics + m], &t);
    ig_table_put(&t, ig_dim(stdout), ig_plain(stdout), out);
    ig_table_deinit(&t);
    if (ev->n_engines > 1)
        ig_str_puts(out,
                    "difference: its value - Ingot's, on the same items; otherwise: items that "
                    "it answers otherwise than Ingot\n");
}

static void put_speed(const ig_evaluation *ev, const ig_eval_engine *engine, ig_str *out)
{
    char text[32];
    const double ns = engine->run_ns / (double)(engine->n_items ? engine->n_items : 1);
    ig_str_printf(out, "%.1f items/s, %s an item, %d thread%s", ns > 0 ? 1e9 / ns : 0,
                  ig_format_ns(ns, text), ev->n_threads, ev->n_threads == 1 ? "" : "s");
}

static void put_notes(const ig_evaluation *ev, size_t e, ig_str *out)
{
    const ig_eval_engine *engine = &ev->engines[e];
    const ig_driver *d = &engine->driver;
    ig_str_printf(out, "%s: ", engine->name);
    if (engine->state) {
        ig_str_printf(out, "%s: %s\n", ig_contender_state_name(engine->state), engine->why);
        return;
    }
    if (e > 0) {
        ig_json_writer w;
        ig_str_printf(out, "%s %s, %s, settings ", d->engine, d->version, d->precision);
        ig_json_begin(&w, out, -1);
        ig_driver_put_settings(d, &w);
        ig_str_puts(out, "; ");
    }
    put_speed(ev, engine, out);
    ig_str_putc(out, '\n');
}

static void put_mcnemar(const ig_evaluation *ev, const ig_eval_row *rows, ig_str *out)
{
    for (size_t e = 1; e < ev->n_engines; e++)
        for (size_t m = 0; m < ev->n_metrics; m++) {
            const ig_pairing *p = &rows[e * ev->n_metrics + m].paired;
            if (ev->engines[e].state || !ev->metrics[m]->is_share) continue;
            ig_str_printf(out,
                          "%s, %s: right alone on %zu items, Ingot alone on %zu (McNemar's exact "
                          "test: p = %.3g)\n",
                          ev->engines[e].name, ev->metrics[m]->name, p->n_only_b, p->n_only_a,
                          p->p);
        }
}

/* ---- classes ---- */

/* Nothing where there is nothing to have a share of. */
static void put_share(ig_table *t, size_t part, size_t of)
{
    if (of)
        ig_table_cell(t, "%.2f %%", 100 * (double)part / (double)of);
    else
        ig_table_cell(t, "%s", "");
}

static void put_class_rows(ig_evaluation *ev, const ig_confusion *c, ig_str *out)
{
    const ig_metric *metric = ev->metrics[0];
    const bool has_value = metric->class_value != NULL;
    const bool is_boxes = metric->truth == IG_TRUTH_BOXES;
    ig_table t;
    ig_str name;
    char text[48];
    ig_str_init(&name, ev->cli->alloc);
    ig_table_init(&t, ev->cli->alloc, has_value ? 6 : 5);
    t.is_left[0] = true;
    const char *const head[] = { "class", is_boxes ? "labels" : "items", "right", "recall",
                                 "precision" };
    for (size_t k = 0; k < IG_COUNT(head); k++) ig_table_cell(&t, "%s", head[k]);
    if (has_value) ig_table_cell(&t, "%s", metric->name);
    for (size_t i = 0; i < c->n_rows; i++) {
        const ig_class_row *r = &c->rows[i];
        ig_str_clear(&name);
        ig_put_class(&ev->judging, r->class_i, &name);
        ig_table_cell(&t, "%s", ig_str_cstr(&name));
        ig_table_cell(&t, "%zu", r->n);
        ig_table_cell(&t, "%zu", r->n_right);
        put_share(&t, r->n_right, r->n);
        put_share(&t, r->n_right, r->n_said);
        if (has_value) ig_table_cell(&t, "%s", format_value(metric, r->value, false, text));
    }
    ig_table_put(&t, ig_dim(stdout), ig_plain(stdout), out);
    ig_table_deinit(&t);
    ig_str_deinit(&name);
}

static void put_confused(const ig_evaluation *ev, const ig_confusion *c, ig_str *out)
{
    if (c->n_pairs) ig_str_puts(out, "most often taken for another (Ingot):\n");
    for (size_t i = 0; i < c->n_pairs && i < MAX_PAIRS_SHOWN; i++) {
        ig_str_printf(out, "  %zu × ", c->pairs[i].n);
        ig_put_class(&ev->judging, c->pairs[i].truth, out);
        ig_str_puts(out, " for ");
        ig_put_class(&ev->judging, c->pairs[i].said, out);
        ig_str_putc(out, '\n');
    }
}

void ig_eval_put_text(ig_evaluation *ev, const ig_eval_row *rows, const ig_confusion *confusion,
                      ig_str *out)
{
    ig_str_printf(out, "%s%s%s on %s, %zu item%s", ig_bold(stdout), ev->engine.path,
                  ig_plain(stdout), ev->data.path, ev->n_judged, ev->n_judged == 1 ? "" : "s");
    if (ev->data.n_failures) ig_str_printf(out, " (%zu left out)", ev->data.n_failures);
    ig_str_putc(out, '\n');
    put_figures(ev, rows, out);
    put_mcnemar(ev, rows, out);
    if (ev->cli->options.per_class) {
        put_class_rows(ev, confusion, out);
        put_confused(ev, confusion, out);
    }
    for (size_t e = 0; e < ev->n_engines; e++) put_notes(ev, e, out);
}
