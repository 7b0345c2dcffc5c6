/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c: what changed between two reports, and how surely. */
#include "bench/diff.h"

#include <string.h>

#define SEED 1
#define OWN_NAME "ingot"
#define MAX_PARTS 1000 /* models of a report, engines of a model */

const char *ig_diff_verdict_name(ig_diff_verdict verdict)
{
    static const char *const names[] = {
        "same", "faster", "slower", "unsure", "broken", "skipped"
    };
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

/* ---- rows ---- */

/* What grows while reports are read. */
typedef struct diff_rows {
    ig_diff_row *rows;
    size_t n, room;
    double gate;
    ig_arena *arena;
} diff_rows;

static ig_diff_row *add_row(diff_rows *d, const char *name, bool is_rival, ig_error *err)
{
    if (d->n == d->room) {
        const size_t room = 2 * d->room + 16;
        ig_diff_row *rows = ig_arena_array(d->arena, room, sizeof *rows);
        if (!rows) {
            ig_fail(err, INGOT_ERR_NOMEM, "out of memory for %zu rows", room);
            return NULL;
        }
        if (d->n) memcpy(rows, d->rows, d->n * sizeof *rows);
        d->rows = rows;
        d->room = room;
    }
    d->rows[d->n] = (ig_diff_row){ .name = name, .is_rival = is_rival };
    return &d->rows[d->n++];
}

static ig_status add_time(const ig_json *n, const char *name, ig_samples *out, ig_error *err)
{
    if (!n || n->kind != IG_JSON_NUMBER || !(n->number > 0))
        return ig_fail(err, INGOT_ERR_INVALID, "%s: a time that is no positive number", name);
    return ig_samples_add(out, n->number, err);
}

static ig_status check_count(const ig_samples *s, const char *name, ig_error *err)
{
    if (s->n >= IG_DIFF_MIN_WINDOWS) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "%s: not enough samples, %zu of %d; measure longer",
                   name, s->n, IG_DIFF_MIN_WINDOWS);
}

/* A list of positive numbers. */
static ig_status read_list(const ig_json *list, const char *name, ig_samples *out, ig_error *err)
{
    for (const ig_json *n = list ? list->child : NULL; n; n = n->next)
        IG_TRY(add_time(n, name, out, err));
    return check_count(out, name, err);
}

/* Of each shape that both reports have run so: that of `key`. */
static ig_status read_shapes(const ig_json *before, const ig_json *after, const char *key,
                             const char *name, ig_samples *a, ig_samples *b, ig_error *err)
{
    const ig_json *x = before ? before->child : NULL, *y = after ? after->child : NULL;
    for (; x && y; x = x->next, y = y->next) {
        const ig_json *of_x = ig_json_get(x, key), *of_y = ig_json_get(y, key);
        if (!of_x || !of_y || of_x->kind == IG_JSON_NULL || of_y->kind == IG_JSON_NULL) continue;
        IG_TRY(add_time(of_x, name, a, err));
        IG_TRY(add_time(of_y, name, b, err));
    }
    return check_count(a, name, err);
}

static ig_status conclude(diff_rows *d, ig_diff_row *row, ig_samples *a, ig_samples *b,
                          bool is_paired, ig_error *err)
{
    const size_t n = a->n > b->n ? a->n : b->n;
    double *scratch = ig_arena_array(d->arena, n + IG_BENCH_N_RESAMPLES, sizeof *scratch);
    if (!scratch) return IG_NOMEM(err, n * sizeof *scratch);
    if (is_paired)
        row->ratio = ig_bootstrap_paired(a->v, b->v, n, IG_BENCH_CONFIDENCE, SEED, scratch);
    else
        row->ratio = ig_bootstrap_ratio(a->v, a->n, b->v, b->n, IG_BENCH_CONFIDENCE, SEED, scratch);
    row->before_ms = ig_median(a->v, a->n);
    row->after_ms = ig_median(b->v, b->n);
    row->verdict = ig_diff_judge(&row->ratio, d->gate);
    return INGOT_OK;
}

