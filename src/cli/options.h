/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h: the flags of the command. One table (options_table.c) is the only list of them: it is
 * what the parser reads and what --help, the man page, docs/cli and the shell completions print.
 */
#ifndef IG_CLI_OPTIONS_H
#define IG_CLI_OPTIONS_H

#include "base/arena.h"
#include "cli/preprocess.h"

/* Which commands a flag belongs to. */
enum {
    IG_COMMAND_RUN = 1,
    IG_COMMAND_INSPECT = 2,
    IG_COMMAND_BENCH = 4,
    IG_COMMAND_PROFILE = 8,
    IG_COMMAND_CARD = 16,
    IG_COMMAND_EVAL = 32,
    IG_COMMAND_ANY = 63
};

typedef struct ig_text_list {
    const char **items;
    size_t n;
} ig_text_list;

/* What the flags said. Numbers that were not given hold the default that the table states. */
typedef struct ig_options {
    ig_text_list operands; /* what is no flag */
    bool help, version;
    int verbosity;

    int n_threads;
    uint64_t seed;
    int opt_level; /* ingot_opt_level */
    int precision; /* ingot_precision */
    ig_text_list disable_passes, dump_after, custom_ops, force;
    size_t max_memory_bytes, max_tensor_bytes;
    int64_t max_nodes, max_loop_steps; /* 0: not given */
    double timeout_s;                  /* 0: none */
    bool allow_links;
    const char *cpu;

    ig_text_list inputs, shapes;
    const char *dtype;
    bool random;
    int n_batch;

    ig_preprocess preprocess;
    const char *preset, *card;

    int top; /* 0: not given */
    const char *labels, *ctc;
    bool softmax;

    const char *data, *truth, *metric, *output, *save_errors;
    int truth_shift, positive, box_order; /* ig_box_order */
    int64_t limit;                        /* 0: none */
    double peak;                          /* 0: not given */
    bool keep_going, per_class;

    const char *out, *trace;
    bool json, graph, dot, csv;
    double duration_s;

    int scenario, n_sessions, min_runs, n_retries; /* ig_scenario; 0: not given; n_retries -1 */
    double rate;
    ig_text_list vary;
    bool roofline, once, driver, allow_mixed_precision;
    const char *vs, *gate, *report, *junit;
} ig_options;

typedef enum ig_option_kind {
    IG_OPTION_FLAG = 0, /* bool */
    IG_OPTION_COUNT,    /* int, one more each time */
    IG_OPTION_INT,      /* int between min and max */
    IG_OPTION_INT64,    /* int64_t between min and max */
    IG_OPTION_UINT64,
    IG_OPTION_DOUBLE,  /* double between min and max */
    IG_OPTION_TEXT,    /* const char * */
    IG_OPTION_LIST,    /* ig_text_list, may be repeated */
    IG_OPTION_CHOICE,  /* int: index into choices, plus min */
    IG_OPTION_BYTES,   /* size_t, with k, M, G */
    IG_OPTION_NUMBERS, /* ig_numbers: one, or one a channel */
    IG_OPTION_SIZE     /* ig_picture_size */
} ig_option_kind;

typedef struct ig_option {
    const char *name;  /* without the dashes */
    char letter;       /* 0: none */
    const char *value; /* what stands for the value in help texts; NULL: takes none */
    int commands;      /* bits IG_COMMAND_… */
    ig_option_kind kind;
    size_t offset;       /* of the field in ig_options */
    double min, max;     /* of numbers */
    const char *choices; /* "none|basic|all" */
    const char *group, *help;
} ig_option;

extern const ig_option ig_option_table[];
extern const size_t ig_n_options;

/* Parse argv[1…argc-1] for the command(s) `commands`. On failure the error line names the flag, and
 * the nearest known one where it is unknown. Lists are the arena's, texts argv's. */
ig_status ig_options_parse(int commands, int argc, char **argv, ig_arena *arena,
                           ig_options *options, ig_error *err) IG_MUST_USE;

/* Values as the flags take them; `what` ("--size", "card.json: size") begins the error line. */
ig_status ig_parse_number(const char *what, const char *text, double min, double max, double *out,
                          ig_error *err) IG_MUST_USE;
ig_status ig_parse_choice(const char *what, const char *text, const char *choices, int *out,
                          ig_error *err) IG_MUST_USE;
ig_status ig_parse_picture_size(const char *what, const char *text, ig_picture_size *out,
                                ig_error *err) IG_MUST_USE;

/* Single-character edits between two words, at most 99. */
int ig_edit_distance(const char *a, const char *b);

/* "1x3x224x224" → dims; false when it is no such list or longer than INGOT_MAX_RANK. "" and
 * "scalar" are rank 0. */
bool ig_parse_dims(const char *text, int64_t *dims, int *rank);

#endif
