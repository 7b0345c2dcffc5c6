/* SPDX-License-Identifier: Apache-2.0 */
/* bench_diff.c: `ingot bench diff BEFORE.json AFTER.json`. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "bench/diff.h"
#include "bench/report.h"
#include "cli/bench.h"
#include "cli/table.h"

#define MAX_GATE 10.0

/* "3%" or "0.03"; 0 when the flag is absent. */
static ig_status gate_of(ig_cli *cli, double *gate)
{
    const char *text = cli->options.gate;
    char *end = NULL;
    *gate = 0;
    if (!text) return INGOT_OK;
    *gate = strtod(text, &end);
    if (end != text && *end == '%') {
        *gate /= 100;
        end++;
    }
    if (end == text || *end || !(*gate >= 0 && *gate <= MAX_GATE))
        return ig_cli_usage(cli, "--gate: '%s' is not a share such as 3%%", text);
    return INGOT_OK;
}

static ig_status write_junit(ig_cli *cli, const ig_diff_row *rows, size_t n, double gate)
{
    ig_bench_files files;
    if (!cli->options.junit) return INGOT_OK;
    ig_bench_files_init(&files, cli->alloc);
    ig_junit_add_diff(&files.junit, rows, n, gate);
    const ig_status status = ig_bench_files_write(cli, &files);
    ig_bench_files_deinit(&files);
    return status;
}

static ig_status read_report(ig_cli *cli, const char *path, const ig_json **out)
{
    ig_file file = { 0 };
    IG_TRY(ig_file_open(path, &file, &cli->err));
    const char *text = ig_arena_copy(&cli->arena, file.data, file.bytes);
    ig_status status = text ? ig_json_parse(&cli->arena, text, file.bytes, out, &cli->err)
                            : IG_NOMEM(&cli->err, file.bytes);
    if (status) ig_error_prepend(&cli->err, "%s", path);
    ig_file_close(&file);
    return status;
}

static void put_json(const ig_diff_row *rows, size_t n, double gate, ig_str *out)
{
    ig_json_writer w;
    ig_json_begin(&w, out, 2);
    ig_json_open(&w, '{');
    ig_json_put_number(&w, "gate", gate);
    ig_json_key(&w, "rows");
    ig_json_open(&w, '[');
    for (size_t i = 0; i < n; i++) {
        ig_json_open(&w, '{');
        if (rows[i].model) ig_json_put_text(&w, "model", rows[i].model);
        ig_json_put_text(&w, "name", rows[i].name);
        const bool is_compared = rows[i].before_ms > 0; /* else null */
        ig_json_put_number(&w, "before_ms", is_compared ? rows[i].before_ms : NAN);
        ig_json_put_number(&w, "after_ms", is_compared ? rows[i].after_ms : NAN);
        ig_json_put_number(&w, "ratio", is_compared ? rows[i].ratio.value : NAN);
        ig_json_put_number(&w, "low", is_compared ? rows[i].ratio.low : NAN);
        ig_json_put_number(&w, "high", is_compared ? rows[i].ratio.high : NAN);
        ig_json_put_text(&w, "verdict", ig_diff_verdict_name(rows[i].verdict));
        if (rows[i].why) ig_json_put_text(&w, "why", rows[i].why);
        ig_json_close(&w, '}');
    }
    ig_json_close(&w, ']');
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}

static void put_row(const ig_diff_row *row, ig_table *t)
{
    char text[32];
    if (row->why) {
        for (int i = 0; i < 3; i++) ig_table_cell(t, "%s", "");
    } else {
        ig_table_cell(t, "%s", ig_format_ns(row->before_ms * 1e6, text));
        ig_table_cell(t, "%s", ig_format_ns(row->after_ms * 1e6, text));
        ig_table_cell(t, "%.3f (%.3f to %.3f)", row->ratio.value, row->ratio.low, row->ratio.high);
    }
    ig_table_cell(t, "%s", ig_diff_verdict_name(row->verdict));
}

static void put_text(ig_cli *cli, const ig_diff_row *rows, size_t n, double gate, ig_str *out)
{
    static const char *const head[] = {
        "model", "", "before", "after", "after / before", "verdict"
    };
    const size_t skip = n && rows[0].model ? 0 : 1; /* one model is not named in every line */
    ig_table t;
    ig_table_init(&t, cli->alloc, (int)(IG_COUNT(head) - skip));
    for (size_t c = skip; c < IG_COUNT(head); c++) ig_table_cell(&t, "%s", head[c]);
    t.is_left[0] = t.is_left[1 - skip] = t.is_left[5 - skip] = true;
    for (size_t i = 0; i < n; i++) {
        const bool is_same = i && rows[i].model == rows[i - 1].model;
        if (!skip) ig_table_cell(&t, "%s", is_same ? "" : rows[i].model);
        ig_table_cell(&t, "%s", rows[i].name);
        put_row(&rows[i], &t);
    }
    ig_table_put(&t, ig_dim(stdout), ig_plain(stdout), out);
    ig_table_deinit(&t);
    for (size_t i = 0; i < n; i++)
        if (rows[i].why)
            ig_str_printf(out, "%s: %s: %s\n", rows[i].model, ig_diff_verdict_name(rows[i].verdict),
                          rows[i].why);
    ig_str_printf(out,
                  "gate %.3g %%: slower and faster are sure, by 95 %% intervals of the ratio\n",
                  100 * gate);
}

ig_status ig_cli_bench_diff(ig_cli *cli)
{
    const ig_text_list *operands = &cli->options.operands;
    const ig_json *before = NULL, *after = NULL;
    ig_diff_row *rows = NULL;
    size_t n = 0;
    double gate = 0;
    ig_str out;
    if (cli->options.report)
        return ig_cli_usage(cli, "--report: of measurements; ingot bench diff has --json");
    if (operands->n != 3)
        return ig_cli_usage(cli, "usage: ingot bench diff BEFORE.json AFTER.json [--gate 3%%]");
    IG_TRY(gate_of(cli, &gate));
    IG_TRY(read_report(cli, operands->items[1], &before));
    IG_TRY(read_report(cli, operands->items[2], &after));
    IG_TRY(ig_diff_reports(before, after, gate, &cli->arena, &rows, &n, &cli->err));
    for (size_t i = 0; cli->options.gate && i < n; i++)
        if ((rows[i].verdict == IG_DIFF_SLOWER || rows[i].verdict == IG_DIFF_BROKEN) &&
            !rows[i].is_rival)
            cli->has_failed_inputs = true; /* exit code 1 */
    ig_str_init(&out, cli->alloc);
    if (cli->options.json)
        put_json(rows, n, gate, &out);
    else
        put_text(cli, rows, n, gate, &out);
    ig_status status = ig_print(cli, &out);
    if (!status) status = write_junit(cli, rows, n, gate);
    ig_str_deinit(&out);
    return status;
}
