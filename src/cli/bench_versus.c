/* SPDX-License-Identifier: Apache-2.0 */
/* bench_versus.c: `ingot bench --vs`, and of several models: the engines' commands, the inputs as
 * files, one model after the other. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "bench/suite.h"
#include "cli/bench.h"
#include "cli/bench_text.h"
#include "cli/temporary.h"

#define MAX_CONTENDERS 16
#define DEFAULT_TIMEOUT_S 120

/* ---- commands ---- */

/* This command again, as a driver, with more flags. */
static char **own_driver(ig_cli *cli, const char *const *more, size_t n_more)
{
    size_t n = 0;
    char **command = ig_own_command(&cli->arena, n_more + 1, &n, &cli->err);
    if (!command) return NULL;
    command[n++] = (char *)(uintptr_t) "--driver";
    for (size_t i = 0; i < n_more; i++) command[n++] = (char *)(uintptr_t)more[i];
    return command;
}

static ig_status set_contenders(ig_cli *cli, ig_versus *v)
{
    static const char *const plain[] = { "--opt", "none", "--cpu", "portable" };
    v->contenders = ig_arena_array(&cli->arena, MAX_CONTENDERS, sizeof *v->contenders);
    if (!v->contenders) return IG_NOMEM(&cli->err, 0);
    v->contenders[v->n++] = (ig_contender){ .name = "ingot", .command = own_driver(cli, NULL, 0) };
    v->reference_name = "ingot --opt none --cpu portable";
    v->reference_command = own_driver(cli, plain, IG_COUNT(plain));
    if (!v->contenders[0].command || !v->reference_command) return cli->err.status;
    for (const char *p = cli->options.vs ? cli->options.vs : ""; *p;) {
        const size_t n = strcspn(p, ",");
        char **command = ig_arena_array(&cli->arena, 2, sizeof *command);
        char *name = ig_arena_strndup(&cli->arena, p, n);
        if (!command || !name) return IG_NOMEM(&cli->err, n);
        if (n == 0 || v->n == MAX_CONTENDERS)
            return ig_cli_usage(cli, "--vs: '%s' is no list of at most %d engines", cli->options.vs,
                                MAX_CONTENDERS - 1);
        command[0] = ig_driver_find(name, &cli->arena);
        v->contenders[v->n++] =
            (ig_contender){ .name = name, .command = command[0] ? command : NULL };
        p += n + (p[n] == ',');
    }
    return INGOT_OK;
}

/* ---- inputs ---- */

static ig_status write_input(ig_cli *cli, const ig_engine *e, const char *folder, size_t variant,
                             size_t i, const ingot_value *value, ig_driver_tensor *t)
{
    const bool is_tensor = ingot_value_kind(value) == INGOT_KIND_TENSOR;
    if (!is_tensor || ingot_dtype_bits(ingot_tensor_dtype(value)) < 8)
        return ig_fail(&cli->err, INGOT_ERR_UNSUPPORTED,
                       "--vs: input '%s' is no tensor of numbers, which drivers take alone",
                       e->inputs[i].name);
    *t = (ig_driver_tensor){ .name = ig_arena_strdup(&cli->arena, e->inputs[i].name),
                             .dtype = ingot_tensor_dtype(value),
                             .rank = ingot_tensor_rank(value) };
    memcpy(t->dims, ingot_tensor_dims(value), (size_t)t->rank * sizeof *t->dims);
    t->file = ig_arena_printf(&cli->arena, "%s/input-%zu-%zu.raw", folder, variant, i);
    if (!t->name || !t->file) return IG_NOMEM(&cli->err, 0);
    return ig_file_write(t->file, ingot_tensor_data(value), ingot_tensor_bytes(value), &cli->err);
}

