/* SPDX-License-Identifier: Apache-2.0 */
/* markup.c: escaping, by characters. */
#include "bench/markup.h"

#include <string.h>

/* The character at s, and its bytes; 0xfffd for a byte that begins none. */
static uint32_t next_char(const char *s, size_t n, size_t *n_bytes)
{
    static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    const size_t length = ig_utf8_bytes(s, n);
    *n_bytes = length ? length : 1;
    if (length == 0) return 0xfffd;
    uint32_t c = (unsigned char)s[0] & masks[length];
    for (size_t i = 1; i < length; i++) c = c << 6 | ((unsigned char)s[i] & 0x3f);
    return c;
}

static bool is_allowed(uint32_t c)
{
    if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
    if (c >= 0x7f && c < 0xa0) return false;
    if (c >= 0x200b && c <= 0x200f) return false; /* no width, direction */
    if ((c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069)) return false; /* direction */
    return c != 0xfeff && (c & 0xfffe) != 0xfffe && !(c >= 0xfdd0 && c <= 0xfdef);
}

static size_t columns_of(uint32_t c) { return c >= 0x1100 ? 2 : 1; }

size_t ig_markup_cut(ig_str *out, const char *text, size_t n_columns)
{
    size_t left = strlen(text), n_used = 0, n_bytes = 1;
    for (; left; text += n_bytes, left -= n_bytes) {
        uint32_t c = next_char(text, left, &n_bytes);
        if (!is_allowed(c)) c = 0xfffd;
        /* The ellipsis takes the last column, unless the text ends there. */
        if (n_used + columns_of(c) + (left > n_bytes) > n_columns) {
            ig_str_puts(out, "…");
            return n_used + 1;
        }
        n_used += columns_of(c);
        switch (c) {
        case '&': ig_str_puts(out, "&amp;"); break;
        case '<': ig_str_puts(out, "&lt;"); break;
        case '>': ig_str_puts(out, "&gt;"); break;
        case '"': ig_str_puts(out, "&quot;"); break;
        case '\'': ig_str_puts(out, "&#39;"); break;
        case 0xfffd: ig_str_puts(out, "\xef\xbf\xbd"); break;
        default: ig_str_append(out, text, n_bytes);
        }
    }
    return n_used;
}

void ig_markup_text(ig_str *out, const char *text) { ig_markup_cut(out, text, SIZE_MAX); }
