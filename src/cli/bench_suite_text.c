/* SPDX-License-Identifier: Apache-2.0 */
/* bench_suite_text.c: several models for people: one table, then what it has no room for. */
#include <string.h>

#include "cli/bench_text.h"
#include "cli/bench_versus_text.h"

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void put_model(const ig_suite_row *row, ig_table *t)
{
    char text[32];
    const ig_versus *v = &row->versus;
    for (size_t i = 0; !row->has_failed && i < v->n; i++) {
        const ig_contender *c = &v->contenders[i];
        const bool is_fine = c->state == IG_CONTENDER_FINE;
        ig_table_cell(t, "%s", i ? "" : file_name(row->model));
        ig_versus_text_name(c, t);
        if (is_fine)
            ig_versus_text_quantile(&c->run_ns, 0.5, t);
        else
            ig_table_cell(t, "%s", ig_contender_state_name(c->state));
        ig_versus_text_estimate(c->has_ratio, &c->ratio, i && is_fine ? "too few rounds" : "", t);
        if (is_fine)
            ig_table_cell(t, "%.2g", c->difference.rms_error);
        else
            ig_table_cell(t, "%s", "");
        ig_table_cell(t, "%s",
                      is_fine ? ig_format_bytes((double)c->memory.peak_rss_bytes, text) : "");
        ig_table_cell(t, "%s", i == 0 && v->reasons.n ? "INVALID" : "");
    }
    if (!row->has_failed) return;
    ig_table_cell(t, "%s", file_name(row->model));
    ig_table_cell(t, "ingot");
    ig_table_cell(t, "failed");
    for (int i = 0; i < 4; i++) ig_table_cell(t, "%s", "");
}

static void put_means(const ig_suite *suite, ig_table *t)
{
    for (size_t k = 0; k < suite->n_means; k++) {
        const ig_suite_mean *m = &suite->means[k];
        ig_table_cell(t, "%s", k ? "" : "geometric mean");
        ig_table_cell(t, m->is_other_precision ? "%s [other precision]" : "%s", m->name);
        ig_table_cell(t, "%zu of %zu", m->n_models, suite->n);
        ig_versus_text_estimate(m->n_models > 0, &m->ratio, "", t);
        for (int i = 0; i < 2; i++) ig_table_cell(t, "%s", "");
        if (m->n_invalid)
            ig_table_cell(t, "%zu INVALID", m->n_invalid);
        else
            ig_table_cell(t, "%s", "");
    }
}

/* What the table has no room for: why a model failed or is invalid, why an engine did not run it.
 */
static void put_reasons(const ig_suite *suite, ig_str *out)
{
    for (size_t i = 0; i < suite->n; i++) {
        const ig_suite_row *row = &suite->rows[i];
        const ig_versus *v = &row->versus;
        if (row->has_failed) {
            ig_str_printf(out, "%s: failed: %s\n", file_name(row->model), row->why);
            continue;
        }
        if (v->reasons.n) {
            ig_str_printf(out, "%s: ", file_name(row->model));
            ig_bench_text_verdict(&v->reasons, out);
        }
        for (size_t k = 0; k < v->n; k++) {
            if (!v->contenders[k].state) continue;
            ig_str_printf(out, "%s: ", file_name(row->model));
            ig_versus_text_state(&v->contenders[k], out);
        }
    }
}

/* What each engine was told, from the first model that it ran. */
static void put_engines(const ig_suite *suite, ig_str *out)
{
    for (size_t k = 0; k <= suite->n_means; k++)
        for (size_t i = 0; i < suite->n; i++) {
            const ig_suite_row *row = &suite->rows[i];
            if (row->has_failed || row->versus.contenders[k].state) continue;
            ig_versus_text_settings(&row->versus.contenders[k], out);
            ig_str_putc(out, '\n');
            break;
        }
}

static const ig_versus *first_measured(const ig_suite *suite)
{
    for (size_t i = 0; i < suite->n; i++)
        if (!suite->rows[i].has_failed) return &suite->rows[i].versus;
    return NULL;
}

void ig_bench_text_suite(ig_cli *cli, const ig_suite *suite, ig_str *out)
{
    char cpu[300];
    ig_table t;
    const ig_versus *v = first_measured(suite);
    const ig_scenario scenario = suite->rows[0].versus.plan.scenario;
    const char *const head[] = { "model",
                                 "engine",
                                 scenario == IG_SCENARIO_COLD      ? "load and first"
                                 : scenario == IG_SCENARIO_OFFLINE ? "an inference"
                                                                   : "P50",
                                 "ratio",
                                 "rms error",
                                 "memory",
                                 "" };
    ig_table_init(&t, cli->alloc, (int)IG_COUNT(head));
    for (size_t i = 0; i < IG_COUNT(head); i++) ig_table_cell(&t, "%s", head[i]);
    t.is_left[0] = t.is_left[1] = t.is_left[6] = true;
    for (size_t i = 0; i < suite->n; i++) put_model(&suite->rows[i], &t);
    put_means(suite, &t);
    ig_table_put(&t, ig_dim(stdout), ig_plain(stdout), out);
    ig_table_deinit(&t);
    if (v) {
        ig_versus_text_legend(v, out);
        ig_str_printf(out, "%s, ", ig_scenario_name(scenario));
        ig_versus_text_threads(v, out);
        ig_str_puts(out, "; geometric means are of the models that both engines ran\n");
    }
    put_reasons(suite, out);
    if (v) put_engines(suite, out);
    ig_str_printf(out, "%s\n", ingot_cpu_describe(cpu, sizeof cpu));
}
