/* SPDX-License-Identifier: Apache-2.0 */
/* eval.c: `ingot eval`: every item through every engine, judged by every metric. */
#include "cli/eval/eval.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpu.h"

#define MAX_NAMED_FAILURES 20

/* ---- settings ---- */

static ig_status add_metric(ig_evaluation *ev, const char *name, size_t n)
{
    const ig_metric *metric = ig_metric_find(name, n);
    if (!metric)
        return ig_cli_usage(ev->cli,
                            "--metric: no metric is called '%.*s'; ingot help metrics lists them",
                            (int)(n < 60 ? n : 60), name);
    if (ev->n_metrics == IG_MAX_EVAL_METRICS)
        return ig_cli_usage(ev->cli, "--metric: at most %d at once", IG_MAX_EVAL_METRICS);
    for (size_t i = 0; i < ev->n_metrics; i++) {
        if (ev->metrics[i] == metric)
            return ig_cli_usage(ev->cli, "--metric: '%s' is there twice", metric->name);
        if (ev->metrics[i]->truth != metric->truth)
            return ig_cli_usage(ev->cli, "--metric: %s and %s want different labels",
                                ev->metrics[i]->name, metric->name);
    }
    ev->metrics[ev->n_metrics++] = metric;
    return INGOT_OK;
}

static ig_status choose_metrics(ig_evaluation *ev)
{
    const char *text = ev->cli->options.metric ? ev->cli->options.metric : ev->card.metric;
    if (!text) text = ev->judging.has_keys ? "cer" : "top1";
    for (;; text++) {
        const size_t n = strcspn(text, ",");
        IG_TRY(add_metric(ev, text, n));
        text += n;
        if (!*text) break;
    }
    if (ev->cli->options.per_class && ev->metrics[0]->truth != IG_TRUTH_CLASS &&
        ev->metrics[0]->truth != IG_TRUTH_BOXES)
        return ig_cli_usage(ev->cli, "--per-class: %s knows no classes", ev->metrics[0]->name);
    return INGOT_OK;
}

static ig_status init_judging(ig_evaluation *ev)
{
    const ig_options *o = &ev->cli->options;
    ig_answers answers;
    IG_TRY(ig_answers_init(ev->cli, &ev->engine, &ev->card, false, &answers));
    ev->judging = (ig_judging){ .labels = answers.labels,
                                .keys = answers.keys,
                                .has_keys = answers.has_keys,
                                .shift = o->truth_shift ? o->truth_shift : ev->card.truth_shift,
                                .positive = o->positive,
                                .box_order = o->box_order,
                                .output = o->output,
                                .peak = o->peak };
    if (!o->output) return INGOT_OK;
    for (size_t i = 0; i < ingot_model_n_outputs(ev->engine.model); i++) {
        ingot_io_info info;
        ingot_model_output(ev->engine.model, i, &info);
        if (strcmp(info.name, o->output) == 0) return INGOT_OK;
    }
    return ig_cli_usage(ev->cli, "--output: %s has no output '%s'", ev->engine.path, o->output);
}

static ig_status init_engines(ig_evaluation *ev)
{
    ig_cli *cli = ev->cli;
    ev->n_threads = cli->options.n_threads > 0 ? cli->options.n_threads : ig_cpu_n_usable();
    ev->engines = ig_arena_array(&cli->arena, IG_MAX_EVAL_ENGINES, sizeof *ev->engines);
    if (!ev->engines) return IG_NOMEM(&cli->err, 0);
    ev->engines[ev->n_engines++].name = "ingot";
    IG_TRY(ig_engine_start(cli, &ev->engine));
    if (cli->options.vs) IG_TRY(ig_rivals_start(ev));
    for (size_t e = 0; e < ev->n_engines; e++)
        for (size_t m = 0; m < ev->n_metrics; m++)
            ev->engines[e].tallies[m] = (ig_tally){ .metric = ev->metrics[m],
                                                    .judging = &ev->judging,
                                                    .alloc = cli->alloc };
    return INGOT_OK;
}

/* Before hours of work: can --save-errors be written in the end? */
static ig_status check_writable(ig_cli *cli, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *folder = !slash ? "."
                         : slash == path
                             ? "/"
                             : ig_arena_strndup(&cli->arena, path, (size_t)(slash - path));
    if (!folder) return IG_NOMEM(&cli->err, strlen(path));
    if (strcmp(path, "-") == 0 || access(path, W_OK) == 0) return INGOT_OK;
    if (errno == ENOENT && access(folder, W_OK) == 0) return INGOT_OK;
    return ig_fail(&cli->err, INGOT_ERR_IO, "--save-errors: %s: cannot be written: %s", path,
                   strerror(errno));
}

