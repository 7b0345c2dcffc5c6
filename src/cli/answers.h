/* SPDX-License-Identifier: Apache-2.0 */
/* answers.h: outputs as people want them: best classes, text, or numbers; as lines or as JSON. */
#ifndef IG_CLI_ANSWERS_H
#define IG_CLI_ANSWERS_H

#include "cli/card.h"
#include "cli/engine.h"

typedef struct ig_answers {
    bool is_quiet; /* nothing is printed: the outputs go to a file */
    bool is_json, has_softmax;
    int top; /* 0: no classes */
    ig_names labels, keys;
    bool has_keys;
    int path_width; /* of the widest name of an input */
} ig_answers;

/* Settle what is printed, from the card (flags are merged into it already). */
ig_status ig_answers_init(ig_cli *cli, const ig_engine *engine, const ig_card *card,
                          bool has_pictures, ig_answers *answers) IG_MUST_USE;

/* Text about part i of n_parts (along the first dimension) of the outputs of the last run; `name`
 * is the input's. */
ig_status ig_answers_put(ig_cli *cli, ig_answers *answers, const ig_engine *engine,
                         const char *name, size_t i, size_t n_parts, ig_str *out) IG_MUST_USE;
/* In how many parts a run on whole tensors is best shown. */
size_t ig_answers_n_parts(const ig_answers *answers, const ig_engine *engine);
/* A line of JSON about an input that failed. */
void ig_answers_put_failure(const ig_answers *answers, const char *name, const char *message,
                            ig_str *out);

#endif
