/* SPDX-License-Identifier: Apache-2.0 */
/* bench_versus.c: `ingot bench --vs`: the engines' commands, the inputs as files, the table. */
#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "bench/versus.h"
#include "cli/bench_text.h"
#include "cli/table.h"

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
    for (const char *p = cli->options.vs; *p;) {
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

static ig_status write_inputs(ig_cli *cli, const ig_engine *e, ig_versus *v)
{
    ig_driver_tensor *inputs = ig_arena_array(&cli->arena, e->n_inputs + 1, sizeof *inputs);
    if (!inputs) return IG_NOMEM(&cli->err, 0);
    for (size_t i = 0; i < e->n_inputs; i++) {
        const ingot_value *value = e->feeds[i];
        if (!value) continue; /* its default */
        const bool is_tensor = ingot_value_kind(value) == INGOT_KIND_TENSOR;
        if (!is_tensor || ingot_dtype_bits(ingot_tensor_dtype(value)) < 8)
            return ig_fail(&cli->err, INGOT_ERR_UNSUPPORTED,
                           "--vs: input '%s' is no tensor of numbers, which drivers take alone",
                           e->inputs[i].name);
        ig_driver_tensor *t = &inputs[v->n_inputs++];
        *t = (ig_driver_tensor){ .name = e->inputs[i].name,
                                 .dtype = ingot_tensor_dtype(value),
                                 .rank = ingot_tensor_rank(value) };
        memcpy(t->dims, ingot_tensor_dims(value), (size_t)t->rank * sizeof *t->dims);
        t->file = ig_arena_printf(&cli->arena, "%s/input-%zu.raw", v->folder, i);
        if (!t->file) return IG_NOMEM(&cli->err, 0);
        IG_TRY(
            ig_file_write(t->file, ingot_tensor_data(value), ingot_tensor_bytes(value), &cli->err));
    }
    v->inputs = inputs;
    return INGOT_OK;
}

/* Names and shapes come from the model; it is closed before anything is measured. */
static ig_status prepare_inputs(ig_cli *cli, ig_versus *v)
{
    ig_engine e;
    ig_status status = ig_engine_open(cli, v->model, &e);
    if (!status) status = ig_engine_feed_flags(cli, &e);
    if (!status) status = ig_engine_make_up(cli, &e, -1);
    if (!status) status = write_inputs(cli, &e, v);
    for (size_t i = 0; !status && i < v->n_inputs; i++) {
        ig_driver_tensor *t = (ig_driver_tensor *)(uintptr_t)&v->inputs[i];
        if (!(t->name = ig_arena_strdup(&cli->arena, t->name))) status = IG_NOMEM(&cli->err, 0);
    }
    ig_engine_close(&e);
    return status;
}

static void remove_folder(const char *folder)
{
    char path[PATH_MAX];
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.') continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            unlink(path);
    }
    if (dir) closedir(dir);
    rmdir(folder);
}

/* ---- the table ---- */

static void put_head(ig_table *t)
{
    static const char *const head[] = { "engine", "P50",    "P99",       "ratio",     "first",
                                        "CPU",    "memory", "max error", "rms error", "top-1" };
    ig_table_init(t, t->alloc, (int)IG_COUNT(head));
    for (size_t c = 0; c < IG_COUNT(head); c++) ig_table_cell(t, "%s", head[c]);
    t->is_left[0] = true;
}

static void put_row(const ig_contender *c, const ig_contender *first, ig_table *t)
{
    char text[32];
    const ig_quantile p50 = ig_quantile_of(&c->run_ns, 0.5, IG_BENCH_CONFIDENCE);
    const ig_quantile p99 = ig_quantile_of(&c->run_ns, 0.99, IG_BENCH_CONFIDENCE);
    ig_table_cell(t, c->is_other_precision ? "%s [%s]" : "%s", c->name, c->driver.precision);
    ig_table_cell(t, "%s", p50.is_known ? ig_format_ns(p50.value, text) : "too few");
    ig_table_cell(t, "%s", p99.is_known ? ig_format_ns(p99.value, text) : "too few");
    if (c->has_ratio)
        ig_table_cell(t, "%.3f (%.3f to %.3f)", c->ratio.value, c->ratio.low, c->ratio.high);
    else
        ig_table_cell(t, "%s", c == first ? "" : "too few rounds");
    ig_table_cell(t, "%s", ig_format_ns(c->first_ns, text));
    ig_table_cell(t, "%s", ig_format_ns(c->cpu_ns_per_run, text));
    ig_table_cell(t, "%s", ig_format_bytes((double)c->memory.peak_rss_bytes, text));
    ig_table_cell(t, "%.2g", c->difference.max_error);
    ig_table_cell(t, "%.2g", c->difference.rms_error);
    if (isfinite(c->difference.top1))
        ig_table_cell(t, "%.1f %%", 100 * c->difference.top1);
    else
        ig_table_cell(t, "%s", "");
}

