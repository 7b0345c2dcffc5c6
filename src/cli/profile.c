/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c: `ingot profile`: time per step and per operator, and a time line. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "cli/engine.h"
#include "cli/table.h"

#define DEFAULT_DURATION_S 1.0
#define DEFAULT_TOP 20
#define MIN_RUNS 3
#define PEAK_MS 60

typedef struct profile {
    ingot_step_info *steps;
    size_t n_steps;
    double total_ns;    /* of one run: the sum of all steps' averages */
    double peak_gflops; /* of all threads together */
} profile;

typedef struct op_sum {
    const char *op;
    size_t n;
    double ns, flops, bytes;
} op_sum;

static double average_ns(const ingot_step_info *s)
{
    return s->n_runs ? (double)s->total_ns / (double)s->n_runs : 0;
}

static int by_time(const void *a, const void *b)
{
    const double x = average_ns(a), y = average_ns(b);
    return x > y ? -1 : x < y;
}

static int by_sum(const void *a, const void *b)
{
    const double x = ((const op_sum *)a)->ns, y = ((const op_sum *)b)->ns;
    return x > y ? -1 : x < y;
}

/* ---- measuring ---- */

static ig_status measure(ig_cli *cli, ig_engine *e, profile *p)
{
    const double duration_s =
        cli->options.duration_s > 0 ? cli->options.duration_s : DEFAULT_DURATION_S;
    for (int i = 0; i < 2; i++) IG_TRY(ig_engine_run(cli, e)); /* prepares, warms */
    ingot_session_set_profiling(e->session, 1);
    const uint64_t begin_ns = ig_clock_ns();
    for (int i = 0; i < MIN_RUNS || (double)(ig_clock_ns() - begin_ns) < duration_s * 1e9; i++)
        IG_TRY(ig_engine_run(cli, e));
    ingot_session_set_profiling(e->session, 0);

    p->n_steps = ingot_session_n_steps(e->session);
    p->steps = ig_arena_array(&cli->arena, p->n_steps + 1, sizeof *p->steps);
    if (!p->steps) return IG_NOMEM(&cli->err, p->n_steps * sizeof *p->steps);
    for (size_t i = 0; i < p->n_steps; i++) {
        p->steps[i].struct_bytes = sizeof *p->steps;
        ingot_session_step(e->session, i, &p->steps[i]);
        p->total_ns += average_ns(&p->steps[i]);
    }
    p->peak_gflops = ingot_cpu_peak_gflops(PEAK_MS) * ingot_session_n_threads(e->session);
    return INGOT_OK;
}

/* ---- tables ---- */

/* Flops in a nanosecond are GFLOP/s. */
static void rate_cells(ig_table *t, double flops, double bytes, double ns, double peak)
{
    char text[32];
    ig_table_cell(t, "%s", flops > 0 && ns > 0 ? ig_format_count(flops / ns * 1e9, text) : "");
    if (flops > 0 && ns > 0 && peak > 0)
        ig_table_cell(t, "%.0f %%", 100 * flops / ns / peak);
    else
        ig_table_cell(t, "%s", "");
    ig_table_cell(t, "%s", bytes > 0 ? ig_format_bytes(bytes, text) : "");
}

static void put_steps(const profile *p, const ingot_step_info *sorted, size_t n, ig_alloc *alloc,
                      ig_str *out)
{
    static const char *const head[] = { "time",     "share",  "FLOP/s", "of peak", "moved",
                                        "operator", "output", "kernel", "node" };
    ig_table t;
    char text[32];
    ig_table_init(&t, alloc, (int)IG_COUNT(head));
    for (size_t c = 0; c < IG_COUNT(head); c++) {
        ig_table_cell(&t, "%s", head[c]);
        t.is_left[c] = c >= 5;
    }
    for (size_t i = 0; i < n; i++) {
        const ingot_step_info *s = &sorted[i];
        const double ns = average_ns(s);
        ig_table_cell(&t, "%s", ig_format_ns(ns, text));
        ig_table_cell(&t, "%.1f %%", p->total_ns > 0 ? 100 * ns / p->total_ns : 0);
        rate_cells(&t, (double)s->flops, (double)s->bytes, ns, p->peak_gflops);
        ig_table_cell(&t, "%s", s->op);
        ig_table_cell(&t, "%s", s->shape);
        ig_table_cell(&t, "%s", s->kernel);
        ig_table_cell(&t, "%s", s->node);
    }
    ig_table_put(&t, ig_dim(stdout), ig_plain(stdout), out);
    ig_table_deinit(&t);
}

