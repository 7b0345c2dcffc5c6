/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex_match.c: runs a program over a text, in all states at once. Each code point is looked at
 * once for each state, and there are no more states than steps.
 */
#include "base/unicode.h"
#include "ops/regex_program.h"

/* Steps that the machine is at. Emptied in no time, and its memory need not be cleared: `place` is
 * believed only where `steps` agrees. */
typedef struct states {
    int32_t *steps, *place;
    int32_t n;
} states;

static bool add(states *s, int32_t step)
{
    const uint32_t at = (uint32_t)s->place[step];
    if (at < (uint32_t)s->n && s->steps[at] == step) return false;
    s->place[step] = s->n;
    s->steps[s->n++] = step;
    return true;
}

/* Add a step and all that it leads to without taking a character, at a place that is as `place`
 * says. A step is pushed when it is new, so `stack` needs no more room than there are steps. */
static void follow(const ig_regex *r, states *s, int32_t step, int32_t place, int32_t *stack)
{
    int32_t n = 0;
    if (add(s, step)) stack[n++] = step;
    while (n > 0) {
        const int32_t at = stack[--n];
        const ig_re_step *t = &r->steps[at];
        if (t->op == IG_RE_JUMP || t->op == IG_RE_SPLIT) {
            if (add(s, at + t->a)) stack[n++] = at + t->a;
            if (t->op == IG_RE_SPLIT && add(s, at + t->b)) stack[n++] = at + t->b;
        } else if (t->op == IG_RE_LOOK && (t->a & place)) {
            if (add(s, at + 1)) stack[n++] = at + 1;
        }
    }
}

static bool is_in_class(const ig_re_class *class, int32_t c)
{
    if (c < 128) return class->ascii[c >> 6] >> (c & 63) & 1;
    size_t low = 0, high = class->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (class->ranges[middle].last < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low < class->n && class->ranges[low].first <= c;
}

static bool takes(const ig_regex *r, const ig_re_step *t, int32_t c)
{
    return t->op == IG_RE_CHAR ? t->a == c
                               : t->op == IG_RE_CLASS && is_in_class(&r->classes[t->a], c);
}

static bool is_word(int32_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* What the place between two code points is; NONE: there is none. */
#define NONE (-2)
static int32_t place_between(int32_t before, int32_t after)
{
    return (before == NONE ? IG_RE_AT_BEGIN : 0) | (after == NONE ? IG_RE_AT_END : 0) |
           (before == NONE || before == '\n' ? IG_RE_AT_LINE_BEGIN : 0) |
           (after == NONE || after == '\n' ? IG_RE_AT_LINE_END : 0) |
           (is_word(before) != is_word(after) ? IG_RE_AT_WORD_EDGE : IG_RE_AT_NO_WORD_EDGE);
}

static int32_t take(const char **at, const char *end)
{
    size_t n;
    if (*at == end) return NONE;
    const int32_t c = ig_utf8_get(*at, (size_t)(end - *at), &n);
    *at += n;
    return c;
}

size_t ig_regex_scratch_bytes(const ig_regex *r) { return 5 * r->n_steps * sizeof(int32_t); }

bool ig_regex_full_match(const ig_regex *r, const char *text, size_t bytes, void *scratch)
{
    const int32_t n = (int32_t)r->n_steps;
    int32_t *memory = scratch, *stack = memory + 4 * (size_t)n;
    states now = { memory, memory + n, 0 },
           next = { memory + 2 * (size_t)n, memory + 3 * (size_t)n, 0 };
    const char *at = bytes ? text : "", *end = at + bytes;
    int32_t c = take(&at, end);
    follow(r, &now, 0, place_between(NONE, c), stack);
    while (c != NONE && c >= 0 && now.n > 0) {
        const int32_t after = take(&at, end), place = place_between(c, after);
        next.n = 0;
        for (int32_t i = 0; i < now.n; i++) {
            if (takes(r, &r->steps[now.steps[i]], c))
                follow(r, &next, now.steps[i] + 1, place, stack);
        }
        const states swapped = now;
        now = next;
        next = swapped;
        c = after;
    }
    return c == NONE && now.n > 0 && !add(&now, n - 1); /* the last step is the match */
}

/* ---- search ---- */

/* States with the place where each began, in ascending order of it. */
typedef struct threads {
    states s;
    size_t *began;
} threads;

static void follow_thread(const ig_regex *r, threads *t, int32_t step, int32_t place, size_t began,
                          int32_t *stack)
{
    const int32_t old = t->s.n;
    follow(r, &t->s, step, place, stack);
    for (int32_t i = old; i < t->s.n; i++) t->began[i] = began;
}

static int32_t code_point_before(const char *text, size_t at)
{
    size_t begin = at, n;
    if (at == 0) return NONE;
    do begin--;
    while (begin > 0 && ((uint8_t)text[begin] & 0xc0) == 0x80);
    return ig_utf8_get(text + begin, at - begin, &n);
}

size_t ig_regex_search_scratch_bytes(const ig_regex *r)
{
    return 2 * r->n_steps * sizeof(size_t) + ig_regex_scratch_bytes(r);
}

/* Of two threads in one state the one that began first is kept, since it comes first; so time is
 * that of a match of the whole text. After a match only threads that began no later go on. */
bool ig_regex_search(const ig_regex *r, const char *text, size_t bytes, size_t from, void *scratch,
                     size_t *begin, size_t *end)
{
    const size_t n = r->n_steps;
    size_t *places = scratch;
    int32_t *memory = (int32_t *)(void *)(places + 2 * n), *stack = memory + 4 * n;
    threads now = { { memory, memory + n, 0 }, places },
            next = { { memory + 2 * n, memory + 3 * n, 0 }, places + n };
    const char *text_end = bytes ? text + bytes : "", *at = bytes ? text + from : text_end;
    int32_t before = code_point_before(text, from), c = take(&at, text_end);
    size_t place = from;
    bool found = false;
    for (;;) {
        const int32_t last = (int32_t)n - 1; /* the match */
        if (!found) follow_thread(r, &now, 0, place_between(before, c), place, stack);
        const int32_t i_match = now.s.n > 0 ? now.s.place[last] : -1;
        if ((uint32_t)i_match < (uint32_t)now.s.n && now.s.steps[i_match] == last &&
            (!found || now.began[i_match] <= *begin)) {
            found = true;
            *begin = now.began[i_match];
            *end = place;
        }
        if (c < 0 || (found && now.s.n == 0)) return found;
        place = (size_t)(at - text);
        const int32_t after = take(&at, text_end), between = place_between(c, after);
        next.s.n = 0;
        for (int32_t i = 0; i < now.s.n && !(found && now.began[i] > *begin); i++)
            if (takes(r, &r->steps[now.s.steps[i]], c))
                follow_thread(r, &next, now.s.steps[i] + 1, between, now.began[i], stack);
        const threads swapped = now;
        now = next;
        next = swapped;
        before = c;
        c = after;
    }
}
