/* SPDX-License-Identifier: Apache-2.0 */
/* regex_class.c: sets of code points, collected as ranges. */
#include "base/unicode.h"
#include "ops/regex_program.h"

/* Of all sets together. */
#define MAX_RANGES (1 << 20)

static ig_status push(ig_re_parser *p, int32_t first, int32_t last)
{
    if (p->n_added++ >= MAX_RANGES)
        return ig_re_fail(p, INGOT_ERR_LIMIT, "the classes have more than %d ranges", MAX_RANGES);
    if (!IG_ARENA_PUSH(p->arena, p->set, p->n_set, p->cap_set, ((ig_re_range){ first, last })))
        return IG_NOMEM(p->err, p->n_set * sizeof *p->set);
    return INGOT_OK;
}

ig_status ig_re_add(ig_re_parser *p, int32_t first, int32_t last)
{
    IG_TRY(push(p, first, last));
    if (!(p->flags & IG_RE_FOLD) || (first == 0 && last == IG_CODE_POINT_MAX)) return INGOT_OK;
    for (int32_t c = ig_unicode_find_cased(first); c >= 0 && c <= last;
         c = ig_unicode_find_cased(c + 1))
        for (int32_t d = ig_unicode_next_case(c); d != c; d = ig_unicode_next_case(d))
            if (d < first || d > last) IG_TRY(push(p, d, d));
    return INGOT_OK;
}

ig_status ig_re_add_pairs(ig_re_parser *p, const char *pairs)
{
    for (; *pairs; pairs += 2) IG_TRY(ig_re_add(p, pairs[0], pairs[1]));
    return INGOT_OK;
}

ig_status ig_re_add_category(ig_re_parser *p, const char *name, size_t bytes)
{
    size_t i = 0;
    int32_t first, last;
    while (ig_unicode_category(name, bytes, &i, &first, &last)) IG_TRY(ig_re_add(p, first, last));
    return INGOT_OK;
}

/* ---- order ---- */

static void sift_down(ig_re_range *r, size_t at, size_t n)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && r[child + 1].first > r[child].first) child++;
        if (r[at].first >= r[child].first) return;
        const ig_re_range swapped = r[at];
        r[at] = r[child];
        r[child] = swapped;
    }
}

/* Heap sort: needs no memory, and no order of the input makes it slow. */
static void sort(ig_re_range *r, size_t n)
{
    for (size_t i = n / 2; i-- > 0;) sift_down(r, i, n);
    while (n > 1) {
        const ig_re_range greatest = r[0];
        r[0] = r[--n];
        r[n] = greatest;
        sift_down(r, 0, n);
    }
}

/* Sorted, with those that touch made one; returns how many are left. */
static size_t merge(ig_re_range *r, size_t n)
{
    size_t to = 0;
    sort(r, n);
    for (size_t i = 0; i < n; i++) {
        if (to && r[i].first <= r[to - 1].last + 1) {
            if (r[i].last > r[to - 1].last) r[to - 1].last = r[i].last;
        } else {
            r[to++] = r[i];
        }
    }
    return to;
}

ig_status ig_re_negate(ig_re_parser *p, size_t from)
{
    int32_t next = 0;
    const size_t n = merge(p->set + from, p->n_set - from);
    size_t to = from;
    for (size_t i = from; i < from + n; i++) {
        const ig_re_range r = p->set[i];
        if (r.first > next) p->set[to++] = (ig_re_range){ next, r.first - 1 };
        next = r.last + 1;
    }
    p->n_set = to;
    return next <= IG_CODE_POINT_MAX ? push(p, next, IG_CODE_POINT_MAX) : INGOT_OK;
}

/* ---- steps ---- */

ig_status ig_re_emit_set(ig_re_parser *p)
{
    ig_regex *r = p->regex;
    ig_re_class class = { .n = merge(p->set, p->n_set) };
    class.ranges = ig_arena_copy(p->arena, p->set, class.n * sizeof *p->set);
    if (!class.ranges) return IG_NOMEM(p->err, class.n * sizeof *p->set);
    for (size_t i = 0; i < class.n; i++)
        for (int32_t c = class.ranges[i].first; c < 128 && c <= class.ranges[i].last; c++)
            class.ascii[c >> 6] |= (uint64_t)1 << (c & 63);
    if (!IG_ARENA_PUSH(p->arena, r->classes, r->n_classes, r->cap_classes, class))
        return IG_NOMEM(p->err, r->n_classes * sizeof class);
    p->n_set = 0;
    return ig_re_emit(p, IG_RE_CLASS, (int32_t)r->n_classes - 1, 0);
}

ig_status ig_re_emit_char(ig_re_parser *p, int32_t c)
{
    if (!(p->flags & IG_RE_FOLD) || ig_unicode_next_case(c) == c)
        return ig_re_emit(p, IG_RE_CHAR, c, 0);
    IG_TRY(ig_re_add(p, c, c));
    return ig_re_emit_set(p);
}
