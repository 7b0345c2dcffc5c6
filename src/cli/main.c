/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: find the command, parse its flags, run it, say what went wrong. */
#include <string.h>

#include "cli/cli.h"

enum { EXIT_SOME_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

ig_status ig_cli_usage(ig_cli *cli, const char *format, ...)
{
    char message[900];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    cli->is_usage_error = true;
    return ig_fail(&cli->err, INGOT_ERR_INVALID, "%s", message);
}

ig_status ig_cli_model_path(ig_cli *cli, size_t max_operands, const char **path)
{
    const ig_text_list *operands = &cli->options.operands;
    if (operands->n == 0)
        return ig_cli_usage(cli, "no model given; usage: ingot %s %s", cli->command->name,
                            cli->command->operands);
    if (operands->n > max_operands)
        return ig_cli_usage(cli, "'%s' is too much; usage: ingot %s %s",
                            operands->items[max_operands], cli->command->name,
                            cli->command->operands);
    *path = operands->items[0];
    return INGOT_OK;
}

static const ig_command *find_command(const char *name)
{
    for (size_t i = 0; i < ig_n_commands; i++)
        if (strcmp(ig_command_table[i].name, name) == 0) return &ig_command_table[i];
    return NULL;
}

static ig_status fail_unknown_command(ig_cli *cli, const char *name)
{
    const ig_command *nearest = NULL;
    int best = 4;
    for (size_t i = 0; i < ig_n_commands; i++) {
        const int distance = ig_edit_distance(name, ig_command_table[i].name);
        if (distance < best) {
            best = distance;
            nearest = &ig_command_table[i];
        }
    }
    if (nearest)
        return ig_cli_usage(cli, "unknown command '%s'; did you mean ingot %s?", name,
                            nearest->name);
    return ig_cli_usage(cli, "unknown command '%s'; ingot --help lists the commands", name);
}

/* ---- help, version, and the texts that the build installs ---- */

static ig_status print_text(ig_cli *cli, void (*write)(ig_str *))
{
    ig_str text;
    ig_str_init(&text, cli->alloc);
    write(&text);
    const ig_status status = ig_print(cli, &text);
    ig_str_deinit(&text);
    return status;
}

static ig_status print_command_help(ig_cli *cli, const ig_command *command)
{
    ig_str text;
    ig_str_init(&text, cli->alloc);
    ig_help_command(command, &text);
    const ig_status status = ig_print(cli, &text);
    ig_str_deinit(&text);
    return status;
}

static ig_status help(ig_cli *cli, int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-') return print_text(cli, ig_help_general);
    const ig_command *command = find_command(argv[1]);
    if (command) return print_command_help(cli, command);
    ig_str text;
    ig_str_init(&text, cli->alloc);
    const ig_status status =
        ig_help_topic(argv[1], &text) ? ig_print(cli, &text) : fail_unknown_command(cli, argv[1]);
    ig_str_deinit(&text);
    return status;
}

/* ingot generate man|bash|zsh, ingot generate markdown [COMMAND] */
static ig_status generate(ig_cli *cli, int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "man") == 0) return print_text(cli, ig_man_page);
    if (strcmp(what, "bash") == 0) return print_text(cli, ig_completion_bash);
    if (strcmp(what, "zsh") == 0) return print_text(cli, ig_completion_zsh);
    if (strcmp(what, "markdown") == 0) {
        const ig_command *command = argc > 2 ? find_command(argv[2]) : NULL;
        if (argc > 2 && !command) return fail_unknown_command(cli, argv[2]);
        ig_str text;
        ig_str_init(&text, cli->alloc);
        ig_help_markdown(command, &text);
        const ig_status status = ig_print(cli, &text);
        ig_str_deinit(&text);
        return status;
    }
    return ig_cli_usage(cli, "generate: man, bash, zsh or markdown, not '%s'", what);
}

/* ---- one invocation ---- */

static ig_status run_command(ig_cli *cli, int argc, char **argv)
{
    if (ig_options_parse(cli->command->bit, argc, argv, &cli->arena, &cli->options, &cli->err))
        cli->is_usage_error = cli->err.status == INGOT_ERR_INVALID;
    if (cli->err.status) return cli->err.status;
    if (cli->options.help) return print_command_help(cli, cli->command);
    if (cli->options.version) return print_text(cli, ig_help_version);
    cli->alloc->limit_bytes = cli->options.max_memory_bytes;
    return cli->command->run(cli);
}

/* Flags before the command: only those that need none. */
static ig_status run_without_command(ig_cli *cli, int argc, char **argv)
{
    if (ig_options_parse(IG_COMMAND_ANY, argc, argv, &cli->arena, &cli->options, &cli->err)) {
        cli->is_usage_error = true;
        return cli->err.status;
    }
    if (cli->options.help) return print_text(cli, ig_help_general);
    if (cli->options.version) return print_text(cli, ig_help_version);
    return ig_cli_usage(cli, "the command comes first, as in: ingot run MODEL INPUT");
}

static ig_status invoke(ig_cli *cli, int argc, char **argv)
{
    if (argc < 2) return ig_cli_usage(cli, "no command given; ingot --help lists the commands");
    if (argv[1][0] == '-') return run_without_command(cli, argc, argv);
    if (strcmp(argv[1], "help") == 0) return help(cli, argc - 1, argv + 1);
    if (strcmp(argv[1], "generate") == 0) return generate(cli, argc - 1, argv + 1);
    cli->command = find_command(argv[1]);
    if (!cli->command) return fail_unknown_command(cli, argv[1]);
    return run_command(cli, argc - 1, argv + 1);
}

/* Memory that ran out because the caller bounded it is a bound, not a shortage. */
static ig_status name_the_bound(ig_cli *cli, ig_status status)
{
    char message[sizeof cli->err.message];
    if (status != INGOT_ERR_NOMEM || cli->options.max_memory_bytes == 0) return status;
    memcpy(message, cli->err.message, sizeof message);
    ig_error_clear(&cli->err);
    return ig_fail(&cli->err, INGOT_ERR_LIMIT, "%s; --max-memory allows %zu bytes", message,
                   cli->options.max_memory_bytes);
}

static int exit_code(const ig_cli *cli, ig_status status)
{
    if (ig_interrupt_pending()) return EXIT_INTERRUPTED;
    if (cli->is_usage_error) return EXIT_USAGE;
    if (status) return ingot_status_exit_code(status);
    return cli->has_failed_inputs ? EXIT_SOME_FAILED : 0;
}

int main(int argc, char **argv)
{
    ig_alloc alloc;
    ig_cli cli = { .alloc = &alloc, .options = { .n_retries = -1, .positive = 1 } };
    ig_alloc_init(&alloc, NULL, 0);
    ig_arena_init(&cli.arena, &alloc, INGOT_MEM_OTHER);
    ig_interrupt_init();
    ig_shrunk_init();

    const ig_status status = name_the_bound(&cli, invoke(&cli, argc, argv));
    const int code = exit_code(&cli, status);
    if (status && cli.err.message[0] && code != EXIT_INTERRUPTED)
        fprintf(stderr, "ingot%s%s: %s\n", cli.command ? " " : "",
                cli.command ? cli.command->name : "", cli.err.message);
    ig_arena_deinit(&cli.arena);
    return code;
}
