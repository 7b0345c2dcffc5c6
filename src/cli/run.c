/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: `ingot run`: every input in turn, pictures in batches, answers as they come. */
#include <string.h>

#include "cli/answers.h"
#include "cli/collect.h"
#include "cli/items.h"
#include "cli/picture_batch.h"

#define DEFAULT_BATCH 8
#define MAX_NAMED_FAILURES 20

typedef struct failure {
    const char *message;
} failure;

typedef struct runner {
    ig_cli *cli;
    ig_engine engine;
    ig_card card;
    ig_items items;
    ig_answers answers;
    ig_collect collect;
    ig_picture_format format;
    bool has_pictures;
    ig_picture_batch batch;
    const char **names; /* of the pictures of the batch */
    ig_progress progress;
    ig_str out;
    failure *failures;
    size_t n_failures, cap_failures, n_done, n_succeeded;
} runner;

/* ---- reporting ---- */

/* What is waiting goes out; a full disk or a closed pipe ends the run. */
static ig_status flush(runner *r)
{
    if (r->out.n == 0 && ig_str_ok(&r->out)) return INGOT_OK;
    ig_progress_clear(&r->progress);
    const ig_status status = ig_print(r->cli, &r->out);
    ig_str_clear(&r->out);
    return status;
}

/* The error becomes one failed input of many, unless it is one that others would meet too. */
static ig_status tolerate(runner *r, const char *name, ig_status status)
{
    ig_error *err = &r->cli->err;
    if (r->items.n < 2 || status == INGOT_ERR_CANCELLED || status == INGOT_ERR_NOMEM) return status;
    const char *message = ig_arena_strdup(&r->cli->arena, err->message);
    ig_answers_put_failure(&r->answers, name, err->message, &r->out);
    ig_error_clear(err);
    if (!message || !IG_ARENA_PUSH(&r->cli->arena, r->failures, r->n_failures, r->cap_failures,
                                   (failure){ message }))
        return IG_NOMEM(err, 0);
    return INGOT_OK;
}

static void report_failures(runner *r)
{
    if (r->n_failures == 0) return;
    r->cli->has_failed_inputs = true;
    fprintf(stderr, "ingot run: %zu of %zu inputs failed:\n", r->n_failures, r->items.n);
    for (size_t i = 0; i < r->n_failures && i < MAX_NAMED_FAILURES; i++)
        fprintf(stderr, "  %s\n", r->failures[i].message);
    if (r->n_failures > MAX_NAMED_FAILURES)
        fprintf(stderr, "  … and %zu more\n", r->n_failures - MAX_NAMED_FAILURES);
}

/* ---- one run ---- */

static ig_status answer_tensors(runner *r, const char *name)
{
    const size_t n = ig_answers_n_parts(&r->answers, &r->engine);
    for (size_t i = 0; i < n; i++) {
        const char *part = name;
        if (n > 1) part = ig_arena_printf(&r->cli->arena, "%s[%zu]", name, i);
        if (!part) return IG_NOMEM(&r->cli->err, 0);
        IG_TRY(ig_answers_put(r->cli, &r->answers, &r->engine, part, i, n, &r->out));
    }
    return INGOT_OK;
}

/* Run what is fed, keep the outputs, print the answer. */
static ig_status run_tensors(runner *r, const char *name)
{
    if (r->cli->options.random) IG_TRY(ig_engine_make_up(r->cli, &r->engine, -1));
    IG_TRY(ig_engine_run(r->cli, &r->engine));
    IG_TRY(ig_collect_add(r->cli, &r->collect, &r->engine));
    r->n_succeeded++;
    return answer_tensors(r, name);
}

static ig_status run_file(runner *r, const ig_item *item)
{
    ig_npz npz = { 0 };
    ig_status status = item->kind == IG_FILE_NPZ
                           ? ig_engine_feed_npz(r->cli, &r->engine, item->path, &npz)
                           : ig_engine_feed(r->cli, &r->engine, r->items.input, item->path);
    if (status == INGOT_OK) status = run_tensors(r, item->path);
    if (item->kind == IG_FILE_NPZ) { /* values may point into the archive */
        ig_engine_unfeed_npz(&r->engine);
        ig_npz_close(&npz);
    }
    return status;
}

/* ---- batches of pictures ---- */

/* Run pictures [begin, begin + n) of the batch. */
static ig_status run_part(runner *r, size_t begin, size_t n)
{
    ingot_value *value = NULL;
    IG_TRY(ig_picture_batch_wrap(&r->batch, begin, n, &value, &r->cli->err));
    r->engine.feeds[r->items.input] = value;
    ig_status status = ig_engine_run(r->cli, &r->engine);
    if (status == INGOT_OK) status = ig_collect_add(r->cli, &r->collect, &r->engine);
    for (size_t i = 0; i < n && status == INGOT_OK; i++) {
        status =
            ig_answers_put(r->cli, &r->answers, &r->engine, r->names[begin + i], i, n, &r->out);
        r->n_succeeded += status == INGOT_OK;
    }
    r->engine.feeds[r->items.input] = NULL;
    ingot_value_destroy(value);
    return status;
}

/* Some models say that their batch is free and are made for one picture all the same. */
static bool may_be_the_batch(const runner *r, ig_status status)
{
    return r->batch.n > 1 && r->n_succeeded == 0 &&
           (status == INGOT_ERR_SHAPE || status == INGOT_ERR_INVALID ||
            status == INGOT_ERR_UNSUPPORTED);
}

