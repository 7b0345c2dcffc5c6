/* SPDX-License-Identifier: Apache-2.0 */
/* help.c: --help, --version, and the pages of docs/cli, which hold the same text. */
#include <string.h>

#include "cli/cli.h"
#include "cli/eval/metric.h"

#define HELP_COLUMN 26
#define HELP_WIDTH 96

/* Columns that UTF-8 text takes: its code points. */
static size_t columns(const char *text, size_t n)
{
    size_t width = 0;
    for (size_t i = 0; i < n; i++) width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

/* Words of `text`, wrapped, every line after the first indented; the first starts at `column`. */
static void wrap(ig_str *out, const char *text, size_t column, size_t indent)
{
    const char *p = text;
    bool is_first = true;
    while (*p) {
        if (*p == '\n') {
            ig_str_printf(out, "\n%*s", (int)indent, "");
            column = indent;
            is_first = true;
            p++;
            continue;
        }
        const size_t n = strcspn(p, " \n"), width = columns(p, n);
        if (!is_first && column + 1 + width > HELP_WIDTH) {
            ig_str_printf(out, "\n%*s", (int)indent, "");
            column = indent;
            is_first = true;
        }
        if (!is_first) ig_str_putc(out, ' ');
        ig_str_append(out, p, n);
        column += width + !is_first;
        is_first = false;
        p += n;
        while (*p == ' ') p++;
    }
    ig_str_putc(out, '\n');
}

static void put_option(const ig_option *o, ig_str *out)
{
    char left[64];
    const int n = o->letter ? snprintf(left, sizeof left, "  -%c, --%s", o->letter, o->name)
                            : snprintf(left, sizeof left, "      --%s", o->name);
    if (o->value) snprintf(left + n, sizeof left - (size_t)n, " %s", o->value);
    ig_str_puts(out, left);
    size_t at = columns(left, strlen(left));
    if (at + 2 > HELP_COLUMN) {
        ig_str_putc(out, '\n');
        at = 0;
    }
    ig_str_printf(out, "%*s", (int)(HELP_COLUMN - at), "");
    if (!o->choices) {
        wrap(out, o->help, HELP_COLUMN, HELP_COLUMN);
        return;
    }
    char text[400];
    snprintf(text, sizeof text, "%s One of %s.", o->help, o->choices);
    wrap(out, text, HELP_COLUMN, HELP_COLUMN);
}

static void put_options(int commands, ig_str *out)
{
    const char *group = NULL;
    for (size_t i = 0; i < ig_n_options; i++) {
        const ig_option *o = &ig_option_table[i];
        if (!(o->commands & commands)) continue;
        if (o->group != group) ig_str_printf(out, "\n%s\n", o->group);
        group = o->group;
        put_option(o, out);
    }
}

void ig_help_command(const ig_command *command, ig_str *out)
{
    ig_str_printf(out, "ingot %s: %c%s\n\n", command->name, command->summary[0] | 0x20,
                  command->summary + 1);
    ig_str_printf(out, "Usage: ingot %s %s [FLAGS]\n\n", command->name, command->operands);
    wrap(out, command->description, 0, 0);
    ig_str_puts(out, "\nExamples\n");
    for (const char *const *e = command->examples; *e; e += 2)
        ig_str_printf(out, "  %s\n      %s\n", e[0], e[1]);
    put_options(command->bit, out);
}

void ig_help_general(ig_str *out)
{
    ig_str_puts(out, "ingot: run trained models (ONNX) on the CPU\n\nUsage: ingot COMMAND MODEL "
                     "[INPUT…] [FLAGS]\n\nCommands\n");
    for (size_t i = 0; i < ig_n_commands; i++)
        ig_str_printf(out, "  %-9s %s\n", ig_command_table[i].name, ig_command_table[i].summary);
    ig_str_puts(out, "  help      Show the help of a command, or of: presets, passes, exit-codes\n"
                     "\nExamples\n");
    for (size_t i = 0; i < ig_n_commands; i++)
        ig_str_printf(out, "  %s\n", ig_command_table[i].examples[0]);
    ig_str_puts(out, "\nFlags of every command\n");
    for (size_t i = 0; i < ig_n_options; i++)
        if (ig_option_table[i].commands == IG_COMMAND_ANY) put_option(&ig_option_table[i], out);
    ig_str_puts(out, "\n`ingot help COMMAND` has the rest.\n");
}

void ig_help_version(ig_str *out)
{
    char cpu[300];
    ig_str_printf(out, "ingot %s\n%s\n", ingot_version(), ingot_cpu_describe(cpu, sizeof cpu));
    ig_str_printf(out, "built with %s\n",
#if defined(__clang__)
                  "clang " __clang_version__
#else
                  "gcc " __VERSION__
#endif
    );
}

/* ---- topics ---- */

static void put_exit_codes(ig_str *out)
{
    ig_str_puts(out, "Exit codes\n"
                     "    0  done\n"
                     "    1  some inputs of several could not be read, run or judged\n"
                     "    2  wrong use: unknown flag, missing model, …\n");
    for (int s = INGOT_OK + 1; s < INGOT_N_STATUS; s++)
        ig_str_printf(out, "  %3d  %s\n", ingot_status_exit_code((ingot_status)s),
                      ingot_status_name((ingot_status)s));
    ig_str_puts(out, "  130  interrupted (Ctrl-C)\n");
}

bool ig_help_topic(const char *topic, ig_str *out)
{
    if (strcmp(topic, "exit-codes") == 0) {
        put_exit_codes(out);
    } else if (strcmp(topic, "presets") == 0) {
        ig_str_puts(out, "Presets\n");
        for (size_t i = 0; ig_preset_name(i); i++)
            ig_str_printf(out, "  %-12s %s\n", ig_preset_name(i), ig_preset_about(i));
    } else if (strcmp(topic, "metrics") == 0) {
        ig_str_puts(out, "Metrics of ingot eval\n");
        for (size_t i = 0; i < ig_n_metrics; i++)
            ig_str_printf(out, "  %-9s %s\n", ig_metric_table[i]->name, ig_metric_table[i]->about);
    } else if (strcmp(topic, "passes") == 0) {
        ig_str_puts(out, "Rewriting passes, in the order in which they run\n");
        for (size_t i = 0; ingot_pass_name(i); i++)
            ig_str_printf(out, "  %s\n", ingot_pass_name(i));
    } else {
        return false;
    }
    return true;
}

/* ---- docs/cli ---- */

void ig_help_markdown(const ig_command *command, ig_str *out)
{
    ig_str_puts(out,
                "<!-- Written by tools/lint-cli-docs --fix from the command's own help. -->\n");
    if (command) {
        ig_str_printf(out, "# ingot %s\n\n```text\n", command->name);
        ig_help_command(command, out);
        ig_str_puts(out, "```\n");
        return;
    }
    ig_str_puts(out, "# The command `ingot`\n\n");
    for (size_t i = 0; i < ig_n_commands; i++)
        ig_str_printf(out, "- [ingot %s](%s.md): %c%s\n", ig_command_table[i].name,
                      ig_command_table[i].name, ig_command_table[i].summary[0] | 0x20,
                      ig_command_table[i].summary + 1);
    ig_str_puts(out, "\n```text\n");
    ig_help_general(out);
    ig_str_puts(out, "```\n\n```text\n");
    ig_help_topic("presets", out);
    ig_str_puts(out, "```\n\n```text\n");
    ig_help_topic("metrics", out);
    ig_str_puts(out, "```\n\n```text\n");
    put_exit_codes(out);
    ig_str_puts(out, "```\n");
}
