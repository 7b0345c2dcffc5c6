/* SPDX-License-Identifier: Apache-2.0 */
/* bench_driver.c: `ingot bench --driver`: the answering side of the driver protocol. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "bench/driver.h"
#include "bench/report.h"
#include "cli/bench.h"

#define MAX_RUNS 1000000
#define MAX_STREAMS 256

typedef struct driver_side {
    ig_engine engine;
    bool is_loaded;
    ig_bench_worker *streams; /* the first has the engine's session */
    size_t n_streams;
} driver_side;

static void begin(ig_json_writer *w, ig_str *out)
{
    ig_json_begin(w, out, -1);
    ig_json_open(w, '{');
    ig_json_put_flag(w, "ok", true);
}

/* ---- load ---- */

static ig_status feed_one(ig_cli *cli, driver_side *d, const ig_json *input)
{
    int64_t dims[INGOT_MAX_RANK];
    int rank = 0;
    const char *name = ig_json_text(input, "name", NULL), *path = ig_json_text(input, "file", NULL);
    const char *dtype = ig_json_text(input, "dtype", NULL);
    const int i = name ? ingot_model_find_input(d->engine.model, name) : -1;
    const ig_json *shape = ig_json_get(input, "shape");
    if (i < 0 || !path || !dtype || !shape)
        return ig_fail(&cli->err, INGOT_ERR_INVALID, "an input without name, file, dtype or shape");
    for (const ig_json *n = shape->child; n && rank < INGOT_MAX_RANK; n = n->next)
        dims[rank++] = (int64_t)n->number;
    /* What is there stays until the new one is whole: the conversation goes on after an error. */
    ig_loaded fresh = { 0 }, *loaded = &d->engine.loaded[i];
    ig_status status = ig_file_open(path, &fresh.file, &cli->err);
    if (!status)
        status = ingot_tensor_wrap(ingot_dtype_parse(dtype), rank, dims,
                                   (void *)(uintptr_t)fresh.file.data, fresh.file.bytes,
                                   &fresh.value, &cli->err);
    if (status) {
        ig_loaded_free(&fresh);
        return status;
    }
    ig_loaded_free(loaded);
    *loaded = fresh;
    d->engine.feeds[i] = loaded->value;
    return INGOT_OK;
}

static ig_status feed_all(ig_cli *cli, driver_side *d, const ig_json *question)
{
    const ig_json *inputs = ig_json_get(question, "inputs");
    for (const ig_json *i = inputs ? inputs->child : NULL; i; i = i->next)
        IG_TRY(feed_one(cli, d, i));
    return INGOT_OK;
}

static ig_status start_streams(ig_cli *cli, driver_side *d, const ig_json *question)
{
    const ig_json *n = ig_json_get(question, "streams");
    d->n_streams = n && n->number >= 1 && n->number <= MAX_STREAMS ? (size_t)n->number : 1;
    d->streams = ig_arena_array(&cli->arena, d->n_streams, sizeof *d->streams);
    if (!d->streams) return IG_NOMEM(&cli->err, 0);
    IG_TRY(ig_engine_start(cli, &d->engine));
    d->streams[0].session = d->engine.session;
    for (size_t i = 1; i < d->n_streams; i++)
        IG_TRY(ig_engine_session(cli, &d->engine, &d->streams[i].session));
    return INGOT_OK;
}

static void unload(driver_side *d)
{
    for (size_t i = 1; d->streams && i < d->n_streams; i++)
        ingot_session_destroy(d->streams[i].session);
    if (d->is_loaded) ig_engine_close(&d->engine);
    *d = (driver_side){ 0 };
}

static ig_status load(ig_cli *cli, driver_side *d, const ig_json *question, ig_str *out)
{
    ig_json_writer w;
    const char *given = ig_json_text(question, "model", NULL);
    const char *path = given ? ig_arena_strdup(&cli->arena, given) : NULL;
    const ig_json *threads = ig_json_get(question, "threads");
    if (!path) return ig_fail(&cli->err, INGOT_ERR_INVALID, "load: no model");
    unload(d);
    cli->options.shapes.n = 0; /* the inputs have shapes */
    if (threads && threads->number >= 1 && threads->number <= 256)
        cli->options.n_threads = (int)threads->number;
    d->is_loaded = true;
    IG_TRY(ig_engine_open(cli, path, &d->engine));
    IG_TRY(start_streams(cli, d, question));
    IG_TRY(feed_all(cli, d, question));
    static const char *const levels[] = { "all", "basic", "none" };
    begin(&w, out);
    ig_json_put_number(&w, "load_ns", (double)d->engine.load_ns);
    ig_json_put_text(&w, "precision", "fp32");
    ig_json_key(&w, "settings");
    ig_json_open(&w, '{');
    ig_json_put_number(&w, "threads", ingot_session_n_threads(d->engine.session));
    ig_json_put_text(&w, "opt", levels[cli->options.opt_level]);
    ig_json_put_text(&w, "cpu", cli->options.cpu ? cli->options.cpu : "all");
    ig_json_put_text(&w, "precision",
                     ingot_precision_name((ingot_precision)cli->options.precision));
    if (d->n_streams > 1) ig_json_put_number(&w, "streams", (double)d->n_streams);
    ig_json_close(&w, '}');
    ig_json_close(&w, '}');
    return INGOT_OK;
}