static ig_status write_inputs(ig_cli *cli, const ig_engine *e, const ig_feeds *variants, size_t n,
                              ig_versus *v)
{
    ig_driver_inputs *all = ig_arena_array(&cli->arena, n, sizeof *all);
    if (!all) return IG_NOMEM(&cli->err, n * sizeof *all);
    for (size_t k = 0; k < n; k++) {
        ig_driver_tensor *tensors = ig_arena_array(&cli->arena, e->n_inputs + 1, sizeof *tensors);
        if (!tensors) return IG_NOMEM(&cli->err, 0);
        all[k].tensors = tensors;
        for (size_t i = 0; i < e->n_inputs; i++)
            if (variants[k].values[i]) /* else its default */
                IG_TRY(write_input(cli, e, v->folder, k, i, variants[k].values[i],
                                   &tensors[all[k].n++]));
    }
    v->variants = all;
    v->n_variants = n;
    return INGOT_OK;
}

/* Names and shapes come from the model; it is closed before anything is measured. */
static ig_status prepare_inputs(ig_cli *cli, ig_versus *v)
{
    ig_engine e;
    ig_feeds *variants = NULL;
    size_t n = 0;
    ig_status status = ig_engine_open(cli, v->model, &e);
    if (!status) status = ig_engine_feed_flags(cli, &e);
    if (!status) status = ig_bench_make_variants(cli, &e, &variants, &n);
    if (!status) status = write_inputs(cli, &e, variants, n, v);
    ig_bench_free_variants(&e, variants, n);
    ig_engine_close(&e);
    return status;
}

/* ---- one model ---- */

static void share_out_threads(const ig_options *o, ig_versus *v)
{
    const int n_cpus = ig_cpu_n_usable();
    v->n_streams = 1;
    if (v->plan.scenario == IG_SCENARIO_OFFLINE)
        v->n_streams = o->n_sessions ? o->n_sessions : n_cpus > 1 ? n_cpus : 2;
    v->n_threads = o->n_threads > 0 ? o->n_threads : n_cpus / v->n_streams;
    if (v->n_threads < 1) v->n_threads = 1;
}

static ig_status begin_versus(ig_cli *cli, const char *path, const ig_bench_plan *plan,
                              ig_versus *v)
{
    const ig_options *o = &cli->options;
    char model[PATH_MAX];
    *v = (ig_versus){ .plan = *plan,
                      .allow_mixed = o->allow_mixed_precision,
                      .timeout_s = o->timeout_s > 0 ? o->timeout_s : DEFAULT_TIMEOUT_S,
                      .vary = o->vary.items,
                      .n_vary = o->vary.n,
                      .is_cancelled = ig_interrupt_pending };
    ig_str_init(&v->reasons, cli->alloc);
    share_out_threads(o, v);
    /* Drivers may be elsewhere. */
    v->model = realpath(path, model) ? ig_arena_strdup(&cli->arena, model) : path;
    if (!v->model) return IG_NOMEM(&cli->err, strlen(path));
    return set_contenders(cli, v);
}

static ig_status measure(ig_cli *cli, ig_versus *v)
{
    IG_TRY(ig_temporary_folder(cli, &v->folder));
    ig_status status = prepare_inputs(cli, v);
    if (!status) status = ig_versus_measure(v, &cli->arena, &cli->err);
    ig_temporary_remove(v->folder);
    return status;
}

/* ---- all models ---- */

typedef struct suite_progress {
    ig_progress line;
    size_t n_done; /* models */
} suite_progress;

static void show_progress(void *ctx, double share)
{
    suite_progress *p = ctx;
    ig_progress_step(&p->line, (size_t)(100 * ((double)p->n_done + share)));
}

/* What Ingot cannot open or run is a row that says so, and the others go on. */
static ig_status measure_row(ig_cli *cli, const ig_bench_plan *plan, ig_suite_row *row,
                             suite_progress *progress)
{
    ig_status status = begin_versus(cli, row->model, plan, &row->versus);
    if (status) return status; /* the flags' fault, or memory's */
    row->versus.on_progress = show_progress;
    row->versus.progress_ctx = progress;
    status = measure(cli, &row->versus);
    progress->n_done++;
    show_progress(progress, 0);
    if (status == INGOT_OK || status == INGOT_ERR_CANCELLED || ig_interrupt_pending())
        return status;
    row->has_failed = cli->has_failed_inputs = true;
    snprintf(row->why, sizeof row->why, "%.399s", cli->err.message);
    return status;
}