static ig_status prepare(ig_evaluation *ev, const char *model_path)
{
    ig_cli *cli = ev->cli;
    if (!cli->options.data)
        return ig_cli_usage(cli, "no --data given; usage: ingot eval %s", cli->command->operands);
    if (cli->options.save_errors) IG_TRY(check_writable(cli, cli->options.save_errors));
    IG_TRY(ig_card_load(cli, model_path, &ev->card));
    IG_TRY(ig_engine_open(cli, model_path, &ev->engine));
    IG_TRY(ig_engine_feed_flags(cli, &ev->engine));
    IG_TRY(init_judging(ev));
    IG_TRY(choose_metrics(ev));
    ev->data.cli = cli;
    ev->data.engine = &ev->engine;
    ev->data.card = &ev->card;
    ev->data.truth = ev->metrics[0]->truth;
    IG_TRY(ig_dataset_open(&ev->data, cli->options.data));
    return init_engines(ev);
}

/* ---- one batch ---- */

static ig_status run_ingot(ig_evaluation *ev, ig_answer *answer)
{
    const size_t n = ingot_model_n_outputs(ev->engine.model);
    const char **names = ig_arena_array(&ev->data.scratch, n + 1, sizeof *names);
    const ingot_value **values = ig_arena_array(&ev->data.scratch, n + 1, sizeof *values);
    if (!names || !values) return IG_NOMEM(&ev->cli->err, 0);
    const uint64_t begin_ns = ig_clock_ns();
    IG_TRY(ig_engine_run(ev->cli, &ev->engine));
    ev->engines[0].run_ns += (double)(ig_clock_ns() - begin_ns);
    ev->engines[0].n_items += ev->data.n;
    for (size_t k = 0; k < n; k++) {
        ingot_io_info info;
        ingot_model_output(ev->engine.model, k, &info);
        names[k] = info.name;
        values[k] = ingot_session_output(ev->engine.session, k);
    }
    *answer = (ig_answer){ n, names, values, 0, ev->data.n_fed };
    return INGOT_OK;
}

static ig_status run_rivals(ig_evaluation *ev, ig_answer *answers)
{
    const ig_driver_tensor *inputs;
    size_t n_inputs;
    if (ev->n_engines == 1) return INGOT_OK;
    IG_TRY(ig_rivals_write_inputs(ev, &inputs, &n_inputs));
    for (size_t e = 1; e < ev->n_engines; e++) {
        if (ig_interrupt_pending())
            return ig_fail(&ev->cli->err, INGOT_ERR_CANCELLED, "interrupted");
        if (ev->engines[e].state == IG_CONTENDER_FINE)
            ig_rival_run(ev, &ev->engines[e], inputs, n_inputs, &answers[e]);
    }
    return INGOT_OK;
}

/* Words that may hold tabs and line breaks, in a file of lines. */
static void put_cell(ig_str *out, const char *text)
{
    for (; *text; text++) ig_str_putc(out, (unsigned char)*text < 32 ? ' ' : *text);
}

static ig_status save_wrong(ig_evaluation *ev, const ig_eval_engine *e, const ig_eval_item *item,
                            const ig_str *said)
{
    if (!ev->cli->options.save_errors) return INGOT_OK;
    put_cell(&ev->wrong, item->name);
    ig_str_putc(&ev->wrong, '\t');
    put_cell(&ev->wrong, item->truth.text);
    ig_str_putc(&ev->wrong, '\t');
    put_cell(&ev->wrong, ig_str_cstr(said));
    ig_str_printf(&ev->wrong, "\t%s\n", e->name);
    return ig_str_ok(&ev->wrong) ? INGOT_OK : IG_NOMEM(&ev->cli->err, ev->wrong.n);
}

/* Marks of all metrics, before any is kept: an item counts for all or for none. */
static ig_status judge_engine(ig_evaluation *ev, ig_eval_engine *e, const ig_answer *answer,
                              const ig_eval_item *item, ig_mark *marks, ig_str *said)
{
    for (size_t m = 0; m < ev->n_metrics; m++) {
        ig_str *words = m == 0 ? &said[0] : &said[1]; /* the first metric's are kept */
        ig_str_clear(words);
        marks[m] = (ig_mark){ .truth_class = -1, .said_class = -1 };
        IG_TRY(ev->metrics[m]->judge(&e->tallies[m], answer, &item->truth, &marks[m], words,
                                     &ev->cli->err));
    }
    return INGOT_OK;
}

static ig_status judge_item(ig_evaluation *ev, ig_answer *answers, size_t i, ig_str *said)
{
    ig_mark marks[IG_MAX_EVAL_METRICS];
    const ig_eval_item *item = &ev->data.items[i];
    for (size_t e = 0; e < ev->n_engines; e++) {
        ig_eval_engine *engine = &ev->engines[e];
        if (engine->state != IG_CONTENDER_FINE) continue;
        answers[e].i = i;
        const ig_status status = judge_engine(ev, engine, &answers[e], item, marks, said);
        if (status && e == 0) return ig_dataset_leave_out(&ev->data, item->place, status);
        if (status) {
            ig_rival_give_up(ev, engine, IG_CONTENDER_WRONG, NULL);
            continue;
        }
        for (size_t m = 0; m < ev->n_metrics; m++)
            IG_TRY(ig_tally_add(&engine->tallies[m], &marks[m], &ev->cli->err));
        if (marks[0].is_wrong) IG_TRY(save_wrong(ev, engine, item, said));
    }
    ev->n_judged++;
    return INGOT_OK;
}

