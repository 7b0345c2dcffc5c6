/* SPDX-License-Identifier: Apache-2.0 */
/* driver.c: the asking side of the driver protocol. Nothing that a driver answers is trusted. */
#include "bench/driver.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"

#define STOP_PATIENCE_S 2.0

/* ---- one question, one answer ---- */

/* What became of a process that went away, in words. */
static ig_status explain_end(ig_driver *d, ig_error *err)
{
    char words[160];
    siginfo_t info = { 0 };
    const struct timespec nap = { 0, 2000000 };
    const bool has_words = *ig_child_last_words(&d->child, words, sizeof words);
    /* Its pipes are closed: it is about to end, if it has not. */
    for (int i = 0; i < 250 && info.si_pid == 0; i++) {
        if (waitid(P_PID, (id_t)d->child.pid, &info, WEXITED | WNOHANG | WNOWAIT)) break;
        if (info.si_pid == 0) nanosleep(&nap, NULL);
    }
    ig_error_clear(err);
    if (info.si_pid == 0)
        return ig_fail(err, INGOT_ERR_IO, "closed its pipes%s%s", has_words ? ": " : "", words);
    if (info.si_code != CLD_EXITED)
        return ig_fail(err, INGOT_ERR_IO, "crashed: %s%s%s", strsignal(info.si_status),
                       has_words ? ": " : "", words);
    return ig_fail(err, INGOT_ERR_IO, "ended by itself with exit code %d%s%s", info.si_status,
                   has_words ? ": " : "", words);
}

static ig_status ask(ig_driver *d, const ig_str *question, ig_arena *arena, const ig_json **answer,
                     ig_error *err)
{
    const char *line = NULL;
    size_t n = 0;
    if (!ig_str_ok(question)) return IG_NOMEM(err, question->n);
    ig_status status = ig_child_write(&d->child, question->data, question->n, err);
    if (!status) status = ig_child_read(&d->child, d->timeout_s, &line, &n, err);
    if (status == INGOT_ERR_IO) return explain_end(d, err);
    IG_TRY(status);
    const char *text = ig_arena_copy(arena, line, n);
    if (!text) return IG_NOMEM(err, n);
    if (ig_json_parse(arena, text, n, answer, err) || (*answer)->kind != IG_JSON_OBJECT) {
        ig_error_clear(err);
        return ig_fail(err, INGOT_ERR_PARSE, "answers with garbage, not with a line of JSON");
    }
    const ig_json *ok = ig_json_get(*answer, "ok");
    if (ok && ok->kind == IG_JSON_TRUE) return INGOT_OK;
    const ig_json *why = ig_json_get(*answer, "error"), *install = ig_json_get(*answer, "install");
    if (install && install->kind == IG_JSON_STRING)
        d->install = ig_arena_strdup(d->arena, install->string);
    if (why && why->kind == IG_JSON_STRING)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "%.400s", why->string);
    return ig_fail(err, INGOT_ERR_PARSE, "answers neither \"ok\": true nor an \"error\"");
}

static void begin(ig_driver *d, ig_str *text, ig_json_writer *w, const char *what)
{
    ig_str_init(text, d->arena->alloc);
    ig_json_begin(w, text, -1);
    ig_json_open(w, '{');
    ig_json_key(w, "do");
    ig_json_cstr(w, what);
}

static ig_status end(ig_driver *d, ig_str *text, ig_json_writer *w, ig_arena *arena,
                     const ig_json **answer, ig_error *err)
{
    ig_json_close(w, '}');
    const ig_status status = ask(d, text, arena, answer, err);
    ig_str_deinit(text);
    return status;
}

/* ---- the questions ---- */

ig_status ig_driver_start(ig_driver *d, const char *name, char *const *command, double timeout_s,
                          bool (*is_cancelled)(void), ig_arena *arena, ig_error *err)
{
    const ig_json *answer = NULL;
    ig_str text;
    ig_json_writer w;
    *d = (ig_driver){ .name = name,
                      .engine = name,
                      .version = "?",
                      .precision = "?",
                      .timeout_s = timeout_s,
                      .arena = arena };
    ig_arena_init(&d->scratch, arena->alloc, INGOT_MEM_OTHER);
    IG_TRY(ig_child_start(command, arena->alloc, &d->child, err));
    d->child.is_cancelled = is_cancelled;
    begin(d, &text, &w, "hello");
    ig_json_key(&w, "protocol");
    ig_json_int(&w, IG_DRIVER_PROTOCOL);
    IG_TRY(end(d, &text, &w, d->arena, &answer, err));
    const ig_json *protocol = ig_json_get(answer, "protocol");
    if (!protocol || protocol->number != IG_DRIVER_PROTOCOL)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "does not speak version %d of the protocol",
                       IG_DRIVER_PROTOCOL);
    d->engine = ig_json_text(answer, "engine", name);
    d->version = ig_json_text(answer, "version", "?");
    const ig_json *feed = ig_json_get(answer, "feed");
    d->has_feed = feed && feed->kind == IG_JSON_TRUE;
    return INGOT_OK;
}

