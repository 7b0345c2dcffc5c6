/* SPDX-License-Identifier: Apache-2.0 */
/* part.h: pieces of outputs, and how each kind of answer is put into words or JSON. */
#ifndef IG_CLI_PART_H
#define IG_CLI_PART_H

#include "base/json.h"
#include "cli/answers.h"

/* Part i of n along the first dimension of a tensor. */
typedef struct ig_part {
    ingot_dtype dtype;
    const uint8_t *data;
    int64_t count;
    int rank;
    int64_t dims[INGOT_MAX_RANK];
    bool is_numeric;
} ig_part;

/* False when the value is no tensor. What cannot be divided is whole. */
bool ig_part_of(const ingot_value *value, size_t i, size_t n, ig_part *p);
double ig_part_element(const ig_part *p, int64_t i);

/* Does class i with this score come before class k with that one? Higher first, NaN last, equal
 * scores in the order of classes. */
bool ig_ranks_before(double score_i, int64_t i, double score_k, int64_t k);

/* Greedy CTC on scores of steps x classes (rank 2 or more): the best class of each step, repeats
 * dropped, then blanks (class 0). Class i is key i - 1, the class after the last key a space.
 * Appends the text; returns the mean of the scores that made it. */
double ig_decode_ctc(const ig_names *keys, const ig_part *p, ig_str *text);

/* In each of these a writer `w` means JSON members, NULL means lines of text. */

/* classes.c: the best classes. */
ig_status ig_put_classes(ig_cli *cli, ig_answers *a, const ig_part *p, const char *name,
                         ig_json_writer *w, ig_str *out) IG_MUST_USE;
/* text.c: scores of steps x classes as text. */
ig_status ig_put_text(ig_cli *cli, const ig_answers *a, const ig_part *p, const char *name,
                      ig_json_writer *w, ig_str *out) IG_MUST_USE;
/* numbers.c: every output, part i of n. */
void ig_put_outputs(const ig_engine *e, const char *name, size_t i, size_t n, ig_json_writer *w,
                    ig_str *out);

/* A name of an input, without control characters, padded. */
void ig_put_name(ig_str *out, const char *name, int width);
void ig_put_score(ig_str *out, double score);

#endif