/* A batch that the model cannot run fails each of its items. Some models say that their batch is
 * free and are made for one item all the same. */
static ig_status leave_out_batch(ig_evaluation *ev, ig_status status)
{
    ig_error first = { 0 };
    const bool may_be_the_batch = ev->data.n_fed > 1 && status != INGOT_ERR_CANCELLED;
    ig_fail(&first, status, "%.800s%s", ev->cli->err.message,
            may_be_the_batch ? "; --batch 1 runs items one by one" : "");
    for (size_t i = 0; i < ev->data.n; i++) {
        ev->cli->err = first;
        IG_TRY(ig_dataset_leave_out(&ev->data, ev->data.items[i].place, status));
    }
    return INGOT_OK;
}

static ig_status evaluate_batch(ig_evaluation *ev, ig_str *said)
{
    ig_answer answers[IG_MAX_EVAL_ENGINES];
    const ig_status status = run_ingot(ev, &answers[0]);
    if (status) return leave_out_batch(ev, status);
    IG_TRY(run_rivals(ev, answers));
    for (size_t i = 0; i < ev->data.n; i++) IG_TRY(judge_item(ev, answers, i, said));
    return INGOT_OK;
}

static ig_status evaluate(ig_evaluation *ev)
{
    ig_str said[2];
    ig_status status = INGOT_OK;
    for (int i = 0; i < 2; i++) ig_str_init(&said[i], ev->cli->alloc);
    ig_progress_begin(&ev->progress, ev->data.n_expected);
    while (!status && !(status = ig_dataset_next(&ev->data)) && ev->data.n) {
        status = ig_interrupt_pending() ? ig_fail(&ev->cli->err, INGOT_ERR_CANCELLED, "interrupted")
                                        : evaluate_batch(ev, said);
        ig_progress_step(&ev->progress, ev->data.n_taken);
    }
    ig_progress_clear(&ev->progress);
    for (int i = 0; i < 2; i++) ig_str_deinit(&said[i]);
    return status;
}

/* ---- the end ---- */

static void name_failures(ig_evaluation *ev)
{
    const ig_dataset *d = &ev->data;
    if (d->n_failures == 0) return;
    ev->cli->has_failed_inputs = true;
    fprintf(stderr, "ingot eval: %zu of %zu items were left out:\n", d->n_failures, d->n_taken);
    for (size_t i = 0; i < d->n_failures && i < MAX_NAMED_FAILURES; i++) {
        ig_make_printable((char *)(uintptr_t)d->failures[i], strlen(d->failures[i]));
        fprintf(stderr, "  %s\n", d->failures[i]);
    }
    if (d->n_failures > MAX_NAMED_FAILURES)
        fprintf(stderr, "  … and %zu more\n", d->n_failures - MAX_NAMED_FAILURES);
}

static ig_status report(ig_evaluation *ev)
{
    ig_cli *cli = ev->cli;
    ig_eval_row *rows = NULL;
    ig_confusion confusion = { 0 };
    ig_str out;
    if (ev->n_judged == 0) {
        name_failures(ev);
        return ig_fail(&cli->err, INGOT_ERR_INVALID, "%s: no item could be judged", ev->data.path);
    }
    IG_TRY(ig_eval_figures(ev, &rows));
    if (cli->options.per_class)
        IG_TRY(ig_confusion_of(&ev->engines[0].tallies[0], &cli->arena, &confusion, &cli->err));
    ig_str_init(&out, cli->alloc);
    if (cli->options.json)
        ig_eval_put_json(ev, rows, &confusion, &out);
    else
        ig_eval_put_text(ev, rows, &confusion, &out);
    ig_status status = INGOT_OK;
    if (cli->options.save_errors)
        status = ig_write_file(cli->options.save_errors, ig_str_cstr(&ev->wrong), ev->wrong.n,
                               &cli->err);
    if (!status) status = ig_print(cli, &out);
    ig_str_deinit(&out);
    if (!status) name_failures(ev);
    return status;
}

static void close_evaluation(ig_evaluation *ev)
{
    for (size_t e = 0; e < ev->n_engines; e++)
        for (size_t m = 0; m < ev->n_metrics; m++) ig_tally_free(&ev->engines[e].tallies[m]);
    ig_rivals_stop(ev);
    ig_dataset_close(&ev->data);
    ig_engine_close(&ev->engine);
    ig_str_deinit(&ev->wrong);
}

ig_status ig_cli_eval(ig_cli *cli)
{
    const char *model_path;
    ig_evaluation ev = { .cli = cli };
    IG_TRY(ig_cli_model_path(cli, 1, &model_path));
    ig_str_init(&ev.wrong, cli->alloc);
    ig_status status = prepare(&ev, model_path);
    if (!status) status = evaluate(&ev);
    ig_rivals_stop(&ev); /* before files of the user's are written */
    if (!status) status = report(&ev);
    close_evaluation(&ev);
    return status;
}
