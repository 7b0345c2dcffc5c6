/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c: `ingot bench`: flags to a plan, the plan to src/bench, its results to standard output.
 */
#include <string.h>

#include "base/clock.h"
#include "bench/child.h"
#include "bench/versus.h"
#include "cli/bench.h"
#include "cli/bench_text.h"

#define DEFAULT_DURATION_S 3.0
#define DEFAULT_MIN_RUNS 6
#define DEFAULT_RETRIES 2
#define STABILITY 0.05

static ig_bench_plan plan_of(const ig_options *o)
{
    return (ig_bench_plan){
        .scenario = (ig_scenario)o->scenario,
        .duration_s = o->duration_s > 0 ? o->duration_s : DEFAULT_DURATION_S,
        .min_runs = o->min_runs ? (size_t)o->min_runs : DEFAULT_MIN_RUNS,
        .stability = STABILITY,
        .n_sessions = o->n_sessions,
        .rate = o->rate,
        .seed = o->seed,
        .n_retries = o->n_retries >= 0 ? o->n_retries : DEFAULT_RETRIES,
    };
}

static ig_status check_flags(ig_cli *cli)
{
    const ig_options *o = &cli->options;
    const ig_scenario scenario = (ig_scenario)o->scenario;
    const bool has_sessions = scenario == IG_SCENARIO_MULTI || scenario == IG_SCENARIO_SERVER ||
                              scenario == IG_SCENARIO_OFFLINE;
    if (o->n_sessions && !has_sessions)
        return ig_cli_usage(cli, "--sessions: only multi, server and offline have several");
    if (o->rate > 0 && scenario != IG_SCENARIO_SERVER)
        return ig_cli_usage(cli, "--rate: requests arrive in --scenario server alone");
    if (o->vary.n && scenario != IG_SCENARIO_DYNAMIC)
        return ig_cli_usage(cli, "--vary: shapes vary in --scenario dynamic alone");
    if (!o->vary.n && scenario == IG_SCENARIO_DYNAMIC)
        return ig_cli_usage(cli, "--scenario dynamic needs --vary DIM=SIZES, as in seq=8..256");
    if (o->roofline && scenario == IG_SCENARIO_COLD)
        return ig_cli_usage(cli, "--roofline: not of --scenario cold");
    if (o->vs && o->roofline) return ig_cli_usage(cli, "--vs: without --roofline");
    if (o->vs && ig_versus_refusal(scenario))
        return ig_cli_usage(cli, "--vs: not with --scenario %s: %s", ig_scenario_name(scenario),
                            ig_versus_refusal(scenario));
    if (o->json && o->csv) return ig_cli_usage(cli, "--json and --csv: one of them");
    return INGOT_OK;
}

/* ---- one model, in this process ---- */

ig_status ig_bench_roofline(ig_cli *cli, ig_engine *e, const ig_feeds *feeds, ig_roofline *roof)
{
    IG_TRY(ig_engine_start(cli, e));
    return ig_roofline_measure(e->session, feeds, &cli->arena, roof, &cli->err);
}

static ig_status report(ig_cli *cli, const ig_engine *e, const ig_bench_report *b)
{
    ig_str out;
    ig_str_init(&out, cli->alloc);
    if (cli->options.once)
        ig_cold_put_once(b, &out);
    else if (cli->options.json)
        ig_bench_put_json(b, &out);
    else if (cli->options.csv)
        ig_bench_put_csv(b, &out);
    else
        ig_bench_text(e, b, &out);
    const ig_status status = ig_print(cli, &out);
    ig_str_deinit(&out);
    return status;
}

/* Prepare, run, and nothing else. */
static ig_status run_once(ig_cli *cli, ig_engine *e, ig_bench_result *r)
{
    IG_TRY(ig_engine_start(cli, e));
    uint64_t begin_ns = ig_clock_ns();
    IG_TRY(ingot_session_prepare(e->session, e->feeds, e->n_inputs, &cli->err));
    r->pack_ns = (double)(ig_clock_ns() - begin_ns);
    begin_ns = ig_clock_ns();
    IG_TRY(ingot_session_run(e->session, e->feeds, e->n_inputs, &cli->err));
    r->first_ns = (double)(ig_clock_ns() - begin_ns);
    return INGOT_OK;
}

/* Before the text: that puts the steps of the roofline into another order. */
static ig_status add_to_files(ig_cli *cli, const ig_bench_report *b, ig_bench_files *files)
{
    ig_view view;
    if (cli->options.once || !ig_bench_files_are_wanted(cli)) return INGOT_OK;
    IG_TRY(ig_view_of_bench(b, &cli->arena, &view, &cli->err));
    ig_bench_files_add(files, &view);
    return INGOT_OK;
}