static size_t sum_operators(const profile *p, op_sum *sums)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_steps; i++) {
        size_t k = 0;
        while (k < n && strcmp(sums[k].op, p->steps[i].op) != 0) k++;
        if (k == n) sums[n++] = (op_sum){ .op = p->steps[i].op };
        sums[k].n++;
        sums[k].ns += average_ns(&p->steps[i]);
        sums[k].flops += (double)p->steps[i].flops;
        sums[k].bytes += (double)p->steps[i].bytes;
    }
    qsort(sums, n, sizeof *sums, by_sum);
    return n;
}

static void put_operators(const profile *p, const op_sum *sums, size_t n, ig_alloc *alloc,
                          ig_str *out)
{
    static const char *const head[] = { "time",  "share", "FLOP/s",  "of peak",
                                        "moved", "steps", "operator" };
    ig_table t;
    char text[32];
    ig_table_init(&t, alloc, (int)IG_COUNT(head));
    t.is_left[6] = true;
    for (size_t c = 0; c < IG_COUNT(head); c++) ig_table_cell(&t, "%s", head[c]);
    for (size_t i = 0; i < n; i++) {
        ig_table_cell(&t, "%s", ig_format_ns(sums[i].ns, text));
        ig_table_cell(&t, "%.1f %%", p->total_ns > 0 ? 100 * sums[i].ns / p->total_ns : 0);
        rate_cells(&t, sums[i].flops, sums[i].bytes, sums[i].ns, p->peak_gflops);
        ig_table_cell(&t, "%zu", sums[i].n);
        ig_table_cell(&t, "%s", sums[i].op);
    }
    ig_table_put(&t, ig_dim(stdout), ig_plain(stdout), out);
    ig_table_deinit(&t);
}

static void put_text(const ig_cli *cli, const ig_engine *e, const profile *p,
                     const ingot_step_info *sorted, const op_sum *sums, size_t n_sums, ig_str *out)
{
    char text[32];
    const size_t top = cli->options.top ? (size_t)cli->options.top : DEFAULT_TOP;
    const size_t n = top < p->n_steps ? top : p->n_steps;
    ig_str_printf(out,
                  "%s%s%s: %s a run in %zu steps, %d thread%s, peak %.0f GFLOP/s (measured)\n\n",
                  ig_bold(stdout), e->path, ig_plain(stdout), ig_format_ns(p->total_ns, text),
                  p->n_steps, ingot_session_n_threads(e->session),
                  ingot_session_n_threads(e->session) == 1 ? "" : "s", p->peak_gflops);
    put_steps(p, sorted, n, cli->alloc, out);
    if (n < p->n_steps)
        ig_str_printf(out, "… and %zu faster steps (--top %zu shows all)\n", p->n_steps - n,
                      p->n_steps);
    ig_str_putc(out, '\n');
    put_operators(p, sums, n_sums, cli->alloc, out);
}

/* ---- JSON ---- */

static void json_rate(ig_json_writer *w, double ns, double flops, double bytes)
{
    ig_json_key(w, "ms");
    ig_json_number(w, ns * 1e-6);
    ig_json_key(w, "flops");
    ig_json_number(w, flops);
    ig_json_key(w, "bytes");
    ig_json_number(w, bytes);
}

static void json_text(ig_json_writer *w, const char *key, const char *text)
{
    ig_json_key(w, key);
    ig_json_cstr(w, text);
}

static void put_json(const ig_engine *e, const profile *p, const op_sum *sums, size_t n_sums,
                     ig_str *out)
{
    ig_json_writer w;
    ig_json_begin(&w, out, 2);
    ig_json_open(&w, '{');
    json_text(&w, "model", e->path);
    ig_json_key(&w, "threads");
    ig_json_int(&w, ingot_session_n_threads(e->session));
    ig_json_key(&w, "total_ms");
    ig_json_number(&w, p->total_ns * 1e-6);
    ig_json_key(&w, "peak_gflops");
    ig_json_number(&w, p->peak_gflops);
    ig_json_key(&w, "steps");
    ig_json_open(&w, '[');
    for (size_t i = 0; i < p->n_steps; i++) {
        const ingot_step_info *s = &p->steps[i];
        ig_json_open(&w, '{');
        json_text(&w, "node", s->node);
        json_text(&w, "operator", s->op);
        json_text(&w, "kernel", s->kernel);
        json_text(&w, "shape", s->shape);
        json_rate(&w, average_ns(s), (double)s->flops, (double)s->bytes);
        ig_json_key(&w, "min_ms");
        ig_json_number(&w, (double)s->min_ns * 1e-6);
        ig_json_close(&w, '}');
    }
    ig_json_close(&w, ']');
    ig_json_key(&w, "operators");
    ig_json_open(&w, '[');
    for (size_t i = 0; i < n_sums; i++) {
        ig_json_open(&w, '{');
        json_text(&w, "operator", sums[i].op);
        ig_json_key(&w, "steps");
        ig_json_int(&w, (int64_t)sums[i].n);
        json_rate(&w, sums[i].ns, sums[i].flops, sums[i].bytes);
        ig_json_close(&w, '}');
    }
    ig_json_close(&w, ']');
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}