static ig_status report(ig_cli *cli, const ig_suite *suite)
{
    const ig_options *o = &cli->options;
    const bool is_one = suite->n == 1;
    ig_str out;
    ig_json_writer w;
    ig_str_init(&out, cli->alloc);
    if (o->json && is_one) {
        ig_json_begin(&w, &out, 2);
        ig_versus_put_json(&suite->rows[0].versus, &w);
        ig_str_putc(&out, '\n');
    } else if (o->json) {
        ig_suite_put_json(suite, &out);
    } else if (o->csv) {
        ig_suite_put_csv(suite, &out);
    } else if (is_one) {
        ig_bench_text_versus(cli, &suite->rows[0].versus, &out);
    } else {
        ig_bench_text_suite(cli, suite, &out);
    }
    const ig_status status = ig_print(cli, &out);
    ig_str_deinit(&out);
    return status;
}

/* ---- page and test cases ---- */

/* Ingot's roofline, measured in this process after the engines have gone. */
static ig_status add_row_to_files(ig_cli *cli, const ig_versus *v, ig_bench_files *files)
{
    ig_engine e;
    ig_roofline roof;
    ig_view view;
    ig_feeds *variants = NULL;
    size_t n = 0;
    const bool has_roof = cli->options.report && v->plan.scenario != IG_SCENARIO_COLD;
    ig_status status = ig_engine_open(cli, v->model, &e);
    if (!status) status = ig_engine_feed_flags(cli, &e);
    if (!status) status = ig_bench_make_variants(cli, &e, &variants, &n);
    if (!status && has_roof) status = ig_bench_roofline(cli, &e, &variants[0], &roof);
    if (!status)
        status = ig_view_of_versus(v, has_roof ? &roof : NULL, &cli->arena, &view, &cli->err);
    if (!status) ig_bench_files_add(files, &view);
    ig_bench_free_variants(&e, variants, n);
    ig_engine_close(&e);
    return status;
}

static ig_status add_to_files(ig_cli *cli, const ig_suite *suite, ig_bench_files *files)
{
    if (!ig_bench_files_are_wanted(cli)) return INGOT_OK;
    for (size_t i = 0; i < suite->n; i++) {
        const ig_suite_row *row = &suite->rows[i];
        if (row->has_failed)
            ig_bench_files_add_failure(files, row->model, row->why);
        else
            IG_TRY(add_row_to_files(cli, &row->versus, files));
    }
    if (suite->n > 1) ig_page_add_means(&files->page, suite);
    return INGOT_OK;
}

/* ---- all of it ---- */

static ig_status measure_all(ig_cli *cli, const ig_bench_plan *plan, ig_suite *suite)
{
    suite_progress progress = { .n_done = 0 };
    ig_status status = INGOT_OK;
    ig_progress_begin(&progress.line, 100 * suite->n);
    progress.line.is_percent = true;
    for (size_t i = 0; i < suite->n; i++) {
        status = measure_row(cli, plan, &suite->rows[i], &progress);
        /* The failure of the only model is the command's. */
        if (status && (suite->n == 1 || !suite->rows[i].has_failed)) break;
        if (status) {
            ig_error_clear(&cli->err);
            cli->is_usage_error = false;
            status = INGOT_OK;
        }
    }
    ig_progress_clear(&progress.line);
    return status;
}

ig_status ig_cli_bench_versus(ig_cli *cli, const ig_text_list *models, const ig_bench_plan *plan,
                              ig_bench_files *files)
{
    ig_suite suite = { .n = models->n };
    suite.rows = ig_arena_array(&cli->arena, suite.n, sizeof *suite.rows);
    if (!suite.rows) return IG_NOMEM(&cli->err, suite.n * sizeof *suite.rows);
    for (size_t i = 0; i < suite.n; i++) suite.rows[i].model = models->items[i];
    ig_interrupt_hold(true); /* drivers are ended and files removed first */
    ig_status status = measure_all(cli, plan, &suite);
    if (!status) status = ig_suite_conclude(&suite, &cli->arena, &cli->err);
    if (!status) status = report(cli, &suite);
    if (!status) status = add_to_files(cli, &suite, files);
    ig_suite_free(&suite, cli->alloc);
    ig_interrupt_hold(false);
    return status;
}