static void put_notes(const ig_contender *c, ig_str *out)
{
    char text[32];
    const char *mark = c->is_other_precision ? c->driver.precision : NULL;
    ig_str_printf(out, "%s%s%s%s", c->name, mark ? " [" : "", mark ? mark : "", mark ? "]" : "");
    if (c->state) {
        ig_str_printf(out, ": %s: %s\n", ig_contender_state_name(c->state), c->why);
        return;
    }
    ig_json_writer w;
    ig_str_printf(out, ": %s %s, %s, settings ", c->driver.engine, c->driver.version,
                  c->driver.precision);
    ig_json_begin(&w, out, -1);
    ig_driver_put_settings(&c->driver, &w);
    if (c->idle_cpu_share > 0.05)
        ig_str_printf(out, "; burns %.0f %% of a CPU while idle", 100 * c->idle_cpu_share);
    if (c->is_leaking)
        ig_str_printf(out, "; GROWS: %s more memory at the end than after the warm-up",
                      ig_format_bytes((double)(c->memory.rss_bytes - c->rss_begin_bytes), text));
    ig_str_putc(out, '\n');
}

static void put_text(ig_cli *cli, const ig_versus *v, ig_str *out)
{
    char cpu[300];
    ig_table t = { .alloc = cli->alloc };
    ig_str_printf(out, "%s%s%s, %d thread%s, %zu rounds in random order\n", ig_bold(stdout),
                  v->model, ig_plain(stdout), v->n_threads, v->n_threads == 1 ? "" : "s",
                  v->n_rounds);
    ig_bench_text_verdict(&v->reasons, out);
    put_head(&t);
    for (size_t i = 0; i < v->n; i++)
        if (v->contenders[i].state == IG_CONTENDER_FINE)
            put_row(&v->contenders[i], &v->contenders[0], &t);
    ig_table_put(&t, ig_dim(stdout), ig_plain(stdout), out);
    ig_table_deinit(&t);
    ig_str_puts(out, "ratio: its time / Ingot's, of neighbouring blocks, with its 95 % interval; "
                     "above 1 Ingot is faster\n");
    ig_str_printf(out, "errors: against %s; rms relative to the reference's\n", v->reference_name);
    for (size_t i = 0; i < v->n; i++) put_notes(&v->contenders[i], out);
    ig_str_printf(out, "%s\n", ingot_cpu_describe(cpu, sizeof cpu));
}

static ig_status report(ig_cli *cli, const ig_versus *v)
{
    ig_str out;
    ig_str_init(&out, cli->alloc);
    if (cli->options.json)
        ig_versus_put_json(v, &out);
    else if (cli->options.csv)
        ig_versus_put_csv(v, &out);
    else
        put_text(cli, v, &out);
    const ig_status status = ig_print(cli, &out);
    ig_str_deinit(&out);
    return status;
}

ig_status ig_cli_bench_versus(ig_cli *cli, const char *path, const ig_bench_plan *plan)
{
    const ig_options *o = &cli->options;
    const char *wanted = getenv("TMPDIR"), *tmp = wanted && *wanted ? wanted : P_tmpdir;
    char model[PATH_MAX];
    ig_versus v = { .plan = *plan,
                    .n_threads = o->n_threads > 0 ? o->n_threads : ig_cpu_n_usable(),
                    .allow_mixed = o->allow_mixed_precision,
                    .timeout_s = o->timeout_s > 0 ? o->timeout_s : DEFAULT_TIMEOUT_S,
                    .is_cancelled = ig_interrupt_pending };
    char *folder = ig_arena_printf(&cli->arena, "%s/ingot-bench-XXXXXX", tmp);
    IG_TRY(set_contenders(cli, &v));
    v.model = realpath(path, model) ? model : path; /* drivers may be elsewhere */
    if (!folder || !mkdtemp(folder))
        return ig_fail(&cli->err, INGOT_ERR_IO, "no folder for inputs can be made in %s", tmp);
    v.folder = folder;
    ig_str_init(&v.reasons, cli->alloc);
    ig_interrupt_hold(true); /* drivers are ended and files removed first */
    ig_status status = prepare_inputs(cli, &v);
    if (!status) status = ig_versus_measure(&v, &cli->arena, &cli->err);
    if (!status) status = report(cli, &v);
    ig_versus_free(&v, cli->alloc);
    remove_folder(folder);
    ig_interrupt_hold(false);
    return status;
}
