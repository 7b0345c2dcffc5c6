/* SPDX-License-Identifier: Apache-2.0 */
/* edits.c: answers as text, and how many edits they are away from the right one. */
#include <string.h>

#include "base/map.h"
#include "cli/eval/metric.h"

#define MAX_EDIT_CELLS ((size_t)1 << 32) /* of the table that is never stored: a bound of time */

/* ---- text of an answer ---- */

static ig_status read_text(const ig_judging *j, const ig_answer *a, ig_str *out, ig_error *err)
{
    for (size_t k = 0; k < a->n_outputs; k++) {
        ig_part p = { 0 };
        if (j->output && !(a->names[k] && strcmp(a->names[k], j->output) == 0)) continue;
        if (!ig_answer_part(a, k, &p)) continue;
        if (p.dtype == INGOT_STRING && p.count >= 1) {
            const ingot_string *s = (const void *)p.data;
            ig_str_append(out, s->data, s->bytes);
            return INGOT_OK;
        }
        if (!j->has_keys || !p.is_numeric || p.rank < 2) continue;
        ig_decode_ctc(&j->keys, &p, out);
        return INGOT_OK;
    }
    return ig_fail(err, INGOT_ERR_SHAPE,
                   j->has_keys ? "no output is a table of scores, steps x classes, for each item"
                               : "no output is text; --ctc says how to read scores as text");
}

/* ---- words and characters ---- */

typedef struct tokens {
    uint64_t *hashes;
    size_t n, cap;
} tokens;

static size_t space_bytes(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && strchr(" \t\r\n", text[i])) i++;
    return i;
}

static size_t word_bytes(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && !strchr(" \t\r\n", text[i])) i++;
    return i;
}

/* Pieces as hashes, which are compared faster than text. */
static ig_status split(ig_alloc *alloc, const char *text, size_t n, bool is_by_word, tokens *out,
                       ig_error *err)
{
    *out = (tokens){ .cap = n + 1 };
    out->hashes = ig_alloc_get(alloc, out->cap * sizeof *out->hashes, 0, INGOT_MEM_OTHER);
    if (!out->hashes) return IG_NOMEM(err, out->cap * sizeof *out->hashes);
    for (size_t at = 0; at < n;) {
        if (is_by_word) at += space_bytes(text + at, n - at);
        const size_t utf8 = at < n ? ig_utf8_bytes(text + at, n - at) : 0;
        size_t bytes = is_by_word ? word_bytes(text + at, n - at) : utf8;
        if (at < n && bytes == 0) bytes = 1; /* not UTF-8 */
        if (bytes) out->hashes[out->n++] = ig_hash(text + at, bytes, 0);
        at += bytes;
    }
    return INGOT_OK;
}

static void free_tokens(ig_alloc *alloc, tokens *t)
{
    if (t->hashes) ig_alloc_put(alloc, t->hashes, t->cap * sizeof *t->hashes, INGOT_MEM_OTHER);
}

/* Levenshtein distance in one row. */
static ig_status count_edits(ig_alloc *alloc, const tokens *a, const tokens *b, double *out,
                             ig_error *err)
{
    const size_t bytes = (b->n + 1) * sizeof(size_t);
    if (a->n && b->n > MAX_EDIT_CELLS / a->n)
        return ig_fail(err, INGOT_ERR_LIMIT, "texts of %zu and %zu pieces are too long to compare",
                       a->n, b->n);
    size_t *row = ig_alloc_get(alloc, bytes, 0, INGOT_MEM_OTHER);
    if (!row) return IG_NOMEM(err, bytes);
    for (size_t k = 0; k <= b->n; k++) row[k] = k;
    for (size_t i = 1; i <= a->n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= b->n; k++) {
            const size_t replaced = diagonal + (a->hashes[i - 1] != b->hashes[k - 1]);
            const size_t other = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
            diagonal = row[k];
            row[k] = replaced < other ? replaced : other;
        }
    }
    *out = (double)row[b->n];
    ig_alloc_put(alloc, row, bytes, INGOT_MEM_OTHER);
    return INGOT_OK;
}

ig_status ig_judge_text(const ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                        bool is_by_word, ig_mark *mark, ig_str *said, ig_error *err)
{
    tokens a = { 0 }, b = { 0 };
    double n_edits = 0;
    IG_TRY(read_text(t->judging, answer, said, err));
    if (!ig_str_ok(said)) return IG_NOMEM(err, said->n);
    ig_status status = split(t->alloc, ig_str_cstr(said), said->n, is_by_word, &a, err);
    if (!status) status = split(t->alloc, truth->text, strlen(truth->text), is_by_word, &b, err);
    if (!status) status = count_edits(t->alloc, &a, &b, &n_edits, err);
    *mark = (ig_mark){ .a = n_edits,
                       .b = (double)b.n,
                       .said = ig_hash(ig_str_cstr(said), said->n, 0),
                       .truth_class = -1,
                       .said_class = -1,
                       .is_wrong = n_edits > 0 };
    free_tokens(t->alloc, &a);
    free_tokens(t->alloc, &b);
    return status;
}
