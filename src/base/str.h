/* SPDX-License-Identifier: Apache-2.0 */
/* str.h: a growing string. Errors stick: after an allocation fails, appends do nothing and
 * ig_str_ok says false. */
#ifndef IG_BASE_STR_H
#define IG_BASE_STR_H

#include "base/alloc.h"

typedef struct ig_str {
    ig_alloc *alloc;
    char *data; /* always terminated once something was appended; "" before via ig_str_cstr */
    size_t n, cap;
    bool has_failed;
} ig_str;

void ig_str_init(ig_str *s, ig_alloc *alloc);
void ig_str_deinit(ig_str *s);
void ig_str_clear(ig_str *s);
void ig_str_append(ig_str *s, const char *text, size_t n);
void ig_str_puts(ig_str *s, const char *text);
void ig_str_putc(ig_str *s, char c);
void ig_str_printf(ig_str *s, const char *format, ...) IG_PRINTF(2, 3);
bool ig_str_ok(const ig_str *s);
const char *ig_str_cstr(const ig_str *s);

/* Is the comma-separated `list` (may be NULL) holding `word`? Spaces round commas are ignored. */
bool ig_list_has(const char *list, const char *word);

/* Length (1 to 4) of the well-formed UTF-8 sequence at s, of which n bytes may be read; 0 if there
 * is none. */
size_t ig_utf8_bytes(const char *s, size_t n);
/* Do these n bytes begin a sequence that only lacks its end? */
bool ig_utf8_is_cut(const char *s, size_t n);

#endif
