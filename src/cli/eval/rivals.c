/* SPDX-License-Identifier: Apache-2.0 */
/* rivals.c: other engines by their drivers: inputs as files, outputs as mapped files. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/eval/eval.h"
#include "cli/temporary.h"

#define DEFAULT_TIMEOUT_S 120

void ig_rival_give_up(ig_evaluation *ev, ig_eval_engine *rival, ig_contender_state state,
                      const char *why)
{
    rival->state = state;
    snprintf(rival->why, sizeof rival->why, "%.399s", why ? why : ev->cli->err.message);
    ig_error_clear(&ev->cli->err);
    ig_driver_stop(&rival->driver);
}

/* ---- starting ---- */

static void start(ig_evaluation *ev, ig_eval_engine *rival)
{
    const ig_options *o = &ev->cli->options;
    char text[400];
    if (!rival->command[0]) {
        snprintf(text, sizeof text,
                 "no driver '%.60s' beside the program or in INGOT_DRIVERS; see docs/drivers.md",
                 rival->name);
        ig_rival_give_up(ev, rival, IG_CONTENDER_MISSING, text);
        return;
    }
    const ig_status status = ig_driver_start(&rival->driver, rival->name, rival->command,
                                             o->timeout_s > 0 ? o->timeout_s : DEFAULT_TIMEOUT_S,
                                             ig_interrupt_pending, &ev->cli->arena, &ev->cli->err);
    if (!status) return;
    if (!rival->driver.install) {
        ig_rival_give_up(ev, rival, IG_CONTENDER_FAILED, NULL);
        return;
    }
    snprintf(text, sizeof text, "%.200s; install it: %.150s", ev->cli->err.message,
             rival->driver.install);
    ig_rival_give_up(ev, rival, IG_CONTENDER_MISSING, text);
}

ig_status ig_rivals_start(ig_evaluation *ev)
{
    ig_cli *cli = ev->cli;
    char path[PATH_MAX];
    ev->model =
        realpath(ev->engine.path, path) ? ig_arena_strdup(&cli->arena, path) : ev->engine.path;
    for (const char *p = cli->options.vs;; p++) {
        const size_t n = strcspn(p, ",");
        if (n == 0 || ev->n_engines == IG_MAX_EVAL_ENGINES)
            return ig_cli_usage(cli, "--vs: '%s' is no list of at most %d engines", cli->options.vs,
                                IG_MAX_EVAL_ENGINES - 1);
        ig_eval_engine *rival = &ev->engines[ev->n_engines++];
        ig_arena_init(&rival->scratch, cli->alloc, INGOT_MEM_OTHER);
        rival->name = ig_arena_strndup(&cli->arena, p, n);
        if (!rival->name || !ev->model) return IG_NOMEM(&cli->err, n);
        rival->command[0] = ig_driver_find(rival->name, &cli->arena);
        p += n;
        if (!*p) break;
    }
    ig_interrupt_hold(true); /* drivers are ended and files removed first */
    IG_TRY(ig_temporary_folder(cli, &ev->folder));
    for (size_t e = 1; e < ev->n_engines; e++) start(ev, &ev->engines[e]);
    return INGOT_OK;
}

/* ---- inputs ---- */

/* A new file each time: a driver may still have the one before mapped. Nobody needs it after a
 * crash of the system, so it is not flushed. */
