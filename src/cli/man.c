/* SPDX-License-Identifier: Apache-2.0 */
/* man.c: the manual page and the shell completions, from the same tables as --help. */
#include <string.h>

#include "cli/cli.h"

/* ---- man ---- */

/* Text in roff: hyphens and backslashes escaped, no line that begins with a dot or quote. */
static void put_roff(ig_str *out, const char *text)
{
    bool is_line_start = true;
    for (const char *p = text; *p; p++) {
        if (is_line_start && (*p == '.' || *p == '\'')) ig_str_puts(out, "\\&");
        if (*p == '-')
            ig_str_puts(out, "\\-");
        else if (*p == '\\')
            ig_str_puts(out, "\\e");
        else
            ig_str_putc(out, *p);
        is_line_start = *p == '\n';
    }
}

static void put_man_option(const ig_option *o, ig_str *out)
{
    ig_str_puts(out, ".TP\n\\fB");
    if (o->letter) ig_str_printf(out, "\\-%c\\fR, \\fB", o->letter);
    ig_str_puts(out, "\\-\\-");
    put_roff(out, o->name);
    ig_str_puts(out, "\\fR");
    if (o->value) {
        ig_str_puts(out, " \\fI");
        put_roff(out, o->value);
        ig_str_puts(out, "\\fR");
    }
    ig_str_putc(out, '\n');
    put_roff(out, o->help);
    if (o->choices) {
        ig_str_puts(out, " One of ");
        put_roff(out, o->choices);
        ig_str_putc(out, '.');
    }
    ig_str_putc(out, '\n');
}

static void put_man_command(const ig_command *c, ig_str *out)
{
    ig_str_puts(out, ".SH INGOT ");
    for (const char *p = c->name; *p; p++) ig_str_putc(out, (char)(*p & ~0x20));
    ig_str_printf(out, "\n.B ingot %s\n", c->name);
    put_roff(out, c->operands);
    ig_str_puts(out, " [\\fIflags\\fR]\n.PP\n");
    put_roff(out, c->description);
    ig_str_puts(out, "\n");
    for (const char *const *e = c->examples; *e; e += 2) {
        ig_str_puts(out, ".PP\n");
        put_roff(out, e[1]);
        ig_str_puts(out, ":\n.PP\n.RS 4\n.nf\n");
        put_roff(out, e[0]);
        ig_str_puts(out, "\n.fi\n.RE\n");
    }
    for (size_t i = 0; i < ig_n_options; i++)
        if (ig_option_table[i].commands & c->bit && ig_option_table[i].commands != IG_COMMAND_ANY)
            put_man_option(&ig_option_table[i], out);
}

void ig_man_page(ig_str *out)
{
    ig_str_printf(out, ".TH INGOT 1 \"\" \"ingot %s\" \"User Commands\"\n", ingot_version());
    ig_str_puts(out, ".SH NAME\ningot \\- run trained models (ONNX) on the CPU\n.SH SYNOPSIS\n");
    for (size_t i = 0; i < ig_n_commands; i++) {
        ig_str_printf(out, "%s.B ingot %s\n", i ? ".br\n" : "", ig_command_table[i].name);
        put_roff(out, ig_command_table[i].operands);
        ig_str_puts(out, " [\\fIflags\\fR]\n");
    }
    for (size_t i = 0; i < ig_n_commands; i++) put_man_command(&ig_command_table[i], out);
    ig_str_puts(out, ".SH FLAGS OF EVERY COMMAND\n");
    for (size_t i = 0; i < ig_n_options; i++)
        if (ig_option_table[i].commands == IG_COMMAND_ANY) put_man_option(&ig_option_table[i], out);
    ig_str_puts(out, ".SH EXIT STATUS\n.nf\n");
    ig_help_topic("exit-codes", out);
    ig_str_puts(out, ".fi\n.SH ENVIRONMENT\n.TP\n.B INGOT_CPU\nAs \\fB\\-\\-cpu\\fR.\n.TP\n.B "
                     "INGOT_FORCE\nAs \\fB\\-\\-force\\fR; names with commas between.\n.TP\n.B "
                     "NO_COLOR\nNo colours when set.\n");
}

/* ---- completions ---- */

