/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/engine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* ---- log ---- */

static void write_log(void *ctx, ingot_log_level level, const char *line)
{
    const ig_cli *cli = ctx;
    const int verbosity = cli->options.dump_after.n ? 1 : cli->options.verbosity;
    const bool is_warning = level == INGOT_LOG_WARNING;
    if (!is_warning && verbosity < (level == INGOT_LOG_INFO ? 1 : 2)) return;
    ig_str text;
    ig_str_init(&text, cli->alloc);
    ig_str_printf(&text, "%s%s\n", is_warning ? "ingot: warning: " : "", line);
    if (ig_str_ok(&text)) {
        ig_make_printable(text.data, text.n);
        fputs(text.data, stderr);
    }
    ig_str_deinit(&text);
}

/* The words of a repeated flag with commas between; NULL when there are none. */
static ig_status join(ig_cli *cli, const ig_text_list *list, const char **out)
{
    const char *text = list->n ? list->items[0] : NULL;
    for (size_t i = 1; i < list->n; i++)
        if (!(text = ig_arena_printf(&cli->arena, "%s,%s", text, list->items[i])))
            return IG_NOMEM(&cli->err, 0);
    *out = text;
    return INGOT_OK;
}

/* ---- life ---- */

/* "NAME=DIMS": an input's shape, or the size of the dimensions that the model calls NAME. */
static ig_status apply_shape(ig_cli *cli, ig_engine *e, const char *text)
{
    const char *equals = strrchr(text, '=');
    int64_t dims[INGOT_MAX_RANK];
    int rank = 0;
    if (!equals || !ig_parse_dims(equals + 1, dims, &rank))
        return ig_cli_usage(cli, "--shape: '%s' is not NAME=DIMS, as in x=1x3x224x224 or batch=8",
                            text);
    const size_t n_name = (size_t)(equals - text);
    bool is_used = false;
    for (size_t i = 0; i < e->n_inputs; i++) {
        const ingot_io_info *input = &e->inputs[i];
        if (strlen(input->name) == n_name && strncmp(input->name, text, n_name) == 0) {
            e->shapes[i].rank = rank;
            memcpy(e->shapes[i].dims, dims, sizeof dims);
            return INGOT_OK;
        }
        for (int d = 0; rank == 1 && d < input->rank; d++) {
            const char *name = input->dim_names[d];
            if (!name || strlen(name) != n_name || strncmp(name, text, n_name) != 0) continue;
            e->shapes[i].dims[d] = dims[0];
            is_used = true;
        }
    }
    if (is_used) return INGOT_OK;
    return ig_cli_usage(cli, "--shape: %s has no input%s '%.*s'", e->path,
                        rank == 1 ? " or dimension" : "", (int)n_name, text);
}

static ig_status init_inputs(ig_cli *cli, ig_engine *e)
{
    e->n_inputs = ingot_model_n_inputs(e->model);
    const size_t n = e->n_inputs + 1;
    e->inputs = ig_arena_array(&cli->arena, n, sizeof *e->inputs);
    e->shapes = ig_arena_array(&cli->arena, n, sizeof *e->shapes);
    e->loaded = ig_arena_array(&cli->arena, n, sizeof *e->loaded);
    e->feeds = ig_arena_array(&cli->arena, n, sizeof *e->feeds);
    if (!e->inputs || !e->shapes || !e->loaded || !e->feeds) {
        e->n_inputs = 0;
        return IG_NOMEM(&cli->err, n * sizeof *e->inputs);
    }
    for (size_t i = 0; i < e->n_inputs; i++) {
        ingot_model_input(e->model, i, &e->inputs[i]);
        e->shapes[i].rank = e->inputs[i].rank;
        memcpy(e->shapes[i].dims, e->inputs[i].dims, sizeof e->shapes[i].dims);
    }
    for (size_t i = 0; i < cli->options.shapes.n; i++)
        IG_TRY(apply_shape(cli, e, cli->options.shapes.items[i]));
    return INGOT_OK;
}

/* Inputs that flags give a value to: they stay inputs though the model has a default for them. */
static const char *const *fed_names(ig_cli *cli)
{
    const ig_text_list *list = &cli->options.inputs;
    const char **names = ig_arena_array(&cli->arena, list->n + 1, sizeof *names);
    for (size_t i = 0; names && i < list->n; i++) {
        names[i] = ig_arena_strndup(&cli->arena, list->items[i], strcspn(list->items[i], "="));
        if (!names[i]) return NULL;
    }
    return names;
}