/* Chrome's trace event format: one complete event a step, microseconds. */
static ig_status write_trace(ig_cli *cli, const profile *p)
{
    ig_json_writer w;
    ig_str text;
    ig_str_init(&text, cli->alloc);
    ig_json_begin(&w, &text, -1);
    ig_json_open(&w, '{');
    json_text(&w, "displayTimeUnit", "ms");
    ig_json_key(&w, "traceEvents");
    ig_json_open(&w, '[');
    for (size_t i = 0; i < p->n_steps; i++) {
        const ingot_step_info *s = &p->steps[i];
        ig_json_open(&w, '{');
        json_text(&w, "name", *s->node ? s->node : s->op);
        json_text(&w, "cat", s->op);
        json_text(&w, "ph", "X");
        ig_json_key(&w, "ts");
        ig_json_number(&w, (double)s->last_begin_ns * 1e-3);
        ig_json_key(&w, "dur");
        ig_json_number(&w, (double)(s->last_end_ns - s->last_begin_ns) * 1e-3);
        ig_json_key(&w, "pid");
        ig_json_int(&w, 1);
        ig_json_key(&w, "tid");
        ig_json_int(&w, 1);
        ig_json_key(&w, "args");
        ig_json_open(&w, '{');
        json_text(&w, "operator", s->op);
        json_text(&w, "kernel", s->kernel);
        json_text(&w, "output", s->shape);
        ig_json_key(&w, "flops");
        ig_json_int(&w, s->flops);
        ig_json_key(&w, "bytes");
        ig_json_int(&w, s->bytes);
        ig_json_close(&w, '}');
        ig_json_close(&w, '}');
    }
    ig_json_close(&w, ']');
    ig_json_close(&w, '}');
    ig_str_putc(&text, '\n');
    const ig_status status = ig_str_ok(&text)
                                 ? ig_write_file(cli->options.trace, text.data, text.n, &cli->err)
                                 : IG_NOMEM(&cli->err, text.n);
    ig_str_deinit(&text);
    return status;
}

static ig_status report(ig_cli *cli, const ig_engine *e, const profile *p)
{
    const size_t n = p->n_steps + 1;
    op_sum *sums = ig_arena_array(&cli->arena, n, sizeof *sums);
    ingot_step_info *sorted = ig_arena_copy(&cli->arena, p->steps, n * sizeof *sorted);
    if (!sums || !sorted) return IG_NOMEM(&cli->err, n * sizeof *sorted);
    ig_str out;
    ig_str_init(&out, cli->alloc);
    const size_t n_sums = sum_operators(p, sums);
    qsort(sorted, p->n_steps, sizeof *sorted, by_time);
    if (cli->options.json)
        put_json(e, p, sums, n_sums, &out);
    else
        put_text(cli, e, p, sorted, sums, n_sums, &out);
    const ig_status status = ig_print(cli, &out);
    ig_str_deinit(&out);
    return status;
}

ig_status ig_cli_profile(ig_cli *cli)
{
    const char *path;
    ig_engine engine;
    profile p = { 0 };
    IG_TRY(ig_cli_model_path(cli, 1, &path));
    ig_status status = ig_engine_open(cli, path, &engine);
    if (status == INGOT_OK) status = ig_engine_start(cli, &engine);
    if (status == INGOT_OK) status = ig_engine_feed_flags(cli, &engine);
    if (status == INGOT_OK) status = ig_engine_make_up(cli, &engine, -1);
    if (status == INGOT_OK) status = measure(cli, &engine, &p);
    if (status == INGOT_OK && cli->options.trace) status = write_trace(cli, &p);
    if (status == INGOT_OK) status = report(cli, &engine, &p);
    ig_engine_close(&engine);
    return status;
}
