/* SPDX-License-Identifier: Apache-2.0 */
#include "base/unicode.h"

#include <string.h>

#include "base/str.h"

typedef struct case_run {
    int32_t first, last;
    int32_t step, delta;
} case_run;

#include "base/unicode_tables.inc"

/* ---- UTF-8 ---- */

int32_t ig_utf8_get(const char *s, size_t n, size_t *length)
{
    const unsigned char *u = (const unsigned char *)s;
    const size_t k = ig_utf8_bytes(s, n);
    *length = k ? k : 1;
    if (k == 0) return -1;
    if (k == 1) return u[0];
    int32_t c = u[0] & (0x7f >> k);
    for (size_t i = 1; i < k; i++) c = c << 6 | (u[i] & 0x3f);
    return c;
}

size_t ig_utf8_put(int32_t c, char *s)
{
    const size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (n == 1) {
        s[0] = (char)c;
        return 1;
    }
    for (size_t i = n - 1; i > 0; i--, c >>= 6) s[i] = (char)(0x80 | (c & 0x3f));
    s[0] = (char)(0xf00 >> n | c); /* n ones, a zero, the first bits */
    return n;
}

/* ---- case ---- */

/* The first run that does not end before c; n when all do. */
static size_t find_run(const case_run *runs, size_t n, int32_t c)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (runs[middle].last < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int32_t map_case(const case_run *runs, size_t n, int32_t c)
{
    const size_t i = find_run(runs, n, c);
    if (i == n || c < runs[i].first || (c - runs[i].first) % runs[i].step) return c;
    return c + runs[i].delta;
}

int32_t ig_unicode_lower(int32_t c) { return map_case(lower_runs, IG_COUNT(lower_runs), c); }
int32_t ig_unicode_upper(int32_t c) { return map_case(upper_runs, IG_COUNT(upper_runs), c); }

/* The first member of a run at or after c; INT32_MAX when there is none. */
static int32_t first_member(const case_run *runs, size_t n, int32_t c)
{
    const size_t i = find_run(runs, n, c);
    if (i == n) return INT32_MAX;
    if (c <= runs[i].first) return runs[i].first;
    return c + (c - runs[i].first) % runs[i].step; /* a step is 1 or 2, and last is on one */
}

int32_t ig_unicode_next_case(int32_t c)
{
    if (first_member(ring_runs, IG_COUNT(ring_runs), c) == c)
        return map_case(ring_runs, IG_COUNT(ring_runs), c);
    const int32_t lower = ig_unicode_lower(c);
    return lower != c ? lower : ig_unicode_upper(c);
}

int32_t ig_unicode_find_cased(int32_t c)
{
    const int32_t lower = first_member(lower_runs, IG_COUNT(lower_runs), c);
    const int32_t upper = first_member(upper_runs, IG_COUNT(upper_runs), c);
    int32_t first = first_member(ring_runs, IG_COUNT(ring_runs), c);
    if (lower < first) first = lower;
    if (upper < first) first = upper;
    return first == INT32_MAX ? -1 : first;
}

/* ---- categories ---- */

/* Does the category of this index (of a pair: its part) belong to the name? */
static bool is_in(size_t category, const char *name, size_t name_bytes)
{
    return category != 0 && memcmp(category_names[category], name, name_bytes) == 0;
}

bool ig_unicode_has_category(const char *name, size_t name_bytes)
{
    if (name_bytes != 1 && name_bytes != 2) return false;
    for (size_t i = 1; i < IG_COUNT(category_names); i++)
        if (is_in(i, name, name_bytes)) return true;
    return false;
}

/* Is c, of a run of pairs from `first` on, in the category? */
static bool pair_is_in(int32_t first, int32_t c, const char *name, size_t name_bytes)
{
    const char *part = (c - first) % 2 ? "Ll" : "Lu";
    return memcmp(part, name, name_bytes) == 0;
}

/*
 * *i counts runs in its upper bits; in its lower ones, members of a run of pairs, each of which is
 * a range of its own unless the name takes both.
 */
#define MEMBER_BITS 12

bool ig_unicode_category(const char *name, size_t name_bytes, size_t *i, int32_t *first,
                         int32_t *last)
{
    const size_t n = IG_COUNT(category_runs);
    for (size_t run = *i >> MEMBER_BITS; run < n; *i = ++run << MEMBER_BITS) {
        const int32_t begin = (int32_t)(category_runs[run] >> 5);
        const int32_t end =
            run + 1 < n ? (int32_t)(category_runs[run + 1] >> 5) : IG_CODE_POINT_MAX + 1;
        const size_t category = category_runs[run] & 31;
        int32_t c = begin + (int32_t)(*i & (((size_t)1 << MEMBER_BITS) - 1));
        if (category != PAIRS || name_bytes == 1) {
            if (!is_in(category == PAIRS ? (size_t)5 : category, name, name_bytes)) continue;
            *first = begin;
            *last = end - 1;
            *i = (run + 1) << MEMBER_BITS;
            return true;
        }
        while (c < end && !pair_is_in(begin, c, name, name_bytes)) c++;
        if (c >= end) continue;
        *first = *last = c;
        *i = run << MEMBER_BITS | (size_t)(c + 1 - begin);
        return true;
    }
    return false;
}

const char *ig_unicode_version(void) { return UNICODE_VERSION; }
