/* SPDX-License-Identifier: Apache-2.0 */
/* cli.h: what the commands share: the invocation, where text goes, the table of commands. */
#ifndef IG_CLI_CLI_H
#define IG_CLI_CLI_H

#include <stdio.h>

#include "base/arena.h"
#include "base/str.h"
#include "cli/options.h"

typedef struct ig_command ig_command;

/* One invocation of the program. */
typedef struct ig_cli {
    const ig_command *command; /* NULL: before it is known */
    ig_options options;
    ig_alloc *alloc; /* bounded by --max-memory */
    ig_arena arena;  /* lives as long as the invocation */
    ig_error err;
    bool is_usage_error;    /* the failure is the caller's words: exit code 2 */
    bool has_failed_inputs; /* some inputs of several failed: exit code 1 */
} ig_cli;

struct ig_command {
    const char *name;
    int bit; /* IG_COMMAND_… */
    const char *operands, *summary, *description;
    const char *const *examples; /* pairs of command and what it does; NULL ends */
    ig_status (*run)(ig_cli *cli);
};

extern const ig_command ig_command_table[];
extern const size_t ig_n_commands;

ig_status ig_cli_run(ig_cli *cli);
ig_status ig_cli_eval(ig_cli *cli);
ig_status ig_cli_inspect(ig_cli *cli);
ig_status ig_cli_bench(ig_cli *cli);
ig_status ig_cli_profile(ig_cli *cli);
ig_status ig_cli_card(ig_cli *cli);

/* A failure that ends with exit code 2. */
ig_status ig_cli_usage(ig_cli *cli, const char *format, ...) IG_PRINTF(2, 3);

/* The first operand, the model's path; a usage error when it is missing, or when more than
 * max_operands are there. */
ig_status ig_cli_model_path(ig_cli *cli, size_t max_operands, const char **path) IG_MUST_USE;

/* ---- help.c ---- */

void ig_help_general(ig_str *out);
void ig_help_command(const ig_command *command, ig_str *out);
/* "presets", "metrics", "passes", "exit-codes"; false when there is no such topic. */
bool ig_help_topic(const char *topic, ig_str *out);
void ig_help_version(ig_str *out);
/* The command's page of docs/cli (NULL: the index). */
void ig_help_markdown(const ig_command *command, ig_str *out);
/* Text for man(1), bash and zsh. */
void ig_man_page(ig_str *out);
void ig_completion_bash(ig_str *out);
void ig_completion_zsh(ig_str *out);

/* ---- terminal.c ---- */

/* Write to standard output; INGOT_ERR_IO with the system's words when it fails. A reader that has
 * gone away fails with an empty message. */
ig_status ig_write_stdout(const void *data, size_t bytes, ig_error *err) IG_MUST_USE;
ig_status ig_print(ig_cli *cli, ig_str *text) IG_MUST_USE;
/* Control characters, which names from files may hold, become question marks; lines, tabs and
 * colours stay. */
void ig_make_printable(char *text, size_t n);
/* Standard output's and standard error's escape sequences: "" where there is no terminal, or
 * NO_COLOR is set. */
const char *ig_bold(FILE *to);
const char *ig_dim(FILE *to);
const char *ig_plain(FILE *to);
bool ig_is_terminal(FILE *to);
int ig_terminal_width(FILE *to);

/* A line that is redrawn on standard error, on terminals only. */
typedef struct ig_progress {
    size_t n, n_done;
    uint64_t begin_ns, drawn_ns;
    bool is_on, is_drawn;
    bool is_percent; /* n steps are no things that anybody counts */
} ig_progress;
void ig_progress_begin(ig_progress *p, size_t n);
void ig_progress_step(ig_progress *p, size_t n_done);
/* Take the line away, before other text is written. */
void ig_progress_clear(ig_progress *p);

/* ---- interrupt.c ---- */

/* From now on SIGINT and SIGTERM cancel the session that is set, or end the process at once where
 * none is and no file is being written. */
void ig_interrupt_init(void);
/* From now on a mapped file that gets shorter ends the command with one line and exit code 4. */
void ig_shrunk_init(void);
void ig_interrupt_session(ingot_session *session); /* NULL: none */
void ig_interrupt_hold(bool is_writing);
void ig_interrupt_line(bool is_drawn); /* a progress line is on the terminal */
bool ig_interrupt_pending(void);

/* ig_file_write, held together against signals; "-" is standard output. */
ig_status ig_write_file(const char *path, const void *data, size_t bytes,
                        ig_error *err) IG_MUST_USE;

#endif
