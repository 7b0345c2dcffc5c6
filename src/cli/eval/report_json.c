/* SPDX-License-Identifier: Apache-2.0 */
/* report_json.c: the report as one JSON object. */
#include <math.h>

#include "cli/eval/eval.h"

static void put_figure(ig_json_writer *w, const ig_figure *f)
{
    ig_json_put_number(w, "value", f->value);
    ig_json_put_number(w, "low", f->low);
    ig_json_put_number(w, "high", f->high);
}

static void put_paired(ig_json_writer *w, const ig_metric *metric, const ig_pairing *p)
{
    ig_json_key(w, "versus_ingot");
    ig_json_open(w, '{');
    put_figure(w, &p->difference);
    ig_json_put_number(w, "answered_otherwise", (double)p->n_differ);
    ig_json_put_number(w, "right_alone", (double)p->n_only_b);
    ig_json_put_number(w, "ingot_right_alone", (double)p->n_only_a);
    if (metric->is_share) ig_json_put_number(w, "mcnemar_p", p->p);
    ig_json_close(w, '}');
}

static void put_metrics(const ig_evaluation *ev, const ig_eval_row *rows, ig_json_writer *w)
{
    ig_json_key(w, "metrics");
    ig_json_open(w, '{');
    for (size_t m = 0; m < ev->n_metrics; m++) {
        ig_json_key(w, ev->metrics[m]->name);
        ig_json_open(w, '{');
        put_figure(w, &rows[m].figure);
        if (rows[m].is_paired) put_paired(w, ev->metrics[m], &rows[m].paired);
        ig_json_close(w, '}');
    }
    ig_json_close(w, '}');
}

static void put_engine(const ig_evaluation *ev, size_t e, const ig_eval_row *rows,
                       ig_json_writer *w)
{
    const ig_eval_engine *engine = &ev->engines[e];
    ig_json_open(w, '{');
    ig_json_put_text(w, "name", engine->name);
    ig_json_put_text(w, "state", ig_contender_state_name(engine->state));
    if (engine->state) ig_json_put_text(w, "why", engine->why);
    if (e == 0) ig_json_put_text(w, "version", ingot_version());
    if (e > 0 && !engine->state) {
        ig_json_put_text(w, "engine", engine->driver.engine);
        ig_json_put_text(w, "version", engine->driver.version);
        ig_json_put_text(w, "precision", engine->driver.precision);
        ig_json_key(w, "settings");
        ig_driver_put_settings(&engine->driver, w);
    }
    if (!engine->state) {
        put_metrics(ev, rows, w);
        ig_json_put_number(w, "ms_per_item", engine->run_ns * 1e-6 / (double)engine->n_items);
        ig_json_put_number(w, "items_per_s", (double)engine->n_items * 1e9 / engine->run_ns);
    }
    ig_json_close(w, '}');
}

static void put_class(const ig_evaluation *ev, const char *key, int32_t class_i, ig_json_writer *w)
{
    ig_json_key(w, key);
    if (class_i >= 0 && (size_t)class_i < ev->judging.labels.n)
        ig_json_cstr(w, ev->judging.labels.items[class_i]);
    else
        ig_json_int(w, class_i);
}

static void put_confusion(const ig_evaluation *ev, const ig_confusion *c, ig_json_writer *w)
{
    ig_json_key(w, "classes");
    ig_json_open(w, '[');
    for (size_t i = 0; i < c->n_rows; i++) {
        const ig_class_row *r = &c->rows[i];
        ig_json_open(w, '{');
        put_class(ev, "class", r->class_i, w);
        ig_json_put_number(w, "n", (double)r->n);
        ig_json_put_number(w, "right", (double)r->n_right);
        ig_json_put_number(w, "answered", (double)r->n_said);
        ig_json_put_number(w, "value", r->value);
        ig_json_close(w, '}');
    }
    ig_json_close(w, ']');
    ig_json_key(w, "confused");
    ig_json_open(w, '[');
    for (size_t i = 0; i < c->n_pairs; i++) {
        ig_json_open(w, '{');
        put_class(ev, "label", c->pairs[i].truth, w);
        put_class(ev, "answer", c->pairs[i].said, w);
        ig_json_put_number(w, "n", (double)c->pairs[i].n);
        ig_json_close(w, '}');
    }
    ig_json_close(w, ']');
}

void ig_eval_put_json(ig_evaluation *ev, const ig_eval_row *rows, const ig_confusion *confusion,
                      ig_str *out)
{
    ig_json_writer w;
    ig_json_begin(&w, out, 2);
    ig_json_open(&w, '{');
    ig_json_put_text(&w, "model", ev->engine.path);
    ig_json_put_text(&w, "data", ev->data.path);
    ig_json_put_number(&w, "items", (double)ev->n_judged);
    ig_json_key(&w, "left_out");
    ig_json_open(&w, '[');
    for (size_t i = 0; i < ev->data.n_failures; i++) ig_json_cstr(&w, ev->data.failures[i]);
    ig_json_close(&w, ']');
    ig_json_put_number(&w, "threads", ev->n_threads);
    ig_json_key(&w, "engines");
    ig_json_open(&w, '[');
    for (size_t e = 0; e < ev->n_engines; e++) put_engine(ev, e, &rows[e * ev->n_metrics], &w);
    ig_json_close(&w, ']');
    if (ev->cli->options.per_class) put_confusion(ev, confusion, &w);
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}