static ig_status measure(ig_cli *cli, ig_engine *e, const ig_feeds *variants, size_t n_variants,
                         ig_bench_files *files)
{
    ingot_model_info info = { .struct_bytes = sizeof info };
    ig_roofline roof;
    ig_bench_result r;
    const ig_bench_plan plan = plan_of(&cli->options);
    ig_bench_subject subject = { .model = e->model,
                                 .session = INGOT_SESSION_OPTIONS_INIT,
                                 .variants = variants,
                                 .n_variants = n_variants };
    subject.session.n_threads = cli->options.n_threads;
    subject.session.seed = cli->options.seed;
    subject.session.timeout_ms = (int64_t)(cli->options.timeout_s * 1000);
    ig_bench_result_init(&r, cli->alloc);
    ig_bench_report b = { .model = e->path,
                          .vary = cli->options.vary.items,
                          .n_vary = cli->options.vary.n,
                          .load_ns = (double)e->load_ns,
                          .info = &info,
                          .result = &r };
    ig_status status =
        cli->options.once ? run_once(cli, e, &r) : ig_bench_measure(&subject, &plan, &r, &cli->err);
    if (!status && (cli->options.roofline || cli->options.report) && !cli->options.once) {
        status = ig_bench_roofline(cli, e, &variants[0], &roof);
        b.roofline = &roof;
    }
    if (status) ig_error_prepend(&cli->err, "%s", e->path);
    ingot_model_get_info(e->model, &info);
    if (!status) status = add_to_files(cli, &b, files);
    if (!cli->options.roofline) b.roofline = NULL;
    if (!status) status = report(cli, e, &b);
    ig_bench_result_free(&r);
    return status;
}

static ig_status bench_here(ig_cli *cli, const char *path, ig_bench_files *files)
{
    ig_engine e;
    ig_feeds *variants = NULL;
    size_t n = 0;
    ig_status status = ig_engine_open(cli, path, &e);
    if (!status) status = ig_engine_feed_flags(cli, &e);
    if (!status) status = ig_bench_make_variants(cli, &e, &variants, &n);
    if (!status) status = measure(cli, &e, variants, n, files);
    ig_bench_free_variants(&e, variants, n);
    ig_engine_close(&e);
    return status;
}

/* ---- fresh processes ---- */

static ig_status bench_cold(ig_cli *cli, const char *path, ig_bench_files *files)
{
    ig_cold_result r;
    ig_view view;
    ig_str out;
    size_t n = 0;
    const ig_bench_plan plan = plan_of(&cli->options);
    char **command = ig_own_command(&cli->arena, 1, &n, &cli->err);
    if (!command) return cli->err.status;
    command[n] = (char *)(uintptr_t) "--once";
    ig_cold_result_init(&r, cli->alloc);
    r.precision = ingot_precision_name((ingot_precision)cli->options.precision);
    ig_str_init(&out, cli->alloc);
    ig_status status = ig_cold_measure(command, &plan, &cli->arena, &r, &cli->err);
    if (!status && ig_bench_files_are_wanted(cli) &&
        !(status = ig_view_of_cold(path, &plan, &r, &cli->arena, &view, &cli->err)))
        ig_bench_files_add(files, &view);
    if (!status) {
        if (cli->options.json)
            ig_cold_put_json(path, &r, &out);
        else if (cli->options.csv)
            ig_cold_put_csv(path, &r, &out);
        else
            ig_bench_text_cold(path, &r, &out);
        status = ig_print(cli, &out);
    }
    ig_str_deinit(&out);
    ig_cold_result_free(&r);
    return status;
}

/* Several models are compared, with other engines or with each other: a process each. */
static ig_status check_several(ig_cli *cli)
{
    const ig_options *o = &cli->options;
    const char *why = ig_versus_refusal((ig_scenario)o->scenario);
    if (o->once || o->roofline)
        return ig_cli_usage(cli, "--%s: of one model alone", o->once ? "once" : "roofline");
    if (!why) return INGOT_OK;
    return ig_cli_usage(cli, "--scenario %s: of one model alone, not '%s', too",
                        ig_scenario_name((ig_scenario)o->scenario), o->operands.items[1]);
}

static ig_status bench_models(ig_cli *cli, ig_bench_files *files)
{
    const ig_text_list *operands = &cli->options.operands;
    const ig_bench_plan plan = plan_of(&cli->options);
    if (operands->n > 1) IG_TRY(check_several(cli));
    if (operands->n > 1 || cli->options.vs) return ig_cli_bench_versus(cli, operands, &plan, files);
    if (cli->options.scenario == IG_SCENARIO_COLD && !cli->options.once)
        return bench_cold(cli, operands->items[0], files);
    return bench_here(cli, operands->items[0], files);
}

ig_status ig_cli_bench(ig_cli *cli)
{
    const char *path;
    ig_bench_files files;
    const ig_text_list *operands = &cli->options.operands;
    if (cli->options.driver) return ig_cli_bench_driver(cli);
    IG_TRY(ig_bench_files_check(cli));
    if (operands->n && strcmp(operands->items[0], "diff") == 0) return ig_cli_bench_diff(cli);
    if (cli->options.gate) return ig_cli_usage(cli, "--gate: of ingot bench diff alone");
    IG_TRY(check_flags(cli));
    IG_TRY(ig_cli_model_path(cli, SIZE_MAX, &path));
    ig_bench_files_init(&files, cli->alloc);
    ig_status status = bench_models(cli, &files);
    if (!status && !cli->options.once) status = ig_bench_files_write(cli, &files);
    ig_bench_files_deinit(&files);
    return status;
}