/* Lists of times, or with a key of times of the same shapes. */
static ig_status diff_lists(diff_rows *d, const char *name, bool is_rival, const ig_json *before,
                            const ig_json *after, const char *key, ig_error *err)
{
    ig_samples a = { .alloc = d->arena->alloc }, b = { .alloc = d->arena->alloc };
    ig_diff_row *row = add_row(d, name, is_rival, err);
    ig_status status = row ? INGOT_OK : err->status;
    if (!status && key) status = read_shapes(before, after, key, name, &a, &b, err);
    if (!status && !key) status = read_list(before, name, &a, err);
    if (!status && !key) status = read_list(after, name, &b, err);
    if (!status) status = conclude(d, row, &a, &b, key != NULL, err);
    ig_samples_free(&a);
    ig_samples_free(&b);
    return status;
}

static ig_status diff_shapes(diff_rows *d, const char *engine, bool is_rival, const ig_json *a,
                             const ig_json *b, ig_error *err)
{
    const ig_json *before = ig_json_get(a, "shapes"), *after = ig_json_get(b, "shapes");
    const char *first = ig_arena_printf(d->arena, "%s, shape first seen", engine);
    const char *again = ig_arena_printf(d->arena, "%s, seen before", engine);
    if (!first || !again) return IG_NOMEM(err, 0);
    IG_TRY(diff_lists(d, first, is_rival, before, after, "first_ms", err));
    return diff_lists(d, again, is_rival, before, after, "again_ms", err);
}

/* ---- reports ---- */

static ig_status check_size(const ig_json *list, const char *what, ig_error *err)
{
    size_t n = 0;
    for (const ig_json *i = list ? list->child : NULL; i; i = i->next) n++;
    if (n <= MAX_PARTS) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_LIMIT, "a report of %zu %s; at most %d are compared", n, what,
                   MAX_PARTS);
}

static const ig_json *find_engine(const ig_json *report, const char *name)
{
    const ig_json *engines = ig_json_get(report, "engines");
    for (const ig_json *e = engines ? engines->child : NULL; e; e = e->next)
        if (strcmp(ig_json_text(e, "name", ""), name) == 0 &&
            strcmp(ig_json_text(e, "state", ""), "fine") == 0)
            return e;
    return NULL;
}

static ig_status diff_engine(diff_rows *d, const char *name, const ig_json *a, const ig_json *b,
                             bool is_dynamic, ig_error *err)
{
    const bool is_rival = strcmp(name, OWN_NAME) != 0;
    if (is_dynamic) return diff_shapes(d, name, is_rival, a, b, err);
    return diff_lists(d, name, is_rival, ig_json_get(a, "windows_ms"), ig_json_get(b, "windows_ms"),
                      NULL, err);
}

static ig_status diff_engines(diff_rows *d, const ig_json *a, const ig_json *b, bool is_dynamic,
                              ig_error *err)
{
    IG_TRY(check_size(ig_json_get(a, "engines"), "engines", err));
    IG_TRY(check_size(ig_json_get(b, "engines"), "engines", err));
    for (const ig_json *e = ig_json_get(a, "engines")->child; e; e = e->next) {
        const char *name = ig_json_text(e, "name", "");
        const ig_json *one = find_engine(a, name), *other = find_engine(b, name);
        if (one != e || !other) continue;
        if (strcmp(ig_json_text(e, "precision", ""), ig_json_text(other, "precision", "")) != 0)
            continue;
        IG_TRY(diff_engine(d, name, e, other, is_dynamic, err));
    }
    return INGOT_OK;
}

static ig_status diff_cold(diff_rows *d, const ig_json *a, const ig_json *b, ig_error *err)
{
    static const char *const halves[] = { "warm_cache", "cold_cache" };
    for (size_t i = 0; i < IG_COUNT(halves); i++) {
        const ig_json *before = ig_json_get(ig_json_get(a, halves[i]), "samples_ms");
        const ig_json *after = ig_json_get(ig_json_get(b, halves[i]), "samples_ms");
        if (!before || !after) continue; /* not measured */
        IG_TRY(diff_lists(d, halves[i], false, before, after, NULL, err));
    }
    return INGOT_OK;
}

