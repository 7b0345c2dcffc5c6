/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c: what changed between two reports, and how surely. */
#include "bench/diff.h"

#include <string.h>

#define MAX_ROWS 32
#define SEED 1

const char *ig_diff_verdict_name(ig_diff_verdict verdict)
{
    static const char *const names[] = { "same", "faster", "slower", "unsure" };
    return names[verdict];
}

ig_diff_verdict ig_diff_judge(const ig_estimate *ratio, double gate)
{
    const double slower = 1 + gate, faster = 1 / (1 + gate);
    if (ratio->low > slower) return IG_DIFF_SLOWER;
    if (ratio->high < faster) return IG_DIFF_FASTER;
    if (gate > 0 && (ratio->high > slower || ratio->low < faster)) return IG_DIFF_UNSURE;
    return IG_DIFF_SAME;
}

/* ---- may they be compared? ---- */

static const char *text_of(const ig_json *json, const char *key)
{
    const ig_json *member = ig_json_get(json, key);
    return member && member->kind == IG_JSON_STRING ? member->string : "";
}

static double number_of(const ig_json *json, const char *key)
{
    const ig_json *member = ig_json_get(json, key);
    return member && member->kind == IG_JSON_NUMBER ? member->number : 0;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static ig_status check_report(const ig_json *json, const char *which, ig_error *err)
{
    const ig_json *valid = ig_json_get(json, "valid");
    if (!valid || !*text_of(json, "model"))
        return ig_fail(err, INGOT_ERR_INVALID, "the %s file is no report of ingot bench --json",
                       which);
    if (valid->kind != IG_JSON_TRUE)
        return ig_fail(err, INGOT_ERR_INVALID, "the %s report is INVALID: %.300s", which,
                       text_of(json, "invalid_because"));
    return INGOT_OK;
}

static ig_status check_pair(const ig_json *a, const ig_json *b, ig_error *err)
{
    static const char *const keys[] = { "scenario", "precision", "cpu" };
    IG_TRY(check_report(a, "first", err));
    IG_TRY(check_report(b, "second", err));
    /* The same model may lie elsewhere. */
    if (strcmp(file_name(text_of(a, "model")), file_name(text_of(b, "model"))) != 0)
        return ig_fail(err, INGOT_ERR_INVALID, "different models: %.100s and %.100s",
                       file_name(text_of(a, "model")), file_name(text_of(b, "model")));
    for (size_t i = 0; i < IG_COUNT(keys); i++)
        if (strcmp(text_of(a, keys[i]), text_of(b, keys[i])) != 0)
            return ig_fail(err, INGOT_ERR_INVALID, "different %s: %.150s and %.150s", keys[i],
                           text_of(a, keys[i]), text_of(b, keys[i]));
    if (number_of(a, "threads") != number_of(b, "threads"))
        return ig_fail(err, INGOT_ERR_INVALID, "different threads: %g and %g",
                       number_of(a, "threads"), number_of(b, "threads"));
    return INGOT_OK;
}

/* ---- rows ---- */

/* A list of positive numbers. */
static ig_status read_list(const ig_json *list, const char *name, ig_samples *out, ig_error *err)
{
    for (const ig_json *n = list ? list->child : NULL; n; n = n->next) {
        if (n->kind != IG_JSON_NUMBER || !(n->number > 0))
            return ig_fail(err, INGOT_ERR_INVALID, "%s: a time that is no positive number", name);
        IG_TRY(ig_samples_add(out, n->number, err));
    }
    if (out->n >= IG_DIFF_MIN_WINDOWS) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "%s: not enough samples, %zu of %d; measure longer",
                   name, out->n, IG_DIFF_MIN_WINDOWS);
}

static ig_status bootstrap(ig_samples *a, ig_samples *b, double gate, ig_arena *arena,
                           ig_diff_row *row, ig_error *err)
{
    const size_t n = a->n > b->n ? a->n : b->n;
    double *scratch = ig_arena_array(arena, n + IG_BENCH_N_RESAMPLES, sizeof *scratch);
    if (!scratch) return IG_NOMEM(err, n * sizeof *scratch);
    row->ratio = ig_bootstrap_ratio(a->v, a->n, b->v, b->n, IG_BENCH_CONFIDENCE, SEED, scratch);
    row->before_ms = ig_median(a->v, a->n);
    row->after_ms = ig_median(b->v, b->n);
    row->verdict = ig_diff_judge(&row->ratio, gate);
    return INGOT_OK;
}