/* NULL where no flag asks for any. */
static ig_status load_ops(ig_cli *cli, ingot_ops **out)
{
    const ig_text_list *list = &cli->options.custom_ops;
    ig_status status = INGOT_OK;
    *out = NULL;
    if (list->n) status = ingot_ops_create(out, &cli->err);
    for (size_t i = 0; !status && i < list->n; i++)
        status = ingot_ops_load(*out, list->items[i], &cli->err);
    if (status) {
        ingot_ops_destroy(*out);
        *out = NULL;
    }
    return status;
}

ig_status ig_engine_open(ig_cli *cli, const char *path, ig_engine *e)
{
    const ig_options *o = &cli->options;
    const ingot_log log = { .ctx = cli, .write = write_log };
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    *e = (ig_engine){ .path = path };
    options.log = &log;
    options.opt_level = (ingot_opt_level)o->opt_level;
    options.max_memory_bytes = o->max_memory_bytes;
    options.max_tensor_bytes = o->max_tensor_bytes;
    options.max_nodes = o->max_nodes;
    options.max_loop_steps = o->max_loop_steps;
    options.allow_links = o->allow_links;
    options.cpu = o->cpu;
    options.precision = (ingot_precision)o->precision;
    if (o->force.n) IG_TRY(join(cli, &o->force, &options.force));
    options.overridable = fed_names(cli);
    if (!options.overridable) return IG_NOMEM(&cli->err, 0);
    IG_TRY(join(cli, &o->disable_passes, &options.disable_passes));
    IG_TRY(join(cli, &o->dump_after, &options.dump_after));
    const uint64_t begin_ns = ig_clock_ns();
    IG_TRY(load_ops(cli, &options.ops));
    const ig_status status = ingot_model_open(path, &options, &e->model, &cli->err);
    ingot_ops_destroy(options.ops);
    e->load_ns = ig_clock_ns() - begin_ns;
    if (status) return status;
    return init_inputs(cli, e);
}

ig_status ig_engine_session(ig_cli *cli, ig_engine *e, ingot_session **out)
{
    ingot_session_options options = INGOT_SESSION_OPTIONS_INIT;
    options.n_threads = cli->options.n_threads;
    options.seed = cli->options.seed;
    options.timeout_ms = (int64_t)(cli->options.timeout_s * 1000);
    const uint64_t begin_ns = ig_clock_ns();
    const ig_status status = ingot_session_create(e->model, &options, out, &cli->err);
    e->load_ns += ig_clock_ns() - begin_ns;
    if (status) ig_error_prepend(&cli->err, "%s", e->path);
    return status;
}

ig_status ig_engine_start(ig_cli *cli, ig_engine *e)
{
    return ig_engine_session(cli, e, &e->session);
}

void ig_engine_close(ig_engine *e)
{
    for (size_t i = 0; i < e->n_inputs; i++) ig_loaded_free(&e->loaded[i]);
    ingot_session_destroy(e->session);
    ingot_model_close(e->model);
    *e = (ig_engine){ 0 };
}

ig_status ig_engine_run(ig_cli *cli, ig_engine *e)
{
    if (ig_interrupt_pending()) return ig_fail(&cli->err, INGOT_ERR_CANCELLED, "interrupted");
    ig_interrupt_session(e->session);
    const ig_status status = ingot_session_run(e->session, e->feeds, e->n_inputs, &cli->err);
    ig_interrupt_session(NULL);
    if (status && strncmp(cli->err.message, e->path, strlen(e->path)) != 0)
        ig_error_prepend(&cli->err, "%s", e->path);
    return status;
}

/* ---- feeding ---- */

bool ig_engine_split(const ig_engine *e, const char *text, size_t *i, const char **rest)
{
    for (size_t k = 0; k < e->n_inputs; k++) {
        const size_t n = strlen(e->inputs[k].name);
        if (strncmp(text, e->inputs[k].name, n) != 0 || text[n] != '=') continue;
        *i = k;
        *rest = text + n + 1;
        return true;
    }
    return false;
}

static void set_feed(ig_engine *e, size_t i, const ig_loaded *loaded)
{
    ig_loaded_free(&e->loaded[i]);
    e->loaded[i] = *loaded;
    e->feeds[i] = loaded->value;
}

