/* SPDX-License-Identifier: Apache-2.0 */
/* bench_files.c: --report and --junit: checked early, filled as results come, written at the end.
 */
#include "cli/bench_files.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool ig_bench_files_are_wanted(const ig_cli *cli)
{
    return cli->options.report || cli->options.junit;
}

/* ---- before ---- */

/* A measurement of minutes should not end with a folder that cannot be written to. */
static ig_status check_path(ig_cli *cli, const char *flag, const char *path)
{
    char folder[PATH_MAX];
    struct stat st;
    if (*path == '\0' || strcmp(path, "-") == 0)
        return ig_cli_usage(cli, "%s: needs a file; standard output has the results", flag);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return ig_fail(&cli->err, INGOT_ERR_IO, "%s: is a directory, cannot write a file there",
                       path);
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) return INGOT_OK; /* a device, a pipe */
    const char *slash = strrchr(path, '/');
    const size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    if (n >= sizeof folder)
        return ig_fail(&cli->err, INGOT_ERR_IO, "%s: the path is too long", flag);
    memcpy(folder, path, n);
    memcpy(folder + n, ".", 2);
    if (access(folder, W_OK | X_OK) == 0) return INGOT_OK;
    return ig_fail(&cli->err, INGOT_ERR_IO, "%s: cannot create: %s", path, strerror(errno));
}

ig_status ig_bench_files_check(ig_cli *cli)
{
    const ig_options *o = &cli->options;
    if (o->report && o->junit && strcmp(o->report, o->junit) == 0)
        return ig_cli_usage(cli, "--report and --junit: '%s' cannot be both", o->report);
    if (o->report) IG_TRY(check_path(cli, "--report", o->report));
    if (o->junit) IG_TRY(check_path(cli, "--junit", o->junit));
    return INGOT_OK;
}

/* ---- meanwhile ---- */

void ig_bench_files_init(ig_bench_files *f, ig_alloc *alloc)
{
    ig_page_init(&f->page, alloc);
    ig_junit_init(&f->junit, alloc);
}

void ig_bench_files_deinit(ig_bench_files *f)
{
    ig_page_deinit(&f->page);
    ig_junit_deinit(&f->junit);
}

void ig_bench_files_add(ig_bench_files *f, const ig_view *view)
{
    ig_page_add(&f->page, view);
    ig_junit_add(&f->junit, view);
}

void ig_bench_files_add_failure(ig_bench_files *f, const char *model, const char *why)
{
    ig_page_add_failure(&f->page, model, why);
    ig_junit_add_failure(&f->junit, model, why);
}

/* ---- at the end ---- */

static ig_status put_page(ig_cli *cli, const ig_bench_files *f, ig_str *out)
{
    ig_facts command = { .arena = &cli->arena }, machine = { .arena = &cli->arena };
    ig_command_facts(&command);
    ig_machine_facts(&machine);
    if (command.has_failed || machine.has_failed) return IG_NOMEM(&cli->err, 0);
    ig_page_put(&f->page, &command, &machine, out);
    return INGOT_OK;
}

static ig_status write_one(ig_cli *cli, const char *path, const ig_str *text)
{
    if (!ig_str_ok(text)) return IG_NOMEM(&cli->err, text->n);
    return ig_write_file(path, text->data, text->n, &cli->err);
}

ig_status ig_bench_files_write(ig_cli *cli, const ig_bench_files *f)
{
    ig_status status = INGOT_OK;
    ig_str out;
    ig_str_init(&out, cli->alloc);
    if (cli->options.report) status = put_page(cli, f, &out);
    if (!status && cli->options.report) status = write_one(cli, cli->options.report, &out);
    ig_str_clear(&out);
    if (!status && cli->options.junit) {
        ig_junit_put(&f->junit, &out);
        status = write_one(cli, cli->options.junit, &out);
    }
    ig_str_deinit(&out);
    return status;
}