/* ---- run, outputs ---- */

static ig_status read_runs(ig_cli *cli, const driver_side *d, const ig_json *question, size_t *n)
{
    const ig_json *runs = ig_json_get(question, "runs");
    if (!d->is_loaded || !runs || !(runs->number >= 1 && runs->number <= MAX_RUNS))
        return ig_fail(&cli->err, INGOT_ERR_INVALID, "nothing is loaded, or no number of runs");
    *n = (size_t)runs->number;
    return INGOT_OK;
}

static ig_status run(ig_cli *cli, driver_side *d, const ig_json *question, ig_str *out)
{
    ig_json_writer w;
    ig_samples ns = { .alloc = cli->alloc };
    size_t n_runs = 0;
    IG_TRY(read_runs(cli, d, question, &n_runs));
    ig_status status = INGOT_OK;
    for (size_t i = 0; !status && i < n_runs; i++) {
        const uint64_t begin_ns = ig_clock_ns();
        status =
            ingot_session_run(d->engine.session, d->engine.feeds, d->engine.n_inputs, &cli->err);
        if (!status) status = ig_samples_add(&ns, (double)(ig_clock_ns() - begin_ns), &cli->err);
    }
    begin(&w, out);
    ig_json_key(&w, "ns");
    ig_json_open(&w, '[');
    for (size_t i = 0; i < ns.n; i++) ig_json_number(&w, ns.v[i]);
    ig_json_close(&w, ']');
    ig_json_close(&w, '}');
    ig_samples_free(&ns);
    return status;
}

/* All runs are there at the begin: the streams take one after the other. */
static ig_status offline(ig_cli *cli, driver_side *d, const ig_json *question, ig_str *out)
{
    ig_json_writer w;
    const ig_feeds feeds = { d->engine.feeds, d->engine.n_inputs };
    const ig_bench_subject subject = { .variants = &feeds, .n_variants = 1 };
    const ig_bench_plan plan = { .scenario = IG_SCENARIO_OFFLINE, .duration_s = 1e9 };
    ig_bench_loop loop = { .subject = &subject, .plan = &plan };
    IG_TRY(read_runs(cli, d, question, &loop.n_due));
    double *due_ns = ig_alloc_get(cli->alloc, loop.n_due * sizeof *due_ns, 0, INGOT_MEM_OTHER);
    if (!due_ns) return IG_NOMEM(&cli->err, loop.n_due * sizeof *due_ns);
    memset(due_ns, 0, loop.n_due * sizeof *due_ns);
    loop.due_ns = due_ns;
    for (size_t i = 0; i < d->n_streams; i++) {
        d->streams[i].loop = &loop;
        d->streams[i].latency_ns.alloc = cli->alloc;
        ig_windows_init(&d->streams[i].windows, cli->alloc, plan.duration_s);
    }
    ig_status status = ig_bench_loop_run(&loop, d->streams, d->n_streams, cli->alloc, &cli->err);
    const double ns = (double)(ig_clock_ns() - loop.begin_ns);
    for (size_t i = 0; i < d->n_streams; i++) {
        ig_samples_free(&d->streams[i].latency_ns);
        ig_windows_free(&d->streams[i].windows);
    }
    ig_alloc_put(cli->alloc, due_ns, loop.n_due * sizeof *due_ns, INGOT_MEM_OTHER);
    begin(&w, out);
    ig_json_put_number(&w, "ns", ns);
    ig_json_close(&w, '}');
    return status;
}

static ig_status feed(ig_cli *cli, driver_side *d, const ig_json *question, ig_str *out)
{
    ig_json_writer w;
    if (!d->is_loaded) return ig_fail(&cli->err, INGOT_ERR_INVALID, "feed: nothing is loaded");
    IG_TRY(feed_all(cli, d, question));
    begin(&w, out);
    ig_json_close(&w, '}');
    return INGOT_OK;
}