static ig_status diff_pair(diff_rows *d, const ig_json *a, const ig_json *b, ig_error *err)
{
    IG_TRY(ig_diff_check_pair(a, b, err));
    const char *scenario = ig_json_text(a, "scenario", "");
    const bool is_dynamic = strcmp(scenario, "dynamic") == 0;
    if (ig_json_get(a, "engines") && ig_json_get(b, "engines"))
        return diff_engines(d, a, b, is_dynamic, err);
    if (strcmp(scenario, "cold") == 0) return diff_cold(d, a, b, err);
    return diff_engine(d, OWN_NAME, a, b, is_dynamic, err);
}

/* ---- several models ---- */

/* By its path, else by its file's name. */
static const ig_json *find_model(const ig_json *reports, const char *path)
{
    for (const ig_json *r = reports->child; r; r = r->next)
        if (strcmp(ig_json_text(r, "model", ""), path) == 0) return r;
    for (const ig_json *r = reports->child; r; r = r->next)
        if (strcmp(ig_diff_file_name(ig_json_text(r, "model", "")), ig_diff_file_name(path)) == 0)
            return r;
    return NULL;
}

static ig_status add_remark(diff_rows *d, ig_diff_verdict verdict, const char *why, ig_error *err)
{
    ig_diff_row *row = add_row(d, OWN_NAME, false, err);
    if (!row) return err->status;
    row->verdict = verdict;
    row->why = ig_arena_strdup(d->arena, why);
    return row->why ? INGOT_OK : IG_NOMEM(err, 0);
}

static ig_status diff_model(diff_rows *d, const ig_json *a, const ig_json *b, ig_error *err)
{
    char why[sizeof err->message];
    const size_t n = d->n;
    ig_status status = INGOT_OK;
    if (ig_json_get(a, "error"))
        status = add_remark(d, IG_DIFF_SKIPPED, ig_json_text(a, "error", ""), err);
    else if (ig_json_get(b, "error"))
        status = add_remark(d, IG_DIFF_BROKEN, ig_json_text(b, "error", ""), err);
    else if ((status = diff_pair(d, a, b, err)) && status != INGOT_ERR_NOMEM) {
        memcpy(why, err->message, sizeof why);
        ig_error_clear(err);
        d->n = n;
        status = add_remark(d, IG_DIFF_SKIPPED, why, err);
    }
    for (size_t i = n; i < d->n; i++)
        d->rows[i].model = ig_diff_file_name(ig_json_text(a, "model", ""));
    return status;
}

static ig_status diff_models(diff_rows *d, const ig_json *a, const ig_json *b, ig_error *err)
{
    IG_TRY(check_size(a, "models", err));
    IG_TRY(check_size(b, "models", err));
    for (const ig_json *r = a->child; r; r = r->next) {
        const ig_json *other = find_model(b, ig_json_text(r, "model", ""));
        if (other) IG_TRY(diff_model(d, r, other, err));
    }
    return INGOT_OK;
}

ig_status ig_diff_reports(const ig_json *a, const ig_json *b, double gate, ig_arena *arena,
                          ig_diff_row **rows, size_t *n_rows, ig_error *err)
{
    const ig_json *of_a = ig_json_get(a, "models"), *of_b = ig_json_get(b, "models");
    diff_rows d = { .gate = gate, .arena = arena };
    if (!of_a != !of_b)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "the %s report is of several models, the other of one",
                       of_a ? "first" : "second");
    IG_TRY(of_a ? diff_models(&d, of_a, of_b, err) : diff_pair(&d, a, b, err));
    *rows = d.rows;
    *n_rows = d.n;
    if (d.n) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "the reports have nothing in common");
}
