/* SPDX-License-Identifier: Apache-2.0 */
/* cold.c: fresh processes, with the model's files in the page cache and without. */
#include "bench/cold.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/child.h"

#define MIN_PROCESSES 6
#define MAX_PROCESSES 1000
#define PROCESS_TIMEOUT_S 600
#define MAX_STILL_CACHED 0.02

const char *const ig_cold_phases[IG_COLD_N_PHASES] = { "process",  "map",  "parse",
                                                       "optimise", "pack", "first" };

void ig_cold_result_init(ig_cold_result *r, ig_alloc *alloc)
{
    *r = (ig_cold_result){ 0 };
    for (size_t i = 0; i < IG_COLD_N_PHASES; i++) r->warm_ns[i].alloc = r->cold_ns[i].alloc = alloc;
    ig_str_init(&r->reasons, alloc);
}

void ig_cold_result_free(ig_cold_result *r)
{
    for (size_t i = 0; i < IG_COLD_N_PHASES; i++) {
        ig_samples_free(&r->warm_ns[i]);
        ig_samples_free(&r->cold_ns[i]);
    }
    ig_str_deinit(&r->reasons);
}

/* ---- the process that runs once ---- */

/* Mapped files of the model's folder: the model, and weights that lie beside it. */
static void put_files(const char *model, ig_json_writer *w)
{
    char line[PATH_MAX + 128], last[PATH_MAX] = "", folder[PATH_MAX] = "";
    FILE *maps = realpath(model, folder) ? fopen("/proc/self/maps", "re") : NULL;
    char *slash = strrchr(folder, '/');
    if (slash) slash[1] = '\0';
    ig_json_key(w, "files");
    ig_json_open(w, '[');
    while (maps && fgets(line, sizeof line, maps)) {
        const char *path = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (!path || strlen(path) >= sizeof last || strcmp(path, last) == 0) continue;
        if (strncmp(path, folder, strlen(folder)) != 0 || !strstr(line, " r--p ")) continue;
        snprintf(last, sizeof last, "%s", path);
        ig_json_cstr(w, path);
    }
    if (maps) fclose(maps);
    ig_json_close(w, ']');
}

void ig_cold_put_once(const ig_bench_report *b, ig_str *out)
{
    const double ms[IG_COLD_N_PHASES] = { 0,
                                          (double)b->info->map_ns * 1e-6,
                                          (double)b->info->parse_ns * 1e-6,
                                          (double)b->info->optimise_ns * 1e-6,
                                          b->result->pack_ns * 1e-6,
                                          b->result->first_ns * 1e-6 };
    ig_json_writer w;
    ig_json_begin(&w, out, -1);
    ig_json_open(&w, '{');
    for (size_t i = 1; i < IG_COLD_N_PHASES; i++) ig_json_put_number(&w, ig_cold_phases[i], ms[i]);
    put_files(b->model, &w);
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}

/* ---- many of them ---- */

static ig_status run_process(char *const *command, ig_arena *arena, double *process_ns,
                             const ig_json **facts, ig_error *err)
{
    ig_child child;
    const char *line = NULL;
    char words[200];
    size_t n = 0;
    const uint64_t begin_ns = ig_clock_ns();
    IG_TRY(ig_child_start(command, arena->alloc, &child, err));
    ig_status status = ig_child_read(&child, PROCESS_TIMEOUT_S, &line, &n, err);
    *process_ns = (double)(ig_clock_ns() - begin_ns); /* to its answer */
    if (!status) {
        /* Its text is used until the end. */
        const char *text = ig_arena_copy(arena, line, n);
        status = text ? ig_json_parse(arena, text, n, facts, err) : IG_NOMEM(err, n);
    }
    if (status && *ig_child_last_words(&child, words, sizeof words)) {
        ig_error_clear(err);
        status = ig_fail(err, INGOT_ERR_INVALID, "a fresh process failed: %s", words);
    }
    ig_child_stop(&child, 10);
    return status;
}

static ig_status keep(ig_samples *samples, double process_ns, const ig_json *facts, ig_error *err)
{
    IG_TRY(ig_samples_add(&samples[0], process_ns, err));
    for (size_t i = 1; i < IG_COLD_N_PHASES; i++) {
        const ig_json *ms = ig_json_get(facts, ig_cold_phases[i]);
        if (!ms || ms->kind != IG_JSON_NUMBER)
            return ig_fail(err, INGOT_ERR_INTERNAL, "a fresh process does not tell its phase '%s'",
                           ig_cold_phases[i]);
        IG_TRY(ig_samples_add(&samples[i], ms->number * 1e6, err));
    }
    return INGOT_OK;
}

static const char *path_of(const ig_json *file)
{
    return file->kind == IG_JSON_STRING ? file->string : "";
}

/* False, with the reason, where the files stay in memory or nobody tells. */
static bool empty_cache(const ig_json *files, char *why, size_t why_bytes)
{
    for (const ig_json *f = files ? files->child : NULL; f; f = f->next) {
        ig_file_uncache(path_of(f));
        const double share = ig_file_cached_share(path_of(f));
        if (share >= 0 && share <= MAX_STILL_CACHED) continue;
        const char *name = strrchr(path_of(f), '/');
        snprintf(why, why_bytes,
                 share < 0 ? "%.80s: the system does not tell what is cached"
                           : "%.80s stays in the page cache",
                 name ? name + 1 : path_of(f));
        return false;
    }
    return files && files->child;
}