static ig_status run_batch(runner *r)
{
    ig_picture_batch *b = &r->batch;
    ig_status status = INGOT_OK;
    if (b->n == 0) return INGOT_OK;
    status = run_part(r, 0, b->n);
    if (may_be_the_batch(r, status)) {
        ig_error_clear(&r->cli->err);
        b->max = 1;
        status = INGOT_OK;
        for (size_t i = 0; i < b->n && status == INGOT_OK; i++) status = run_part(r, i, 1);
    } else if (status && r->n_succeeded && b->n == 1) {
        status = tolerate(r, r->names[0], status);
    }
    r->n_done += b->n;
    b->n = 0;
    IG_TRY(status);
    ig_progress_step(&r->progress, r->n_done);
    return flush(r);
}

static ig_status add_picture(runner *r, const ig_item *item)
{
    ig_picture_batch *b = &r->batch;
    bool is_added;
    ig_status status = ig_picture_batch_add(b, item->path, &is_added, &r->cli->err);
    if (!status && !is_added) {
        IG_TRY(run_batch(r));
        status = ig_picture_batch_add(b, item->path, &is_added, &r->cli->err);
    }
    if (status) {
        r->n_done++;
        return tolerate(r, item->path, status);
    }
    r->names[b->n - 1] = item->path;
    return b->n >= b->max ? run_batch(r) : INGOT_OK;
}

/* ---- all inputs ---- */

static ig_status run_items(runner *r)
{
    for (size_t i = 0; i < r->items.n; i++) {
        const ig_item *item = &r->items.items[i];
        if (ig_interrupt_pending())
            return ig_fail(&r->cli->err, INGOT_ERR_CANCELLED, "interrupted");
        if (item->kind == IG_FILE_PICTURE) {
            IG_TRY(add_picture(r, item));
            continue;
        }
        IG_TRY(run_batch(r));
        const ig_status status = run_file(r, item);
        r->n_done++;
        if (status) IG_TRY(tolerate(r, item->path, status));
        ig_progress_step(&r->progress, r->n_done);
        IG_TRY(flush(r));
    }
    return run_batch(r);
}

/* How pictures are prepared; a note where nobody said it. */
static ig_status init_pictures(runner *r)
{
    const ig_engine *e = &r->engine;
    for (size_t i = 0; i < r->items.n; i++)
        r->has_pictures |= r->items.items[i].kind == IG_FILE_PICTURE;
    if (!r->has_pictures) return INGOT_OK;
    const ingot_io_info *input = &e->inputs[r->items.input];
    IG_TRY(ig_picture_format_init(&r->card.preprocess, input, &r->format, &r->cli->err));
    const int n_batch = r->cli->options.n_batch ? r->cli->options.n_batch : DEFAULT_BATCH;
    const bool has_others = e->n_inputs > 1;
    r->batch = (ig_picture_batch){ .alloc = r->cli->alloc, .format = &r->format };
    r->batch.max = r->format.is_batch_free && !has_others ? (size_t)n_batch : 1;
    if (r->batch.max > r->items.n) r->batch.max = r->items.n;
    r->names = ig_arena_array(&r->cli->arena, r->batch.max, sizeof *r->names);
    if (!r->names) return IG_NOMEM(&r->cli->err, r->batch.max * sizeof *r->names);
    ig_note_assumed_format(r->cli, e, &r->card, &r->format);
    return INGOT_OK;
}

static void measure_names(runner *r)
{
    for (size_t i = 0; i < r->items.n; i++) {
        const int n = (int)strlen(r->items.items[i].path);
        if (n > r->answers.path_width && n <= 60) r->answers.path_width = n;
    }
}

static ig_status prepare(runner *r, const char *model_path)
{
    ig_cli *cli = r->cli;
    IG_TRY(ig_card_load(cli, model_path, &r->card));
    IG_TRY(ig_engine_open(cli, model_path, &r->engine));
    IG_TRY(ig_engine_feed_flags(cli, &r->engine));
    IG_TRY(ig_items_init(cli, &r->engine, &r->items));
    IG_TRY(init_pictures(r));
    IG_TRY(ig_answers_init(cli, &r->engine, &r->card, r->has_pictures, &r->answers));
    IG_TRY(ig_collect_init(cli, &r->engine, &r->collect));
    measure_names(r);
    if (r->has_pictures && cli->options.random)
        IG_TRY(ig_engine_make_up(cli, &r->engine, (int)r->items.input));
    return ig_engine_start(cli, &r->engine);
}

ig_status ig_cli_run(ig_cli *cli)
{
    const char *model_path;
    runner r = { .cli = cli };
    IG_TRY(ig_cli_model_path(cli, SIZE_MAX, &model_path));
    ig_str_init(&r.out, cli->alloc);
    ig_status status = prepare(&r, model_path);
    if (status == INGOT_OK) {
        ig_progress_begin(&r.progress, r.items.n);
        status = r.items.n ? run_items(&r) : run_tensors(&r, "");
        ig_progress_clear(&r.progress);
    }
    if (status == INGOT_OK) status = ig_collect_write(cli, &r.collect);
    if (status == INGOT_OK) status = flush(&r);
    if (status == INGOT_OK) report_failures(&r);
    ig_picture_batch_free(&r.batch);
    ig_collect_free(&r.collect);
    ig_engine_close(&r.engine);
    ig_str_deinit(&r.out);
    return status;
}