static void put_tensor(ig_json_writer *w, const ig_driver_tensor *t)
{
    ig_json_open(w, '{');
    ig_json_key(w, "name");
    ig_json_cstr(w, t->name);
    ig_json_key(w, "dtype");
    ig_json_cstr(w, ingot_dtype_name(t->dtype));
    ig_json_key(w, "shape");
    ig_json_open(w, '[');
    for (int i = 0; i < t->rank; i++) ig_json_int(w, t->dims[i]);
    ig_json_close(w, ']');
    ig_json_key(w, "file");
    ig_json_cstr(w, t->file);
    ig_json_close(w, '}');
}

void ig_driver_put_settings(const ig_driver *d, ig_json_writer *w)
{
    ig_json_open(w, '{');
    for (const ig_json *m = d->settings ? d->settings->child : NULL; m; m = m->next) {
        ig_json_key(w, m->key);
        switch (m->kind) {
        case IG_JSON_STRING: ig_json_string(w, m->string, m->string_bytes); break;
        case IG_JSON_NUMBER: ig_json_number(w, m->number); break;
        case IG_JSON_TRUE:
        case IG_JSON_FALSE: ig_json_bool(w, m->kind == IG_JSON_TRUE); break;
        default: ig_json_null(w);
        }
    }
    ig_json_close(w, '}');
}

static void put_inputs(ig_json_writer *w, const ig_driver_inputs *inputs)
{
    ig_json_key(w, "inputs");
    ig_json_open(w, '[');
    for (size_t i = 0; i < inputs->n; i++) put_tensor(w, &inputs->tensors[i]);
    ig_json_close(w, ']');
}

ig_status ig_driver_load(ig_driver *d, const ig_driver_task *task, const ig_driver_inputs *inputs,
                         ig_error *err)
{
    const ig_json *answer = NULL;
    ig_str text;
    ig_json_writer w;
    begin(d, &text, &w, "load");
    ig_json_key(&w, "model");
    ig_json_cstr(&w, task->model);
    ig_json_key(&w, "threads");
    ig_json_int(&w, task->n_threads);
    if (task->n_streams > 1) {
        ig_json_key(&w, "streams");
        ig_json_int(&w, task->n_streams);
    }
    if (task->is_dynamic) {
        ig_json_key(&w, "dynamic");
        ig_json_bool(&w, true);
    }
    put_inputs(&w, inputs);
    const uint64_t begin_ns = ig_clock_ns();
    IG_TRY(end(d, &text, &w, d->arena, &answer, err));
    d->load_ns = (double)(ig_clock_ns() - begin_ns);
    const ig_json *load = ig_json_get(answer, "load_ns"); /* without reading the inputs */
    if (load && load->kind == IG_JSON_NUMBER && load->number > 0 && load->number <= d->load_ns)
        d->load_ns = load->number;
    d->precision = ig_json_text(answer, "precision", "?");
    const ig_json *settings = ig_json_get(answer, "settings");
    if (settings && settings->kind == IG_JSON_OBJECT) d->settings = settings;
    return INGOT_OK;
}

ig_status ig_driver_feed(ig_driver *d, const ig_driver_inputs *inputs, ig_error *err)
{
    const ig_json *answer = NULL;
    ig_str text;
    ig_json_writer w;
    ig_arena_reset(&d->scratch);
    begin(d, &text, &w, "feed");
    put_inputs(&w, inputs);
    return end(d, &text, &w, &d->scratch, &answer, err);
}

/* Times are an engine's own word; more than there was cannot be. */
static ig_status check_claim(double ns, double passed_ns, ig_error *err)
{
    if (ns <= 1.001 * passed_ns) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "claims %.3f ms of runs while %.3f ms passed", ns * 1e-6,
                   passed_ns * 1e-6);
}

