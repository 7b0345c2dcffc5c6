/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <stdio.h>
#include <string.h>

void ig_str_init(ig_str *s, ig_alloc *alloc) { *s = (ig_str){ .alloc = alloc }; }

void ig_str_deinit(ig_str *s)
{
    if (s->data) ig_alloc_put(s->alloc, s->data, s->cap, INGOT_MEM_OTHER);
    ig_str_init(s, s->alloc);
}

void ig_str_clear(ig_str *s)
{
    s->n = 0;
    s->has_failed = false;
    if (s->data) s->data[0] = '\0';
}

/* Room for n more bytes and the terminator. */
static bool reserve(ig_str *s, size_t n)
{
    size_t need;
    if (s->has_failed) return false;
    if (!ig_size_add(s->n, n, &need) || !ig_size_add(need, 1, &need)) need = 0;
    if (need && need <= s->cap) return true;
    size_t cap = s->cap < 32 ? 64 : s->cap;
    while (need && cap < need) cap = cap > SIZE_MAX / 2 ? need : cap * 2;
    char *data = need ? ig_alloc_get(s->alloc, cap, 0, INGOT_MEM_OTHER) : NULL;
    if (!data) {
        s->has_failed = true;
        return false;
    }
    if (s->n) memcpy(data, s->data, s->n);
    if (s->data) ig_alloc_put(s->alloc, s->data, s->cap, INGOT_MEM_OTHER);
    s->data = data;
    s->cap = cap;
    return true;
}

void ig_str_append(ig_str *s, const char *text, size_t n)
{
    if (!reserve(s, n)) return;
    if (n) memcpy(s->data + s->n, text, n);
    s->n += n;
    s->data[s->n] = '\0';
}

void ig_str_puts(ig_str *s, const char *text) { ig_str_append(s, text, strlen(text)); }

void ig_str_putc(ig_str *s, char c) { ig_str_append(s, &c, 1); }

void ig_str_printf(ig_str *s, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const size_t room = s->cap - s->n;
    const int n = vsnprintf(room ? s->data + s->n : NULL, room, format, args);
    if (n < 0) s->has_failed = true;
    if (n >= 0 && (size_t)n >= room && reserve(s, (size_t)n))
        vsnprintf(s->data + s->n, (size_t)n + 1, format, again);
    if (!s->has_failed)
        s->n += (size_t)n;
    else if (s->data)
        s->data[s->n] = '\0';
    va_end(again);
    va_end(args);
}

bool ig_str_ok(const ig_str *s) { return !s->has_failed; }

const char *ig_str_cstr(const ig_str *s) { return s->data ? s->data : ""; }

bool ig_list_has(const char *list, const char *word)
{
    const size_t word_bytes = strlen(word);
    while (list && *list) {
        list += strspn(list, " ,");
        const size_t item_bytes = strcspn(list, ",");
        size_t n = item_bytes;
        while (n && list[n - 1] == ' ') n--;
        if (n && n == word_bytes && memcmp(list, word, n) == 0) return true;
        list += item_bytes;
    }
    return false;
}

/* Bytes that a sequence with this first byte has; 0 for bytes that begin none. */
static size_t utf8_want(unsigned char first)
{
    if (first < 0x80) return 1;
    if (first < 0xc2) return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

/* The second byte excludes overlong forms, surrogates and what is above U+10FFFF. */
static bool utf8_second_ok(unsigned char first, unsigned char second)
{
    const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high;
}

/* How many bytes at s, at most n and the sequence's length, are as they should be. */
static size_t utf8_match(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;
    const size_t want = n ? utf8_want(u[0]) : 0;
    size_t i = want ? 1 : 0;
    while (i < want && i < n && (i == 1 ? utf8_second_ok(u[0], u[1]) : (u[i] & 0xc0) == 0x80)) i++;
    return i;
}

size_t ig_utf8_bytes(const char *s, size_t n)
{
    const size_t match = utf8_match(s, n);
    return match && match == utf8_want((unsigned char)*s) ? match : 0;
}

bool ig_utf8_is_cut(const char *s, size_t n)
{
    const size_t match = utf8_match(s, n);
    return match && match == n && match < utf8_want((unsigned char)*s);
}