static ig_status fill_row(const char *name, const ig_json *before, const ig_json *after,
                          double gate, ig_arena *arena, ig_diff_row *row, ig_error *err)
{
    ig_samples a = { .alloc = arena->alloc }, b = { .alloc = arena->alloc };
    *row = (ig_diff_row){ .name = name };
    ig_status status = read_list(before, name, &a, err);
    if (!status) status = read_list(after, name, &b, err);
    if (!status) status = bootstrap(&a, &b, gate, arena, row, err);
    ig_samples_free(&a);
    ig_samples_free(&b);
    return status;
}

static const ig_json *find_engine(const ig_json *report, const char *name)
{
    const ig_json *engines = ig_json_get(report, "engines");
    for (const ig_json *e = engines ? engines->child : NULL; e; e = e->next)
        if (strcmp(text_of(e, "name"), name) == 0 && strcmp(text_of(e, "state"), "fine") == 0)
            return e;
    return NULL;
}

static ig_status diff_engines(const ig_json *a, const ig_json *b, double gate, ig_arena *arena,
                              ig_diff_row *rows, size_t *n_rows, ig_error *err)
{
    for (const ig_json *e = ig_json_get(a, "engines")->child; e && *n_rows < MAX_ROWS;
         e = e->next) {
        const char *name = text_of(e, "name");
        const ig_json *other = find_engine(b, name);
        if (!other || !find_engine(a, name)) continue;
        if (strcmp(text_of(e, "precision"), text_of(other, "precision")) != 0) continue;
        IG_TRY(fill_row(name, ig_json_get(e, "windows_ms"), ig_json_get(other, "windows_ms"), gate,
                        arena, &rows[(*n_rows)++], err));
    }
    return INGOT_OK;
}

static ig_status diff_cold(const ig_json *a, const ig_json *b, double gate, ig_arena *arena,
                           ig_diff_row *rows, size_t *n_rows, ig_error *err)
{
    static const char *const halves[] = { "warm_cache", "cold_cache" };
    for (size_t i = 0; i < IG_COUNT(halves); i++) {
        const ig_json *before = ig_json_get(ig_json_get(a, halves[i]), "samples_ms");
        const ig_json *after = ig_json_get(ig_json_get(b, halves[i]), "samples_ms");
        if (!before || !after) continue; /* not measured */
        IG_TRY(fill_row(halves[i], before, after, gate, arena, &rows[(*n_rows)++], err));
    }
    return INGOT_OK;
}

ig_status ig_diff_reports(const ig_json *a, const ig_json *b, double gate, ig_arena *arena,
                          ig_diff_row **rows, size_t *n_rows, ig_error *err)
{
    const char *scenario = text_of(a, "scenario");
    *n_rows = 0;
    *rows = ig_arena_array(arena, MAX_ROWS, sizeof **rows);
    if (!*rows) return IG_NOMEM(err, MAX_ROWS * sizeof **rows);
    IG_TRY(check_pair(a, b, err));
    if (ig_json_get(a, "engines") && ig_json_get(b, "engines"))
        IG_TRY(diff_engines(a, b, gate, arena, *rows, n_rows, err));
    else if (strcmp(scenario, "cold") == 0)
        IG_TRY(diff_cold(a, b, gate, arena, *rows, n_rows, err));
    else if (strcmp(scenario, "single") == 0 || strcmp(scenario, "multi") == 0)
        IG_TRY(fill_row("ingot", ig_json_get(a, "windows_ms"), ig_json_get(b, "windows_ms"), gate,
                        arena, &(*rows)[(*n_rows)++], err));
    else
        return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                       "only scenarios single, multi and cold can be compared, not %.40s",
                       scenario);
    if (*n_rows) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "the reports have nothing in common");
}