static ig_status write_elements(ig_cli *cli, const char *path, const void *data, size_t bytes)
{
    unlink(path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const char *p = data;
    while (fd >= 0 && bytes) {
        const ssize_t n = write(fd, p, bytes < (1u << 30) ? bytes : (1u << 30));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        p += n;
        bytes -= (size_t)n;
    }
    const int code = errno;
    const bool is_ok = fd >= 0 && bytes == 0;
    if (fd >= 0) close(fd);
    return is_ok ? INGOT_OK
                 : ig_fail(&cli->err, INGOT_ERR_IO, "%s: cannot write: %s", path, strerror(code));
}

static ig_status write_input(ig_evaluation *ev, size_t i, ig_driver_tensor *t)
{
    ig_cli *cli = ev->cli;
    const ingot_value *value = ev->engine.feeds[i];
    const char *name = ev->engine.inputs[i].name;
    if (ingot_value_kind(value) != INGOT_KIND_TENSOR ||
        ingot_dtype_bits(ingot_tensor_dtype(value)) < 8)
        return ig_fail(&cli->err, INGOT_ERR_UNSUPPORTED,
                       "--vs: input '%s' is no tensor of numbers, which drivers take alone", name);
    *t = (ig_driver_tensor){ .name = name,
                             .dtype = ingot_tensor_dtype(value),
                             .rank = ingot_tensor_rank(value) };
    memcpy(t->dims, ingot_tensor_dims(value), (size_t)t->rank * sizeof *t->dims);
    t->file = ig_arena_printf(&ev->data.scratch, "%s/input-%zu.raw", ev->folder, i);
    if (!t->file) return IG_NOMEM(&cli->err, 0);
    return write_elements(cli, t->file, ingot_tensor_data(value), ingot_tensor_bytes(value));
}

ig_status ig_rivals_write_inputs(ig_evaluation *ev, const ig_driver_tensor **inputs, size_t *n)
{
    ig_driver_tensor *list =
        ig_arena_array(&ev->data.scratch, ev->engine.n_inputs + 1, sizeof *list);
    if (!list) return IG_NOMEM(&ev->cli->err, 0);
    *n = 0;
    for (size_t i = 0; i < ev->engine.n_inputs; i++)
        if (ev->engine.feeds[i]) IG_TRY(write_input(ev, i, &list[(*n)++]));
    *inputs = list;
    return INGOT_OK;
}

/* ---- answers ---- */

static void release_outputs(ig_eval_engine *rival)
{
    for (size_t i = 0; i < rival->n_outputs; i++) {
        ingot_value_destroy(rival->outputs[i].value);
        ig_file_close(&rival->outputs[i].file);
    }
    rival->n_outputs = 0;
    ig_arena_reset(&rival->scratch);
}

/* Drivers that do not know feed load again. */
static ig_status give_inputs(ig_evaluation *ev, ig_eval_engine *rival,
                             const ig_driver_inputs *inputs)
{
    ig_driver *d = &rival->driver;
    const ig_driver_task task = {
        .model = ev->model, .n_threads = ev->n_threads, .n_streams = 1, .is_dynamic = d->has_feed
    };
    if (rival->is_loaded && d->has_feed) return ig_driver_feed(d, inputs, &ev->cli->err);
    IG_TRY(ig_driver_load(d, &task, inputs, &ev->cli->err));
    rival->is_loaded = true;
    return INGOT_OK;
}

static ig_status ask(ig_evaluation *ev, ig_eval_engine *rival, const ig_driver_tensor *inputs,
                     size_t n_inputs, ig_driver_tensor **outputs, size_t *n_outputs)
{
    ig_error *err = &ev->cli->err;
    ig_samples ns = { .alloc = ev->cli->alloc };
    char *prefix =
        ig_arena_printf(&rival->scratch, "%s/%zu", ev->folder, (size_t)(rival - ev->engines));
    if (!prefix) return IG_NOMEM(err, 0);
    IG_TRY(give_inputs(ev, rival, &(ig_driver_inputs){ inputs, n_inputs }));
    ig_status status = ig_driver_run(&rival->driver, 1, &ns, err);
    if (!status) rival->run_ns += ns.v[0];
    ig_samples_free(&ns);
    IG_TRY(status);
    rival->n_items += ev->data.n;
    return ig_driver_outputs(&rival->driver, prefix, &rival->scratch, outputs, n_outputs, err);
}

static ig_status map_outputs(ig_evaluation *ev, ig_eval_engine *rival,
                             const ig_driver_tensor *outputs, size_t n, ig_answer *answer)
{
    ig_error *err = &ev->cli->err;
    const char **names = ig_arena_array(&rival->scratch, n + 1, sizeof *names);
    const ingot_value **values = ig_arena_array(&rival->scratch, n + 1, sizeof *values);
    rival->outputs = ig_arena_array(&rival->scratch, n + 1, sizeof *rival->outputs);
    if (!names || !values || !rival->outputs) return IG_NOMEM(err, 0);
    for (size_t i = 0; i < n; i++) {
        struct ig_eval_output *o = &rival->outputs[i];
        rival->n_outputs = i + 1;
        IG_TRY(ig_file_open(outputs[i].file, &o->file, err));
        IG_TRY(ingot_tensor_wrap(outputs[i].dtype, outputs[i].rank, outputs[i].dims,
                                 (void *)(uintptr_t)o->file.data, o->file.bytes, &o->value, err));
        names[i] = outputs[i].name;
        values[i] = o->value;
    }
    *answer = (ig_answer){ n, names, values, 0, ev->data.n_fed };
    return INGOT_OK;
}

void ig_rival_run(ig_evaluation *ev, ig_eval_engine *rival, const ig_driver_tensor *inputs,
                  size_t n_inputs, ig_answer *answer)
{
    ig_driver_tensor *outputs = NULL;
    size_t n_outputs = 0;
    release_outputs(rival);
    ig_status status = ask(ev, rival, inputs, n_inputs, &outputs, &n_outputs);
    if (!status) status = map_outputs(ev, rival, outputs, n_outputs, answer);
    if (status) ig_rival_give_up(ev, rival, IG_CONTENDER_FAILED, NULL);
}

void ig_rivals_stop(ig_evaluation *ev)
{
    for (size_t e = 1; e < ev->n_engines; e++) {
        ig_eval_engine *rival = &ev->engines[e];
        release_outputs(rival);
        if (rival->state == IG_CONTENDER_FINE && rival->driver.child.pid > 0)
            ig_driver_stop(&rival->driver);
        ig_arena_deinit(&rival->scratch);
    }
    ig_temporary_remove(ev->folder);
    if (ev->folder) ig_interrupt_hold(false);
    ev->folder = NULL;
}
