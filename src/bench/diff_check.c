/* SPDX-License-Identifier: Apache-2.0 */
/* diff_check.c: may two reports be compared? */
#include <string.h>

#include "bench/diff.h"

const char *ig_diff_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static ig_status check_report(const ig_json *json, const char *which, ig_error *err)
{
    const ig_json *valid = ig_json_get(json, "valid");
    if (!valid || !*ig_json_text(json, "model", ""))
        return ig_fail(err, INGOT_ERR_INVALID, "the %s file is no report of ingot bench --json",
                       which);
    if (valid->kind != IG_JSON_TRUE)
        return ig_fail(err, INGOT_ERR_INVALID, "the %s report is INVALID: %.300s", which,
                       ig_json_text(json, "invalid_because", ""));
    return INGOT_OK;
}

static ig_status check_same_number(const ig_json *a, const ig_json *b, const char *key,
                                   ig_error *err)
{
    if (ig_json_value(a, key, 0) == ig_json_value(b, key, 0)) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "different %s: %g and %g", key, ig_json_value(a, key, 0),
                   ig_json_value(b, key, 0));
}

/* Sizes of --vary, flag by flag. */
static ig_status check_shapes(const ig_json *a, const ig_json *b, ig_error *err)
{
    const ig_json *x = ig_json_get(a, "vary"), *y = ig_json_get(b, "vary");
    x = x ? x->child : NULL;
    y = y ? y->child : NULL;
    for (; x && y; x = x->next, y = y->next)
        if (x->kind != IG_JSON_STRING || y->kind != IG_JSON_STRING ||
            strcmp(x->string, y->string) != 0)
            break;
    if (!x && !y) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID, "different shapes: give both the same --vary");
}

/* What makes the load of a scenario. */
static ig_status check_load(const ig_json *a, const ig_json *b, ig_error *err)
{
    const ig_json *of_a = ig_json_get(a, "settings"), *of_b = ig_json_get(b, "settings");
    const ig_json *reports[] = { a, b };
    IG_TRY(check_same_number(a, b, "threads", err));
    IG_TRY(check_same_number(a, b, "streams", err));
    IG_TRY(check_same_number(of_a, of_b, "sessions", err));
    IG_TRY(check_shapes(a, b, err));
    if (ig_json_value(of_a, "rate_per_s", 0) != ig_json_value(of_b, "rate_per_s", 0))
        return ig_fail(err, INGOT_ERR_INVALID,
                       "different rates: %g and %g requests a second; give both the same --rate",
                       ig_json_value(of_a, "rate_per_s", 0), ig_json_value(of_b, "rate_per_s", 0));
    for (size_t i = 0; i < IG_COUNT(reports); i++) {
        const ig_json *overloaded = ig_json_get(reports[i], "overloaded");
        if (overloaded && overloaded->kind == IG_JSON_TRUE)
            return ig_fail(err, INGOT_ERR_INVALID,
                           "the %s report is of an overloaded server, whose waiting has no bound: "
                           "give both a lower --rate",
                           i ? "second" : "first");
    }
    return INGOT_OK;
}

ig_status ig_diff_check_pair(const ig_json *a, const ig_json *b, ig_error *err)
{
    static const char *const keys[] = { "scenario", "precision", "cpu" };
    IG_TRY(check_report(a, "first", err));
    IG_TRY(check_report(b, "second", err));
    /* The same model may lie elsewhere. */
    if (strcmp(ig_diff_file_name(ig_json_text(a, "model", "")),
               ig_diff_file_name(ig_json_text(b, "model", ""))) != 0)
        return ig_fail(err, INGOT_ERR_INVALID, "different models: %.100s and %.100s",
                       ig_diff_file_name(ig_json_text(a, "model", "")),
                       ig_diff_file_name(ig_json_text(b, "model", "")));
    for (size_t i = 0; i < IG_COUNT(keys); i++)
        if (strcmp(ig_json_text(a, keys[i], ""), ig_json_text(b, keys[i], "")) != 0)
            return ig_fail(err, INGOT_ERR_INVALID, "different %s: %.150s and %.150s", keys[i],
                           ig_json_text(a, keys[i], ""), ig_json_text(b, keys[i], ""));
    return check_load(a, b, err);
}
