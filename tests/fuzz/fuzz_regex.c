/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any pattern, a byte 0xff, any text. What compiles must give the same when it is put into a group,
 * and twice as alternatives; and a text in quotes must match itself.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "ops/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* 1 matches, 0 does not, -1 does not compile. */
static int match(ig_alloc *alloc, const char *pattern, size_t bytes, const char *text,
                 size_t text_bytes)
{
    ig_arena arena;
    const ig_regex *regex;
    ig_error err = { 0 };
    int result = -1;
    ig_arena_init(&arena, alloc, INGOT_MEM_OTHER);
    if (ig_regex_compile(&arena, pattern, bytes, &regex, &err) == INGOT_OK) {
        void *scratch = malloc(ig_regex_scratch_bytes(regex));
        if (!scratch) abort();
        result = ig_regex_full_match(regex, text, text_bytes, scratch);
        free(scratch);
    } else if (err.status == INGOT_OK || err.message[0] == '\0') {
        abort(); /* a failure without a text */
    }
    ig_arena_deinit(&arena);
    return result;
}

static bool is_utf8(const char *s, size_t bytes)
{
    for (size_t i = 0, n; i < bytes; i += n)
        if ((n = ig_utf8_bytes(s + i, bytes - i)) == 0) return false;
    return true;
}

static void check_wrapped(ig_alloc *alloc, const char *pattern, size_t bytes, const char *text,
                          size_t text_bytes)
{
    const int plain = match(alloc, pattern, bytes, text, text_bytes);
    if (plain < 0) return;
    for (int n = 1; n <= 2; n++) {
        ig_str s;
        ig_str_init(&s, alloc);
        for (int i = 0; i < n; i++) {
            ig_str_puts(&s, i ? "|(?:" : "(?:");
            ig_str_append(&s, pattern, bytes);
            ig_str_puts(&s, ")");
        }
        /* Names that come twice and quotes without an end do not compile here. */
        const int wrapped = match(alloc, ig_str_cstr(&s), s.n, text, text_bytes);
        if (wrapped >= 0 && wrapped != plain) abort();
        ig_str_deinit(&s);
    }
}

static void check_quoted(ig_alloc *alloc, const char *text, size_t bytes)
{
    ig_str s;
    if (!is_utf8(text, bytes) || memmem(text, bytes, "\\E", 2) || bytes > 4096) return;
    ig_str_init(&s, alloc);
    ig_str_puts(&s, "\\Q");
    ig_str_append(&s, text, bytes);
    ig_str_puts(&s, "\\E");
    if (match(alloc, ig_str_cstr(&s), s.n, text, bytes) != 1) abort();
    ig_str_deinit(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    ig_alloc alloc;
    const uint8_t *cut = bytes ? memchr(data, 0xff, bytes) : NULL;
    const size_t n = cut ? (size_t)(cut - data) : bytes;
    const char *text = (const char *)(cut ? cut + 1 : data);
    const size_t text_bytes = cut ? bytes - n - 1 : bytes;
    ig_alloc_init(&alloc, NULL, 0);
    check_wrapped(&alloc, (const char *)data, n, text, text_bytes);
    check_quoted(&alloc, text, text_bytes);
    if (atomic_load(&alloc.total) != 0) abort();
    return 0;
}