static ig_status put_output(ig_cli *cli, const driver_side *d, const char *folder, size_t i,
                            ig_json_writer *w)
{
    ingot_io_info info;
    ingot_model_output(d->engine.model, i, &info);
    const ingot_value *value = ingot_session_output(d->engine.session, i);
    if (!value || ingot_value_kind(value) != INGOT_KIND_TENSOR ||
        ingot_dtype_bits(ingot_tensor_dtype(value)) < 8)
        return INGOT_OK; /* nothing that numbers could be compared of */
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s-%zu.raw", folder, i) >= (int)sizeof path)
        return ig_fail(&cli->err, INGOT_ERR_INVALID, "outputs: the folder's name is too long");
    IG_TRY(ig_file_write(path, ingot_tensor_data(value), ingot_tensor_bytes(value), &cli->err));
    ig_json_open(w, '{');
    ig_json_put_text(w, "name", info.name);
    ig_json_put_text(w, "dtype", ingot_dtype_name(ingot_tensor_dtype(value)));
    ig_json_key(w, "shape");
    ig_json_open(w, '[');
    for (int k = 0; k < ingot_tensor_rank(value); k++) ig_json_int(w, ingot_tensor_dims(value)[k]);
    ig_json_close(w, ']');
    ig_json_put_text(w, "file", path);
    ig_json_close(w, '}');
    return INGOT_OK;
}

static ig_status outputs(ig_cli *cli, driver_side *d, const ig_json *question, ig_str *out)
{
    ig_json_writer w;
    const char *folder = ig_json_text(question, "folder", NULL);
    if (!d->is_loaded || !folder)
        return ig_fail(&cli->err, INGOT_ERR_INVALID, "outputs: nothing is loaded, or no folder");
    begin(&w, out);
    ig_json_key(&w, "outputs");
    ig_json_open(&w, '[');
    for (size_t i = 0; i < ingot_model_n_outputs(d->engine.model); i++)
        IG_TRY(put_output(cli, d, folder, i, &w));
    ig_json_close(&w, ']');
    ig_json_close(&w, '}');
    return INGOT_OK;
}

/* ---- lines ---- */

static ig_status hello(ig_cli *cli, driver_side *d, const ig_json *question, ig_str *out)
{
    ig_json_writer w;
    (void)cli, (void)d, (void)question;
    begin(&w, out);
    ig_json_put_number(&w, "protocol", IG_DRIVER_PROTOCOL);
    ig_json_put_text(&w, "engine", "ingot");
    ig_json_put_text(&w, "version", ingot_version());
    ig_json_put_flag(&w, "feed", true);
    ig_json_close(&w, '}');
    return INGOT_OK;
}

static ig_status answer(ig_cli *cli, driver_side *d, const ig_json *question, ig_str *out)
{
    static const struct {
        const char *name;
        ig_status (*answer)(ig_cli *, driver_side *, const ig_json *, ig_str *);
    } questions[] = { { "hello", hello }, { "load", load },       { "feed", feed },
                      { "run", run },     { "offline", offline }, { "outputs", outputs } };
    const char *what = ig_json_text(question, "do", NULL);
    for (size_t i = 0; what && i < IG_COUNT(questions); i++)
        if (strcmp(what, questions[i].name) == 0) return questions[i].answer(cli, d, question, out);
    return ig_fail(&cli->err, INGOT_ERR_INVALID, "a question that is not known");
}

static ig_status answer_line(ig_cli *cli, driver_side *d, const char *line, size_t n, ig_str *out)
{
    ig_json_writer w;
    ig_arena arena; /* of the question: there may be many */
    const ig_json *question = NULL;
    ig_arena_init(&arena, cli->alloc, INGOT_MEM_OTHER);
    ig_status status = ig_json_parse(&arena, line, n, &question, &cli->err);
    if (!status) status = answer(cli, d, question, out);
    if (status) { /* the conversation goes on */
        ig_str_clear(out);
        ig_json_begin(&w, out, -1);
        ig_json_open(&w, '{');
        ig_json_put_flag(&w, "ok", false);
        ig_json_put_text(&w, "error", cli->err.message);
        ig_json_close(&w, '}');
        ig_error_clear(&cli->err);
    }
    ig_arena_deinit(&arena);
    ig_str_putc(out, '\n');
    return ig_str_ok(out) ? ig_write_stdout(out->data, out->n, &cli->err)
                          : IG_NOMEM(&cli->err, out->n);
}

ig_status ig_cli_bench_driver(ig_cli *cli)
{
    driver_side d = { 0 };
    ig_str out;
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    ig_status status = INGOT_OK;
    ig_str_init(&out, cli->alloc);
    while (!status && (n = getline(&line, &cap, stdin)) > 0) {
        ig_str_clear(&out);
        status = answer_line(cli, &d, line, (size_t)n, &out);
    }
    free(line);
    unload(&d);
    ig_str_deinit(&out);
    return status;
}