/* Values that a flag takes, with spaces between; "" for files and free text. */
static void put_values(const ig_option *o, ig_str *out)
{
    for (const char *p = o->choices ? o->choices : ""; *p; p++)
        ig_str_putc(out, *p == '|' ? ' ' : *p);
    if (strcmp(o->name, "preset") == 0)
        for (size_t i = 0; ig_preset_name(i); i++) ig_str_printf(out, "%s ", ig_preset_name(i));
    if (strcmp(o->name, "disable-pass") == 0 || strcmp(o->name, "dump-after") == 0)
        for (size_t i = 0; ingot_pass_name(i); i++) ig_str_printf(out, "%s ", ingot_pass_name(i));
    if (strcmp(o->name, "cpu") == 0) ig_str_puts(out, "ref portable avx2 avx512");
    if (strcmp(o->name, "force") == 0)
        ig_str_puts(out, "conv:direct conv:winograd2 conv:winograd4");
}

static void put_flags(int commands, ig_str *out)
{
    for (size_t i = 0; i < ig_n_options; i++)
        if (ig_option_table[i].commands & commands)
            ig_str_printf(out, "--%s ", ig_option_table[i].name);
}

static void put_command_names(ig_str *out)
{
    for (size_t i = 0; i < ig_n_commands; i++) ig_str_printf(out, "%s ", ig_command_table[i].name);
    ig_str_puts(out, "help");
}

/* case arms: flag → its values */
static void put_value_arms(ig_str *out)
{
    for (size_t i = 0; i < ig_n_options; i++) {
        const ig_option *o = &ig_option_table[i];
        ig_str values;
        ig_str_init(&values, out->alloc);
        put_values(o, &values);
        if (values.n) {
            ig_str_printf(out, "        --%s) ", o->name);
            ig_str_printf(out, "compadd %s; return", ig_str_cstr(&values));
            ig_str_puts(out, " ;;\n");
        }
        if (!ig_str_ok(&values)) out->has_failed = true;
        ig_str_deinit(&values);
    }
}

void ig_completion_bash(ig_str *out)
{
    ig_str_puts(out, "# bash completion for ingot\n_ingot() {\n"
                     "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                     "    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    put_command_names(out);
    ig_str_puts(out, " --help --version\" -- \"$cur\"))\n        return\n    fi\n"
                     "    case $prev in\n");
    for (size_t i = 0; i < ig_n_options; i++) {
        const ig_option *o = &ig_option_table[i];
        ig_str values;
        ig_str_init(&values, out->alloc);
        put_values(o, &values);
        if (values.n)
            ig_str_printf(out,
                          "        --%s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n",
                          o->name, ig_str_cstr(&values));
        ig_str_deinit(&values);
    }
    ig_str_puts(out, "    esac\n    case $cur in\n        -*)\n"
                     "            case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < ig_n_commands; i++) {
        ig_str_printf(out, "                %s) COMPREPLY=($(compgen -W \"",
                      ig_command_table[i].name);
        put_flags(ig_command_table[i].bit, out);
        ig_str_puts(out, "\" -- \"$cur\")) ;;\n");
    }
    ig_str_puts(out, "            esac ;;\n"
                     "        *) if [ \"${COMP_WORDS[1]}\" = help ]; then\n"
                     "               COMPREPLY=($(compgen -W \"");
    put_command_names(out);
    ig_str_puts(out, " presets metrics passes exit-codes\" -- \"$cur\"))\n"
                     "           else\n"
                     "               COMPREPLY=($(compgen -f -- \"$cur\"))\n           fi ;;\n"
                     "    esac\n}\ncomplete -o filenames -F _ingot ingot\n");
}

void ig_completion_zsh(ig_str *out)
{
    ig_str_puts(out,
                "#compdef ingot\n_ingot() {\n    if (( CURRENT == 2 )); then\n        compadd ");
    put_command_names(out);
    ig_str_puts(out, "\n        return\n    fi\n    case ${words[CURRENT-1]} in\n");
    put_value_arms(out);
    ig_str_puts(out, "    esac\n    if [[ ${words[CURRENT]} == -* ]]; then\n"
                     "        case ${words[2]} in\n");
    for (size_t i = 0; i < ig_n_commands; i++) {
        ig_str_printf(out, "            %s) compadd -- ", ig_command_table[i].name);
        put_flags(ig_command_table[i].bit, out);
        ig_str_puts(out, ";;\n");
    }
    ig_str_puts(out, "        esac\n    else\n        _files\n    fi\n}\n_ingot \"$@\"\n");
}