static ig_status measure(char *const *command, const ig_bench_plan *plan, ig_arena *arena,
                         ig_cold_result *r, ig_error *err)
{
    const ig_json *facts = NULL, *files;
    double ns;
    IG_TRY(run_process(command, arena, &ns, &facts, err)); /* fills the cache, tells the files */
    files = ig_json_get(facts, "files");
    const uint64_t begin_ns = ig_clock_ns();
    for (int i = 0; i < MAX_PROCESSES; i++) {
        const double elapsed_s = (double)(ig_clock_ns() - begin_ns) * 1e-9;
        if (i >= MIN_PROCESSES && elapsed_s >= plan->duration_s) break;
        IG_TRY(run_process(command, arena, &ns, &facts, err));
        IG_TRY(keep(r->warm_ns, ns, facts, err));
        if (r->why_no_cold[0] || !empty_cache(files, r->why_no_cold, sizeof r->why_no_cold))
            continue;
        IG_TRY(run_process(command, arena, &ns, &facts, err));
        IG_TRY(keep(r->cold_ns, ns, facts, err));
    }
    return INGOT_OK;
}

ig_status ig_cold_measure(char *const *command, const ig_bench_plan *plan, ig_arena *arena,
                          ig_cold_result *r, ig_error *err)
{
    ig_noise_take(&r->before, NULL);
    IG_TRY(measure(command, plan, arena, r, err));
    ig_noise_take(&r->after, NULL);
    r->after.n_turns = (int64_t)(r->warm_ns[0].n + r->cold_ns[0].n);
    ig_noise_judge(&r->before, &r->after, 2, &r->reasons);
    for (size_t i = 0; i < IG_COLD_N_PHASES; i++) {
        ig_samples_sort(&r->warm_ns[i]);
        ig_samples_sort(&r->cold_ns[i]);
    }
    return INGOT_OK;
}

/* ---- reports ---- */

static void put_half(ig_json_writer *w, const char *key, const ig_samples *samples)
{
    ig_json_key(w, key);
    if (samples[0].n == 0) {
        ig_json_null(w);
        return;
    }
    ig_json_open(w, '{');
    ig_json_put_number(w, "processes", (double)samples[0].n);
    for (size_t i = 0; i < IG_COLD_N_PHASES; i++) {
        char name[32];
        const ig_quantile q = ig_quantile_of(&samples[i], 0.5, IG_BENCH_CONFIDENCE);
        snprintf(name, sizeof name, "%s_ms", ig_cold_phases[i]);
        ig_json_put_number(w, name, q.value * 1e-6);
    }
    ig_json_put_quantiles(w, "quantiles", &samples[0]);
    ig_json_put_samples_ms(w, "samples_ms", &samples[0]);
    ig_json_close(w, '}');
}

void ig_cold_put_json(const char *model, const ig_cold_result *r, ig_str *out)
{
    char cpu[300];
    ig_json_writer w;
    ig_json_begin(&w, out, 2);
    ig_json_open(&w, '{');
    ig_json_put_text(&w, "model", model);
    ig_json_put_text(&w, "scenario", "cold");
    ig_json_put_flag(&w, "valid", r->reasons.n == 0);
    ig_json_put_text(&w, "invalid_because", r->reasons.n ? ig_str_cstr(&r->reasons) : NULL);
    ig_json_put_text(&w, "precision", r->precision);
    ig_json_put_text(&w, "cpu", ingot_cpu_describe(cpu, sizeof cpu));
    ig_json_put_text(&w, "version", ingot_version());
    put_half(&w, "warm_cache", r->warm_ns);
    put_half(&w, "cold_cache", r->cold_ns);
    ig_json_put_text(&w, "no_cold_cache_because", r->why_no_cold[0] ? r->why_no_cold : NULL);
    ig_json_put_marks(&w, &r->before, &r->after);
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}

void ig_cold_put_csv(const char *model, const ig_cold_result *r, ig_str *out)
{
    ig_str_puts(out, "model,scenario,valid,cache,processes");
    for (size_t i = 0; i < IG_COLD_N_PHASES; i++) ig_str_printf(out, ",%s_ms", ig_cold_phases[i]);
    ig_str_putc(out, '\n');
    for (int half = 0; half < 2; half++) {
        const ig_samples *samples = half ? r->cold_ns : r->warm_ns;
        if (samples[0].n == 0) continue;
        ig_csv_put_text(out, model);
        ig_str_printf(out, ",cold,%s,%s,%zu", r->reasons.n ? "no" : "yes",
                      half ? "empty" : "filled", samples[0].n);
        for (size_t i = 0; i < IG_COLD_N_PHASES; i++)
            ig_str_printf(out, ",%.9g",
                          ig_quantile_of(&samples[i], 0.5, IG_BENCH_CONFIDENCE).value * 1e-6);
        ig_str_putc(out, '\n');
    }
}
