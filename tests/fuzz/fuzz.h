/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h: what the targets that make graphs check alike. A finding is an abort with a line. */
#ifndef IG_TESTS_FUZZ_H
#define IG_TESTS_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/op.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define FUZZ_MAX_BYTES ((size_t)256 << 20)
#define FUZZ_MAX_TEXT ((size_t)1 << 20)

#define FUZZ_FOUND(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), abort())

typedef struct fuzz_graph {
    ig_alloc alloc;
    ig_arena arena;
    ig_dims dims;
    ig_error err;
} fuzz_graph;

static inline void fuzz_begin(fuzz_graph *f)
{
    *f = (fuzz_graph){ 0 };
    ig_alloc_init(&f->alloc, NULL, FUZZ_MAX_BYTES);
    ig_arena_init(&f->arena, &f->alloc, INGOT_MEM_GRAPH);
    ig_dims_init(&f->dims, &f->arena);
}

static inline void fuzz_end(fuzz_graph *f)
{
    ig_arena_deinit(&f->arena);
    if (atomic_load(&f->alloc.total) != 0) FUZZ_FOUND("memory stays behind");
}

/* A failure has a status of its own and one line of text. */
static inline void fuzz_check_error(const ig_error *err, ig_status status)
{
    if (status == INGOT_ERR_INTERNAL || err->status != status || !err->message[0] ||
        strchr(err->message, '\n'))
        FUZZ_FOUND("bad error %d (%d): %s", (int)status, (int)err->status, err->message);
}

/* A number that depends on all bytes: what a target chooses its options by. */
static inline uint32_t fuzz_choice(const uint8_t *data, size_t bytes)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ data[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* The text `from` read and printed again. */
static inline ig_status fuzz_reprint(fuzz_graph *f, const ig_str *from, ig_str *to, ig_error *err)
{
    ig_arena arena;
    ig_dims dims;
    ig_graph *g = NULL;
    ig_arena_init(&arena, &f->alloc, INGOT_MEM_GRAPH);
    ig_dims_init(&dims, &arena);
    const ig_status status = ig_graph_parse(&arena, &dims, ig_str_cstr(from), from->n, &g, err);
    ig_str_init(to, &f->alloc);
    if (!status) ig_graph_print(g, true, to);
    ig_arena_deinit(&arena);
    return status;
}

/* The same characters? Terms of a dimension stand in the order in which they were first met, and
 * the sign of the first one is a factor: "-a+b*2" and "b*2-a" and "a*-1+b*2". */
static inline bool fuzz_is_same_text(const ig_str *a, const ig_str *b)
{
    ptrdiff_t count[256] = { 0 };
    bool is_same = true;
    for (size_t i = 0; i < a->n; i++) count[(unsigned char)a->data[i]]++;
    for (size_t i = 0; i < b->n; i++) count[(unsigned char)b->data[i]]--;
    for (int c = 0; c < 256; c++) is_same = is_same && (!count[c] || strchr("+-*1", c));
    return is_same;
}

/* The graph's text is read back, and prints the same again: at once, or after dimensions were
 * simplified once more (a sum that was too long to take apart may be short enough by then). */
static inline void fuzz_check_text(fuzz_graph *f, const ig_graph *g)
{
    ig_error err = { 0 };
    ig_str text[3];
    ig_status status = INGOT_OK;
    bool is_same = false;
    int n = 1;
    ig_str_init(&text[0], &f->alloc);
    ig_graph_print(g, true, &text[0]);
    if (ig_str_ok(&text[0]) && text[0].n < FUZZ_MAX_TEXT) {
        for (; n < 3 && !status && !is_same; n++) {
            status = fuzz_reprint(f, &text[n - 1], &text[n], &err);
            is_same = !status && fuzz_is_same_text(&text[n - 1], &text[n]);
        }
        if (status != INGOT_ERR_NOMEM && status != INGOT_ERR_LIMIT && (status || !is_same))
            FUZZ_FOUND("%s\n--- became\n%s\n--- %s", ig_str_cstr(&text[n - 2]),
                       ig_str_cstr(&text[n - 1]), err.message);
    }
    while (n > 0) ig_str_deinit(&text[--n]);
}

#endif