/* A number where a file's name is expected. */
static bool is_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && access(text, F_OK) != 0;
}

ig_status ig_engine_feed(ig_cli *cli, ig_engine *e, size_t i, const char *path)
{
    ig_loaded loaded = { 0 };
    double number = 0;
    ingot_dtype dtype = INGOT_UNDEFINED;
    if (is_number(path, &number)) {
        IG_TRY(
            ig_value_make_up(&e->inputs[i], &e->shapes[i], 0, &number, &loaded.value, &cli->err));
        set_feed(e, i, &loaded);
        return INGOT_OK;
    }
    if (cli->options.dtype && !(dtype = ingot_dtype_parse(cli->options.dtype)))
        return ig_cli_usage(cli, "--dtype: no element type is called '%s'", cli->options.dtype);
    if (ig_file_kind_of(path) == IG_FILE_NPZ) {
        ig_npz npz;
        IG_TRY(ig_npz_open(&cli->arena, path, &npz, &cli->err));
        ig_status status = npz.n == 1 ? ig_npz_read(&npz, 0, path, cli->alloc, &loaded, &cli->err)
                                      : ig_fail(&cli->err, INGOT_ERR_INVALID,
                                                "%s: has %zu arrays, input '%s' needs one", path,
                                                npz.n, e->inputs[i].name);
        if (status == INGOT_OK) {
            loaded.file = npz.file;
            npz.file = (ig_file){ 0 };
            set_feed(e, i, &loaded);
        }
        ig_npz_close(&npz);
        return status;
    }
    IG_TRY(ig_load_file(cli->alloc, path, &e->inputs[i], &e->shapes[i], dtype, &loaded, &cli->err));
    set_feed(e, i, &loaded);
    return INGOT_OK;
}

ig_status ig_engine_feed_npz(ig_cli *cli, ig_engine *e, const char *path, ig_npz *npz)
{
    size_t n_used = 0;
    IG_TRY(ig_npz_open(&cli->arena, path, npz, &cli->err));
    for (size_t m = 0; m < npz->n; m++)
        for (size_t i = 0; i < e->n_inputs; i++) {
            ig_loaded loaded;
            if (strcmp(npz->members[m].name, e->inputs[i].name) != 0) continue;
            IG_TRY(ig_npz_read(npz, m, path, cli->alloc, &loaded, &cli->err));
            loaded.is_in_archive = true;
            set_feed(e, i, &loaded);
            n_used++;
        }
    if (n_used) return INGOT_OK;
    for (size_t i = 0; npz->n == 1 && i < e->n_inputs; i++) {
        ig_loaded loaded;
        if (e->feeds[i] || e->inputs[i].has_default) continue;
        IG_TRY(ig_npz_read(npz, 0, path, cli->alloc, &loaded, &cli->err));
        loaded.is_in_archive = true;
        set_feed(e, i, &loaded);
        return INGOT_OK;
    }
    return ig_fail(&cli->err, INGOT_ERR_INVALID, "%s: has no array that is called like an input",
                   path);
}

ig_status ig_engine_feed_flags(ig_cli *cli, ig_engine *e)
{
    for (size_t k = 0; k < cli->options.inputs.n; k++) {
        const char *text = cli->options.inputs.items[k], *path;
        size_t i;
        if (!ig_engine_split(e, text, &i, &path))
            return ig_cli_usage(cli, "--input: '%s' does not begin with the name of an input of %s",
                                text, e->path);
        IG_TRY(ig_engine_feed(cli, e, i, path));
    }
    return INGOT_OK;
}

void ig_engine_unfeed_npz(ig_engine *e)
{
    for (size_t i = 0; i < e->n_inputs; i++) {
        if (!e->loaded[i].is_in_archive) continue;
        ig_loaded_free(&e->loaded[i]);
        e->feeds[i] = NULL;
    }
}

ig_status ig_engine_make_up(ig_cli *cli, ig_engine *e, int except)
{
    for (size_t i = 0; i < e->n_inputs; i++) {
        ig_loaded loaded = { 0 };
        if (e->feeds[i] || e->inputs[i].has_default || (int)i == except) continue;
        IG_TRY(ig_value_make_up(&e->inputs[i], &e->shapes[i], cli->options.seed + i, NULL,
                                &loaded.value, &cli->err));
        set_feed(e, i, &loaded);
    }
    return INGOT_OK;
}
