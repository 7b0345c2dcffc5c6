/* SPDX-License-Identifier: Apache-2.0 */
/* bench_vary.c: inputs for every size of --vary. */
#include <stdlib.h>
#include <string.h>

#include "cli/bench.h"

#define MAX_VARIANTS 1024

/* The next size of "8..256" or "16,32,64"; false at the end, *is_wrong when it is no such list. */
static bool next_size(const char **p, int64_t *size, int64_t *until, bool *is_wrong)
{
    char *end;
    if (*size < *until) {
        (*size)++;
        return true;
    }
    if (**p == '\0') return false;
    *size = strtoll(*p, &end, 10);
    *is_wrong = end == *p || *size < 0 || *size > 1000000000;
    *until = *size;
    if (strncmp(end, "..", 2) == 0) {
        const char *high = end + 2;
        *until = strtoll(high, &end, 10);
        *is_wrong = *is_wrong || end == high || *until < *size || *until > 1000000000;
    }
    *is_wrong = *is_wrong || (*end != '\0' && *end != ',');
    *p = *end == ',' ? end + 1 : end;
    return !*is_wrong;
}

/* Give the dimension of this name a size, wherever inputs have it. */
static bool set_dim(ig_engine *e, const char *name, size_t n_name, int64_t size)
{
    bool is_used = false;
    for (size_t i = 0; i < e->n_inputs; i++)
        for (int d = 0; d < e->inputs[i].rank; d++) {
            const char *dim = e->inputs[i].dim_names[d];
            if (!dim || strlen(dim) != n_name || strncmp(dim, name, n_name) != 0) continue;
            e->shapes[i].dims[d] = size;
            is_used = true;
        }
    return is_used;
}

static ig_status add_variant(ig_cli *cli, ig_engine *e, ig_feeds *variants, size_t *n)
{
    const ingot_value **values = ig_arena_array(&cli->arena, e->n_inputs + 1, sizeof *values);
    if (*n == MAX_VARIANTS) return ig_cli_usage(cli, "--vary: more than %d shapes", MAX_VARIANTS);
    if (!values) return IG_NOMEM(&cli->err, e->n_inputs * sizeof *values);
    variants[*n] = (ig_feeds){ values, e->n_inputs };
    (*n)++;
    for (size_t i = 0; i < e->n_inputs; i++) {
        ingot_value *made = NULL;
        if (!e->feeds[i] && !e->inputs[i].has_default)
            IG_TRY(ig_value_make_up(&e->inputs[i], &e->shapes[i], cli->options.seed + i, NULL,
                                    &made, &cli->err));
        values[i] = made ? made : e->feeds[i];
    }
    return INGOT_OK;
}

/* Every combination of the sizes of flags k, k + 1, … */
static ig_status vary(ig_cli *cli, ig_engine *e, size_t k, ig_feeds *variants, size_t *n)
{
    if (k == cli->options.vary.n) return add_variant(cli, e, variants, n);
    const char *text = cli->options.vary.items[k], *equals = strchr(text, '=');
    int64_t size = 0, until = 0;
    bool is_wrong = !equals || equals[1] == '\0';
    for (const char *p = equals ? equals + 1 : "";
         !is_wrong && next_size(&p, &size, &until, &is_wrong);) {
        if (!set_dim(e, text, (size_t)(equals - text), size))
            return ig_cli_usage(cli, "--vary: no input of %s has a dimension '%.*s'", e->path,
                                (int)(equals - text), text);
        IG_TRY(vary(cli, e, k + 1, variants, n));
    }
    if (is_wrong)
        return ig_cli_usage(cli, "--vary: '%s' is not DIM=SIZES, as in seq=8..256 or seq=16,32",
                            text);
    return INGOT_OK;
}

ig_status ig_bench_make_variants(ig_cli *cli, ig_engine *e, ig_feeds **variants, size_t *n)
{
    *n = 0;
    *variants = ig_arena_array(&cli->arena, MAX_VARIANTS, sizeof **variants);
    if (!*variants) return IG_NOMEM(&cli->err, MAX_VARIANTS * sizeof **variants);
    if (cli->options.vary.n) return vary(cli, e, 0, *variants, n);
    IG_TRY(ig_engine_make_up(cli, e, -1));
    (*variants)[(*n)++] = (ig_feeds){ e->feeds, e->n_inputs };
    return INGOT_OK;
}

void ig_bench_free_variants(const ig_engine *e, const ig_feeds *variants, size_t n)
{
    for (size_t v = 0; v < n; v++)
        for (size_t i = 0; i < e->n_inputs; i++)
            if (variants[v].values[i] && variants[v].values[i] != e->feeds[i])
                ingot_value_destroy((ingot_value *)(uintptr_t)variants[v].values[i]);
}