ig_status ig_driver_run(ig_driver *d, size_t n_runs, ig_samples *ns, ig_error *err)
{
    const ig_json *answer = NULL;
    ig_str text;
    ig_json_writer w;
    ig_arena_reset(&d->scratch);
    begin(d, &text, &w, "run");
    ig_json_key(&w, "runs");
    ig_json_int(&w, (int64_t)n_runs);
    const uint64_t begin_ns = ig_clock_ns();
    IG_TRY(end(d, &text, &w, &d->scratch, &answer, err));
    const double passed_ns = (double)(ig_clock_ns() - begin_ns);
    const ig_json *list = ig_json_get(answer, "ns");
    double sum = 0;
    size_t n = 0;
    for (const ig_json *t = list ? list->child : NULL; t; t = t->next, n++) {
        if (t->kind != IG_JSON_NUMBER || !(t->number > 0))
            return ig_fail(err, INGOT_ERR_PARSE, "answers a time that is no positive number");
        sum += t->number;
        IG_TRY(ig_samples_add(ns, t->number, err));
    }
    if (n != n_runs)
        return ig_fail(err, INGOT_ERR_PARSE, "answers %zu times to %zu runs", n, n_runs);
    return check_claim(sum, passed_ns, err);
}

ig_status ig_driver_offline(ig_driver *d, size_t n_runs, double *ns, ig_error *err)
{
    const ig_json *answer = NULL;
    ig_str text;
    ig_json_writer w;
    ig_arena_reset(&d->scratch);
    begin(d, &text, &w, "offline");
    ig_json_key(&w, "runs");
    ig_json_int(&w, (int64_t)n_runs);
    const uint64_t begin_ns = ig_clock_ns();
    IG_TRY(end(d, &text, &w, &d->scratch, &answer, err));
    const double passed_ns = (double)(ig_clock_ns() - begin_ns);
    const ig_json *total = ig_json_get(answer, "ns");
    if (!total || total->kind != IG_JSON_NUMBER || !(total->number > 0))
        return ig_fail(err, INGOT_ERR_PARSE, "answers a time that is no positive number");
    *ns = total->number;
    return check_claim(*ns, passed_ns, err);
}

static ig_status read_tensor(const ig_json *json, ig_driver_tensor *t, ig_error *err)
{
    const ig_json *shape = ig_json_get(json, "shape");
    *t = (ig_driver_tensor){ .name = ig_json_text(json, "name", NULL),
                             .file = ig_json_text(json, "file", NULL) };
    t->dtype = ingot_dtype_parse(ig_json_text(json, "dtype", ""));
    if (!t->name || !t->file || !t->dtype || !shape || shape->kind != IG_JSON_ARRAY)
        return ig_fail(err, INGOT_ERR_PARSE,
                       "answers an output without name, file, dtype or shape");
    for (const ig_json *d = shape->child; d; d = d->next) {
        if (t->rank == INGOT_MAX_RANK || d->kind != IG_JSON_NUMBER || d->number < 0 ||
            d->number > 0x1p40)
            return ig_fail(err, INGOT_ERR_PARSE, "answers an impossible shape of output '%.60s'",
                           t->name);
        t->dims[t->rank++] = (int64_t)d->number;
    }
    return INGOT_OK;
}

ig_status ig_driver_outputs(ig_driver *d, const char *folder, ig_arena *arena,
                            ig_driver_tensor **outputs, size_t *n_outputs, ig_error *err)
{
    const ig_json *answer = NULL;
    ig_str text;
    ig_json_writer w;
    size_t n = 0;
    begin(d, &text, &w, "outputs");
    ig_json_key(&w, "folder");
    ig_json_cstr(&w, folder);
    IG_TRY(end(d, &text, &w, arena, &answer, err));
    const ig_json *list = ig_json_get(answer, "outputs");
    for (const ig_json *o = list ? list->child : NULL; o; o = o->next) n++;
    *outputs = ig_arena_array(arena, n + 1, sizeof **outputs);
    if (!*outputs) return IG_NOMEM(err, n * sizeof **outputs);
    *n_outputs = 0;
    for (const ig_json *o = list ? list->child : NULL; o; o = o->next)
        IG_TRY(read_tensor(o, &(*outputs)[(*n_outputs)++], err));
    return INGOT_OK;
}

/* ---- life ---- */

void ig_driver_pause(ig_driver *d, bool is_paused)
{
    if (d->child.pid > 0) kill(d->child.pid, is_paused ? SIGSTOP : SIGCONT);
}

void ig_driver_stop(ig_driver *d)
{
    ig_arena_deinit(&d->scratch);
    if (d->child.pid <= 0) return;
    ig_driver_pause(d, false);
    ig_child_stop(&d->child, STOP_PATIENCE_S);
}
