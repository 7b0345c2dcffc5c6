/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c: `ingot bench`: the distribution of one inference's time. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "cli/engine.h"
#include "cli/table.h"

#define DEFAULT_DURATION_S 3.0
#define WARM_UP_SHARE 0.2 /* of the duration, before anything counts */
#define MIN_RUNS 5
#define MAX_SAMPLES 4000000

typedef struct result {
    uint64_t first_ns, total_ns, load_ns;
    uint64_t *samples; /* sorted */
    size_t n, cap;
    size_t peak_rss_bytes;
    int n_threads;
} result;

/* Largest resident set of this process so far, as the kernel has counted it. */
static size_t peak_rss_bytes(void)
{
    char line[256];
    size_t kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "re");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %zu", &kilobytes) == 1) break;
    fclose(file);
    return kilobytes * 1024;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Nearest rank: the smallest sample that at least this share does not exceed. */
static double percentile_ms(const result *r, double share)
{
    size_t rank = (size_t)(share * (double)r->n + 0.999999);
    if (rank < 1) rank = 1;
    if (rank > r->n) rank = r->n;
    return (double)r->samples[rank - 1] / 1e6;
}

static ig_status add_sample(ig_cli *cli, result *r, uint64_t ns)
{
    if (r->n == r->cap) {
        const size_t cap = r->cap ? 2 * r->cap : 4096;
        uint64_t *samples = ig_alloc_get(cli->alloc, cap * sizeof *samples, 0, INGOT_MEM_OTHER);
        if (!samples) return IG_NOMEM(&cli->err, cap * sizeof *samples);
        if (r->samples) memcpy(samples, r->samples, r->n * sizeof *samples);
        ig_alloc_put(cli->alloc, r->samples, r->cap * sizeof *samples, INGOT_MEM_OTHER);
        r->samples = samples;
        r->cap = cap;
    }
    r->samples[r->n++] = ns;
    return INGOT_OK;
}

static ig_status run_once(ig_cli *cli, ig_engine *e, uint64_t *ns)
{
    const uint64_t begin_ns = ig_clock_ns();
    IG_TRY(ig_engine_run(cli, e));
    *ns = ig_clock_ns() - begin_ns;
    return INGOT_OK;
}

static ig_status measure(ig_cli *cli, ig_engine *e, result *r)
{
    const double duration_s =
        cli->options.duration_s > 0 ? cli->options.duration_s : DEFAULT_DURATION_S;
    const uint64_t duration_ns = (uint64_t)(duration_s * 1e9);
    uint64_t ns = 0;
    IG_TRY(run_once(cli, e, &r->first_ns));
    uint64_t begin_ns = ig_clock_ns();
    while ((double)(ig_clock_ns() - begin_ns) < (double)duration_ns * WARM_UP_SHARE)
        IG_TRY(run_once(cli, e, &ns));
    begin_ns = ig_clock_ns();
    while ((ig_clock_ns() - begin_ns < duration_ns || r->n < MIN_RUNS) && r->n < MAX_SAMPLES) {
        IG_TRY(run_once(cli, e, &ns));
        IG_TRY(add_sample(cli, r, ns));
    }
    r->total_ns = ig_clock_ns() - begin_ns;
    qsort(r->samples, r->n, sizeof *r->samples, by_value);
    r->load_ns = e->load_ns;
    r->n_threads = ingot_session_n_threads(e->session);
    r->peak_rss_bytes = peak_rss_bytes();
    return INGOT_OK;
}

static void put_json(const ig_engine *e, const result *r, ig_str *out)
{
    char cpu[300];
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        { "load_ms", (double)r->load_ns / 1e6 },
        { "first_ms", (double)r->first_ns / 1e6 },
        { "p50_ms", percentile_ms(r, 0.5) },
        { "p90_ms", percentile_ms(r, 0.9) },
        { "p99_ms", percentile_ms(r, 0.99) },
        { "min_ms", (double)r->samples[0] / 1e6 },
        { "max_ms", (double)r->samples[r->n - 1] / 1e6 },
        { "inferences", (double)r->n },
        { "inferences_per_s", (double)r->n / ((double)r->total_ns * 1e-9) },
        { "peak_rss_bytes", (double)r->peak_rss_bytes },
        { "threads", r->n_threads },
    };
    ig_json_writer w;
    ig_json_begin(&w, out, 2);
    ig_json_open(&w, '{');
    ig_json_key(&w, "model");
    ig_json_cstr(&w, e->path);
    for (size_t i = 0; i < IG_COUNT(numbers); i++) {
        ig_json_key(&w, numbers[i].key);
        ig_json_number(&w, numbers[i].value);
    }
    ig_json_key(&w, "precision");
    ig_json_cstr(&w, "fp32");
    ig_json_key(&w, "cpu");
    ig_json_cstr(&w, ingot_cpu_describe(cpu, sizeof cpu));
    ig_json_key(&w, "version");
    ig_json_cstr(&w, ingot_version());
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}

static void put_text(const ig_engine *e, const result *r, ig_str *out)
{
    char cpu[300], bytes[32];
    ig_str_printf(out, "%s%s%s\n", ig_bold(stdout), e->path, ig_plain(stdout));
    for (size_t i = 0; i < e->n_inputs; i++) {
        if (!e->feeds[i]) continue;
        ig_str_printf(out, "%-17s%s  ", i ? "" : "input", e->inputs[i].name);
        ig_describe_value(e->feeds[i], out);
        ig_str_putc(out, '\n');
    }
    ig_str_printf(out, "%-17s%.2f ms\n", "load", (double)r->load_ns / 1e6);
    ig_str_printf(out, "%-17s%.2f ms\n", "first inference", (double)r->first_ns / 1e6);
    ig_str_printf(out, "%-17sP50 %.3f ms   P90 %.3f ms   P99 %.3f ms   (%zu runs)\n", "inference",
                  percentile_ms(r, 0.5), percentile_ms(r, 0.9), percentile_ms(r, 0.99), r->n);
    ig_str_printf(out, "%-17s%.1f inferences/s\n", "rate",
                  (double)r->n / ((double)r->total_ns * 1e-9));
    ig_str_printf(out, "%-17s%s\n", "peak memory",
                  ig_format_bytes((double)r->peak_rss_bytes, bytes));
    ig_str_printf(out, "%-17s%d thread%s, fp32, %s\n", "with", r->n_threads,
                  r->n_threads == 1 ? "" : "s", ingot_cpu_describe(cpu, sizeof cpu));
}

ig_status ig_cli_bench(ig_cli *cli)
{
    const char *path;
    ig_engine engine;
    result r = { 0 };
    ig_str out;
    IG_TRY(ig_cli_model_path(cli, 1, &path));
    ig_str_init(&out, cli->alloc);
    ig_status status = ig_engine_open(cli, path, &engine);
    if (status == INGOT_OK) status = ig_engine_start(cli, &engine);
    if (status == INGOT_OK) status = ig_engine_feed_flags(cli, &engine);
    if (status == INGOT_OK) status = ig_engine_make_up(cli, &engine, -1);
    if (status == INGOT_OK) status = measure(cli, &engine, &r);
    if (status == INGOT_OK) (cli->options.json ? put_json : put_text)(&engine, &r, &out);
    if (status == INGOT_OK) status = ig_print(cli, &out);
    ig_str_deinit(&out);
    ig_alloc_put(cli->alloc, r.samples, r.cap * sizeof *r.samples, INGOT_MEM_OTHER);
    ig_engine_close(&engine);
    return status;
}
