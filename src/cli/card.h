/* SPDX-License-Identifier: Apache-2.0 */
/* card.h: model cards (docs/card.md): what MODEL.card.json says, and labels and keys. */
#ifndef IG_CLI_CARD_H
#define IG_CLI_CARD_H

#include "cli/cli.h"

typedef struct ig_names {
    const char **items;
    size_t n;
} ig_names;

typedef struct ig_card {
    const char *path;          /* NULL: there is no card */
    const char *name, *source; /* may be NULL */
    ig_preprocess preprocess;
    ig_names labels;         /* in the card itself */
    const char *labels_file; /* as the card has it, relative to it; NULL: none */
    int top;                 /* 0: not said */
    bool softmax;
    const char *metric; /* of ingot eval; NULL: not said */
    int truth_shift;    /* of its labels */
    const char *ctc;    /* file relative to the card, or metadata:NAME */
} ig_card;

/* Read the card of a model: --card, else MODEL.card.json, else MODEL without its extension and
 * .card.json; none is fine. Then presets and flags go over it. */
ig_status ig_card_load(ig_cli *cli, const char *model_path, ig_card *card) IG_MUST_USE;
/* Text of a card. */
void ig_card_write(const ig_card *card, ig_str *out);

/* Names of a file: JSON array, JSON object of "index": "name", or one a line. */
ig_status ig_names_read(ig_arena *arena, const char *path, ig_names *out,
                        ig_error *err) IG_MUST_USE;
/* The same of a file that a card names: beside the card, and no link unless allowed. */
ig_status ig_names_read_sibling(ig_arena *arena, const char *card_path, const char *name,
                                bool allow_links, ig_names *out, ig_error *err) IG_MUST_USE;
/* Lines of a text; CR before LF does not count, nor does an empty last line. */
ig_status ig_names_split(ig_arena *arena, const char *text, size_t bytes, ig_names *out,
                         ig_error *err) IG_MUST_USE;

#endif
